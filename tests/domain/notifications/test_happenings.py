"""What happened since a member looked: each kind once, in words, for those who may see it."""

from datetime import timedelta

import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.notifications import happenings
from app.domain.tasks.meetings import meetings
from app.models.accounts import Account, AccountStatus
from app.models.campaigns import Campaign, CampaignStatus
from app.models.conversations import Conversation
from app.models.leads import ImportState, LeadImport
from app.models.workspaces import Membership, Role, User, Workspace
from app.ports import Received
from tests.domain.outreach import INVITE, a_campaign, takes_in, the_account
from tests.support.movable import Movable


def member(workspace: Workspace) -> User:
    query = sa.select(User).join(Membership, Membership.user_id == User.id)
    return session().scalars(query.where(Membership.workspace_id == workspace.id)).one()


def hears(workspace: Workspace, name: str, said: str) -> None:
    takes_in(workspace, the_account(workspace), Received(name, "message", said, workspace.now(), f"m-{name}"))


def kinds(workspace: Workspace, role: str = Role.OWNER) -> list[str]:
    return [one.kind for one in happenings.latest(workspace, role)]


def fill(workspace: Workspace, clock: Movable) -> None:
    hears(workspace, "ada", "I would like to see it.  When?")
    clock.forward(hours=1)
    [talk] = session().scalars(sa.select(Conversation.id).where(Conversation.workspace_id == workspace.id))
    meetings.mark(workspace, talk, booked=True)
    draft = a_campaign(workspace, ["person-1"], [INVITE], start=False, name="Spring")
    list_id, sender = draft.list_id, draft.account_ids[0]
    with transaction() as current:
        account = current.get_one(Account, sender)
        account.status, account.status_reason = AccountStatus.CHALLENGED, "It asks for a code."
        account.status_at = workspace.now() + timedelta(hours=1)
        account.silent_at = workspace.now() + timedelta(hours=2)
        done = LeadImport(workspace_id=workspace.id, list_id=list_id, content=None, header=[], error="")
        done.file_name, done.state, done.added, done.updated = "fair.csv", ImportState.DONE, 1200, 3
        done.created_at, done.finished_at = workspace.now(), workspace.now() + timedelta(hours=3)
        current.add(done)
        ended = current.get_one(Campaign, draft.id)
        ended.status, ended.ended_at = CampaignStatus.FINISHED, workspace.now() + timedelta(hours=4)
    clock.forward(hours=5)


def test_each_kind_is_told_newest_first(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    """In words that say what happened, to a role that may see it; a stranger is told nothing of it."""
    fill(acme, clock)
    found = happenings.latest(acme, Role.OWNER)
    assert [one.kind for one in found] == ["end", "import", "silence", "problem", "meeting", "reply"]
    assert found[0].title == "“Spring” has finished"
    assert (found[1].title, found[1].words) == ("fair.csv imported", "1,200 added, 3 updated.")
    assert found[3].words == "It asks for a code."
    assert found[4].title.startswith("Meeting booked with ")
    assert found[5].words == "I would like to see it. When?"
    assert kinds(acme, Role.REVIEWER) == ["meeting", "reply"]
    assert kinds(rival) == []
    assert happenings.latest(acme, Role.OWNER, found[1].at) == found[:1]
    clock.forward(days=15)
    assert kinds(acme) == []


def test_what_was_looked_at_is_not_new(acme: Workspace, clock: Movable) -> None:
    """For that member; a muted conversation makes no noise."""
    user = member(acme)
    happenings.look(acme, user)
    clock.forward(minutes=1)
    assert not happenings.is_new(acme, user, Role.OWNER)
    hears(acme, "ada", "Hello")
    clock.forward(minutes=1)
    assert happenings.is_new(acme, user, Role.OWNER)
    happenings.look(acme, user)
    assert not happenings.is_new(acme, user, Role.OWNER)
    assert kinds(acme) == ["reply"]
    with transaction() as current:
        current.execute(sa.update(Conversation).values(muted_at=acme.now()))
    assert kinds(acme) == []
