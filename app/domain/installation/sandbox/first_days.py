"""The first days after a launch in the sandbox, up to the first reply: what was sent, who accepted, who answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from app.core.db import session
from app.domain.approvals import drafting
from app.models.approvals import Approval, ApprovalStatus
from app.models.autopilot import Play, Setup
from app.models.campaigns import OPEN_STATES, CampaignLead, CampaignStats
from app.models.conversations import Conversation, Direction, Message
from app.models.people import Person
from app.models.workspaces import Workspace

COLLECTED_FOR = timedelta(days=1)  # how long drafts are collected, so that a member reads several at once


@dataclass(frozen=True)
class Reply:
    """The first reply, and the person who wrote it."""

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
    waits: bool  # the clock stops, because drafts wait for a decision


def view(workspace: Workspace) -> FirstDays | None:
    """Return the first days of a sandbox that has launched, or None."""
    since = _launched_at(workspace)
    if since is None:
        return None
    launched = launched_campaigns(workspace)
    columns = (CampaignStats.invites_sent, CampaignStats.messages_sent, CampaignStats.accepted, CampaignStats.replies)
    sums = sa.select(*(sa.func.coalesce(sa.func.sum(column), 0) for column in columns))
    mine = (CampaignStats.workspace_id == workspace.id, CampaignStats.campaign_id.in_(launched))
    invited, sent, accepted, replies = map(int, session().execute(sums.where(*mine)).one())
    day = 1 + (workspace.now().date() - since.date()).days
    reply = _first_reply(workspace, since)
    pending = (Approval.campaign_id.in_(launched), Approval.status == ApprovalStatus.PENDING)
    drafts = session().scalar(sa.select(sa.func.count(Approval.id)).where(*pending)) or 0
    waits = bool(drafts) and (_new_text_waits(workspace, launched) or not _moves(launched))
    return FirstDays(invited, sent, accepted, replies, drafts, day, reply, waits)


def launched_campaigns(workspace: Workspace) -> Sequence[int]:
    """Return the ids of the campaigns of launched plays."""
    query = sa.select(Play.campaign_id).where(Play.workspace_id == workspace.id, Play.campaign_id.is_not(None))
    return [campaign_id for campaign_id in session().scalars(query) if campaign_id is not None]


def _new_text_waits(workspace: Workspace, launched: Sequence[int]) -> bool:
    """Return whether drafts have waited for a day at a step of which no draft was approved yet."""
    other = aliased(Approval)
    approved = other.status.in_([ApprovalStatus.APPROVED, ApprovalStatus.DONE])
    known = sa.exists().where(other.campaign_id == Approval.campaign_id, other.step == Approval.step, approved)
    query = sa.select(Approval.id).where(
        Approval.campaign_id.in_(launched),
        Approval.status == ApprovalStatus.PENDING,
        Approval.created_at <= workspace.now() - COLLECTED_FOR,
        ~known,
    )
    return session().scalar(query.limit(1)) is not None


def _moves(launched: Sequence[int]) -> bool:
    """Return whether anyone is active in these campaigns without waiting for a decision."""
    query = sa.select(CampaignLead.id).where(
        CampaignLead.campaign_id.in_(launched),
        CampaignLead.state.in_(OPEN_STATES),
        CampaignLead.reason != drafting.WAITING,
    )
    return session().scalar(query.limit(1)) is not None


def is_under_way(workspace: Workspace) -> bool:
    """Return whether plays were launched in the sandbox and no one has answered yet."""
    since = _launched_at(workspace)
    return since is not None and _first_reply(workspace, since) is None


def is_over(workspace: Workspace) -> bool:
    """Return whether the clock should stop: someone replied, or drafts wait for a decision."""
    found = view(workspace)
    return found is None or found.reply is not None or found.waits


def _launched_at(workspace: Workspace) -> datetime | None:
    query = sa.select(Setup.started_at).where(Setup.workspace_id == workspace.id)
    return session().scalar(query) if workspace.sandbox else None


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
