"""Stripe checkout, on servers that sell plans: buy, manage and follow a subscription.

An event is only a hint that something changed: what a subscription is now is asked, so that events that come twice,
late or in another order do no harm. Each is heard once.
"""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import MAX_ID, end_read, insert, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotSupported, Unauthorized, Unavailable
from app.domain.billing import plans, subscriptions
from app.domain.billing.plans import Plan
from app.domain.platform import jobs
from app.models.billing import BillingEvent
from app.models.jobs import Job
from app.models.workspaces import Subscription, Workspace
from app.ports import ProviderError, Refused, SaleEvent

KIND = "billing_sync"
OVERDUE = timedelta(days=1)  # after the end of a period, when nobody has told us what became of it


def offers(workspace: Workspace) -> list[tuple[str, Plan]]:
    """The plans that the workspace can buy, by name; none where nothing is sold, or one was bought."""
    if not subscriptions.is_sold(workspace) or workspace.billing_subscription:
        return []
    return [(name, plans.PLANS[name]) for name in ports.checkout().plans if name in plans.PLANS]


def checkout(workspace: Workspace, email: str, plan: str, back: str) -> str:
    """The address where the plan is bought. Calls out, so never inside a transaction."""
    if not subscriptions.is_sold(workspace):
        raise NotSupported("No plans are sold here.", recovery="This server is free to use.")
    if workspace.billing_subscription:
        raise Conflict("You already have a plan.", recovery="Change it under Manage plan.")
    if plan not in [name for name, _ in offers(workspace)]:
        raise InvalidRequest.of(("plan", "Choose one of the plans."))
    number, customer = workspace.id, workspace.billing_customer
    end_read()
    try:
        return ports.checkout().checkout(number, plan, customer, email, back)
    except ProviderError as failure:
        raise Unavailable(failure.sentence, recovery="You were not charged. Try again in a moment.") from None


def portal(workspace: Workspace, back: str) -> str:
    """The address where what was bought is changed, paid or ended. Calls out."""
    if not (ports.checkout.connected and workspace.billing_customer):
        raise Conflict("You have no plan yet.", recovery="Choose a plan first.")
    customer = workspace.billing_customer
    end_read()
    try:
        return ports.checkout().portal(customer, back)
    except ProviderError as failure:
        raise Unavailable(failure.sentence, recovery="Nothing was changed. Try again in a moment.") from None


def trouble() -> str:
    """Why nothing can be sold; '' when it can, or nothing is. Calls out."""
    if not ports.checkout.connected:
        return ""
    end_read()
    try:
        ports.checkout().check()
    except ProviderError as failure:
        return failure.sentence
    return ""


def handle_event(body: bytes, signature: str) -> bool:
    """The event will have its effect; whether it was about something here, for the first time."""
    if not ports.checkout.connected:
        raise Unauthorized("No plans are sold here.")
    try:
        event = ports.checkout().hear(body, signature)
    except Refused as refusal:
        raise Unauthorized(refusal.sentence) from None
    workspace = _workspace(event) if event else None
    if event is None or workspace is None:
        return False
    row = {"workspace_id": workspace.id, "event": event.event, "kind": event.kind, "received_at": clock.now()}
    fresh = insert(BillingEvent).values(row).on_conflict_do_nothing(index_elements=["event"]).returning(BillingEvent.id)
    with transaction() as current:
        heard = current.execute(fresh).first() is not None
        if heard:
            jobs.add(workspace, KIND, event.event, {"subscription": event.subscription})
        return heard


def _workspace(event: SaleEvent) -> Workspace | None:
    """Whose subscription it is: what we wrote into it when it was bought, else the customer that we know."""
    if 0 < event.workspace <= MAX_ID:
        return session().get(Workspace, event.workspace)
    query = sa.select(Workspace).where(Workspace.billing_customer == event.customer).limit(1)
    return session().scalars(query).first() if event.customer else None


@jobs.handler(KIND)
def _sync(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """The workspace has what was bought for it."""
    if not ports.checkout.connected:
        return
    end_read()
    bought = ports.checkout().subscription(payload["subscription"])
    subscriptions.follow(workspace, bought)


def ask_overdue() -> int:
    """What became of periods that are over, and of which nobody told us, is being asked; 0, for once a tick will do."""
    if not ports.checkout.connected:
        return 0
    query = sa.select(Workspace).where(
        Workspace.billing_subscription != "",
        Workspace.subscription != Subscription.ENDED,
        Workspace.period_ends_at < clock.now() - OVERDUE,
    )
    for workspace in session().scalars(query).all():
        jobs.add(workspace, KIND, "overdue", {"subscription": workspace.billing_subscription})
    return 0
