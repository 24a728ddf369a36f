"""What tests of approvals are about: campaigns that hold their messages, and the drafts that wait in them."""

from typing import Any

from app.core.db import end_read, session
from app.domain.approvals import approvals
from app.domain.approvals.approvals import Filters
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, email, ledger, message

A = ApprovalStatus


def held(
    workspace: Workspace,
    who: Any = ("accepts-ada",),
    sequence: Any = None,
    *,
    approval: bool = True,
    name: str = "Held",
) -> Campaign:
    """A running campaign that holds each message for approval."""
    steps = sequence or (INVITE, message("Hello {{first_name}}", days=1))
    return a_campaign(workspace, who, steps, name=name, approval=approval)


def drafts(workspace: Workspace, status: str = "") -> list[Approval]:
    """The drafts of the workspace as they are now, oldest first."""
    query = approvals.page(workspace, Filters(status=status)).order_by(Approval.id)
    found = [row.Approval for row in session().execute(query.execution_options(populate_existing=True))]
    end_read()
    return found


def the_draft(workspace: Workspace, status: str = A.PENDING) -> Approval:
    (draft,) = drafts(workspace, status)
    return draft


def opener(workspace: Workspace, text: str = "Dear {{first_name}}", **more: Any) -> Approval:
    """The draft of a first e-mail to Ada, written when she was enrolled."""
    held(workspace, ["quiet-ada"], [email(text, **more)])
    return the_draft(workspace)


def sent(workspace: Workspace) -> list[str]:
    """The texts that went out, in order."""
    return [action.text for action in ledger(workspace) if action.state == "sent" and action.text]
