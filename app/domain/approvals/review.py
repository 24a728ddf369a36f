"""Review: what a reviewer sees beside a draft (send time, history, next steps, decision)."""

from collections.abc import Sequence
from datetime import datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core.db import session
from app.domain.approvals import approvals
from app.domain.approvals.approvals import Filters
from app.domain.ledger import activity, usage
from app.domain.ledger.activity import Entry, Filter
from app.domain.rules import message_templates, planner
from app.domain.rules.next_step import Position
from app.domain.rules.planner import CampaignView
from app.domain.rules.reasons import WaitReason
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Account
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import Campaign, CampaignLead, LeadState
from app.models.workspaces import User, Workspace

_SHOWN = 6  # entries of the history
_MANY = 3  # from so many drafts of one step on, approving them together is suggested


def send_estimates(workspace: Workspace, rows: Sequence[Any]) -> dict[int, WaitReason | None]:
    """Return why and until when each draft would wait if approved now, by its id; None when it is sent at once."""
    at, leads = workspace.now(), [row.Approval.campaign_lead_id for row in rows]
    people = {one.id: one for one in session().scalars(sa.select(CampaignLead).where(CampaignLead.id.in_(leads)))}
    senders = usage.views_by_id(workspace.id, {row.Approval.sender_id for row in rows}, at)
    campaigns = {row.Campaign.id: CampaignView.of(row.Campaign, workspace.blackouts) for row in rows}

    def estimate(approval: Approval) -> WaitReason | None:
        person, sender = people[approval.campaign_lead_id], senders.get(approval.sender_id or 0)
        if person.state == LeadState.PAUSED:
            away = person.reason == "out_of_office"
            return WaitReason(person.reason or "paused_by_you", person.due_at if away else None)
        if sender is None:
            return WaitReason("no_account")
        earliest = approval.release_at or max(approval.due_at, at + approvals.UNDO)
        parts, budget = max(1, len(message_templates.split(approval.text))), STEPS[approval.kind].budget
        why = planner.decide(sender, campaigns[approval.campaign_id], budget, earliest, max(at, earliest), parts=parts)
        return why or (WaitReason("not_due", earliest) if earliest > at + approvals.UNDO else None)

    return {row.Approval.id: estimate(row.Approval) for row in rows}


def history(workspace: Workspace, row: Any) -> list[Entry]:
    """Return the actions and messages with this person in this campaign, oldest first."""
    wanted = Filter(person_id=row.Approval.campaign_lead_id, limit=_SHOWN)
    return activity.page(workspace, row.Campaign, wanted)[0][::-1]


def next_if_skipped(workspace: Workspace, row: Any) -> Position:
    """Return the person's next place if the draft were skipped now."""
    person = session().get_one(CampaignLead, row.Approval.campaign_lead_id)
    return approvals.place_after(row.Campaign, person, row.Lead, row.Approval.step, workspace.now())


def previous_and_next(workspace: Workspace, filters: Filters, approval_id: int) -> tuple[int | None, int | None]:
    """Return the ids of the previous and the next draft in a list with the newest first."""
    mine = sa.select(Approval.id).where(*approvals.meant(workspace, filters))
    before = session().scalar(mine.where(Approval.id > approval_id).order_by(Approval.id).limit(1))
    after = session().scalar(mine.where(Approval.id < approval_id).order_by(Approval.id.desc()).limit(1))
    return before, after


def today(workspace: Workspace) -> Any:
    """Count the drafts that were closed since midnight in the workspace's time zone.

    `reviewed` by members, `released` because the first people were approved, `unreachable` as their address is dead.
    """
    zone = ZoneInfo(workspace.timezone)
    midnight = datetime.combine(workspace.now().astimezone(zone).date(), time(0), zone)
    by_member, plain = Approval.decided_by.is_not(None), Approval.reason.in_(["", approvals.BY_YOU])
    query = sa.select(
        sa.func.count().filter(plain & by_member).label("reviewed"),
        sa.func.count().filter(plain & ~by_member & Approval.release_at.is_not(None)).label("released"),
        sa.func.count().filter(Approval.reason == "undeliverable").label("unreachable"),
    ).where(Approval.workspace_id == workspace.id, Approval.decided_at >= midnight)
    return session().execute(query.where(Approval.status != ApprovalStatus.PENDING)).one()


def largest_step(workspace: Workspace) -> Any:
    """Return the campaign and the number of drafts of the step with the most that can be approved together."""
    many, waiting = sa.func.count(), Filters(status=ApprovalStatus.PENDING, warned=False)
    query = sa.select(Approval.campaign_id, many.label("drafts")).where(*approvals.meant(workspace, waiting))
    steps = query.group_by(Approval.campaign_id, Approval.step).having(many >= _MANY)
    return session().execute(steps.order_by(many.desc(), Approval.campaign_id).limit(1)).first()


def choices(workspace: Workspace, status: str) -> dict[str, list[tuple[int, str]]]:
    """Return the campaigns, without those that have no draft of that status, and the senders to filter by."""
    has = sa.exists().where(Approval.campaign_id == Campaign.id, Approval.status == status)
    campaigns = sa.select(Campaign.id, Campaign.name).where(Campaign.workspace_id == workspace.id, has)
    senders = sa.select(Account.id, Account.name).where(Account.workspace_id == workspace.id)
    queries = {
        "campaigns": campaigns.order_by(Campaign.name, Campaign.id),
        "senders": senders.order_by(Account.name, Account.id),
    }
    return {name: [(one.id, one.name) for one in session().execute(query)] for name, query in queries.items()}


def any_campaign_holds(workspace: Workspace) -> bool:
    """Return whether any campaign needs approval."""
    query = sa.select(Campaign.id).where(Campaign.workspace_id == workspace.id, Campaign.approval.is_(True))
    return session().scalar(query.limit(1)) is not None


def decider(approval: Approval) -> str:
    """Return the name of the person who decided; '' if it was no person."""
    user = session().get(User, approval.decided_by) if approval.decided_by else None
    return user.name or user.email.partition("@")[0] if user else ""
