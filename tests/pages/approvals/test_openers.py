"""What a model wrote to one person, on the page of the draft: with its facts, and held back where none says it."""

from typing import Any

import pytest

from app.core.db import session
from app.models.approvals import Approval
from app.models.workspaces import Workspace
from tests.domain.autopilot.research.test_openers import writing
from tests.domain.autopilot.researching import SAID, Reader, drafts, researched
from tests.domain.autopilot.steering import work
from tests.pages.conftest import Web, must_have
from tests.providers.scripted_model import NAME, Character


@pytest.mark.usefixtures("clock")
def test_the_first_sentences_stand_in_the_draft_with_their_facts(acme: Workspace, web: Web, app: Any) -> None:
    """Each with its words, its day and its address; an edit that makes one false is named before it is approved."""
    researched(acme)
    with writing(app, Character.GOOD, Reader()):
        work()
    draft = next(one for one in drafts(acme) if one.opener and one.opener["sentences"])
    place, text, subject = f"/approvals/{draft.id}", draft.text, draft.subject
    facts = (f"<q>{SAID}</q>", f"{acme.now():%Y-%m-%d}", 'href="https://lark.example/about"')
    must_have(web.get(place), f"{NAME} based the opening on the facts below", *facts)
    edited = text.replace("a second plant", "a third plant")
    must_have(web.post(place, text=edited, subject=subject), 422, "third plant", "Approve, I stand by this")
    assert session().get_one(Approval, draft.id, populate_existing=True).status == "pending"
