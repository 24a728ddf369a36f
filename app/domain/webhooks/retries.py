"""Delivery retries: record attempts, schedule the next one, rest or switch off an endpoint."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

import sqlalchemy as sa

from app.core import clock
from app.core.db import by_id, change_rows, in_list, insert, session, transaction
from app.core.metrics import DELIVERIES
from app.domain.webhooks import endpoints
from app.models.webhooks import Delivery, DeliveryAttempt, DeliveryState, Webhook, WebhookHour

# Seconds after each failed try; after the last of them the delivery has failed.
RETRIES = (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
JITTER = 0.1
OFF_AFTER, OFF_ATTEMPTS = timedelta(days=5), 10
REST_AFTER, REST = 5, timedelta(minutes=1)
# As many as a busy workspace makes in a week; what is older no receiver needs at once.
MOST_WAITING = 100_000
OVERFULL = f"{MOST_WAITING:,} events were waiting for your endpoint, so we switched it off. Filter by “Never received”."
GONE = "Your endpoint responded with 410 Gone, so we switched it off."


@dataclass(frozen=True, slots=True)
class Outcome:
    """One try. Without a `status` there was no answer, and `error` says why."""

    delivery_id: int
    webhook_id: int
    at: datetime
    headers: str
    milliseconds: int
    status: int | None = None
    response: str = ""
    error: str = ""
    retry_after: int | None = None

    @property
    def good(self) -> bool:
        """Return whether it was delivered."""
        return self.status is not None and 200 <= self.status < 300


def switch_off_overfull() -> int:
    """Switch off the endpoints for which too much waits; return how many. What they missed can be sent again later."""
    waiting = (
        sa.select(Delivery.webhook_id)
        .where(Delivery.state == DeliveryState.PENDING)
        .group_by(Delivery.webhook_id)
        .having(sa.func.count() > MOST_WAITING)
    )
    with transaction() as current:
        full = by_id(Webhook, current.scalars(waiting), lock=True)
        for webhook in full.values():
            _give_up(webhook, clock.now(), OVERFULL)
            endpoints.cancel_pending(webhook)
        return len(full)


def backoff(attempt: int, retry_after: int | None = None) -> timedelta | None:
    """Return the wait after the `attempt`th failure (from 1); None after the last attempt.

    Jitter only adds, so no endpoint is called early. Retry-After is followed up to twice the normal wait.
    """
    if attempt > len(RETRIES):
        return None
    base = RETRIES[attempt - 1]
    wanted = min(max(retry_after or 0, base), 2 * base)
    return timedelta(seconds=min(wanted + random.uniform(0, JITTER) * base, 2 * base))


def record_result(outcomes: Sequence[Outcome]) -> None:
    """Record all outcomes in log, deliveries and webhooks, in one transaction."""
    with transaction() as current:
        hooks = by_id(Webhook, [outcome.webhook_id for outcome in outcomes], lock=True)
        active = [webhook for webhook in hooks.values() if webhook.active]
        rows = _deliveries([outcome.delivery_id for outcome in outcomes])
        known = [one for one in outcomes if one.webhook_id in hooks and one.delivery_id in rows]
        changes: dict[int, dict[str, Any]] = {}
        last: dict[int, Outcome] = {}
        for outcome in sorted(known, key=lambda one: one.at):
            webhook, row = hooks[outcome.webhook_id], rows[outcome.delivery_id]
            if row.event_id is not None or outcome.good or outcome.status == 410:
                _judge(webhook, outcome)
                last[webhook.id] = outcome
            once = row.event_id is None or webhook not in active
            changes[row.id] = _columns_after_attempt(row, webhook, outcome, changes.get(row.id), once=once)
        connection = current.connection()
        if good := [change for change in changes.values() if "new_state" not in change]:
            connection.execute(_DELIVERED, good)
        if bad := [change for change in changes.values() if "new_state" in change]:
            connection.execute(_UPDATE, bad)
        if changes:
            connection.execute(
                sa.insert(_ATTEMPT), [_attempt(one, rows[one.delivery_id].workspace_id) for one in known]
            )
            _count(known, hooks)
        for webhook_id, outcome in last.items():
            hooks[webhook_id].last_at, hooks[webhook_id].last_status = outcome.at, outcome.status
        for webhook in active:
            _settle(webhook)
    for change in changes.values():
        DELIVERIES.labels(_OUTCOMES[change.get("new_state", DeliveryState.DELIVERED)]).inc()


_OUTCOMES = {DeliveryState.DELIVERED: "delivered", DeliveryState.PENDING: "retry", DeliveryState.FAILED: "failed"}
_ATTEMPT = cast(sa.Table, DeliveryAttempt.__table__)
_DELIVERY = cast(sa.Table, Delivery.__table__)
_CHANGED = ("state", "attempts", "due_at", "done_at", "last_at", "last_status", "last_error", "milliseconds")
# Canceled meanwhile, or claimed by another worker: then only the log grows.
_PENDING = sa.update(_DELIVERY).where(
    _DELIVERY.c.id == sa.bindparam("row_id"), _DELIVERY.c.state == DeliveryState.PENDING
)
_UPDATE = _PENDING.values(claimed_until=None, **{name: sa.bindparam(f"new_{name}") for name in _CHANGED})
_DELIVERED = _PENDING.values(
    state=DeliveryState.DELIVERED,
    attempts=_DELIVERY.c.attempts + 1,
    claimed_until=None,
    due_at=None,
    done_at=sa.bindparam("at"),
    last_at=sa.bindparam("at"),
    last_status=sa.bindparam("status"),
    last_error="",
    milliseconds=sa.bindparam("took"),
)


def _deliveries(ids: list[int]) -> dict[int, Any]:
    columns = (Delivery.id, Delivery.workspace_id, Delivery.event_id, Delivery.attempts)
    return {row.id: row for row in session().execute(sa.select(*columns).where(in_list(Delivery.id, ids)))}


def _judge(webhook: Webhook, outcome: Outcome) -> None:
    """Update the webhook's failure record after an attempt: healthy, resting or given up."""
    if outcome.good:
        if webhook.failures:
            webhook.failing_since, webhook.failures, webhook.unanswered = None, 0, 0
        return
    webhook.failing_since = webhook.failing_since or outcome.at
    webhook.failures += 1
    webhook.unanswered = webhook.unanswered + 1 if outcome.status is None else 0
    if outcome.status == 410:
        _give_up(webhook, outcome.at, GONE)
    elif outcome.at - webhook.failing_since >= OFF_AFTER and webhook.failures >= OFF_ATTEMPTS:
        last = f"Your endpoint responded with {outcome.status}." if outcome.status else outcome.error
        _give_up(webhook, outcome.at, f"Nothing was delivered for 5 days. {webhook.failures} attempts failed. {last}")


def _give_up(webhook: Webhook, at: datetime, reason: str) -> None:
    if webhook.active:
        webhook.active, webhook.off_reason, webhook.off_at = False, reason, at


def _columns_after_attempt(
    row: Any, webhook: Webhook, outcome: Outcome, before: dict[str, Any] | None, *, once: bool
) -> dict[str, Any]:
    """Return the delivery's new columns, for the statement `_DELIVERED` or `_UPDATE`; `once`: it is not tried again."""
    if outcome.good:
        return {"row_id": row.id, "at": outcome.at, "status": outcome.status, "took": outcome.milliseconds}
    attempts = before["new_attempts"] if before and "new_attempts" in before else row.attempts
    resting = outcome.status is None and webhook.unanswered > REST_AFTER
    if not resting:  # a probe does not use up an attempt
        attempts += 1
    change = {
        "row_id": row.id,
        "new_state": DeliveryState.PENDING,
        "new_attempts": attempts,
        "new_due_at": None,
        "new_done_at": None,
        "new_last_at": outcome.at,
        "new_last_status": outcome.status,
        "new_last_error": outcome.error,
        "new_milliseconds": outcome.milliseconds,
    }
    wait = None if once else backoff(max(attempts, 1), outcome.retry_after)
    if outcome.status == 410 or wait is None:
        change |= {"new_state": DeliveryState.FAILED, "new_done_at": outcome.at}
    else:
        change["new_due_at"] = outcome.at + wait
    return change


def _settle(webhook: Webhook) -> None:
    """Adjust pending deliveries to the webhook's health: cancel, hold back all but one a minute, or release."""
    if not webhook.active:  # it has just been switched off
        endpoints.cancel_pending(webhook)
        webhook.probe_at = None
    elif webhook.unanswered >= REST_AFTER:
        _rest(webhook)
    else:
        endpoints.release(webhook)


def _rest(webhook: Webhook) -> None:
    """Make the oldest delivery due in a minute and hold all others until its outcome."""
    mine = (Delivery.webhook_id == webhook.id, Delivery.state == DeliveryState.PENDING)
    webhook.probe_at = clock.now() + REST
    oldest = session().scalar(sa.select(sa.func.min(Delivery.id)).where(*mine, Delivery.event_id.is_not(None)))
    waits = sa.update(Delivery).where(*mine, Delivery.due_at.is_not(None), Delivery.event_id.is_not(None))
    change_rows(waits.values(due_at=None))
    change_rows(sa.update(Delivery).where(Delivery.id == oldest).values(due_at=webhook.probe_at))


def _attempt(outcome: Outcome, workspace_id: int) -> dict[str, Any]:
    return {
        "delivery_id": outcome.delivery_id,
        "workspace_id": workspace_id,
        "at": outcome.at,
        "status": outcome.status,
        "milliseconds": outcome.milliseconds,
        "error": outcome.error,
        "request_headers": outcome.headers,
        "response": outcome.response,
    }


def _count(outcomes: Iterable[Outcome], hooks: dict[int, Webhook]) -> None:
    """Add the outcomes to each webhook's hourly statistics."""
    counts: dict[tuple[int, datetime], list[int]] = {}
    for outcome in outcomes:
        hour = outcome.at.replace(minute=0, second=0, microsecond=0)
        counts.setdefault((outcome.webhook_id, hour), [0, 0])[0 if outcome.good else 1] += 1
    rows = [
        {"webhook_id": hook, "hour": hour, "workspace_id": hooks[hook].workspace_id, "delivered": good, "failed": bad}
        for (hook, hour), (good, bad) in sorted(counts.items())
    ]
    statement = insert(WebhookHour)
    added = {
        "delivered": WebhookHour.delivered + statement.excluded.delivered,
        "failed": WebhookHour.failed + statement.excluded.failed,
    }
    counted = statement.on_conflict_do_update(index_elements=["webhook_id", "hour"], set_=added)
    session().connection().execute(counted, rows)
