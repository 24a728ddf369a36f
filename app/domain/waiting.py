"""Answers to "why is nothing happening": for people, campaigns and senders, from the same planner as the turns."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.domain import planner, usage
from app.domain.planner import CampaignView, SenderView
from app.domain.reasons import Why
from app.models.accounts import Account
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import (
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


def of_people(workspace: Workspace, campaign: Campaign, people: Sequence[Any]) -> dict[int, Why]:
    """Why each of these campaign leads waits or ended, by id."""
    at = workspace.now()
    senders = usage.views_by_id(workspace.id, {person.sender_id for person in people}, at)
    mine = sa.select(Account.id, Account.turn_at).where(Account.workspace_id == workspace.id)
    turns = dict(session().execute(mine).all())
    view = CampaignView.of(campaign)
    return {person.id: _of_person(person, view, senders, turns, at) for person in people}


def _of_person(
    person: Any,
    campaign: CampaignView,
    senders: dict[int, SenderView],
    turns: dict[int, datetime | None],
    at: datetime,
) -> Why:
    if person.state in ENDED_STATES:
        return Why(person.reason or "campaign_ended", None, person.error)
    if person.state == LeadState.PAUSED:
        return Why(person.reason or "paused_by_you", person.due_at if person.reason == "out_of_office" else None)
    if person.reason in ("missing_value", "too_long"):
        return Why(person.reason, person.due_at, person.error)
    if person.reason == "awaiting_approval":
        return planner.campaign_why(campaign) or Why("awaiting_approval")
    sender = senders.get(person.sender_id)
    if person.due_at is None:  # the outcome can be asked after only while the sender is connected
        return (sender and planner.sender_why(sender)) or Why(person.reason or "in_flight")
    if person.next_budget in TIMERS:
        return Why("awaiting_reply", person.due_at)
    if person.state == LeadState.AWAITING_ACCEPT and person.due_at > at:
        return planner.campaign_why(campaign) or Why("awaiting_accept", person.due_at)
    if sender is None:
        return Why("no_account")
    why = planner.plan(sender, campaign, person.next_budget, person.due_at, at, continues=person.part > 0)
    if why is not None:
        return why
    turn = turns.get(sender.id)
    turn = max(turn, at) if turn else None
    return Why("ready", turn) if person.state == LeadState.ACTIVE else Why("queued", turn)


def of_campaign(workspace: Workspace, campaign: Campaign) -> Why:
    """Why the campaign does nothing now, and when it goes on."""
    view = CampaignView.of(campaign)
    stopped = planner.campaign_why(view)
    if stopped:
        return Why(stopped.code, stopped.until, campaign.error)
    accounts, at = _lanes(workspace, campaign), workspace.now()
    senders = usage.views(accounts, at)
    whys = [_of(workspace, account, senders[account.id], at, campaign) for account in accounts]
    return min(whys, key=_soonest, default=Why("no_account"))


def _lanes(workspace: Workspace, campaign: Campaign) -> Sequence[Account]:
    query = (
        sa.select(Account)
        .join(CampaignAccount, CampaignAccount.account_id == Account.id)
        .where(CampaignAccount.campaign_id == campaign.id, Account.workspace_id == workspace.id)
        .order_by(Account.id)
    )
    return session().scalars(query).all()


def of_account(workspace: Workspace, account: Account, only: Campaign | None = None) -> Why:
    """Why the sender does nothing now, and when it goes on; for all its campaigns or for one."""
    at = workspace.now()
    return _of(workspace, account, usage.views([account], at)[account.id], at, only)


def _of(workspace: Workspace, account: Account, sender: SenderView, at: datetime, only: Campaign | None) -> Why:
    stopped = planner.sender_why(sender)
    if stopped:
        return Why(stopped.code, stopped.until, account.status_reason)
    whys = []
    for campaign, budget, due_at in _first_due(workspace, account, only):
        why = planner.plan(sender, CampaignView.of(campaign), budget, due_at, at)
        whys.append(why or Why("ready", account.turn_at or at))
    if whys:
        return min(whys, key=_soonest)
    return _nothing_due(workspace, account, only)


def _first_due(workspace: Workspace, account: Account, only: Campaign | None) -> list[tuple[Campaign, str, datetime]]:
    """The earliest due person of each campaign and budget of this sender."""
    lead = CampaignLead
    query = (
        sa.select(lead.campaign_id, lead.next_budget, sa.func.min(lead.due_at))
        .join(Campaign, Campaign.id == lead.campaign_id)
        .where(lead.sender_id == account.id, lead.workspace_id == workspace.id, lead.state.in_(OPEN_STATES))
        .where(lead.due_at.is_not(None), Campaign.status == CampaignStatus.RUNNING)
        .group_by(lead.campaign_id, lead.next_budget)
    )
    if only is not None:
        query = query.where(lead.campaign_id == only.id)
    rows = session().execute(query).all()
    known = {row[0] for row in rows}
    campaigns = {c.id: c for c in session().scalars(sa.select(Campaign).where(Campaign.id.in_(known)))}
    return [(campaigns[campaign_id], budget, due_at) for campaign_id, budget, due_at in rows if due_at]


def _nothing_due(workspace: Workspace, account: Account, only: Campaign | None) -> Why:
    if only is None:
        return Why("idle")
    lead = CampaignLead
    query = sa.select(lead.next_budget, sa.func.min(lead.due_at)).where(
        lead.campaign_id == only.id, lead.workspace_id == workspace.id, lead.state == LeadState.ACTIVE
    )
    waits = dict(session().execute(query.group_by(lead.next_budget)).all())
    if _drafts_wait(workspace, only):
        return Why("awaiting_approval")
    return Why("awaiting_reply", waits["end"]) if waits.get("end") else Why("idle")


def _drafts_wait(workspace: Workspace, campaign: Campaign) -> bool:
    query = sa.select(Approval.id).where(
        Approval.campaign_id == campaign.id,
        Approval.workspace_id == workspace.id,
        Approval.status == ApprovalStatus.PENDING,
    )
    return campaign.approval and session().scalar(query.limit(1)) is not None


_NEVER = datetime.max.replace(tzinfo=UTC)


def _soonest(why: Why) -> tuple[bool, datetime]:
    return (why.until is None, why.until or _NEVER)


def next_moment(whys: Sequence[Why]) -> datetime | None:
    """The earliest moment any of them names."""
    return min((why.until for why in whys if why.until), default=None)
