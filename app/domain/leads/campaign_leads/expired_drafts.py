"""Drafts not decided in time: their people wait or continue, by the campaign's setting."""

from datetime import datetime

import sqlalchemy as sa

from app.core.db import fetch, get_owned, in_list, session, transaction
from app.domain.approvals import approval_events, approvals, release
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.platform import audit_log, locks
from app.models.approvals import APPROVAL, Approval, ApprovalStatus
from app.models.campaigns import CAMPAIGN_LEAD, Campaign, CampaignLead, CampaignStatus
from app.models.workspaces import Workspace

WAITS = "draft_expired"
_CHUNK = 200


def choose(workspace: Workspace, campaign_id: int, *, skip: bool) -> Campaign:
    """Choose what follows an expired draft: its person goes on without the message, or waits to be resumed."""
    with transaction():
        campaign = get_owned(Campaign, workspace, campaign_id, lock=True)
        if campaign.skip_expired != skip:
            audit_log.record(
                workspace,
                "campaign.expired_drafts",
                campaign.name,
                before={"skipped": campaign.skip_expired},
                after={"skipped": skip},
            )
        campaign.skip_expired = skip
        return campaign


def expire(workspace: Workspace, at: datetime) -> int:
    """Expire undecided drafts of running campaigns; return how many."""
    ids = [row.id for row in fetch(_STALE, workspace=workspace.id, at=at)]
    if not ids:
        return 0
    with locks.changing(workspace.id) as current:
        query = sa.select(Approval).where(in_list(Approval.id, ids)).order_by(Approval.id).with_for_update()
        for approval in current.scalars(query.execution_options(populate_existing=True)).all():
            if APPROVAL.allows(approval, "drop") and approval.expires_at <= at:
                _expire(approval, at)
    return len(ids)


_STALE = (  # drafts of a paused campaign are kept
    sa.select(Approval.id)
    .join(Campaign, Campaign.id == Approval.campaign_id)
    .where(Approval.workspace_id == sa.bindparam("workspace"), Approval.status == ApprovalStatus.PENDING)
    .where(Approval.expires_at <= sa.bindparam("at"), Campaign.status == CampaignStatus.RUNNING)
    .order_by(Approval.expires_at, Approval.id)
    .limit(_CHUNK)
)


def _expire(approval: Approval, at: datetime) -> None:
    if session().get_one(Campaign, approval.campaign_id).skip_expired:
        APPROVAL.move(approval, "drop")
        approvals.pass_over(approval, "expired", at)
        approval_events.tell("approval_expired", [approval.id], at)
        return
    release.discard([approval.id], "expired", at)
    query = sa.select(CampaignLead).where(CampaignLead.id == approval.campaign_lead_id).with_for_update()
    person = session().scalars(query.execution_options(populate_existing=True)).one()
    person.approval_id = None
    if CAMPAIGN_LEAD.allows(person, "pause"):  # a person who is paused already keeps that reason
        campaign_leads.pause_for(person, WAITS)
    session().flush()
    approval_events.tell("approval_expired", [approval.id], at)
