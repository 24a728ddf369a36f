"""Events of approvals: a draft waits for a decision, or no one decided in time."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from app.core.db import in_list, session
from app.core.installation import address
from app.domain.webhooks import events
from app.models.accounts import Account
from app.models.approvals import Approval
from app.models.campaigns import Campaign, CampaignLead
from app.models.leads import Lead
from app.resources.event_data import EventApproval


def tell(kind: str, approval_ids: Sequence[int], at: datetime) -> None:
    """Record this event for each of these drafts of one workspace. Inside a transaction."""
    if not approval_ids:
        return
    query = (
        sa.select(Approval, Campaign, Lead, Account, CampaignLead)
        .join(Campaign, Campaign.id == Approval.campaign_id)
        .join(Lead, Lead.id == Approval.lead_id)
        .join(CampaignLead, CampaignLead.id == Approval.campaign_lead_id)
        .outerjoin(Account, Account.id == Approval.sender_id)
        .where(in_list(Approval.id, approval_ids))
        .order_by(Approval.id)
    )
    found = session().execute(query).all()
    happenings = []
    for draft, campaign, lead, account, person in found:
        shown = EventApproval.of(draft, address(f"/approvals/{draft.id}"))
        about = {"campaign": campaign, "lead": lead, "account": account, "progress": person, "approval": shown}
        happenings.append(events.new(kind, at, about))
    events.record(found[0][1].workspace_id, happenings)
