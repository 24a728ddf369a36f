"""The demonstration is filled once, and looks like work in progress."""

import pytest

from app.core.db import session
from app.domain.approvals import approvals
from app.domain.approvals.approvals import Filters
from app.domain.campaigns import campaigns
from app.domain.installation.sandbox import demo
from app.domain.leads import lists
from app.domain.senders import accounts
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.support.movable import Movable


@pytest.fixture
def filled(app: object, clock: Movable, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A smaller one, for the sake of time."""
    monkeypatch.setattr(demo, "PEOPLE", 30)
    monkeypatch.setattr(demo, "DAYS", 4)
    return demo.fill()


def test_the_demo_is_filled_once_with_invented_people_and_work_in_progress(filled: Workspace) -> None:
    """It has a campaign under way, one whose messages wait for approval, and a draft; a second fill changes nothing."""
    running, held, draft = session().scalars(campaigns.page(filled).order_by(Campaign.id)).all()
    assert (running.status, held.status, draft.status) == ("running", "running", "draft")
    assert approvals.count(filled, Filters(status="pending", campaign_id=held.id)) > 2
    counters = campaigns.stats(filled, [running.id])[running.id]
    assert counters.leads == 30
    assert counters.invites_sent > 5
    assert counters.accepted > 0
    assert filled.sandbox
    assert {account.provider for account in accounts.every(filled)} == {"sandbox"}
    everywhere = session().scalars(lists.lists(filled)).all()
    people = [lead for one in everywhere for lead in session().scalars(lists.query_list(filled, one.id))]
    assert all(lead.email.endswith(".example") and "Online" in lead.company_name for lead in people)
    campaigns.pause(filled, running.id)
    offset, before = filled.clock_offset, session().scalars(campaigns.page(filled)).all()
    again = demo.fill("another password altogether")
    assert (again.id, again.clock_offset) == (filled.id, offset)
    assert session().scalars(campaigns.page(again)).all() == before
    assert len(session().scalars(lists.lists(again)).all()) == 3
