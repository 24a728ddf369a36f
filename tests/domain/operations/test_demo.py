"""The demonstration is filled once, and looks like work in progress."""

import pytest

from app.core.clock import Movable
from app.core.db import session
from app.domain.approvals import approvals
from app.domain.approvals.approvals import Filters
from app.domain.campaigns import campaigns
from app.domain.leads import lists
from app.domain.operations import demo
from app.domain.senders import accounts
from app.models.campaigns import Campaign, CampaignStatus
from app.models.workspaces import Workspace


@pytest.fixture
def filled(app: object, clock: Movable, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A smaller one, for the sake of time."""
    monkeypatch.setattr(demo, "PEOPLE", 30)
    monkeypatch.setattr(demo, "DAYS", 4)
    return demo.fill()


def test_the_demo_has_a_running_campaign_held_messages_and_a_draft(filled: Workspace) -> None:
    """People, a campaign that has begun to reach them, one whose messages wait for approval, and a draft."""
    running, held, draft = session().scalars(campaigns.page(filled).order_by(Campaign.id)).all()
    assert (running.status, held.status, draft.status) == ("running", "running", "draft")
    assert approvals.count(filled, Filters(status="pending", campaign_id=held.id)) > 2
    counters = campaigns.stats(filled, [running.id])[running.id]
    assert counters.leads == 30
    assert counters.invites_sent > 5
    assert counters.accepted > 0


def test_filling_it_again_changes_nothing(filled: Workspace) -> None:
    """Someone may have worked in it since."""
    campaign = session().scalars(campaigns.page(filled, CampaignStatus.RUNNING)).first()
    assert campaign
    campaigns.pause(filled, campaign.id)
    offset, before = filled.clock_offset, session().scalars(campaigns.page(filled)).all()
    again = demo.fill("another password altogether")
    assert (again.id, again.clock_offset) == (filled.id, offset)
    assert session().scalars(campaigns.page(again)).all() == before
    assert len(session().scalars(lists.lists(again)).all()) == 2


def test_no_one_real_can_be_reached(filled: Workspace) -> None:
    """Every address is of a domain that no one can own."""
    assert filled.sandbox
    assert {account.provider for account in accounts.every(filled)} == {"sandbox"}
    people = session().scalars(lists.lists(filled)).all()[-1]
    assert all(lead.email.endswith(".example") for lead in session().scalars(lists.query_list(filled, people.id)))
