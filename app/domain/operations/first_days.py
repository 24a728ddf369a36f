"""The first days after a launch in the sandbox, up to the first reply: what was sent, who accepted, who answered."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from app.core.db import session
from app.domain.approvals import approvals
from app.domain.autopilot import setup_state
from app.models.approvals import Approval, ApprovalStatus
from app.models.autopilot import Play
from app.models.campaigns import CampaignStats
from app.models.conversations import Conversation, Direction, Message
from app.models.people import Person
from app.models.workspaces import Workspace

COLLECTED_FOR = timedelta(days=1)  # so that drafts are read together, not one by one


@dataclass(frozen=True)
class Reply:
    """The first reply, and whose it is."""

    conversation_id: int
    name: str
    detail: str
    text: str
    at: datetime


@dataclass(frozen=True)
class FirstDays:
    """How far the launched plays are."""

    invited: int
    sent: int
    accepted: int
    replies: int
    drafts: int
    day: int
    reply: Reply | None
    waits: bool  # drafts have waited for a day, and no message went out yet, so no one can answer


def view(workspace: Workspace) -> FirstDays | None:
    """Return the first days of a sandbox that has launched, or None."""
    setup = setup_state.find(workspace) if workspace.sandbox else None
    if setup is None or setup.started_at is None:
        return None
    columns = (CampaignStats.invites_sent, CampaignStats.messages_sent, CampaignStats.accepted, CampaignStats.replies)
    sums = sa.select(*(sa.func.coalesce(sa.func.sum(column), 0) for column in columns))
    launched = sa.select(Play.campaign_id).where(Play.workspace_id == workspace.id, Play.campaign_id.is_not(None))
    mine = (CampaignStats.workspace_id == workspace.id, CampaignStats.campaign_id.in_(launched))
    invited, sent, accepted, replies = map(int, session().execute(sums.where(*mine)).one())
    day = 1 + (workspace.now().date() - setup.started_at.date()).days
    drafts, reply = approvals.count(workspace), _first_reply(workspace, setup.started_at)
    pending = (Approval.workspace_id == workspace.id, Approval.status == ApprovalStatus.PENDING)
    oldest = session().scalar(sa.select(sa.func.min(Approval.created_at)).where(*pending)) if not sent else None
    waits = oldest is not None and workspace.now() - oldest >= COLLECTED_FOR
    return FirstDays(invited, sent, accepted, replies, drafts, day, reply, waits)


def is_under_way(workspace: Workspace) -> bool:
    """Return whether plays were launched in the sandbox and no one has answered yet."""
    setup = setup_state.find(workspace) if workspace.sandbox else None
    return bool(setup and setup.started_at and _first_reply(workspace, setup.started_at) is None)


def is_over(workspace: Workspace) -> bool:
    """Return whether time should stand still: someone answered, or drafts wait for a decision."""
    found = view(workspace)
    return found is None or found.reply is not None or found.waits


def _first_reply(workspace: Workspace, since: datetime) -> Reply | None:
    query = (
        sa.select(Message, Person)
        .join(Conversation, Conversation.id == Message.conversation_id)
        .join(Person, Person.id == Conversation.person_id)
        .where(Conversation.workspace_id == workspace.id, Message.workspace_id == workspace.id, Message.at >= since)
        .where(Message.direction == Direction.IN, Message.automatic.is_(False))
        .order_by(Message.at, Message.id)
        .limit(1)
    )
    row = session().execute(query).first()
    if row is None:
        return None
    message, person = row
    detail = ", ".join(filter(None, (person.position or person.headline, person.company_name)))
    return Reply(message.conversation_id, person.name, detail, message.text, message.at)
