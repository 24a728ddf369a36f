"""What is known of a sender: use against limits, its last days, its invitations, its campaigns."""

from datetime import datetime, timedelta
from typing import Any

from app.core.db import session, transaction
from app.domain.senders import accounts, standing
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignAccount
from app.models.ledger import Action
from app.models.workspaces import Workspace
from tests.domain.outreach import person_id
from tests.support.movable import Movable


def did(account: Account, budget: str, at: datetime, state: str = "sent") -> None:
    grace = person_id(session().get_one(Workspace, account.workspace_id), "grace")
    about = {"kind": budget, "budget": budget, "state": state, "token": f"{budget} {at} {state}", "at": at}
    with transaction() as current:
        current.add(Action(workspace_id=account.workspace_id, sender_id=account.id, person_id=grace, **about))


def draft(workspace: Workspace, account: Account) -> Campaign:
    hours: dict[str, Any] = {"timezone": "UTC", "days": [1], "start_time": "09:00", "end_time": "17:00"}
    about: dict[str, Any] = {"name": "First", "sequence": [], "created_at": workspace.now(), **hours}
    with transaction() as current:
        campaign = Campaign(workspace_id=workspace.id, account_ids=[account.id], **about)
        current.add(campaign)
        current.flush()
        current.add(CampaignAccount(campaign_id=campaign.id, account_id=account.id, workspace_id=workspace.id))
        return campaign


def test_each_budget_says_what_is_used_in_24_hours(acme: Workspace, clock: Movable) -> None:
    """And how much is allowed: a fifth for a young sender, the whole limit after 14 days."""
    account = accounts.every(acme)[0]
    did(account, "invite", clock.at - timedelta(hours=1))
    did(account, "invite", clock.at - timedelta(hours=23), "unknown")
    did(account, "invite", clock.at - timedelta(hours=2), "failed")
    did(account, "invite", clock.at - timedelta(hours=25))
    found = standing.uses(acme, accounts.every(acme))
    assert [use.budget for use in found[account.id]] == ["invite", "message", "inmail", "visit", "follow", "like"]
    invites = found[account.id][0]
    assert (invites.used, invites.most) == (2, 15)
    assert [use.budget for use in found[accounts.every(acme)[2].id]] == ["email"]
    for days, most in ((0, 3), (7, 9), (14, 15)):
        with transaction() as current:
            current.get_one(Account, account.id).ramp_from = clock.at - timedelta(days=days)
        assert standing.uses(acme, accounts.every(acme))[account.id][0].most == most


def test_history_is_counted_in_the_senders_own_days(acme: Workspace, clock: Movable) -> None:
    """09:00 in London is 01:00 in San Francisco; 07:00 was yesterday evening there."""
    account = accounts.edit(acme, accounts.every(acme)[0].id, timezone="America/Los_Angeles")
    did(account, "visit", clock.at)
    did(account, "visit", clock.at - timedelta(hours=2))
    did(account, "message", clock.at - timedelta(days=13))
    did(account, "message", clock.at - timedelta(days=15))
    did(account, "like", clock.at, "again")
    days = standing.history(acme, account)
    assert len(days) == 14
    assert [day.done["visit"] for day in days[-2:]] == [1, 1]
    assert (days[0].done["message"], sum(day.done["message"] for day in days)) == (1, 1)
    assert days[-1].done["like"] == 0
    assert [day.date for day in days] == sorted(day.date for day in days)


def test_acceptance_is_told_with_what_follows_from_it() -> None:
    """Few decided invitations prove nothing; below 30 % half, below 15 % none go out."""
    for sent, decided, accepted, begins, says in (
        (13, 9, 1, "1 of 13 accepted (7.7%), 4 pending, 8 withdrawn, in the last 60 days.", ""),
        (5, 1, 1, "1 of 5 accepted (20.0%), 4 pending, in the last 60 days.", ""),
        (34, 30, 12, "12 of 34 accepted (35.3%), 4 pending, 18 withdrawn", ""),
        (34, 30, 6, "6 of 34 accepted", "Fewer than 30% of the older ones were accepted, so the limit is halved."),
        (34, 30, 3, "3 of 34 accepted", "Too few accept, so connection requests are"),
    ):
        health = {"sent": sent, "pending": 4, "decided": decided, "accepted": accepted}
        said = standing.acceptance(Account(health=health))
        assert said.startswith(begins)
        assert says in said
    assert standing.acceptance(Account(health={})) == ""


def test_campaigns_of_a_sender_are_those_of_its_workspace(acme: Workspace, rival: Workspace) -> None:
    account, theirs = accounts.every(acme)[0], accounts.every(rival)[0]
    older, newer = draft(acme, account), draft(acme, account)
    draft(rival, theirs)
    assert [campaign.id for campaign in standing.campaigns(acme, account)] == [newer.id, older.id]
    assert standing.campaigns(acme, theirs) == []
    assert sum(day.done.total() for day in standing.history(acme, theirs)) == 0
