"""The plan and the credits; canceling the subscription, and taking that back."""

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
    """Why, in at least 20 characters or exactly `Confirm cancellation`."""

    reason: Literal["too_expensive", "technical", "results", "other"]
    feedback: Annotated[str, Field(min_length=subscriptions.LEAST_FEEDBACK, max_length=subscriptions.MOST_FEEDBACK)]


@endpoint("GET", "/billing", scope="billing:read", returns=resources.Billing, errors="E0")
def show(workspace: Workspace) -> subscriptions.Overview:
    """The plan, the subscription, the credits and the quotas."""
    return subscriptions.overview(workspace)


@endpoint(
    "GET",
    "/billing/credits",
    scope="billing:read",
    page_of=resources.CreditEntry,
    errors="E0",
    filters={"kind": one_of(*KINDS)},
)
def entries(workspace: Workspace, kind: str = "") -> sa.Select[Any]:
    """Every movement of credits."""
    return credits.entries(workspace, kind)


@endpoint(
    "POST",
    "/billing/cancel",
    scope="billing:write",
    body=Cancellation,
    returns=resources.CancelResult,
    errors="E409",
    outside=True,
)
def cancel(workspace: Workspace, body: Cancellation) -> subscriptions.Ending:
    """The subscription ends with its period, a trial at its end without a charge."""
    return subscriptions.cancel(workspace, body.reason, body.feedback)


@endpoint("POST", "/billing/cancel/undo", scope="billing:write", returns=resources.Billing, errors="E409", outside=True)
def undo_cancel(workspace: Workspace) -> subscriptions.Overview:
    """The subscription goes on as if it had not been canceled."""
    return subscriptions.overview(subscriptions.undo_cancel(workspace))


@endpoint("POST", "/billing/trial/extend", scope="billing:write", returns=resources.Billing, errors="E409")
def extend_trial(workspace: Workspace) -> subscriptions.Overview:
    """The trial lasts two weeks more, once; a cancellation is taken back with it."""
    return subscriptions.overview(subscriptions.extend_trial(workspace))


@endpoint("POST", "/billing/renew", scope="billing:write", returns=resources.Billing, errors="E409")
def renew(workspace: Workspace) -> subscriptions.Overview:
    """A subscription that ended is active again; campaigns stay paused until somebody resumes them."""
    return subscriptions.overview(subscriptions.renew(workspace))
