"""Deliveries on their way: at least once, and no one waits for the dead endpoint of someone else."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask

from app.core import claims
from app.core import clock as time
from app.core.claims import Busy, Due
from app.core.db import transaction
from app.domain.webhooks import delivery_log, dispatcher, endpoints, retries, signed_request
from app.models.webhooks import Delivery, Webhook
from app.models.workspaces import Workspace
from tests.domain.hooks import Switch, count_attempts, log, only
from tests.domain.webhooks.test_events import happening, record
from tests.support.movable import Movable
from tests.support.receivers import Receiver

pytestmark = pytest.mark.postgres


def test_what_was_lost_in_a_crash_is_delivered_again(
    acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable
) -> None:
    """Killed between the answer and the record: after the lease the same event goes out under the same id."""
    record(acme, happening())
    claimed = claims.claim(Delivery, Delivery.due_at, time.now(), limit=5, lease=dispatcher.LEASE)
    (row,) = signed_request.load_claimed(claimed)
    endpoint = signed_request.load_endpoints([webhook.id], {})[webhook.id]
    parcel = signed_request.build(row, endpoint, time.now() + dispatcher.LEASE)
    assert signed_request.send(parcel).status == 200
    dispatcher.deliver_due()
    assert len(receiver.requests) == 1
    clock.forward(seconds=61)
    dispatcher.deliver_due()
    assert len(receiver.requests) == 2
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 1
    assert only(acme, webhook).state == "delivered"


def in_hand(acme: Workspace, receiver: Receiver, many: int = 30) -> tuple[dispatcher.Dispatcher, threading.Event]:
    """An outbox with so many deliveries in hand, the first of them under way until the event is set."""
    first, go_on = threading.Event(), threading.Event()

    def wait(request: Any) -> int:
        first.set()
        assert go_on.wait(30)
        return 200

    receiver.answer = wait
    record(acme, *[happening() for _ in range(many)])
    mine = dispatcher.Dispatcher(learned={})
    mine.turn()
    assert first.wait(30)
    return mine, go_on


def test_a_delivery_canceled_on_the_way_stays_canceled(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """It is in the log that it arrived all the same; a deleted webhook has no log."""
    mine, go_on = in_hand(acme, receiver, 1)
    endpoints.update(acme, webhook.id, active=False)
    go_on.set()
    mine.finish()
    delivery = only(acme, webhook)
    assert delivery.state == "canceled"
    assert [attempt.status for attempt in delivery_log.attempts(acme, delivery.id)] == [200]
    endpoints.update(acme, webhook.id, active=True)
    mine, go_on = in_hand(acme, receiver, 1)
    endpoints.delete(acme, webhook.id)
    go_on.set()
    mine.finish()
    assert count_attempts() == 0


def test_what_is_in_hand_is_not_sent_after_a_deletion(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    mine, go_on = in_hand(acme, receiver)
    endpoints.delete(acme, webhook.id)
    mine.turn()
    go_on.set()
    mine.finish()
    dispatcher.deliver_due()
    assert 1 <= len(receiver.requests) <= dispatcher.CALLS_AT_FIRST


def test_a_new_secret_signs_what_is_already_in_hand(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """After a rotation nothing goes out with the old signature alone."""
    mine, go_on = in_hand(acme, receiver)
    endpoints.rotate_secret(acme, webhook.id)
    mine.turn()
    go_on.set()
    mine.finish()
    dispatcher.deliver_due()
    signatures = [len(request.headers["webhook-signature"].split()) for request in receiver.requests]
    assert signatures.count(1) <= dispatcher.CALLS_AT_FIRST
    assert signatures.count(2) >= 28
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 30


def test_stopping_leaves_nothing_unrecorded(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """What was sent is recorded, and what was only in hand can be claimed by others at once."""
    record(acme, *[happening() for _ in range(100)])
    mine = dispatcher.Dispatcher(webhook.id)
    mine.turn()
    mine.finish()
    sent = len(receiver.requests)
    states = [delivery.state for delivery in log(acme, webhook)]
    assert states.count("delivered") == sent
    dispatcher.deliver_due()
    assert sorted(json.loads(request.body)["sequence"] for request in receiver.requests) == list(range(1, 101))
    assert {delivery.state for delivery in log(acme, webhook)} == {"delivered"}
    assert dispatcher.due(1) == []


def test_everything_arrives_once_when_two_deliver(app: Flask, acme: Workspace, receiver: Receiver) -> None:
    endpoints.create(acme, name="a", url=receiver.url, event="message_sent")
    record(acme, *[happening() for _ in range(150)])

    def work(_: int) -> None:
        with app.app_context():
            mine = dispatcher.Dispatcher()
            while mine.turn() or not mine.idle:
                pass

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    assert sorted(json.loads(request.body)["sequence"] for request in receiver.requests) == list(range(1, 151))


def test_a_silent_endpoint_holds_up_no_one(acme: Workspace, rival: Workspace, receiver: Receiver) -> None:
    """Not even one on its host: while calls to it hang, hundreds of others go out."""
    over = threading.Event()
    receiver.answer = lambda request: 200 if not request.path.endswith("/hangs") or over.wait(30) else 500
    for workspace, path in ((acme, "quick"), (acme, "hangs"), (rival, "hangs")):
        endpoints.create(workspace, name=path, url=f"{receiver.url}/{path}", event="message_sent")

    def arrived(path: str) -> int:
        return sum(one.path.endswith(path) for one in receiver.requests)

    record(rival, *[happening() for _ in range(100)])
    record(acme, *[happening() for _ in range(100)])
    mine = dispatcher.Dispatcher(learned={})
    while arrived("/quick") < 100:
        assert mine.turn() or not mine.idle
    assert 1 <= arrived("/hangs") <= 2 * dispatcher.CALLS_AT_FIRST
    over.set()
    mine.finish()
    dispatcher.deliver_due()
    assert arrived("/hangs") == 200


def test_a_lane_earns_and_loses_calls() -> None:
    """Quick answers earn, as many as are of use; slow ones and failures cost, silence costs all."""
    lane = dispatcher.Lane()

    def learn(status: int | None, milliseconds: int, times: int = 1) -> int:
        for _ in range(times):
            lane.learn(retries.Outcome(1, 1, time.now(), "", milliseconds, status=status))
        return lane.allowance

    assert learn(200, 1, times=200) in (dispatcher.FEWEST_USEFUL, dispatcher.FEWEST_USEFUL - 1)
    assert learn(200, 50, times=200) in (dispatcher.CALLS_OF_A_LANE, dispatcher.CALLS_OF_A_LANE - 1)
    before = lane.allowance
    assert learn(200, 5000) == before - 1
    assert learn(503, 10) == (before - 1) // 2
    assert learn(None, 10) == dispatcher.CALLS_AT_FIRST
    assert learn(200, 5000, times=200) == dispatcher.CALLS_AT_FIRST


def test_an_unexpected_failure_is_an_outcome_too(acme: Workspace, webhook: Webhook, dead: Switch) -> None:
    """It does not stop the others, and is tried again; delivering from inside a transaction fails at once."""

    def fail(url: str, headers: Any, body: bytes) -> Any:
        raise ZeroDivisionError

    dead.post = fail  # type: ignore[method-assign]
    record(acme, happening())
    with pytest.raises(RuntimeError), transaction():
        dispatcher.deliver_due()
    assert only(acme, webhook).attempts == 0
    dispatcher.deliver_due()
    assert (only(acme, webhook).state, only(acme, webhook).last_error) == ("pending", "The request could not be sent.")


def test_an_endpoint_is_due_until_everything_to_it_was_tried(
    acme: Workspace, rival: Workspace, webhook: Webhook, receiver: Receiver
) -> None:
    """Its run delivers what is due to it, and nothing to others."""
    other, _ = endpoints.create(rival, name="other", url=receiver.url, event=webhook.event)
    assert dispatcher.due(10) == []
    record(acme, *[happening() for _ in range(3)])
    record(rival, happening())
    assert {due.key for due in dispatcher.due(10)} == {webhook.id, other.id}
    assert dispatcher.due(10, Busy([webhook.id], [rival.id])) == []
    dispatcher.run(webhook.id)
    assert dispatcher.due(10) == [Due(other.id, rival.id)]
    assert len(receiver.requests) == 3
    assert dispatcher.run(webhook.id) == 0
