"""Openers of drafts: written by the model alone, for people who may be contacted, from what is known of them."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from app import ports, providers
from app.core.db import session, transaction
from app.domain.approvals import approvals
from app.domain.autopilot.research import company_pages
from app.domain.exclusions import never_contact
from app.models.approvals import Approval
from app.models.autopilot import CompanyReading
from app.models.leads import Lead
from app.models.workspaces import Workspace
from tests.domain.autopilot.researching import SAID, START, Reader, drafts, researched
from tests.domain.autopilot.steering import work
from tests.providers.scripted_model import NAME, Character, ScriptedModel


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def model(app: Any, reader: Reader) -> Iterator[ScriptedModel]:
    """A good model writes; websites are not read outside."""
    served = ScriptedModel(Character.GOOD)
    providers.build({**app.config, "OVERTURE_MODEL_URL": served.url, "OVERTURE_MODEL_NAME": NAME})
    ports.site_reader.connect(reader)
    yield served
    served.stop()
    providers.build(app.config)


@pytest.fixture
def waiting(acme: Workspace) -> list[Approval]:
    """Drafts of a workspace whose people are real as far as their websites go."""
    return researched(acme)


def test_a_waiting_draft_gets_an_opener_with_its_evidence(
    acme: Workspace, waiting: list[Approval], model: ScriptedModel, reader: Reader
) -> None:
    """Quote, day and address are kept with the draft; the site of a company is read once for all its people."""
    work()
    found = drafts(acme)
    for draft in found:
        assert draft.opener is not None
        assert f"{START}{SAID} That is why I write to you." in draft.text
        assert (draft.edited, draft.written_text) == (False, draft.text)
        assert ("opener", f"written by {NAME}") in [(fact["kind"], fact["text"]) for fact in draft.facts]
        (told,) = [one for one in draft.opener["facts"] if one["about"] == "company"]
        assert (told["quote"], told["address"]) == (SAID, "https://lark.example/about")
        assert told["date"] == f"{acme.now():%Y-%m-%d}"
        assert any(one["about"] == "title" for one in draft.opener["facts"])
    assert reader.read_addresses == ["lark.example"]


def test_without_a_model_the_starting_text_stands(acme: Workspace, waiting: list[Approval], reader: Reader) -> None:
    """Nothing is read and nothing is written."""
    ports.site_reader.connect(reader)
    texts = [draft.text for draft in drafts(acme)]
    work()
    assert [(draft.text, draft.opener) for draft in drafts(acme)] == [(text, None) for text in texts]
    assert reader.read_addresses == []


def test_no_one_who_is_not_to_be_contacted_is_looked_at(
    acme: Workspace, waiting: list[Approval], model: ScriptedModel, reader: Reader
) -> None:
    for draft in waiting:
        never_contact.add_person(acme, session().get_one(Lead, draft.lead_id).person_id, "asked for it")
    work()
    assert (reader.read_addresses, model.bodies) == ([], [])


def test_a_text_that_a_person_edited_stays_theirs(
    acme: Workspace, waiting: list[Approval], model: ScriptedModel
) -> None:
    approvals.edit(acme, waiting[0].id, text="Would a call help?")
    work()
    assert drafts(acme)[0].text == "Would a call help?"
    assert drafts(acme)[0].opener is None


def test_a_false_claim_leaves_the_starting_text_and_the_draft_says_why(
    acme: Workspace, waiting: list[Approval], model: ScriptedModel
) -> None:
    model.character = Character.LAUNDERING
    texts = [draft.text for draft in drafts(acme)]
    work()
    found = drafts(acme)
    assert [draft.text for draft in found] == texts
    assert all("was left out" in draft.opener["note"] for draft in found if draft.opener)
    assert all(any(fact["kind"] == "opener" for fact in draft.facts) for draft in found)


def test_an_opener_stays_when_the_draft_is_written_again_and_its_edit_is_checked(
    acme: Workspace, waiting: list[Approval], model: ScriptedModel
) -> None:
    """A claim about the recipient that no quote supports waits for a person."""
    work()
    draft = drafts(acme)[0]
    assert draft.warnings == []
    approvals.edit(acme, draft.id, text=draft.text.replace("a second plant", "a third plant"))
    (warning,) = drafts(acme)[0].warnings
    assert (warning["code"], warning["claim"]) == ("unsupported", True)
    assert "third plant" in warning["sentence"]


def test_a_site_that_cannot_be_read_is_tried_again_after_days(acme: Workspace, reader: Reader) -> None:
    """And one that was read, after a month."""
    with transaction():
        session().get_one(Workspace, acme.id).sandbox = False
    reader.problem = "The host name is not known."
    ports.site_reader.connect(reader)
    for _ in range(2):
        assert company_pages.read(acme, "lark.example") == []
    assert len(reader.read_addresses) == 1
    with transaction():
        session().scalars(sa.select(CompanyReading)).one().read_at -= company_pages.TRY_AGAIN
    reader.problem = ""
    assert [one["quote"] for one in company_pages.read(acme, "lark.example")] == [SAID, "We look after you."][:1]
    assert [one["quote"] for one in company_pages.read(acme, "lark.example")] == [SAID]
    assert len(reader.read_addresses) == 2


def test_nothing_is_read_for_the_invented_companies_of_a_sandbox(acme: Workspace, reader: Reader) -> None:
    ports.site_reader.connect(reader)
    assert acme.sandbox
    assert company_pages.read(acme, "lark.example") == []
    assert reader.read_addresses == []
