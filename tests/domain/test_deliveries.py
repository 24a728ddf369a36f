"""Deliveries: at least once, on schedule, and nobody waits for somebody else's dead endpoint."""

import json
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from app import ports
from app.core import clock as time
from app.core import queue
from app.core.clock import Movable
from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain import deliveries, events, outbox, outcomes, parcels, webhooks
from app.models.webhooks import Delivery, DeliveryAttempt, Webhook
from app.models.workspaces import Workspace
from tests.domain.test_events import happening, record
from tests.receivers import Receiver

SCHEDULE = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """An endpoint on this machine."""
    receiver = Receiver()
    yield receiver
    receiver.stop()


@pytest.fixture
def webhook(acme: Workspace, receiver: Receiver, clock: Movable) -> Webhook:
    """Our webhook to the receiver."""
    return webhooks.create(acme, name="CRM", url=receiver.url, event="message_sent")[0]


def log(workspace: Workspace, webhook: Webhook, **filters: Any) -> list[Any]:
    """The delivery log, newest first."""
    query = deliveries.page(workspace, webhook.id, **filters).order_by(Delivery.id.desc())
    return list(session().execute(query))


def only(workspace: Workspace, webhook: Webhook) -> Any:
    """The one delivery there is."""
    (delivery,) = log(workspace, webhook)
    return delivery


def fresh(workspace: Workspace, webhook: Webhook) -> Webhook:
    """The webhook as it is now."""
    session().expire_all()
    return webhooks.get(workspace, webhook.id)


def test_it_works(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """Delivered, and the log says what was sent, what was answered and how long it took."""
    record(acme, happening())
    assert only(acme, webhook).state == "pending"
    outbox.deliver_due()
    delivery = deliveries.get(acme, only(acme, webhook).id)
    assert (delivery.state, delivery.attempts, delivery.last_status, delivery.due_at) == ("delivered", 1, 200, None)
    assert delivery.body == receiver.requests[0].body.decode()
    (attempt,) = deliveries.attempts(acme, delivery.id)
    assert (attempt.status, attempt.response, attempt.error) == (200, "noted", "")
    assert attempt.milliseconds >= 0
    for line in attempt.request_headers.splitlines():
        name, _, value = line.partition(": ")
        assert receiver.requests[0].headers[name] == value
    assert fresh(acme, webhook).last_status == 200


def test_failures_are_tried_again_on_schedule(
    acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable
) -> None:
    """Ten tries with the same id and bytes and a new timestamp, then it has failed."""
    receiver.answer = lambda request: 500
    record(acme, happening())
    for number, wait in enumerate(SCHEDULE, 1):
        outbox.deliver_due()
        delivery = only(acme, webhook)
        assert (delivery.state, delivery.attempts, len(receiver.requests)) == ("pending", number, number)
        assert timedelta(seconds=wait) <= delivery.due_at - time.now() <= timedelta(seconds=wait * 1.1)
        clock.to(delivery.due_at - timedelta(milliseconds=1))
        outbox.deliver_due()
        assert len(receiver.requests) == number
        clock.to(delivery.due_at)
    outbox.deliver_due()
    assert (only(acme, webhook).state, only(acme, webhook).attempts) == ("failed", 10)
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 1
    assert len({request.body for request in receiver.requests}) == 1
    assert len({request.headers["webhook-timestamp"] for request in receiver.requests}) == 10
    assert len(deliveries.attempts(acme, only(acme, webhook).id)) == 10


@given(st.integers(1, 9), st.none() | st.integers(0, 10**6))
def test_no_wait_is_shorter_or_much_longer_than_its_step(attempt: int, wish: int | None) -> None:
    """Within a tenth without a wish, within twice the step with one."""
    wait, base = outcomes.delay(attempt, wish), SCHEDULE[attempt - 1]
    assert wait is not None
    if wish is None or wish <= base:
        assert base <= wait.total_seconds() <= 1.1 * base
    else:
        assert min(wish, 2 * base) <= wait.total_seconds() <= 2 * base


def test_after_the_last_step_there_is_no_wait() -> None:
    """Ten tries, nine waits."""
    assert outcomes.delay(10) is None


def test_the_endpoint_may_ask_for_more_time(
    acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable
) -> None:
    """Retry-After counts up to twice the step."""
    for wish, wait in (("8", 8), ("3600", 10), ("1", 5)):
        receiver.answer = lambda request, wish=wish: (503, {"retry-after": wish}, b"")
        record(acme, happening())
        outbox.deliver_due()
        found = log(acme, webhook)[0].due_at - time.now()
        assert timedelta(seconds=wait) <= found <= timedelta(seconds=min(wait + 0.5, 10))


@pytest.mark.parametrize("status", [301, 302, 400, 404, 429, 500, 503])
def test_anything_but_success_is_tried_again(
    acme: Workspace, webhook: Webhook, receiver: Receiver, status: int
) -> None:
    """A redirect is a failure too."""
    receiver.answer = lambda request: (status, {"location": "http://127.0.0.1:9/"}, b"")
    record(acme, happening())
    outbox.deliver_due()
    assert (only(acme, webhook).state, only(acme, webhook).last_status) == ("pending", status)


def test_gone_switches_the_webhook_off_at_once(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """The reason is kept, what was pending is canceled, and nothing new is queued."""
    receiver.answer = lambda request: 410
    record(acme, happening())
    outbox.deliver_due()
    record(acme, happening())
    now = fresh(acme, webhook)
    assert (now.active, now.off_reason) == (False, outcomes.GONE)
    assert now.off_at == time.now()
    assert [delivery.state for delivery in log(acme, webhook)] == ["failed"]
    now = webhooks.update(acme, webhook.id, active=True)
    assert (now.off_reason, now.failures) == ("", 0)


def test_five_days_of_failure_switch_it_off(
    acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable
) -> None:
    """With ten tries or more, and the reason is shown."""
    receiver.answer = lambda request: 500
    for _ in range(6):
        record(acme, happening())
        outbox.deliver_due()
        clock.forward(days=1)
    now = fresh(acme, webhook)
    assert not now.active
    assert "5 days" in now.off_reason
    assert "500" in now.off_reason
    assert {delivery.state for delivery in log(acme, webhook)} == {"canceled"}


def test_few_tries_do_not_switch_it_off(acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable) -> None:
    """Two failures a week apart are no proof."""
    receiver.answer = lambda request: 500
    record(acme, happening())
    outbox.deliver_due()
    clock.forward(days=7)
    outbox.deliver_due()
    assert fresh(acme, webhook).active


def test_one_success_starts_the_five_days_again(
    acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable
) -> None:
    """Sporadic success keeps it on."""
    receiver.answer = lambda request: 500 if json.loads(request.body)["sequence"] != 4 else 200
    for _ in range(7):
        record(acme, happening())
        outbox.deliver_due()
        clock.forward(days=1)
    assert fresh(acme, webhook).active
    assert fresh(acme, webhook).failing_since > time.now() - timedelta(days=5)


class Switch:
    """An endpoint that can be taken away and given back."""

    def __init__(self, url: str) -> None:
        self.url, self.there = url, False

    def post(self, url: str, headers: Any, body: bytes) -> Any:
        """Nobody, or somebody."""
        if not self.there:
            raise ports.Unreachable("Connection refused.")
        return ports.Answer(200, "", 1)

    def objection(self, url: str) -> str:
        """None."""
        return ""


@pytest.fixture
def dead(app: Flask) -> Iterator[Switch]:
    """The courier finds nobody, until `there`."""
    before, switch = ports.courier(), Switch("")
    ports.connect(dict(ports._senders), switch)
    yield switch
    ports.connect(dict(ports._senders), before)


def test_a_dead_endpoint_is_looked_at_once_a_minute(
    acme: Workspace, webhook: Webhook, dead: Switch, clock: Movable
) -> None:
    """After five calls without an answer the others wait, using no step of their schedule, and then all go at once."""
    record(acme, *[happening() for _ in range(20)])
    outbox.deliver_due()
    now = fresh(acme, webhook)
    assert now.probe_at is not None
    tried = count_attempts()
    assert 5 <= tried <= 7
    spent = sum(delivery.attempts for delivery in log(acme, webhook))
    for _ in range(30):
        clock.forward(seconds=61)
        outbox.deliver_due()
    assert count_attempts() == tried + 30
    assert sum(delivery.attempts for delivery in log(acme, webhook)) == spent
    record(acme, happening())
    assert [delivery.due_at for delivery in log(acme, webhook)].count(None) == 20
    dead.there = True
    outbox.deliver_due()
    assert count_attempts() == tried + 30
    clock.forward(seconds=61)
    outbox.deliver_due()
    assert {delivery.state for delivery in log(acme, webhook)} == {"delivered"}
    assert fresh(acme, webhook).probe_at is None


def count_attempts() -> int:
    """How many tries there were in all."""
    return session().scalar(sa.select(sa.func.count(DeliveryAttempt.id))) or 0


def test_a_dead_endpoint_is_given_up_after_five_days(
    acme: Workspace, webhook: Webhook, dead: Switch, clock: Movable
) -> None:
    """Looks count as tries, and the last reason is kept."""
    record(acme, *[happening() for _ in range(6)])
    outbox.deliver_due()
    for _ in range(10):
        clock.forward(hours=12, minutes=2)
        outbox.deliver_due()
    now = fresh(acme, webhook)
    assert not now.active
    assert "Connection refused." in now.off_reason
    assert now.probe_at is None
    assert {delivery.state for delivery in log(acme, webhook)} == {"canceled"}


def test_an_endpoint_that_answers_badly_again_follows_the_schedule(
    acme: Workspace, webhook: Webhook, receiver: Receiver, dead: Switch, clock: Movable
) -> None:
    """Any answer ends the rest."""
    record(acme, *[happening() for _ in range(10)])
    outbox.deliver_due()
    dead.there = True
    dead.post = lambda url, headers, body: ports.Answer(500, "", 1)  # type: ignore[method-assign]
    clock.forward(seconds=61)
    outbox.deliver_due()
    assert fresh(acme, webhook).probe_at is None
    assert all(delivery.due_at for delivery in log(acme, webhook))
    assert {delivery.last_status for delivery in log(acme, webhook)} == {500}


def test_a_change_of_address_ends_the_rest(acme: Workspace, webhook: Webhook, receiver: Receiver, dead: Switch) -> None:
    """What waited for the old one goes to the new one."""
    record(acme, *[happening() for _ in range(10)])
    outbox.deliver_due()
    dead.there = True
    webhooks.update(acme, webhook.id, url="https://new.example/hook")
    outbox.deliver_due()
    states = [delivery.state for delivery in log(acme, webhook)]
    assert states.count("delivered") >= 5


def test_a_test_event_is_tried_once(acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable) -> None:
    """Its failure is shown, and says nothing about the webhook's health."""
    receiver.answer = lambda request: 500
    webhooks.send_test(acme, webhook.id)
    outbox.deliver_due()
    delivery = only(acme, webhook)
    assert (delivery.state, delivery.test, delivery.kind) == ("failed", True, "message_sent")
    assert fresh(acme, webhook).failures == 0


def test_what_was_lost_in_a_crash_is_delivered_again(
    acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable
) -> None:
    """Killed between the answer and the record: after the lease the same event goes out under the same id."""
    record(acme, happening())
    claimed = queue.claim(Delivery, Delivery.due_at, time.now(), limit=5, lease=outbox.LEASE)
    (row,) = parcels.claimed(claimed)
    parcel = parcels.pack(row, parcels.targets([webhook.id], {})[webhook.id], time.now() + outbox.LEASE)
    assert parcels.send(parcel).status == 200
    outbox.deliver_due()
    assert len(receiver.requests) == 1
    clock.forward(seconds=61)
    outbox.deliver_due()
    assert len(receiver.requests) == 2
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 1
    assert only(acme, webhook).state == "delivered"


def test_a_delivery_canceled_on_the_way_stays_canceled(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """It is in the log that it arrived all the same; a deleted webhook has no log."""

    def switch_off(request: Any) -> int:
        halfway.set()
        assert switched.wait(5)
        return 200

    halfway, switched = threading.Event(), threading.Event()
    receiver.answer = switch_off
    record(acme, happening())
    mine = outbox.outbox()
    mine.turn()
    assert halfway.wait(5)
    webhooks.update(acme, webhook.id, active=False)
    switched.set()
    outbox.finish()
    delivery = only(acme, webhook)
    assert delivery.state == "canceled"
    assert [attempt.status for attempt in deliveries.attempts(acme, delivery.id)] == [200]


def test_a_webhook_deleted_on_the_way_leaves_nothing(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """Its outcome is dropped."""
    halfway, deleted = threading.Event(), threading.Event()

    def wait(request: Any) -> int:
        halfway.set()
        assert deleted.wait(5)
        return 200

    receiver.answer = wait
    record(acme, happening())
    outbox.outbox().turn()
    assert halfway.wait(5)
    webhooks.delete(acme, webhook.id)
    deleted.set()
    outbox.finish()
    assert count_attempts() == 0


def test_what_is_in_hand_is_not_sent_after_a_deletion(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """Nor after a switch-off; and a changed address or secret holds for all that comes after."""
    first, go_on = threading.Event(), threading.Event()

    def wait(request: Any) -> int:
        first.set()
        assert go_on.wait(5)
        return 200

    receiver.answer = wait
    record(acme, *[happening() for _ in range(30)])
    mine = outbox.outbox()
    mine.turn()
    assert first.wait(5)
    webhooks.delete(acme, webhook.id)
    mine.turn()
    go_on.set()
    outbox.deliver_due()
    assert 1 <= len(receiver.requests) <= outbox.CALLS_AT_FIRST


def test_a_new_secret_signs_what_is_already_in_hand(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """After a rotation nothing goes out with the old signature alone."""
    first, go_on = threading.Event(), threading.Event()

    def wait(request: Any) -> int:
        first.set()
        assert go_on.wait(5)
        return 200

    receiver.answer = wait
    record(acme, *[happening() for _ in range(30)])
    mine = outbox.outbox()
    mine.turn()
    assert first.wait(5)
    webhooks.rotate_secret(acme, webhook.id)
    mine.turn()
    go_on.set()
    outbox.deliver_due()
    signatures = [len(request.headers["webhook-signature"].split()) for request in receiver.requests]
    assert signatures.count(1) <= outbox.CALLS_AT_FIRST
    assert signatures.count(2) >= 28
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 30


def test_stopping_leaves_nothing_unrecorded(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """What was sent is recorded, and what was only in hand can be claimed by others at once."""
    record(acme, *[happening() for _ in range(100)])
    outbox.outbox().turn()
    outbox.finish()
    sent = len(receiver.requests)
    states = [delivery.state for delivery in log(acme, webhook)]
    assert states.count("delivered") == sent
    outbox.deliver_due()
    assert len(receiver.requests) == 100


def test_everything_arrives_once_when_two_deliver(app: Flask, acme: Workspace, receiver: Receiver) -> None:
    """Two processes claim different rows."""
    webhooks.create(acme, name="a", url=receiver.url, event="message_sent")
    record(acme, *[happening() for _ in range(300)])

    def work() -> None:
        with app.app_context():
            mine = outbox.Outbox()
            while mine.turn() or not mine.idle:
                pass

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(json.loads(request.body)["sequence"] for request in receiver.requests) == list(range(1, 301))


def test_a_silent_endpoint_holds_up_nobody(app: Flask, acme: Workspace, rival: Workspace, receiver: Receiver) -> None:
    """While calls to it hang, hundreds of others go out."""
    hanging, over = Receiver(), threading.Event()
    hanging.answer = lambda request: 200 if over.wait(10) else 500
    webhooks.create(rival, name="hangs", url=hanging.url, event="message_sent")
    webhooks.create(acme, name="quick", url=receiver.url, event="message_sent")
    record(rival, *[happening() for _ in range(500)])
    record(acme, *[happening() for _ in range(300)])
    mine = outbox.outbox()
    while len(receiver.requests) < 300:
        assert mine.turn() or not mine.idle
    assert 1 <= len(hanging.requests) <= outbox.CALLS_AT_FIRST
    over.set()
    outbox.deliver_due()
    assert len(hanging.requests) == 500
    hanging.stop()


def test_a_lane_earns_and_loses_calls() -> None:
    """Quick answers earn, slow ones and failures cost, silence costs all."""
    lane = outbox.Lane()

    def outcome(status: int | None, milliseconds: int = 10) -> outcomes.Outcome:
        return outcomes.Outcome(1, 1, time.now(), "", milliseconds, status=status)

    for _ in range(100):
        lane.learn(outcome(200))
    assert lane.allowance == outbox.CALLS_OF_A_LANE
    lane.learn(outcome(200, 5000))
    assert lane.allowance == outbox.CALLS_OF_A_LANE - 1
    lane.learn(outcome(503))
    assert lane.allowance == 31
    lane.learn(outcome(None))
    assert lane.allowance == outbox.CALLS_AT_FIRST


def test_an_unexpected_failure_is_an_outcome_too(
    acme: Workspace, webhook: Webhook, dead: Switch, caplog: pytest.LogCaptureFixture
) -> None:
    """A mistake of ours does not stop the others; it is logged and tried again."""

    def fail(url: str, headers: Any, body: bytes) -> Any:
        raise ZeroDivisionError

    dead.post = fail  # type: ignore[method-assign]
    record(acme, happening())
    outbox.deliver_due()
    assert (only(acme, webhook).state, only(acme, webhook).last_error) == ("pending", "It could not be sent.")


def test_one_can_be_sent_again(acme: Workspace, rival: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """With its id and bytes; not while it is on its way, and not by strangers."""
    record(acme, happening())
    outbox.deliver_due()
    delivery = only(acme, webhook)
    with pytest.raises(NotFound):
        deliveries.redeliver(rival, delivery.id)
    assert deliveries.redeliver(acme, delivery.id).state == "pending"
    with pytest.raises(Conflict):
        deliveries.redeliver(acme, delivery.id)
    outbox.deliver_due()
    assert only(acme, webhook).state == "delivered"
    assert len(receiver.requests) == 2
    assert len({(request.body, request.headers["webhook-id"]) for request in receiver.requests}) == 1


def test_what_did_not_arrive_can_be_sent_again(
    acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable
) -> None:
    """Failed and canceled ones, not delivered ones and not tests; since a moment when one is given."""
    record(acme, happening())
    outbox.deliver_due()
    receiver.answer = lambda request: 410
    webhooks.send_test(acme, webhook.id)
    record(acme, happening(), happening())
    outbox.deliver_due()
    webhooks.update(acme, webhook.id, active=True)
    receiver.answer = lambda request: 200
    assert deliveries.resend_failed(acme, webhook.id, since=time.now() + timedelta(hours=1)) == 0
    assert deliveries.resend_failed(acme, webhook.id) == 2
    outbox.deliver_due()
    states = {delivery.ref: delivery.state for delivery in log(acme, webhook) if not delivery.test}
    assert set(states.values()) == {"delivered"}


def test_a_range_can_be_replayed(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """Everything the webhook wants since a moment, delivered before or never queued, with the same ids."""
    moments = [datetime.fromisoformat(f"2026-03-0{day}T10:00:00+00:00") for day in (1, 2, 3)]
    first, second, third = (events.Happening("message_sent", at, None, {}) for at in moments)
    record(acme, first, second)
    outbox.deliver_due()
    webhooks.update(acme, webhook.id, active=False)
    record(acme, third, happening("follow_sent"))
    webhooks.update(acme, webhook.id, active=True)
    assert deliveries.replay(acme, webhook.id, since=moments[1]) == 2
    assert deliveries.replay(acme, webhook.id, since=moments[1]) == 0
    outbox.deliver_due()
    assert sorted(json.loads(request.body)["sequence"] for request in receiver.requests) == [1, 2, 2, 3]


def test_the_log_can_be_filtered(acme: Workspace, rival: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """By state and by moment; a stranger's log does not exist."""
    receiver.answer = lambda request: 200 if json.loads(request.body)["sequence"] == 1 else 410
    record(acme, happening())
    outbox.deliver_due()
    record(acme, happening())
    outbox.deliver_due()
    assert [delivery.state for delivery in log(acme, webhook)] == ["failed", "delivered"]
    assert len(log(acme, webhook, state="delivered")) == 1
    assert log(acme, webhook, since=time.now() + timedelta(seconds=1)) == []
    assert deliveries.counts(acme, webhook.id) == {"failed": 1}
    with pytest.raises(InvalidRequest):
        deliveries.page(acme, webhook.id, state="lost")
    for verb in (deliveries.page, deliveries.resend_failed):
        with pytest.raises(NotFound):
            verb(rival, webhook.id)
    with pytest.raises(NotFound):
        deliveries.get(rival, log(acme, webhook)[0].id)
    assert deliveries.attempts(rival, log(acme, webhook)[0].id) == []


def test_the_log_is_kept_for_thirty_days(acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable) -> None:
    """What still waits is kept longer; the event itself stays."""
    record(acme, happening())
    outbox.deliver_due()
    receiver.answer = lambda request: 500
    record(acme, happening())
    outbox.deliver_due()
    clock.forward(days=29)
    assert deliveries.purge() == 0
    clock.forward(days=2)
    assert deliveries.purge() == 1
    assert [delivery.state for delivery in log(acme, webhook)] == ["pending"]
    assert session().scalar(sa.select(sa.func.count(events.Event.id))) == 2


def test_a_tick_says_whether_there_is_more(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """So that the scheduler looks again at once, or rests."""
    assert outbox.tick() == 0
    record(acme, happening())
    looks = 0
    while outbox.tick():
        looks += 1
    assert looks >= 1
    assert only(acme, webhook).state == "delivered"


def test_the_network_is_called_without_a_transaction(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """Delivering from inside one is a mistake that fails at once."""
    record(acme, happening())
    with pytest.raises(RuntimeError), transaction():
        outbox.deliver_due()
    assert receiver.requests == []
