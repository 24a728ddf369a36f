"""The first people of a live workspace: their drafts wait for approval, then a campaign without approval goes on.

An owner reads what the first people get before the rest is sent by itself; drafts with a warning keep waiting.
"""

import sqlalchemy as sa

from app.core.db import session
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import Campaign, CampaignLead
from app.models.workspaces import Workspace

_APPROVED = (ApprovalStatus.APPROVED, ApprovalStatus.DONE)


def hold(workspace: Workspace, campaign: Campaign) -> None:
    """Let the first people of a campaign that starts wait for approval. Inside its transaction."""
    if not workspace.approve_first or campaign.approval:
        return
    left = workspace.approve_first - _people(CampaignLead.workspace_id == workspace.id)
    if left > 0:
        campaign.approval, campaign.approve_first = True, left


def are_approved(campaign: Campaign, approval: Approval) -> bool:
    """Return whether this decision approved the last of the first people. Inside its transaction."""
    if approval.status not in _APPROVED:
        return False
    return _people(CampaignLead.campaign_id == campaign.id) >= (campaign.approve_first or 0)


def _people(where: sa.ColumnElement[bool]) -> int:
    """Return how many people's drafts were approved."""
    number = sa.select(sa.func.count(CampaignLead.person_id.distinct())).join_from(
        Approval, CampaignLead, CampaignLead.id == Approval.campaign_lead_id
    )
    session().flush()
    return session().scalar(number.where(where, Approval.status.in_(_APPROVED))) or 0
