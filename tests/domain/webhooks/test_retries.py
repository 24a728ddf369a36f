"""What becomes of tries: the schedule, rest for a dead endpoint, and when one is given up."""

import json
from datetime import timedelta

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from app import ports
from app.core import claims
from app.core import clock as time
from app.core.db import session, transaction
from app.domain.webhooks import delivery_log, dispatcher, endpoints, retries
from app.models.webhooks import Delivery, Webhook
from app.models.workspaces import Workspace
from tests.domain.hooks import Switch, count_attempts, fresh, log, only
from tests.domain.webhooks.test_events import happening, record
from tests.support.movable import Movable
from tests.support.receivers import Receiver

SCHEDULE = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]


def test_failures_are_retried_on_schedule(
    acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable
) -> None:
    """Ten tries with the same id and bytes and a new timestamp, then it has failed."""
    receiver.answer = lambda request: 500
    record(acme, happening())
    for number, wait in enumerate(SCHEDULE, 1):
        dispatcher.deliver_due()
        delivery = only(acme, webhook)
        assert (delivery.state, delivery.attempts, len(receiver.requests)) == ("pending", number, number)
        assert timedelta(seconds=wait) <= delivery.due_at - time.now() <= timedelta(seconds=wait * 1.1)
        clock.to(delivery.due_at - timedelta(milliseconds=1))
        dispatcher.deliver_due()
        assert len(receiver.requests) == number
        clock.to(delivery.due_at)
    dispatcher.deliver_due()
    assert (only(acme, webhook).state, only(acme, webhook).attempts) == ("failed", 10)
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 1
    assert len({request.body for request in receiver.requests}) == 1
    assert len({request.headers["webhook-timestamp"] for request in receiver.requests}) == 10
    assert len(delivery_log.attempts(acme, only(acme, webhook).id)) == 10


@given(st.integers(1, 9), st.none() | st.integers(0, 10**6))
def test_no_wait_is_shorter_or_much_longer_than_its_step(attempt: int, wish: int | None) -> None:
    """Within a tenth without a wish, within twice the step with one; none after the tenth try."""
    wait, base = retries.backoff(attempt, wish), SCHEDULE[attempt - 1]
    assert wait is not None
    if wish is None or wish <= base:
        assert base <= wait.total_seconds() <= 1.1 * base
    else:
        assert min(wish, 2 * base) <= wait.total_seconds() <= 2 * base
    assert retries.backoff(10) is None


def test_what_is_sent_again_to_an_endpoint_that_is_off_has_one_try_each(
    acme: Workspace, webhook: Webhook, receiver: Receiver
) -> None:
    """The result of one leaves the others alone, as a member has just asked for them."""
    receiver.answer = lambda request: 410
    record(acme, happening(), happening(), happening())
    dispatcher.deliver_due()
    assert not fresh(acme, webhook).active
    answers = iter((200, 500, 200))
    receiver.answer = lambda request: next(answers)
    assert delivery_log.resend_failed(acme, webhook.id) == 3
    for _ in range(3):
        dispatcher.deliver_due(limit=1)
    assert sorted(delivery.state for delivery in log(acme, webhook)) == ["delivered", "delivered", "failed"]


def test_what_was_canceled_on_its_way_can_be_sent_again_at_once(
    acme: Workspace, webhook: Webhook, receiver: Receiver
) -> None:
    record(acme, happening(), happening())
    lease = timedelta(minutes=1)
    first, second = claims.claim(Delivery, Delivery.due_at, time.now(), limit=2, lease=lease)
    for delivery in (first, second):
        gone = retries.Outcome(delivery, webhook.id, time.now(), headers="", milliseconds=1, status=410)
        retries.record_result([gone])
    assert sorted(delivery.state for delivery in log(acme, webhook)) == ["canceled", "failed"]
    delivery_log.redeliver(acme, second)
    dispatcher.deliver_due()
    assert sorted(delivery.state for delivery in log(acme, webhook)) == ["delivered", "failed"]


def test_an_endpoint_may_ask_for_time(acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable) -> None:
    for wish, wait in (("8", 8), ("3600", 10), ("1", 5)):
        receiver.answer = lambda request, wish=wish: (503, {"retry-after": wish}, b"")
        record(acme, happening())
        dispatcher.deliver_due()
        found = log(acme, webhook)[0].due_at - time.now()
        assert timedelta(seconds=wait) <= found <= timedelta(seconds=min(wait + 0.5, 10))


def test_anything_but_success_is_tried_again_until_it_arrives(
    acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable
) -> None:
    statuses = [301, 302, 400, 404, 429, 500, 503]
    record(acme, happening())
    for number, status in enumerate(statuses, 1):
        receiver.answer = lambda request, status=status: (status, {"location": "http://127.0.0.1:9/"}, b"")
        dispatcher.deliver_due()
        assert (only(acme, webhook).state, only(acme, webhook).last_status) == ("pending", status)
        assert fresh(acme, webhook).failures == number
        clock.to(only(acme, webhook).due_at)
    receiver.answer = lambda request: 200
    dispatcher.deliver_due()
    assert (only(acme, webhook).state, fresh(acme, webhook).failures) == ("delivered", 0)


def test_gone_switches_the_webhook_off_at_once(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:
    """The reason is kept, what was pending is canceled, and what is new is only noted."""
    receiver.answer = lambda request: 410
    record(acme, happening())
    dispatcher.deliver_due()
    record(acme, happening())
    now = fresh(acme, webhook)
    assert (now.active, now.off_reason) == (False, retries.GONE)
    assert now.off_at == time.now()
    assert [delivery.state for delivery in log(acme, webhook)] == ["canceled", "failed"]
    now = endpoints.update(acme, webhook.id, active=True)
    assert (now.off_reason, now.failures) == ("", 0)


def test_days_of_failure_switch_it_off(acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable) -> None:
    """With ten tries or more, and the reason is shown."""
    receiver.answer = lambda request: 500
    for _ in range(6):
        record(acme, happening())
        dispatcher.deliver_due()
        clock.forward(days=1)
    now = fresh(acme, webhook)
    assert not now.active
    assert "5 days" in now.off_reason
    assert "500" in now.off_reason
    assert {delivery.state for delivery in log(acme, webhook)} == {"canceled"}


def test_few_tries_or_sporadic_success_do_not_switch_it_off(
    acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable
) -> None:
    """Two failures a week apart are no proof, and one success starts the five days again."""
    receiver.answer = lambda request: 500 if json.loads(request.body)["sequence"] != 5 else 200
    record(acme, happening())
    dispatcher.deliver_due()
    clock.forward(days=7)
    dispatcher.deliver_due()
    assert fresh(acme, webhook).active
    receiver.answer = lambda request: 500 if json.loads(request.body)["sequence"] != 1 else 200
    clock.forward(days=1)
    dispatcher.deliver_due()
    receiver.answer = lambda request: 500 if json.loads(request.body)["sequence"] != 5 else 200
    for _ in range(7):
        record(acme, happening())
        dispatcher.deliver_due()
        clock.forward(days=1)
    assert fresh(acme, webhook).active
    assert fresh(acme, webhook).failing_since > time.now() - timedelta(days=5)


def test_a_dead_endpoint_is_looked_at_once_a_minute(
    acme: Workspace, webhook: Webhook, dead: Switch, clock: Movable
) -> None:
    """After five calls without an answer the others wait, using no step of their schedule, until any answer."""
    record(acme, *[happening() for _ in range(20)])
    dispatcher.deliver_due()
    assert fresh(acme, webhook).probe_at is not None
    tried = count_attempts()
    assert 5 <= tried <= 7
    spent = sum(delivery.attempts for delivery in log(acme, webhook))
    for _ in range(5):
        clock.forward(seconds=61)
        dispatcher.deliver_due()
    assert count_attempts() == tried + 5
    assert sum(delivery.attempts for delivery in log(acme, webhook)) == spent
    record(acme, happening())
    assert [delivery.due_at for delivery in log(acme, webhook)].count(None) == 20
    answers = dead.post
    dead.there = True
    dead.post = lambda url, headers, body: ports.Answer(500, "", 1)  # type: ignore[method-assign]
    dispatcher.deliver_due()
    assert count_attempts() == tried + 5
    clock.forward(seconds=61)
    dispatcher.deliver_due()
    assert fresh(acme, webhook).probe_at is None
    assert all(delivery.due_at for delivery in log(acme, webhook))
    assert {delivery.last_status for delivery in log(acme, webhook)} == {500}
    dead.post = answers  # type: ignore[method-assign]
    clock.forward(days=1)
    dispatcher.deliver_due()
    assert {delivery.state for delivery in log(acme, webhook)} == {"delivered"}


def test_a_dead_endpoint_is_given_up_after_five_days(
    acme: Workspace, webhook: Webhook, dead: Switch, clock: Movable
) -> None:
    """Looks count as tries, and the last reason is kept."""
    record(acme, *[happening() for _ in range(6)])
    dispatcher.deliver_due()
    for _ in range(10):
        clock.forward(hours=12, minutes=2)
        dispatcher.deliver_due()
    now = fresh(acme, webhook)
    assert not now.active
    assert "Connection refused." in now.off_reason
    assert now.probe_at is None
    assert {delivery.state for delivery in log(acme, webhook)} == {"canceled"}


def test_a_change_of_address_ends_the_rest(acme: Workspace, webhook: Webhook, receiver: Receiver, dead: Switch) -> None:
    """What waited for the old one goes to the new one."""
    record(acme, *[happening() for _ in range(10)])
    dispatcher.deliver_due()
    dead.there = True
    endpoints.update(acme, webhook.id, url="https://new.example/hook")
    dispatcher.deliver_due()
    states = [delivery.state for delivery in log(acme, webhook)]
    assert states.count("delivered") >= 5


def test_a_test_event_is_tried_once(acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable) -> None:
    """Its failure is shown, and says nothing about the webhook's health."""
    receiver.answer = lambda request: 500
    endpoints.send_test(acme, webhook.id)
    dispatcher.deliver_due()
    delivery = only(acme, webhook)
    assert (delivery.state, delivery.test, delivery.kind) == ("failed", True, "message_sent")
    assert fresh(acme, webhook).failures == 0


def test_an_endpoint_for_which_too_much_waits_is_switched_off(
    acme: Workspace, rival: Workspace, webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "MOST_WAITING", 20)
    other, _ = endpoints.create(rival, name="Theirs", url="https://rival.example/hook", event="every_reply")

    def wait(workspace: Workspace, hook: Webhook, many: int) -> None:
        row = {"workspace_id": workspace.id, "webhook_id": hook.id, "state": "pending", "created_at": time.now()}
        with transaction() as current:
            current.execute(sa.insert(Delivery), [row] * many)

    wait(acme, webhook, 20)
    wait(rival, other, 10)
    assert retries.switch_off_overfull() == 0
    wait(acme, webhook, 1)
    assert retries.switch_off_overfull() == 1
    assert (fresh(acme, webhook).active, fresh(acme, webhook).off_reason) == (False, retries.OVERFULL)
    assert fresh(rival, other).active
    left = sa.select(sa.func.count()).where(Delivery.webhook_id == webhook.id, Delivery.state == "pending")
    assert session().scalar(left) == 0
    assert retries.switch_off_overfull() == 0
