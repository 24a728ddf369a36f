"""Openers of drafts: written by the model alone, for people who may be contacted, from what is known of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from app import ports, providers
from app.core.db import session, transaction
from app.domain.approvals import approvals, drafting
from app.domain.autopilot.research import company_pages
from app.domain.people.exclusions import never_contact
from app.models.approvals import Approval
from app.models.autopilot import CompanyReading
from app.models.campaigns import Campaign
from app.models.leads import Lead
from app.models.workspaces import Workspace
from tests.domain.autopilot.researching import SAID, START, Reader, drafts, researched
from tests.domain.autopilot.steering import work
from tests.providers.scripted_model import NAME, Character, ScriptedModel


@pytest.fixture
def reader() -> Reader:
    return Reader()


@contextmanager
def writing(app: Any, character: Character, reader: Reader) -> Iterator[None]:
    """A model of that character writes; websites are not read outside."""
    served = ScriptedModel(character)
    providers.build({**app.config, "OVERTURE_MODEL_URL": served.url, "OVERTURE_MODEL_NAME": NAME})
    ports.site_reader.connect(reader)
    yield
    served.stop()
    providers.build(app.config)


def test_waiting_drafts_get_an_opener_with_its_evidence(acme: Workspace, app: Any, reader: Reader) -> None:
    """Quote, day and address are kept with the draft, and a site is read once for all its people.

    Without a model nothing is read; who is not to be contacted is not looked at; an edited text stays as it is.
    """
    ports.site_reader.connect(reader)
    edited, blocked, *others = [draft.id for draft in researched(acme, most_people=24)]
    assert others
    texts = [draft.text for draft in drafts(acme)]
    work()
    assert [(draft.text, draft.opener) for draft in drafts(acme)] == [(text, None) for text in texts]
    assert reader.read_addresses == []
    approvals.edit(acme, edited, text="Would a call help?")
    lead_id = session().get_one(Approval, blocked).lead_id
    never_contact.add_person(acme, session().get_one(Lead, lead_id).person_id, "asked for it")
    campaign_id = drafts(acme)[0].campaign_id
    with writing(app, Character.GOOD, reader):
        with transaction():
            drafting.queue_openers(session().get_one(Campaign, campaign_id))
        work()
    found = {draft.id: draft for draft in drafts(acme)}
    assert found[edited].text == "Would a call help?"
    assert (found[edited].opener, found[blocked].opener) == (None, None)
    for draft in (found[one] for one in others):
        assert draft.opener is not None
        assert f"{START}{SAID} That is why I write to you." in draft.text
        assert (draft.edited, draft.written_text, draft.warnings) == (False, draft.text, [])
        assert ("opener", f"written by {NAME}") in [(fact["kind"], fact["text"]) for fact in draft.facts]
        (told,) = [one for one in draft.opener["facts"] if one["about"] == "company"]
        assert (told["quote"], told["address"]) == (SAID, "https://lark.example/about")
        assert told["date"] == f"{acme.now():%Y-%m-%d}"
        assert any(one["about"] == "title" for one in draft.opener["facts"])
    assert reader.read_addresses == ["lark.example"]
    # A claim about the recipient that no quote supports waits for a person.
    approvals.edit(acme, others[0], text=found[others[0]].text.replace("a second plant", "a third plant"))
    (warning,) = session().get_one(Approval, others[0], populate_existing=True).warnings
    assert (warning["code"], warning["claim"]) == ("unsupported", True)
    assert "third plant" in warning["sentence"]


def test_a_false_claim_leaves_the_starting_text_and_the_draft_says_why(
    acme: Workspace, app: Any, reader: Reader
) -> None:
    researched(acme)
    texts = [draft.text for draft in drafts(acme)]
    with writing(app, Character.LAUNDERING, reader):
        work()
    found = drafts(acme)
    assert [draft.text for draft in found] == texts
    assert all("was left out" in draft.opener["note"] for draft in found if draft.opener)
    assert all(any(fact["kind"] == "opener" for fact in draft.facts) for draft in found)


def test_a_site_that_cannot_be_read_is_tried_again_after_days(acme: Workspace, reader: Reader) -> None:
    """And one that was read, after a month. Nothing is read for the invented companies of a sandbox."""
    reader.problem = "The host name is not known."
    ports.site_reader.connect(reader)
    assert company_pages.read(acme, "lark.example") == []
    assert reader.read_addresses == []
    with transaction():
        session().get_one(Workspace, acme.id).sandbox = False
    for _ in range(2):
        assert company_pages.read(acme, "lark.example") == []
    assert len(reader.read_addresses) == 1
    with transaction():
        session().scalars(sa.select(CompanyReading)).one().read_at -= company_pages.TRY_AGAIN
    reader.problem = ""
    for _ in range(2):
        assert [one["quote"] for one in company_pages.read(acme, "lark.example")] == [SAID]
    assert len(reader.read_addresses) == 2
