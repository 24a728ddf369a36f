"""Plan and credits; canceling the subscription and undoing it."""

from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.framework.bodies import Body
from app.api.framework.endpoint import endpoint, one_of
from app.domain.billing import credits, subscriptions
from app.domain.workspace.workspaces import Workspace

KINDS = ("grant", "hold", "capture", "release", "expire", "refund")


class Cancellation(Body):
    """Why you are canceling."""

    reason: Literal["too_expensive", "technical", "results", "other"]
    """Why you are canceling."""
    feedback: Annotated[str, Field(min_length=subscriptions.LEAST_FEEDBACK, max_length=subscriptions.MOST_FEEDBACK)]
    """Your feedback in at least 20 characters, or exactly `Confirm cancellation`."""


@endpoint("GET", "/billing", scope="billing:read", returns=resources.Billing)
def show(workspace: Workspace) -> subscriptions.Overview:
    """Get the plan, subscription, credits and quotas."""
    return subscriptions.overview(workspace)


@endpoint(
    "GET",
    "/billing/credits",
    scope="billing:read",
    page_of=resources.CreditEntry,
    filters={"kind": one_of(*KINDS, about="Only changes of this kind.")},
)
def entries(workspace: Workspace, kind: str = "") -> sa.Select[Any]:
    """List the changes to the credit balance, newest first."""
    return credits.entries(workspace, kind)


@endpoint(
    "POST",
    "/billing/cancel",
    scope="billing:write",
    body=Cancellation,
    returns=resources.CancelResult,
    outside=True,
)
def cancel(workspace: Workspace, body: Cancellation) -> subscriptions.Ending:
    """Cancel the subscription at the end of its period; a trial ends without a charge.

    Campaigns run until then. Returns 409 if there is no subscription to cancel.
    """
    return subscriptions.cancel(workspace, body.reason, body.feedback)


@endpoint("POST", "/billing/cancel/undo", scope="billing:write", returns=resources.Billing, outside=True)
def undo_cancel(workspace: Workspace) -> subscriptions.Overview:
    """Undo the cancellation of the subscription.

    Returns 409 if the subscription was not canceled, or if it has ended. If the subscription has ended, renew it
    instead.
    """
    return subscriptions.overview(subscriptions.undo_cancel(workspace))


@endpoint("POST", "/billing/trial/extend", scope="billing:write", returns=resources.Billing)
def extend_trial(workspace: Workspace) -> subscriptions.Overview:
    """Extend the trial by two weeks, once; a canceled trial continues.

    Returns 409 if there is no trial, if it has already been extended, or if it belongs to a paid plan.
    """
    return subscriptions.overview(subscriptions.extend_trial(workspace))


@endpoint("POST", "/billing/renew", scope="billing:write", returns=resources.Billing)
def renew(workspace: Workspace) -> subscriptions.Overview:
    """Renew an ended subscription on an installation without Stripe; nothing is charged.

    Campaigns stay paused until you resume them. Returns 409 unless the subscription has ended. If it was bought through
    Stripe, you get 409, too: buy a new plan in the dashboard.
    """
    return subscriptions.overview(subscriptions.renew(workspace))
