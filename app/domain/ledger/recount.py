"""Recount: compare stored counters with their rows, and repair differences."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.rules.step_kinds import STEPS
from app.models import approvals
from app.models.approvals import Approval
from app.models.billing import CreditEntry, CreditHold, Wallet
from app.models.campaigns import Campaign, CampaignLead, CampaignStats, LeadState
from app.models.leads import Lead, LeadList, ListedCompany
from app.models.ledger import Action, ActionState
from app.models.webhooks import Event
from app.models.workspaces import Workspace

# An unknown outcome counts as sent once its lookups have ended.
SENT = sa.or_(Action.state == ActionState.SENT, sa.and_(Action.state == ActionState.UNKNOWN, Action.check_at.is_(None)))
COUNTERS = [column.name for column in CampaignStats.__table__.columns if not column.foreign_keys]
EVENT_NUMBERS = (
    sa.select(
        Workspace.id,
        Workspace.event_sequence,
        sa.func.count(Event.id),
        sa.func.min(Event.sequence),
        sa.func.max(Event.sequence),
    )
    .outerjoin(Event, Event.workspace_id == Workspace.id)
    .group_by(Workspace.id, Workspace.event_sequence)
)


@dataclass(frozen=True)
class Difference:
    """A stored number that differs from what the rows add up to."""

    thing: str
    id: int
    column: str
    kept: int
    counted: int

    @property
    def sentence(self) -> str:
        """Return the difference as a sentence."""
        return f"{self.thing} {self.id} says {self.column} = {self.kept}, but its rows add up to {self.counted}."


def campaigns(campaign_id: int | None = None) -> dict[int, dict[str, int]]:
    """Recount every counter of every campaign, or of one, from its people and the action ledger."""
    chosen = [Campaign.id == campaign_id] if campaign_id is not None else []
    counted = {found: dict.fromkeys(COUNTERS, 0) for found in session().scalars(sa.select(Campaign.id).where(*chosen))}
    for row in session().execute(_people().where(*_of(CampaignLead, campaign_id))):
        counted[row.campaign_id].update(_filled(row._mapping))
    for row in session().execute(_actions().where(*_of(Action, campaign_id))):
        counted[row.campaign_id].update(_filled(row._mapping))
    return counted


def _of(model: Any, campaign_id: int | None) -> list[sa.ColumnElement[bool]]:
    return [model.campaign_id.is_not(None) if campaign_id is None else model.campaign_id == campaign_id]


def _filled(row: Mapping[Any, Any]) -> dict[str, int]:
    return {name: int(value or 0) for name, value in row.items() if name != "campaign_id"}


def _count(*conditions: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.sum(sa.case((sa.and_(*conditions), 1), else_=0))


def _people() -> Any:
    lead = CampaignLead
    return sa.select(
        lead.campaign_id,
        sa.func.count().label("leads"),
        *[_count(lead.state == state).label(state.value) for state in LeadState],
        _count(lead.contacted.is_(True)).label("contacted"),
        _count(lead.accepted_at.is_not(None)).label("accepted"),
        _count(lead.replied.is_(True)).label("replies"),
        _count(lead.sentiment == "positive").label("positive"),
        _count(lead.sentiment == "generic").label("neutral"),
        _count(lead.sentiment == "negative").label("negative"),
    ).group_by(lead.campaign_id)


def _actions() -> Any:
    invitation = sa.and_(Action.kind == "connection_request", SENT)
    # A person counts once, even if one sender left (its invitation has a part below zero) and the next one invited them
    # again.
    invited = sa.func.count(sa.distinct(sa.case((invitation, Action.campaign_lead_id))))
    return sa.select(
        Action.campaign_id,
        (invited + _count(invitation, Action.campaign_lead_id.is_(None), Action.part >= 0)).label("invites_sent"),
        _count(Action.kind.in_([name for name, step in STEPS.items() if step.is_message]), SENT).label("messages_sent"),
    ).group_by(Action.campaign_id)


def statistics() -> Iterator[Difference]:
    """Yield campaigns whose counters differ from a recount."""
    kept = {row.campaign_id: row for row in session().scalars(sa.select(CampaignStats))}
    for campaign_id, counted in campaigns().items():
        row = kept.get(campaign_id)
        for name in COUNTERS:
            stands = getattr(row, name) if row else 0
            if stands != counted[name]:
                yield Difference("Campaign", campaign_id, name, stands, counted[name])


def lists() -> Iterator[Difference]:
    """Yield lists whose size differs from a recount."""
    people = sa.select(sa.func.count()).where(Lead.list_id == LeadList.id).scalar_subquery()
    companies = sa.select(sa.func.count()).where(ListedCompany.list_id == LeadList.id).scalar_subquery()
    size = people + companies
    for list_id, kept, counted in session().execute(
        sa.select(LeadList.id, LeadList.lead_count, size).where(LeadList.lead_count != size)
    ):
        yield Difference("List", list_id, "lead_count", kept, counted)


def drafts() -> Iterator[Difference]:
    """Yield campaigns whose people in approval do not match their pending drafts."""
    waits = sa.and_(CampaignLead.approval_id == Approval.id, CampaignLead.id == Approval.campaign_lead_id)
    held = sa.select(sa.func.count()).where(Approval.status.in_(approvals.LIVE), Approval.campaign_id == Campaign.id)
    kept = sa.select(sa.func.count()).where(
        CampaignLead.approval_id.is_not(None), CampaignLead.campaign_id == Campaign.id
    )
    both = held.where(sa.exists().where(waits).correlate(Approval))
    query = sa.select(
        Campaign.id,
        kept.correlate(Campaign).scalar_subquery(),
        held.correlate(Campaign).scalar_subquery(),
        both.correlate(Campaign).scalar_subquery(),
    )
    for campaign_id, people, live, matched in session().execute(query):
        if people != matched or live != matched:
            wrong = people if people != matched else live
            yield Difference("Campaign", campaign_id, "people waiting for approval", wrong, matched)


def wallets() -> Iterator[Difference]:
    """Yield wallets whose balance or held credits differ from the sum of their entries."""
    entries = (
        sa.select(CreditEntry.workspace_id, sa.func.sum(CreditEntry.amount), sa.func.sum(CreditEntry.held))
        .group_by(CreditEntry.workspace_id)
        .subquery("entries")
    )
    holds = (
        sa.select(CreditHold.workspace_id, sa.func.sum(CreditHold.remaining))
        .group_by(CreditHold.workspace_id)
        .subquery("holds")
    )
    kept = (Wallet.posted, Wallet.held, Wallet.held)
    counted = [column for table in (entries, holds) for column in list(table.c)[1:]]
    query = (
        sa.select(Workspace.id, *(sa.func.coalesce(column, 0) for column in (*kept, *counted)))
        .outerjoin(Wallet, Wallet.workspace_id == Workspace.id)
        .outerjoin(entries, entries.c.workspace_id == Workspace.id)
        .outerjoin(holds, holds.c.workspace_id == Workspace.id)
    )
    for workspace_id, *numbers in session().execute(query):
        for name, stands, sum_of_rows in zip(("posted", "held", "held"), numbers[:3], numbers[3:], strict=True):
            if stands != sum_of_rows:
                yield Difference("The wallet of workspace", workspace_id, name, stands, int(sum_of_rows))


def repair() -> list[Difference]:
    """Correct statistics and list sizes. Leave credits alone: a human must check their entries."""
    with transaction() as current:
        differences = [*statistics(), *lists()]
        for campaign_id in {each.id for each in differences if each.thing == "Campaign"}:
            counted = campaigns(campaign_id)[campaign_id]
            row = current.get(CampaignStats, campaign_id)
            if row is None:
                owner = current.get_one(Campaign, campaign_id).workspace_id
                row = CampaignStats(campaign_id=campaign_id, workspace_id=owner)
                current.add(row)
            for name, value in counted.items():
                setattr(row, name, value)
        for each in differences:
            if each.thing == "List":
                current.get_one(LeadList, each.id).lead_count = each.counted
        return differences
