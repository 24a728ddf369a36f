"""A campaign's activity, newest first: our actions, acceptances, replies and choices of variants."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import behind, session
from app.core.errors import InvalidRequest
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Channel
from app.models.campaigns import Campaign, CampaignLead, ReplyAction, VariantChoice
from app.models.conversations import Conversation, Direction, Message
from app.models.leads import Lead
from app.models.ledger import Action, ActionState
from app.models.people import Person
from app.models.workspaces import Workspace

# Which entries a filter keeps: kinds of actions, and whether acceptances and received messages belong to it.
KINDS: dict[str, tuple[str, ...]] = {
    "invites": ("connection_request", "withdraw"),
    "accepted": ("accepted",),
    "messages": tuple(name for name, step in STEPS.items() if step.is_message and step.channel == Channel.SOCIAL),
    "emails": tuple(name for name, step in STEPS.items() if step.channel == Channel.EMAIL),
    "reactions": tuple(name for name, step in STEPS.items() if not step.reaches),
    "replies": ("received",),
    "failures": ("failures",),
}
_CURSOR = re.compile(r"(\d{4}-\d\d-\d\dT[\d:.]{8,15}\+00:00)_([0-5])_(\d{1,18})")


@dataclass(frozen=True)
class Entry:
    """One action or event, with its person and sender. `book` and `id` keep the order of equal times."""

    at: datetime
    book: int
    id: int
    kind: str
    state: str
    person_id: int | None
    name: str
    sender_id: int | None
    step: int | None = None
    text: str = ""
    subject: str = ""
    error: str = ""
    sentiment: str = ""
    automatic: bool = False
    variant: str = ""

    @property
    def cursor(self) -> str:
        """Return the cursor of the entries after this one."""
        return f"{self.at.isoformat()}_{self.book}_{self.id}"


class Cursor(NamedTuple):
    """Behind which entry a page begins."""

    at: datetime
    book: int
    id: int

    @classmethod
    def of(cls, cursor: str) -> "Cursor | None":
        """Parse a cursor; return None for the first page."""
        if not cursor:
            return None
        try:
            if found := _CURSOR.fullmatch(cursor):
                return cls(datetime.fromisoformat(found[1]), int(found[2]), int(found[3]))
            raise ValueError
        except ValueError:
            raise InvalidRequest.of(("cursor", "Unknown cursor. Start again without a cursor.")) from None


@dataclass(frozen=True)
class Filter:
    """Which entries: of one kind, of one sender, of one person, behind a place."""

    kind: str = ""
    sender_id: int | None = None
    person_id: int | None = None
    place: Cursor | None = None
    limit: int = 50


def page(workspace: Workspace, campaign: Campaign, wanted: Filter) -> tuple[list[Entry], str]:
    """Return the newest entries and the cursor of the next page; '' after the last."""
    kept = KINDS.get(wanted.kind, ())
    books = [_actions(workspace, campaign, wanted, kept)]
    if not kept or "accepted" in kept:
        books.append(_acceptances(workspace, campaign, wanted))
    if not kept or "received" in kept:
        books += [_received(workspace, campaign, wanted), _done_after(workspace, campaign, wanted)]
    if not kept and wanted.sender_id is None and wanted.person_id is None:
        books.append(_choices(campaign, wanted, 4, VariantChoice.at))
        books.append(_choices(campaign, wanted, 5, VariantChoice.undone_at))
    found = sorted((entry for book in books for entry in book), key=lambda one: (one.at, one.book, one.id))[::-1]
    shown = found[: wanted.limit]
    return shown, shown[-1].cursor if len(found) > len(shown) else ""


def _newest(
    query: Any, book: int, moment: Any, row_id: Any, wanted: Filter, sender: Any = None, person: Any = None
) -> Sequence[Any]:
    """Return the first rows of one source; `sender` and `person` are its columns for these filters."""
    if wanted.sender_id is not None and sender is not None:
        query = query.where(sender == wanted.sender_id)
    if wanted.person_id is not None and person is not None:
        query = query.where(person == wanted.person_id)
    if wanted.place:
        query = query.where(behind(wanted.place, book, moment, row_id))
    return session().execute(query.order_by(moment.desc(), row_id.desc()).limit(wanted.limit + 1)).all()


def _actions(workspace: Workspace, campaign: Campaign, wanted: Filter, kept: Sequence[str]) -> list[Entry]:
    if kept and set(kept) <= {"accepted", "received"}:
        return []
    query = (
        sa.select(Action, Person)
        .join(Action.person)
        .where(Action.campaign_id == campaign.id, Action.workspace_id == workspace.id)
    )
    if "failures" in kept:
        query = query.where(Action.state.in_([ActionState.FAILED, ActionState.UNKNOWN]))
    elif kept:
        query = query.where(Action.kind.in_(kept))
    found = _newest(query, 0, Action.at, Action.id, wanted, Action.sender_id, Action.campaign_lead_id)
    return [
        Entry(
            row.at,
            0,
            row.id,
            row.kind,
            row.state,
            row.campaign_lead_id,
            person.name,
            row.sender_id,
            row.step,
            row.text,
            row.subject,
            row.error,
            variant=row.variant,
        )
        for row, person in found
    ]


def _acceptances(workspace: Workspace, campaign: Campaign, wanted: Filter) -> list[Entry]:
    person = CampaignLead
    query = (
        sa.select(person, Lead)
        .join(Lead, Lead.id == person.lead_id)
        .where(person.campaign_id == campaign.id, person.workspace_id == workspace.id)
        .where(person.accepted_at.is_not(None))
    )
    found = _newest(query, 1, person.accepted_at, person.id, wanted, person.account_id, person.id)
    return [
        Entry(row.accepted_at, 1, row.id, "accepted", "sent", row.id, lead.name, row.account_id) for row, lead in found
    ]


def _received(workspace: Workspace, campaign: Campaign, wanted: Filter) -> list[Entry]:
    """Return messages from people of the campaign, in conversations that this campaign began."""
    query = (
        sa.select(Message, Conversation.sender_id, CampaignLead.id, Lead)
        .join(Conversation, Conversation.id == Message.conversation_id)
        .join(
            CampaignLead,
            sa.and_(CampaignLead.campaign_id == campaign.id, CampaignLead.person_id == Conversation.person_id),
        )
        .join(Lead, Lead.id == CampaignLead.lead_id)
        .where(Conversation.campaign_id == campaign.id, Conversation.workspace_id == workspace.id)
        .where(Message.direction == Direction.IN)
    )
    found = _newest(query, 2, Message.at, Message.id, wanted, Conversation.sender_id, CampaignLead.id)
    return [
        Entry(
            message.at,
            2,
            message.id,
            "received",
            "sent",
            person_id,
            lead.name,
            sender_id,
            text=message.text,
            subject=message.subject,
            sentiment=message.sentiment,
            automatic=message.automatic,
        )
        for message, sender_id, person_id, lead in found
    ]


def _done_after(workspace: Workspace, campaign: Campaign, wanted: Filter) -> list[Entry]:
    """Return the reply actions that the sentiment of replies caused, such as a tag or a task; no sender did them."""
    if wanted.sender_id is not None:
        return []
    query = (
        sa.select(ReplyAction, CampaignLead.id, Person)
        .join(Person, Person.id == ReplyAction.person_id)
        .outerjoin(
            CampaignLead,
            sa.and_(CampaignLead.campaign_id == campaign.id, CampaignLead.person_id == ReplyAction.person_id),
        )
        .where(ReplyAction.campaign_id == campaign.id, ReplyAction.workspace_id == workspace.id)
    )
    return [
        Entry(
            row.at,
            3,
            row.id,
            f"after_reply_{row.do}",
            "sent",
            person_id,
            person.name,
            None,
            subject=row.value,
            error=row.error,
            sentiment=row.sentiment,
        )
        for row, person_id, person in _newest(query, 3, ReplyAction.at, ReplyAction.id, wanted, person=CampaignLead.id)
    ]


def _choices(campaign: Campaign, wanted: Filter, book: int, moment: Any) -> list[Entry]:
    """Return when variants were chosen for everyone without a text, or when that was taken back."""
    query = sa.select(VariantChoice, moment.label("moment")).where(
        VariantChoice.campaign_id == campaign.id, moment.is_not(None)
    )
    state, found = "sent" if book == 4 else "undone", _newest(query, book, moment, VariantChoice.id, wanted)
    return [
        Entry(
            at,
            book,
            row.id,
            "variant",
            state,
            None,
            row.actor,
            None,
            row.step,
            automatic=row.automatic,
            variant=row.variant,
        )
        for row, at in found
    ]
