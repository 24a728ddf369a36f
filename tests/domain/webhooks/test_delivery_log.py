"""The delivery log, and sending again."""

import json
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from app.core import clock as time
from app.core.db import session
from app.core.errors import Conflict, InvalidRequest
from app.domain.webhooks import delivery_log, dispatcher, endpoints, events
from app.models.webhooks import Delivery, Event, Webhook
from app.models.workspaces import Workspace
from tests.domain.hooks import fresh, log, only
from tests.domain.webhooks.test_events import happening, record
from tests.support.movable import Movable
from tests.support.receivers import Receiver


def gaps(workspace: Workspace, webhook: Webhook, since: datetime | None = None) -> list[tuple[str, int]]:
    """State and number of what the endpoint never received, in the order of the deliveries."""
    query = delivery_log.gaps(workspace, webhook.id, since).order_by(Delivery.id)
    return [(row.state, json.loads(row.body)["sequence"]) for row in session().execute(query)]


def test_the_log_says_what_was_sent_and_answered(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """One can be sent again with its id and bytes; not while it is on its way."""
    record(acme, happening())
    assert only(acme, webhook).state == "pending"
    dispatcher.deliver_due()
    delivery = delivery_log.get(acme, only(acme, webhook).id)
    assert (delivery.state, delivery.attempts, delivery.last_status, delivery.due_at) == ("delivered", 1, 200, None)
    assert delivery.body == receiver.requests[0].body.decode()
    (attempt,) = delivery_log.attempts(acme, delivery.id)
    assert (attempt.status, attempt.response, attempt.error) == (200, "noted", "")
    assert attempt.milliseconds >= 0
    for line in attempt.request_headers.splitlines():
        name, _, value = line.partition(": ")
        assert receiver.requests[0].headers[name] == value
    assert fresh(acme, webhook).last_status == 200
    assert delivery_log.redeliver(acme, delivery.id).state == "pending"
    with pytest.raises(Conflict):
        delivery_log.redeliver(acme, delivery.id)
    dispatcher.deliver_due()
    assert only(acme, webhook).state == "delivered"
    assert len(receiver.requests) == 2
    assert len({(request.body, request.headers["webhook-id"]) for request in receiver.requests}) == 1


def test_what_did_not_arrive_is_sent_again(
    acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable
) -> None:
    """Failed and canceled ones, not delivered ones and not tests; since a moment when one is given."""
    record(acme, happening())
    dispatcher.deliver_due()
    receiver.answer = lambda request: 410
    endpoints.send_test(acme, webhook.id)
    record(acme, happening(), happening())
    dispatcher.deliver_due()
    endpoints.update(acme, webhook.id, active=True)
    receiver.answer = lambda request: 200
    assert delivery_log.resend_failed(acme, webhook.id, since=time.now() + timedelta(hours=1)) == 0
    assert delivery_log.resend_failed(acme, webhook.id) == 2
    dispatcher.deliver_due()
    states = {delivery.ref: delivery.state for delivery in log(acme, webhook) if not delivery.test}
    assert set(states.values()) == {"delivered"}


def test_a_range_can_be_replayed(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    moments = [datetime.fromisoformat(f"2026-03-0{day}T10:00:00+00:00") for day in (1, 2, 3)]
    first, second, third = (events.NewEvent("message_sent", at, None, {}) for at in moments)
    record(acme, first, second)
    dispatcher.deliver_due()
    endpoints.update(acme, webhook.id, active=False)
    record(acme, third, happening("follow_sent"))
    endpoints.update(acme, webhook.id, active=True)
    assert delivery_log.replay(acme, webhook.id, since=moments[1]) == 2
    assert delivery_log.replay(acme, webhook.id, since=moments[1]) == 0
    dispatcher.deliver_due()
    assert sorted(json.loads(request.body)["sequence"] for request in receiver.requests) == [1, 2, 2, 3]


def test_the_log_can_be_filtered(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    receiver.answer = lambda request: 200 if json.loads(request.body)["sequence"] == 1 else 410
    record(acme, happening())
    dispatcher.deliver_due()
    record(acme, happening())
    dispatcher.deliver_due()
    assert [delivery.state for delivery in log(acme, webhook)] == ["failed", "delivered"]
    assert len(log(acme, webhook, state="delivered")) == 1
    assert log(acme, webhook, since=time.now() + timedelta(seconds=1)) == []
    assert delivery_log.counts(acme, webhook.id) == {"failed": 1}
    with pytest.raises(InvalidRequest):
        delivery_log.page(acme, webhook.id, state="lost")


def test_the_log_is_kept_for_thirty_days(acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable) -> None:
    """What still waits is kept longer; the event itself stays."""
    record(acme, happening())
    dispatcher.deliver_due()
    receiver.answer = lambda request: 500
    record(acme, happening())
    dispatcher.deliver_due()
    clock.forward(days=29)
    assert delivery_log.purge() == 0
    clock.forward(days=2)
    assert delivery_log.purge() == 1
    assert [delivery.state for delivery in log(acme, webhook)] == ["pending"]
    assert session().scalar(sa.select(sa.func.count(Event.id))) == 2


def test_gaps_are_what_was_given_up_and_what_was_skipped(acme: Workspace, receiver: Receiver) -> None:
    """In their order; what arrives after all is no gap any more, and a test event never is one."""
    receiver.answer = lambda request: 410
    webhook, _ = endpoints.create(acme, name="a", url=receiver.url, event="message_sent")
    endpoints.send_test(acme, webhook.id)
    record(acme, happening())
    dispatcher.deliver_due()
    record(acme, happening("follow_sent"), happening())
    assert gaps(acme, webhook) == [("failed", 1), ("canceled", 3)]
    receiver.answer = lambda request: 200
    endpoints.update(acme, webhook.id, active=True)
    assert delivery_log.resend_failed(acme, webhook.id) == 2
    dispatcher.deliver_due()
    assert gaps(acme, webhook) == []


def test_gaps_since_a_time(acme: Workspace, webhook: Webhook, clock: Movable) -> None:
    endpoints.update(acme, webhook.id, active=False)
    record(acme, happening())
    clock.forward(hours=1)
    record(acme, happening())
    assert gaps(acme, webhook) == [("canceled", 1), ("canceled", 2)]
    assert gaps(acme, webhook, clock.at) == [("canceled", 2)]
