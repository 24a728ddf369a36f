"""Stripe checkout, on servers that sell plans: buy, manage and follow a subscription.

An event is only a hint that something changed: the subscription is then looked up, so that events that come twice,
late or in another order do no harm. Each event is handled once.
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
from app.domain.platform import former_ids, jobs
from app.models.billing import BillingEvent
from app.models.platform.jobs import Job
from app.models.workspaces import Subscription, Workspace
from app.ports import ProviderError, Refused, SaleEvent

KIND = "billing_sync"
OVERDUE = timedelta(days=1)  # after the end of a period without an event about it


def offers(workspace: Workspace) -> list[tuple[str, Plan]]:
    """Return the plans for sale to the workspace, by name; none if it has one or nothing is sold."""
    if not subscriptions.is_sold(workspace) or workspace.billing_subscription:
        return []
    return [(name, plans.PLANS[name]) for name in ports.checkout().plans if name in plans.PLANS]


def checkout(workspace: Workspace, email: str, plan: str, back: str) -> str:
    """Return the checkout address of the plan. Calls out, so never inside a transaction."""
    if not subscriptions.is_sold(workspace):
        raise NotSupported("This server doesn't sell plans.", recovery="Overture is free to use here.")
    if workspace.billing_subscription:
        raise Conflict("You already have a plan.", recovery="Change your plan under Manage plan.")
    if plan not in [name for name, _ in offers(workspace)]:
        raise InvalidRequest.of(("plan", "Choose one of the plans."))
    number, customer = workspace.id, workspace.billing_customer
    end_read()
    try:
        return ports.checkout().checkout(number, plan, customer, email, back)
    except ProviderError as failure:
        raise Unavailable(failure.sentence, recovery="You were not charged. Try again in a moment.") from None


def portal(workspace: Workspace, back: str) -> str:
    """Return the billing portal's address, for changes, invoices and cancellation. Calls out."""
    if not (ports.checkout.connected and workspace.billing_customer):
        raise Conflict("You have no plan yet.", recovery="Choose a plan first.")
    customer = workspace.billing_customer
    end_read()
    try:
        return ports.checkout().portal(customer, back)
    except ProviderError as failure:
        raise Unavailable(failure.sentence, recovery="Nothing was changed. Try again in a moment.") from None


def trouble() -> str:
    """Return why nothing can be sold; '' when it can, or nothing is for sale. Calls out."""
    if not ports.checkout.connected:
        return ""
    end_read()
    try:
        ports.checkout().check()
    except ProviderError as failure:
        return failure.sentence
    return ""


def handle_event(body: bytes, signature: str) -> bool:
    """Queue the effect of a Stripe event; return whether it concerns us and is new."""
    if not ports.checkout.connected:
        raise Unauthorized("This server doesn't sell plans.")
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
    """Return the subscription's workspace: by the metadata of the checkout, else by the known customer."""
    if 0 < event.workspace <= MAX_ID:
        return session().get(Workspace, former_ids.row_id("workspace", event.workspace))
    query = sa.select(Workspace).where(Workspace.billing_customer == event.customer).limit(1)
    return session().scalars(query).first() if event.customer else None


def sync_subscription(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Update the workspace from its subscription at Stripe."""
    if not ports.checkout.connected:
        return
    end_read()
    bought = ports.checkout().subscription(payload["subscription"])
    subscriptions.follow(workspace, bought)


def ask_overdue() -> int:
    """Queue a lookup of overdue subscriptions, for lost events; return 0: one run per tick is enough."""
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
