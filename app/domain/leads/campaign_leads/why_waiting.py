"""Wait reasons of people, campaigns and senders, from the same planner as the turns."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch, in_list, session
from app.domain.ledger import usage
from app.domain.rules import planner
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.reasons import OF_CAPS, OF_RECIPIENTS, OF_TEXTS, WaitReason
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
    wanted = {person.sender_id for person in people if person.sender_id}
    query = sa.select(Account).where(Account.workspace_id == workspace.id, in_list(Account.id, wanted))
    theirs = session().scalars(query.execution_options(populate_existing=True)).all() if wanted else []
    senders, turns = usage.views(theirs, at), {account.id: account.turn_at for account in theirs}
    view = _view(workspace, campaign, at)
    return {person.id: _of_person(person, view, senders, turns, at) for person in people}


def _view(workspace: Workspace, campaign: Any, at: datetime) -> CampaignView:
    begun = usage.begun_today([campaign], at).get(campaign.id)
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
    if person.due_at is None:  # only a connected sender can look up the open outcome
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
        # `until` is when the cap is checked again; contacts with others at the company may still fill it then.
        capped = why.until and person.reason in OF_CAPS and (why.code == "not_due" or person.reason == "company_full")
        return replace(why, code=person.reason) if capped else why
    turn = turns.get(sender.id)
    turn = max(turn, at) if turn else None
    return WaitReason("ready", turn) if person.state == LeadState.ACTIVE else WaitReason("queued", turn)


def of_campaign(workspace: Workspace, campaign: Campaign) -> WaitReason:
    """Return why the campaign does nothing now, and when it continues."""
    return of_campaigns(workspace, [campaign])[campaign.id]


def of_campaigns(workspace: Workspace, campaigns: Sequence[Campaign]) -> dict[int, WaitReason]:
    """Return by id why each campaign does nothing now, and when it continues."""
    at = workspace.now()
    begun = usage.begun_today(campaigns, at)
    views = {one.id: CampaignView.of(one, workspace.blackouts, begun.get(one.id)) for one in campaigns}
    stopped = {one: planner.campaign_block(view) for one, view in views.items()}
    lanes = _lanes(workspace, [one for one, why in stopped.items() if why is None])
    senders = usage.views({account.id: account for _, account in lanes}.values(), at)
    due: defaultdict[tuple[int, int], list[Due]] = defaultdict(list)
    for sender in senders:
        of = [campaign_id for campaign_id, account in lanes if account.id == sender]
        for row in fetch(_DUE_OF_SOME, sender=sender, workspace=workspace.id, campaigns=of):
            due[row.campaign_id, sender].append((views[row.campaign_id], row.state, row.budget, row.due_at))
    whys: defaultdict[int, list[WaitReason]] = defaultdict(list)
    by_id = {one.id: one for one in campaigns}
    for campaign_id, account in lanes:
        why = _of(account, senders[account.id], due[campaign_id, account.id], at)
        whys[campaign_id].append(replace(why or _nothing_due(workspace, by_id[campaign_id]), sender=account.name))
    return {
        one.id: WaitReason(why.code, why.until, one.error)
        if (why := stopped[one.id])
        else min(whys[one.id], key=_soonest, default=WaitReason("no_account"))
        for one in campaigns
    }


def _lanes(workspace: Workspace, campaign_ids: Sequence[int]) -> Sequence[tuple[int, Account]]:
    query = (
        sa.select(CampaignAccount.campaign_id, Account)
        .join(CampaignAccount, CampaignAccount.account_id == Account.id)
        .where(CampaignAccount.campaign_id.in_(campaign_ids), Account.workspace_id == workspace.id)
        .order_by(Account.id)
    )
    return [(row[0], row[1]) for row in session().execute(query)] if campaign_ids else []


def of_account(workspace: Workspace, account: Account) -> WaitReason:
    """Return why the sender does nothing now, and when it continues."""
    return of_accounts(workspace, [account])[account.id]


def of_accounts(workspace: Workspace, accounts: Sequence[Account]) -> dict[int, WaitReason]:
    """Return by id why each sender does nothing now, and when it continues."""
    at = workspace.now()
    senders = usage.views(accounts, at)
    return {
        one.id: _of(one, senders[one.id], _first_due(workspace, one, at), at) or WaitReason("idle") for one in accounts
    }


Due = tuple[CampaignView, str, str, datetime]  # the earliest due person of those with the same state and budget


def _of(account: Account, sender: SenderView, due: Iterable[Due], at: datetime) -> WaitReason | None:
    """Return why the sender does nothing now; None when nothing is due for it."""
    stopped = planner.sender_block(sender)
    if stopped:
        return WaitReason(stopped.code, stopped.until, account.status_reason)
    whys = []
    for view, state, budget, due_at in due:
        why = planner.decide(sender, view, budget, due_at, at, begins=state == LeadState.PENDING)
        whys.append(why or WaitReason("ready", account.turn_at or at))
    return min(whys, key=_soonest, default=None)


def _first_due(workspace: Workspace, account: Account, at: datetime) -> Iterable[Due]:
    """Yield the earliest due people of the sender, for campaigns with the same schedule together."""
    found = fetch(_FIRST, sender=account.id, workspace=workspace.id)
    planned = fetch(_PLANNED, campaigns={row.id for row in found}) if found else ()
    begun = usage.begun_today(planned, at)
    views = {row.id: CampaignView.of(row, workspace.blackouts, begun.get(row.id)) for row in planned}
    for row in found:
        yield views[row.id], row.state, row.budget, row.due_at


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
_PLANNED = sa.select(*(_CAMPAIGN.c[name] for name in ("id", "status", "new_per_day", *_SCHEDULED))).where(
    _CAMPAIGN.c.id.in_(sa.bindparam("campaigns", expanding=True))
)
# One index lookup for each campaign, state and budget: there are tens of these, and thousands of people.
_STATES, _BUDGETS = _listed("state", OPEN_STATES), _listed("budget", (*Budget, *planner.FREE_BUDGETS))
_EARLIEST = (
    sa.select(sa.func.min(_PERSON.c.due_at))
    .where(_PERSON.c.sender_id == _LANE.c.account_id, _PERSON.c.campaign_id == _LANE.c.campaign_id)
    .where(_PERSON.c.state == _STATES.c.state, _PERSON.c.next_budget == _BUDGETS.c.budget)
    .correlate(_LANE, _STATES, _BUDGETS)
    .scalar_subquery()
)


def _due(*only: sa.ColumnElement[bool]) -> sa.CTE:
    """Select when the earliest people of a sender are due, by campaign, state and budget, also where none are."""
    return (
        sa.select(_LANE.c.campaign_id, _STATES.c.state, _BUDGETS.c.budget, _EARLIEST.label("due_at"))
        .select_from(_LANE.join(_CAMPAIGN).join(_STATES, sa.true()).join(_BUDGETS, sa.true()))
        .where(_LANE.c.account_id == sa.bindparam("sender"), _LANE.c.workspace_id == sa.bindparam("workspace"))
        .where(_CAMPAIGN.c.status == CampaignStatus.RUNNING, *only)
        .cte("due")
        .prefix_with("MATERIALIZED")  # each time is looked up once, also where a condition asks for it again
    )


_OF_SOME = _due(_LANE.c.campaign_id.in_(sa.bindparam("campaigns", expanding=True)))
_DUE_OF_SOME = sa.select(_OF_SOME).where(_OF_SOME.c.due_at.is_not(None))


def _by_schedule() -> sa.Select[Any]:
    """Select the earliest of campaigns with the same schedule, by budget; each that counts its new people alone."""
    due, counts = _due(), _CAMPAIGN.c.new_per_day.is_not(None)
    # An empty text, because rows are grouped by it.
    state = sa.case((counts, due.c.state), else_=sa.literal_column("''"))
    schedule: Any = [_CAMPAIGN.c[name] for name in _SCHEDULED]
    return (
        sa.select(
            sa.func.min(due.c.campaign_id).label("id"),
            state.label("state"),
            due.c.budget,
            sa.func.min(due.c.due_at).label("due_at"),
        )
        .join_from(due, _CAMPAIGN, _CAMPAIGN.c.id == due.c.campaign_id)
        .where(due.c.due_at.is_not(None))
        .group_by(state, due.c.budget, sa.case((counts, due.c.campaign_id)))
        .group_by(*(sa.cast(one, sa.Text) if isinstance(one.type, sa.JSON) else one for one in schedule))
    )


_FIRST = _by_schedule()


def _nothing_due(workspace: Workspace, campaign: Campaign) -> WaitReason:
    lead = CampaignLead
    query = sa.select(lead.next_budget, sa.func.min(lead.due_at)).where(
        lead.campaign_id == campaign.id, lead.workspace_id == workspace.id, lead.state == LeadState.ACTIVE
    )
    waits = dict(session().execute(query.group_by(lead.next_budget)).all())
    if _drafts_wait(workspace, campaign):
        return WaitReason("awaiting_approval")
    closed = campaign.joins_per_day is None
    idle = WaitReason("idle", detail="Nothing to do now") if closed else WaitReason("awaiting_people")
    return WaitReason("awaiting_reply", waits["end"]) if waits.get("end") else idle


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
