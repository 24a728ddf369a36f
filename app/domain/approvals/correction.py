"""Drafts whose words were corrected: what was approved waits again, and what a person edited is looked at again."""

from collections.abc import Callable, Collection, Sequence

import sqlalchemy as sa

from app.core.db import session
from app.domain.approvals import approvals, drafting
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import Campaign, CampaignLead, LeadState
from app.models.workspaces import User, Workspace

Says = Callable[[str], bool]
Held = Sequence[tuple[int, int | None]]  # the draft, and who had approved it


def hold(workspace: Workspace, campaign: Campaign, keys: Collection[int], says_old: Says) -> Held:
    """Let approved drafts wait again whose step of these keys is written anew, or which say what was corrected.

    What is being sent goes on. Inside a transaction, before the steps are changed.
    """
    approved = sa.and_(Approval.campaign_id == campaign.id, Approval.status == ApprovalStatus.APPROVED)
    held = []
    for approval in session().scalars(sa.select(Approval).where(approved).order_by(Approval.id)).all():
        anew = approval.step in keys and not approval.edited
        if (anew or says_old(f"{approval.subject}\n{approval.text}")) and approvals.may_wait_again(approval):
            by = approval.decided_by
            approvals.undo(workspace, approval.id)
            held.append((approval.id, by))
    return held


def settle(workspace: Workspace, campaign: Campaign, held: Held, *, revised: bool) -> None:
    """Look again at the drafts that wait; without approval, those that were approved go on in their new words.

    Inside a transaction, after the steps were changed; a revision has written again what is not at rest.
    """
    current = session()
    current.flush()
    waiting = sa.and_(Approval.campaign_id == campaign.id, Approval.status == ApprovalStatus.PENDING)
    left = sa.select(CampaignLead.person_id).join(Approval, Approval.id == CampaignLead.approval_id).where(waiting)
    left = left.where(CampaignLead.state == LeadState.PAUSED) if revised else left
    drafting.refresh(workspace, current.scalars(left).all())
    for approval in current.scalars(sa.select(Approval).where(waiting, Approval.edited).order_by(Approval.id)).all():
        approvals.look_again(approval)
    for approval_id, by in () if campaign.approval else held:
        found = current.get_one(Approval, approval_id, populate_existing=True)
        if found.status == ApprovalStatus.PENDING and not found.warned:
            approvals.release_draft(found, workspace.now(), current.get(User, by) if by else None)
