"""A person's activity across all lists, campaigns and conversations, newest first."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core.db import behind, in_list, session
from app.core.paging import Page, Window
from app.domain.leads import leads
from app.domain.rules.reasons import REASONS
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignLead
from app.models.conversations import Conversation, Direction, Message
from app.models.leads import Lead, LeadList
from app.models.ledger import Action
from app.models.webhooks import Event
from app.models.workspaces import Workspace

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class Entry:
    """One thing that happened. `book` and `id` keep the order where moments are equal."""

    at: datetime
    book: int
    id: int
    kind: str
    campaign_id: int | None = None
    campaign_name: str = ""
    account_id: int | None = None
    account_name: str = ""
    list_id: int | None = None
    list_name: str = ""
    state: str = ""
    text: str = ""
    subject: str = ""
    sentiment: str = ""
    automatic: bool = False
    detail: str = ""
    is_mail: bool = False


@dataclass(frozen=True)
class Source:
    """One source: the columns that say when and which, what else is read, and the moment that a row is."""

    at: Any
    id: Any
    query: Any
    entry_of: Callable[[int, Any], Entry]


@dataclass(frozen=True)
class Timeline:
    """The moments of the person of a lead, to be read page by page."""

    workspace: Workspace
    lead: Lead

    def page(self, window: Window) -> Page:
        """Return one page, newest first."""
        place = window.place
        found: list[Entry] = []
        for number, book in enumerate(_books(self.workspace, self.lead)):
            query = book.query.where(book.at.is_not(None))
            if place:
                moment = _EPOCH + place[0] * _MICROSECOND
                query = query.where(behind((moment, place[1], place[2]), number, book.at, book.id))
            query = query.order_by(book.at.desc(), book.id.desc()).limit(window.limit + 1)
            found += [book.entry_of(number, row) for row in session().execute(query)]
        found.sort(key=lambda one: (one.at, one.book, one.id), reverse=True)
        shown = found[: window.limit]
        if len(found) <= window.limit:
            return Page(shown, "")
        last = shown[-1]
        return Page(shown, window.after((last.at - _EPOCH) // _MICROSECOND, last.book, last.id))


def for_lead(workspace: Workspace, lead_id: int) -> Timeline:
    """Return the timeline of the lead's person; raise NotFound for a deleted lead."""
    return Timeline(workspace, leads.get_visible(workspace, lead_id))


def _books(workspace: Workspace, lead: Lead) -> list[Source]:
    ids = sa.select(Lead.id).where(Lead.workspace_id == workspace.id, Lead.person_id == lead.person_id)
    ours = session().scalars(ids).all()
    person = (CampaignLead.workspace_id == workspace.id, in_list(CampaignLead.lead_id, ours))
    return [_added(ours), _enrolled(person), _done(person), _accepted(person), _other_messages(workspace, lead),
            _tagged(workspace, ours), _ended(person)]  # fmt: skip


def _added(ours: Sequence[int]) -> Source:
    query = sa.select(Lead.created_at, Lead.id, LeadList.id, LeadList.name)
    query = query.outerjoin(LeadList, sa.and_(LeadList.id == Lead.list_id, LeadList.deleted_at.is_(None)))
    return Source(
        Lead.created_at,
        Lead.id,
        query.where(in_list(Lead.id, ours)),
        lambda book, row: Entry(row[0], book, row[1], "added", list_id=row[2], list_name=row[3] or ""),
    )


def _enrolled(person: Sequence[Any]) -> Source:
    at: Any = sa.func.coalesce(CampaignLead.enrolled_at, Campaign.started_at, Campaign.created_at)
    at = sa.type_coerce(at, CampaignLead.enrolled_at.type)
    query = sa.select(at, CampaignLead.id, Campaign.id, Campaign.name)
    return Source(
        at,
        CampaignLead.id,
        query.join(Campaign, Campaign.id == CampaignLead.campaign_id).where(*person),
        lambda book, row: Entry(row[0], book, row[1], "enrolled", row[2], row[3]),
    )


def _done(person: Sequence[Any]) -> Source:
    """Return the campaigns' actions; manual actions come from the conversations."""
    query = (
        sa.select(Action, Campaign.name.label("campaign_name"), Account.name.label("account_name"))
        .join(CampaignLead, CampaignLead.id == Action.campaign_lead_id)
        .outerjoin(Campaign, Campaign.id == Action.campaign_id)
        .join(Account, Account.id == Action.sender_id)
        .where(*person)
    )

    def entry_of(book: int, row: Any) -> Entry:
        act = row[0]
        about = {"state": act.state, "text": act.text, "subject": act.subject, "detail": act.error}
        about["is_mail"] = act.kind == "email"
        return Entry(act.at, book, act.id, act.kind, act.campaign_id, row[1] or "", act.sender_id, row[2], **about)

    return Source(Action.at, Action.id, query, entry_of)


def _accepted(person: Sequence[Any]) -> Source:
    query = (
        sa.select(CampaignLead.accepted_at, CampaignLead.id, Campaign.id, Campaign.name, Account.id, Account.name)
        .join(Campaign, Campaign.id == CampaignLead.campaign_id)
        .outerjoin(Account, Account.id == CampaignLead.account_id)
        .where(*person)
    )
    return Source(
        CampaignLead.accepted_at,
        CampaignLead.id,
        query,
        lambda book, row: Entry(row[0], book, row[1], "accepted", row[2], row[3], row[4], row[5] or ""),
    )


def _other_messages(workspace: Workspace, lead: Lead) -> Source:
    """Return messages to and from them outside of campaigns; campaign messages come from the ledger."""
    query = (
        sa.select(Message, Conversation.campaign_id, Campaign.name, Account.id, Account.name)
        .join(Conversation, Conversation.id == Message.conversation_id)
        .outerjoin(Action, Action.id == Message.action_id)
        .outerjoin(Campaign, Campaign.id == Conversation.campaign_id)
        .join(Account, Account.id == Conversation.sender_id)
        .where(Conversation.workspace_id == workspace.id, Conversation.person_id == lead.person_id)
        .where(sa.or_(Message.direction == Direction.IN, Action.campaign_lead_id.is_(None)))
    )

    def entry_of(book: int, row: Any) -> Entry:
        said = row[0]
        kind = "replied" if said.direction == Direction.IN else "written"
        about = {"text": said.text, "subject": said.subject, "sentiment": said.sentiment, "detail": said.error}
        about["state"] = said.status if kind == "written" else ""
        about["is_mail"] = said.kind == "email"
        place = (row[1] if kind == "replied" else None, row[2] or "", row[3], row[4])
        return Entry(said.at, book, said.id, kind, *place, automatic=bool(said.automatic), **about)

    return Source(Message.at, Message.id, query, entry_of)


def _tagged(workspace: Workspace, ours: Sequence[int]) -> Source:
    query = (
        sa.select(Event.created_at, Event.id, Event.campaign_id, Campaign.name, Event.body)
        .outerjoin(Campaign, Campaign.id == Event.campaign_id)
        .where(
            Event.workspace_id == workspace.id,
            in_list(Event.lead_id, ours),
            Event.kind == "lead_tag_updated",
            Event.body != "",
        )
    )

    def entry_of(book: int, row: Any) -> Entry:
        label = json.loads(row[4])["data"]["tag"]["label"]
        return Entry(row[0], book, row[1], "tagged", row[2], row[3] or "", detail=label)

    return Source(Event.created_at, Event.id, query, entry_of)


def _ended(person: Sequence[Any]) -> Source:
    query = (
        sa.select(CampaignLead, Campaign.name).join(Campaign, Campaign.id == CampaignLead.campaign_id).where(*person)
    )

    def entry_of(book: int, row: Any) -> Entry:
        one = row[0]
        why = one.error or REASONS.get(one.reason, ("", ""))[0]
        at = (one.finished_at, book, one.id, "ended", one.campaign_id, row[1])
        return Entry(*at, state=one.state, detail=why)

    return Source(CampaignLead.finished_at, CampaignLead.id, query, entry_of)
