"""The delivery log: requests and responses of a webhook, and retries on request."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa

from app.core import clock
from app.core.db import change_rows, get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.platform import audit_log, retention
from app.domain.webhooks import events, payload_versions
from app.models.webhooks import DELIVERY, Delivery, DeliveryAttempt, DeliveryState, Event, Webhook, WebhookHour
from app.models.workspaces import Workspace

HOURS_KEPT = timedelta(days=30)
CHUNK = 1000
KEY = Delivery.id  # pages of the log are cut by this column
MISSED = (DeliveryState.FAILED, DeliveryState.CANCELED)
STATES = tuple(str(state) for state in DeliveryState)

_SELECT: sa.Select[*tuple[Any, ...]] = sa.select(
    Delivery.id,
    Delivery.webhook_id,
    sa.func.coalesce(Event.kind, Delivery.test_kind).label("kind"),
    sa.func.coalesce(Event.ref, Delivery.test_ref).label("ref"),
    Delivery.event_id.is_(None).label("test"),
    Delivery.state,
    Delivery.attempts,
    Delivery.last_at,
    Delivery.last_status,
    Delivery.last_error,
    Delivery.milliseconds,
    Delivery.due_at,
    Delivery.created_at,
    Delivery.done_at,
)

_LOST = (Delivery.state.in_(MISSED), Delivery.event_id.is_not(None))


def page(
    workspace: Workspace,
    webhook_id: int,
    state: str | None = None,
    since: datetime | None = None,
    *,
    missed: bool = False,
) -> sa.Select[*tuple[Any, ...]]:
    """Select a webhook's deliveries: all, of one state, missed, since a time. Raise NotFound for an unknown webhook."""
    get_owned(Webhook, workspace, webhook_id)
    if state is not None and state not in STATES:
        raise InvalidRequest.of(("state", f"Use one of {', '.join(STATES)}."))
    query = _log(workspace).where(Delivery.webhook_id == webhook_id)
    if state is not None:
        query = query.where(Delivery.state == state)
    if missed:
        query = query.where(*_LOST)
    if since is not None:
        query = query.where(Delivery.created_at >= since)
    return query


def gaps(workspace: Workspace, webhook_id: int, since: datetime | None = None) -> sa.Select[*tuple[Any, ...]]:
    """Select the deliveries of a webhook that were given up or skipped, with their events; since a time or all."""
    query = page(workspace, webhook_id, missed=True).add_columns(Event.body).where(Event.body != "")
    return query if since is None else query.where(Delivery.done_at >= since)


def get(workspace: Workspace, delivery_id: int) -> Any:
    """Return one delivery as in `page` with the `body` that it sends, or raise NotFound."""
    get_owned(Delivery, workspace, delivery_id)
    body = sa.func.coalesce(Event.body, Delivery.test_body).label("body")
    query = _log(workspace).add_columns(body, Delivery.payload_version).where(Delivery.id == delivery_id)
    found = SimpleNamespace(**session().execute(query).one()._asdict())
    found.body = payload_versions.in_version(found.body, found.payload_version)
    return found


def get_many(workspace: Workspace, webhook_id: int, ids: Sequence[int], after: int = 0) -> Sequence[Any]:
    """Return those deliveries and all newer than `after`, newest first; at most a hundred."""
    wanted = sa.or_(Delivery.id.in_(ids), Delivery.id > after) if after else Delivery.id.in_(ids)
    query = page(workspace, webhook_id).where(wanted).order_by(Delivery.id.desc()).limit(100)
    return session().execute(query).all()


def attempts(workspace: Workspace, delivery_id: int, most: int = 20) -> Sequence[DeliveryAttempt]:
    """Return the last attempts of a delivery, newest first."""
    mine = (DeliveryAttempt.delivery_id == delivery_id, DeliveryAttempt.workspace_id == workspace.id)
    query = sa.select(DeliveryAttempt).where(*mine).order_by(DeliveryAttempt.id.desc()).limit(most)
    return session().scalars(query).all()


def counts(workspace: Workspace, webhook_id: int) -> dict[str, int]:
    """Return the webhook's number of deliveries in each state that a retry or the user can still change."""
    wanted = (DeliveryState.PENDING, *MISSED)
    query = (
        sa.select(Delivery.state, sa.func.count().label("many"))
        .where(Delivery.workspace_id == workspace.id, Delivery.webhook_id == webhook_id, Delivery.state.in_(wanted))
        .group_by(Delivery.state)
    )
    return {row.state: row.many for row in session().execute(query)}


def moves(delivery: Any) -> set[str]:
    """Return the actions allowed on the delivery now."""
    return {name for name in ("redeliver",) if DELIVERY.allows(delivery, name)}


def redeliver(workspace: Workspace, delivery_id: int) -> Any:
    """Queue the delivery again, with the same id and body and a full retry schedule."""
    with transaction() as current:
        delivery = get_owned(Delivery, workspace, delivery_id, lock=True)
        if delivery.event_id and not session().scalar(sa.select(Event.body).where(Event.id == delivery.event_id)):
            raise Conflict(
                "The content of this event was deleted.", recovery="See Settings → Trust for retention times."
            )
        DELIVERY.move(delivery, "redeliver")
        # Clear the claim, too: a delivery canceled while it was being sent would wait until the claim expires.
        delivery.attempts, delivery.due_at, delivery.done_at, delivery.claimed_until = 0, clock.now(), None, None
        current.flush()
    return get(workspace, delivery_id)


def resend_failed(workspace: Workspace, webhook_id: int, since: datetime | None = None) -> int:
    """Queue everything again that was given up or skipped; return how many."""
    with transaction():
        webhook = get_owned(Webhook, workspace, webhook_id, lock=True)
        said = sa.select(Event.id).where(Event.workspace_id == workspace.id, Event.body != "")
        lost: list[sa.ColumnElement[bool]] = [*_LOST, Delivery.event_id.in_(said)]
        if since is not None:
            lost.append(Delivery.created_at >= since)
        return _again(webhook, lost)


def replay(workspace: Workspace, webhook_id: int, since: datetime) -> int:
    """Queue every event the webhook wants since that time, delivered before or not; return how many."""
    with transaction():
        webhook = get_owned(Webhook, workspace, webhook_id, lock=True)
        wanted = [Event.workspace_id == workspace.id, Event.kind.in_(webhook.events), Event.created_at >= since]
        wanted.append(Event.sequence > workspace.payloads_gone_to)
        if webhook.campaign_ids:
            wanted.append(Event.campaign_id.in_(webhook.campaign_ids))
        chosen = sa.select(Event.id).where(*wanted)
        count = _again(webhook, [Delivery.state != DeliveryState.PENDING, Delivery.event_id.in_(chosen)])
        known = sa.select(Delivery.event_id).where(Delivery.webhook_id == webhook.id, Delivery.event_id == Event.id)
        count += events.queue(webhook, [*wanted, ~known.exists()])
        audit_log.record(workspace, "webhook.replayed", webhook.name, after={"since": str(since), "events": count})
        return count


def purge() -> int:
    """Delete ended deliveries that their workspace keeps no longer, a bounded number at a time; return how many."""
    with transaction() as current:
        current.execute(sa.delete(WebhookHour).where(WebhookHour.hour < clock.now() - HOURS_KEPT))
    return sum(_purge(whose, before) for whose, before in retention.groups("deliveries", Delivery.workspace_id))


def _purge(whose: sa.ColumnElement[bool], before: datetime) -> int:
    with transaction() as current:
        oldest = sa.select(Delivery.id, Delivery.created_at, Delivery.state).where(whose)
        oldest = oldest.order_by(Delivery.id).limit(CHUNK)
        ended = [
            row.id for row in current.execute(oldest) if row.created_at < before and row.state != DeliveryState.PENDING
        ]
        if ended:
            change_rows(sa.delete(Delivery).where(Delivery.id.in_(ended)))
        return len(ended)


def _log(workspace: Workspace) -> sa.Select[*tuple[Any, ...]]:
    return (
        _SELECT.join(Webhook, Webhook.id == Delivery.webhook_id)
        .outerjoin(Event, Event.id == Delivery.event_id)
        .where(Delivery.workspace_id == workspace.id)
    )


def _again(webhook: Webhook, conditions: Sequence[sa.ColumnElement[bool]]) -> int:
    due = None if webhook.probe_at else clock.now()
    again = (
        sa.update(Delivery)
        .where(Delivery.webhook_id == webhook.id, *conditions)
        .values(state=DeliveryState.PENDING, attempts=0, due_at=due, done_at=None, claimed_until=None)
    )
    return change_rows(again).rowcount
