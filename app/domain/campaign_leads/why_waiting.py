"""Wait reasons of people, campaigns and senders, from the same planner as the turns."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch, session
from app.domain.campaign_leads import new_people
from app.domain.ledger import usage
from app.domain.rules import planner
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.reasons import OF_RECIPIENTS, OF_TEXTS, WaitReason
from app.models.accounts import Account, Budget
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import (
    ASK,
    ENDED_STATES,
    OPEN_STATES,
    TIMERS,
    Campaign,
    CampaignAccount,
    CampaignLead,
    CampaignStatus,
    LeadState,
)
from app.models.workspaces import Workspace


def of_people(workspace: Workspace, campaign: Campaign, people: Sequence[Any]) -> dict[int, WaitReason]:
    """Return why each of these campaign leads waits or ended, by id."""
    at = workspace.now()
    senders = usage.views_by_id(workspace.id, {person.sender_id for person in people}, at)
    mine = sa.select(Account.id, Account.turn_at).where(Account.workspace_id == workspace.id)
    turns = dict(session().execute(mine).all())
    view = _view(workspace, campaign, at)
    return {person.id: _of_person(person, view, senders, turns, at) for person in people}


def _view(workspace: Workspace, campaign: Any, at: datetime) -> CampaignView:
    begun = new_people.begun_today([campaign], at).get(campaign.id)
    return CampaignView.of(campaign, workspace.blackouts, begun)


def _of_person(
    person: Any,
    campaign: CampaignView,
    senders: dict[int, SenderView],
    turns: dict[int, datetime | None],
    at: datetime,
) -> WaitReason:
    if person.state in ENDED_STATES:
        return WaitReason(person.reason or "campaign_ended", None, person.error)
    if person.state == LeadState.PAUSED:
        until = person.due_at if person.reason == "out_of_office" else None
        why_not = person.error if person.reason == "not_handed_over" else ""
        return WaitReason(person.reason or "paused_by_you", until, why_not)
    if person.reason in OF_RECIPIENTS and person.due_at and person.due_at > at:
        return planner.campaign_block(campaign) or WaitReason(person.reason, person.due_at, person.error)
    if person.reason in OF_TEXTS:
        return WaitReason(person.reason, person.due_at, person.error)
    if person.reason == "no_profile":
        return planner.campaign_block(campaign) or WaitReason("no_profile")
    if person.reason == "awaiting_approval":
        return planner.campaign_block(campaign) or WaitReason("awaiting_approval")
    sender = senders.get(person.sender_id)
    if person.due_at is None:  # the outcome can be asked after only while the sender is connected
        return (sender and planner.sender_block(sender)) or WaitReason(person.reason or "in_flight")
    if person.next_budget in TIMERS and person.next_budget != ASK:
        return WaitReason("awaiting_reply", person.due_at)
    if person.state == LeadState.AWAITING_ACCEPT and (person.next_budget == ASK or person.due_at > at):
        return planner.campaign_block(campaign) or WaitReason("awaiting_accept", person.due_at)
    if sender is None:
        return WaitReason("no_account")
    begins = person.state == LeadState.PENDING
    more = {"continues": person.part > 0, "begins": begins}
    why = planner.decide(sender, campaign, person.next_budget, person.due_at, at, **more)
    if why is not None:
        return why
    turn = turns.get(sender.id)
    turn = max(turn, at) if turn else None
    return WaitReason("ready", turn) if person.state == LeadState.ACTIVE else WaitReason("queued", turn)


def of_campaign(workspace: Workspace, campaign: Campaign) -> WaitReason:
    """Return why the campaign does nothing now, and when it continues."""
    view = _view(workspace, campaign, workspace.now())
    stopped = planner.campaign_block(view)
    if stopped:
        return WaitReason(stopped.code, stopped.until, campaign.error)
    accounts, at = _lanes(workspace, campaign), workspace.now()
    senders = usage.views(accounts, at)
    whys = [_of(workspace, account, senders[account.id], at, campaign) for account in accounts]
    return min(whys, key=_soonest, default=WaitReason("no_account"))


def _lanes(workspace: Workspace, campaign: Campaign) -> Sequence[Account]:
    query = (
        sa.select(Account)
        .join(CampaignAccount, CampaignAccount.account_id == Account.id)
        .where(CampaignAccount.campaign_id == campaign.id, Account.workspace_id == workspace.id)
        .order_by(Account.id)
    )
    return session().scalars(query).all()


def of_account(workspace: Workspace, account: Account, only: Campaign | None = None) -> WaitReason:
    """Return why the sender does nothing now, and when it continues; for all its campaigns or for one."""
    at = workspace.now()
    return _of(workspace, account, usage.views([account], at)[account.id], at, only)


def _of(workspace: Workspace, account: Account, sender: SenderView, at: datetime, only: Campaign | None) -> WaitReason:
    stopped = planner.sender_block(sender)
    if stopped:
        return WaitReason(stopped.code, stopped.until, account.status_reason)
    whys = []
    for view, state, budget, due_at in _first_due(workspace, account, only, at):
        why = planner.decide(sender, view, budget, due_at, at, begins=state == LeadState.PENDING)
        whys.append(why or WaitReason("ready", account.turn_at or at))
    if whys:
        return min(whys, key=_soonest)
    return _nothing_due(workspace, account, only)


def _first_due(
    workspace: Workspace, account: Account, only: Campaign | None, at: datetime
) -> Iterable[tuple[CampaignView, str, str, datetime]]:
    """Yield state, budget and time of the earliest due people, for campaigns with the same schedule together."""
    ours: dict[str, Any] = {"sender": account.id, "workspace": workspace.id}
    found: dict[tuple[Any, ...], Any] = {}
    for row in fetch(_FIRST, **ours) if only is None else fetch(_FIRST_OF_ONE, **ours, campaign=only.id):
        counted = (row.id, row.state) if row.new_per_day is not None else ()
        alike = (row.budget, json.dumps([getattr(row, name) for name in _SCHEDULED], default=str), counted)
        if alike not in found or row.due_at < found[alike].due_at:
            found[alike] = row
    begun = new_people.begun_today({row.id: row for row in found.values()}.values(), at)
    return [
        (CampaignView.of(row, workspace.blackouts, begun.get(row.id)), row.state, row.budget, row.due_at)
        for row in found.values()
    ]


def _listed(name: str, values: Iterable[Any]) -> sa.CTE:
    """Return the values as a table: of selects, because SQLAlchemy would compile VALUES anew each time."""
    return sa.union_all(*(sa.select(sa.literal(str(one)).label(name)) for one in values)).cte()


_LANE: Any = CampaignAccount.__table__
_CAMPAIGN: Any = Campaign.__table__
_PERSON: Any = CampaignLead.__table__
_SCHEDULED = (
    *("timezone", "days", "start_time", "end_time", "start_date", "end_date"),
    *("windows", "recipient_time", "holidays", "blackouts"),
)
_PLANNED = ("id", "status", "new_per_day", *_SCHEDULED)
# Looked up in the index for each campaign, state and budget: of people there are thousands, of these there are tens.
_STATES, _BUDGETS = _listed("state", OPEN_STATES), _listed("budget", (*Budget, *planner.FREE_BUDGETS))
_EARLIEST = (
    sa.select(sa.func.min(_PERSON.c.due_at))
    .where(_PERSON.c.sender_id == _LANE.c.account_id, _PERSON.c.campaign_id == _LANE.c.campaign_id)
    .where(_PERSON.c.state == _STATES.c.state, _PERSON.c.next_budget == _BUDGETS.c.budget)
    .correlate(_LANE, _STATES, _BUDGETS)
    .scalar_subquery()
)
_FIRST = (
    sa.select(*(_CAMPAIGN.c[name] for name in _PLANNED), _STATES.c.state, _BUDGETS.c.budget, _EARLIEST.label("due_at"))
    .select_from(_LANE.join(_CAMPAIGN).join(_STATES, sa.true()).join(_BUDGETS, sa.true()))
    .where(_LANE.c.account_id == sa.bindparam("sender"), _LANE.c.workspace_id == sa.bindparam("workspace"))
    .where(_CAMPAIGN.c.status == CampaignStatus.RUNNING, _EARLIEST.is_not(None))
)
_FIRST_OF_ONE = _FIRST.where(_LANE.c.campaign_id == sa.bindparam("campaign"))


def _nothing_due(workspace: Workspace, account: Account, only: Campaign | None) -> WaitReason:
    if only is None:
        return WaitReason("idle")
    lead = CampaignLead
    query = sa.select(lead.next_budget, sa.func.min(lead.due_at)).where(
        lead.campaign_id == only.id, lead.workspace_id == workspace.id, lead.state == LeadState.ACTIVE
    )
    waits = dict(session().execute(query.group_by(lead.next_budget)).all())
    if _drafts_wait(workspace, only):
        return WaitReason("awaiting_approval")
    return WaitReason("awaiting_reply", waits["end"]) if waits.get("end") else WaitReason("idle")


def _drafts_wait(workspace: Workspace, campaign: Campaign) -> bool:
    query = sa.select(Approval.id).where(
        Approval.campaign_id == campaign.id,
        Approval.workspace_id == workspace.id,
        Approval.status == ApprovalStatus.PENDING,
    )
    return campaign.approval and session().scalar(query.limit(1)) is not None


_NEVER = datetime.max.replace(tzinfo=UTC)


def _soonest(why: WaitReason) -> tuple[bool, datetime]:
    return (why.until is None, why.until or _NEVER)


def next_moment(whys: Sequence[WaitReason]) -> datetime | None:
    """Return the earliest time in the reasons."""
    return min((why.until for why in whys if why.until), default=None)
