"""Webhooks: who is told, where, and with which secret."""

import base64
import hmac
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine
from flask import Flask
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from app.core.db import end_read, session, transaction
from app.core.errors import InvalidRequest, NotFound, PlanLimitExceeded
from app.domain.webhooks import dispatcher, endpoints, events, signed_request
from app.models.webhooks import Delivery, Event, Webhook
from app.models.workspaces import Workspace
from tests.domain.webhooks.test_events import happening, new_campaign, record
from tests.support.movable import Movable
from tests.support.receivers import Received, Receiver

URL = "https://receiver.example/hook"


def verified(secret: str, request: Received) -> bool:
    """Whether the public library for receivers accepts the request with that secret."""
    try:
        Verifier(secret).verify(request.body, request.headers)
    except WebhookVerificationError:
        return False
    return True


def verified_at(clock: Movable, secret: str, request: Received) -> bool:
    """The same at the time of the clock, as the library refuses what is old."""
    with time_machine.travel(clock.at):
        return verified(secret, request)


def paths(refusal: InvalidRequest) -> list[str]:
    return [field.path for field in refusal.fields]


def test_an_event_arrives_signed_by_the_standard(acme: Workspace, receiver: Receiver) -> None:
    """In the bytes of the event; a changed bit of the body, the id or the timestamp is noticed, and another secret."""
    _, secret = endpoints.create(acme, name=" Our  CRM ", url=receiver.url, event="message_sent")
    record(acme, happening(), happening("follow_sent"))
    assert dispatcher.deliver_due() > 0
    (request,) = receiver.requests
    assert verified(secret, request)
    event = session().execute(sa.select(Event).where(Event.kind == "message_sent")).scalar_one()
    assert request.body.decode() == event.body
    assert request.headers["webhook-id"] == event.ref
    assert request.headers["content-type"] == "application/json"
    assert [webhook.name for webhook in session().scalars(endpoints.page(acme))] == ["Our CRM"]
    body, headers = bytearray(request.body), request.headers
    body[40] ^= 1
    later = str(int(headers["webhook-timestamp"]) + 1)
    assert not verified(secret, Received("/", headers, bytes(body)))
    assert not verified(secret, Received("/", headers | {"webhook-id": "evt_2"}, request.body))
    assert not verified(secret, Received("/", headers | {"webhook-timestamp": later}, request.body))
    assert not verified("whsec_" + base64.b64encode(b"x" * 32).decode(), request)


def test_the_signature_is_that_of_the_published_example() -> None:
    """The vector in the specification of Standard Webhooks, at any fraction of its second and in any time zone."""
    signer, body = Verifier("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), '{"test": 2432232314}'
    east = timezone(timedelta(hours=5))
    for at, zone in ((1614265330, UTC), (1614265330.999, UTC), (1614265330, east)):
        moment = datetime.fromtimestamp(at, zone)
        assert signed_request.signed_headers([signer], "msg_p5jXN8AQM9LWM0D4loKWxJek", moment, body) == {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }


def test_the_secret_is_sealed(acme: Workspace) -> None:
    """It is not in the database, and opens only in its own row."""
    webhook, secret = endpoints.create(acme, name="a", url=URL, event="message_sent")
    other, _ = endpoints.create(acme, name="b", url=URL, event="message_sent")
    assert secret.encode() not in webhook.secret
    assert endpoints.unseal(webhook.secret, webhook.id, acme.id) == secret
    with pytest.raises(ValueError, match="can't be decrypted"):
        endpoints.unseal(webhook.secret, other.id, acme.id)
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32


def test_every_problem_is_named(acme: Workspace, rival: Workspace) -> None:
    """All at once; a stranger's campaign and one that does not exist in the same words."""
    ours, theirs = new_campaign(acme), new_campaign(rival)
    wanted = [ours, theirs, 10**6, -1, 10**30]
    with pytest.raises(InvalidRequest) as refusal:
        endpoints.create(acme, name=" ", url="ftp://x", event="everything", campaign_ids=wanted)
    assert paths(refusal.value) == ["name", "url", "event", *(f"campaignIds[{number}]" for number in (1, 2, 3, 4))]
    assert len({field.message for field in refusal.value.fields[3:]}) == 1
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "event"),
        ({"events": []}, "events"),
        ({"events": ["post_liked", "nonsense"]}, "events[1]"),
        ({"events": ["post_liked"], "event": "nonsense"}, "event"),
        ({"event": "post_liked", "payload_version": 3}, "payloadVersion"),
    ]
    for given, path in cases:
        with pytest.raises(InvalidRequest) as refusal:
            endpoints.create(acme, name="a", url=URL, **given)
        assert paths(refusal.value) == [path]
    assert session().scalars(endpoints.page(acme)).all() == []


@pytest.mark.postgres
def test_a_workspace_has_fifty_at_most(app: Flask, acme: Workspace, rival: Workspace) -> None:
    for number in range(48):
        endpoints.create(acme, name=str(number), url=URL, event="message_sent")
    end_read()

    def work(_: int) -> str:
        with app.app_context():
            try:
                endpoints.create(acme, name="one more", url=URL, event="message_sent")
            except PlanLimitExceeded as refusal:
                return refusal.message
            return ""

    with ThreadPoolExecutor(5) as pool:
        refused = [said for said in pool.map(work, range(5)) if said]
    assert len(refused) == 3
    assert "50 of 50" in refused[0]
    endpoints.create(rival, name="theirs", url=URL, event="message_sent")


def test_both_secrets_sign_for_a_day_after_a_rotation(acme: Workspace, receiver: Receiver, clock: Movable) -> None:
    """Never more; the new one's signature first, each HMAC-SHA256 in base64 over id, timestamp and the body sent."""
    clock.to("2026-03-02T09:00:00")
    webhook, first = endpoints.create(acme, name="a", url=receiver.url, event="message_sent")
    _, old = endpoints.rotate_secret(acme, webhook.id)
    _, new = endpoints.rotate_secret(acme, webhook.id)

    def arrives() -> Received:
        record(acme, happening())
        dispatcher.deliver_due()
        return receiver.requests[-1]

    request = arrives()
    assert [verified_at(clock, secret, request) for secret in (first, old, new)] == [False, True, True]
    ref, timestamp = request.headers["webhook-id"], request.headers["webhook-timestamp"]
    assert timestamp == "1772442000"
    expected = []
    for secret in (new, old):
        key = base64.b64decode(secret[len("whsec_") :])
        digest = hmac.new(key, b".".join([ref.encode(), timestamp.encode(), request.body]), "sha256").digest()
        expected.append("v1," + base64.b64encode(digest).decode())
    assert request.headers["webhook-signature"] == " ".join(expected)
    clock.forward(hours=24, seconds=1)
    request = arrives()
    assert [verified_at(clock, secret, request) for secret in (old, new)] == [False, True]


def test_what_is_off_or_deleted_gets_nothing(acme: Workspace, receiver: Receiver) -> None:
    """Events of that time are never delivered, and what was pending is canceled, or gone with its workspace."""
    webhook, _ = endpoints.create(acme, name="a", url=receiver.url, event="message_sent")
    record(acme, happening())
    endpoints.update(acme, webhook.id, active=False)
    record(acme, happening())
    dispatcher.deliver_due()
    assert receiver.requests == []
    endpoints.update(acme, webhook.id, active=True)
    record(acme, happening())
    dispatcher.deliver_due()
    assert [json.loads(request.body)["sequence"] for request in receiver.requests] == [3]
    record(acme, happening())
    endpoints.delete(acme, webhook.id)
    dispatcher.deliver_due()
    assert len(receiver.requests) == 1
    assert session().scalars(sa.select(Delivery)).all() == []
    with pytest.raises(NotFound):
        endpoints.delete(acme, webhook.id)
    endpoints.create(acme, name="a", url=URL, event="message_sent")
    record(acme, happening())
    with transaction() as current:
        current.execute(sa.delete(Workspace).where(Workspace.id == acme.id))
    assert session().scalars(sa.select(Webhook)).all() == []


def test_a_test_event_is_marked_and_takes_no_number(acme: Workspace, receiver: Receiver) -> None:
    """It has an id of its own and the sample of a kind that the webhook gets, and reaches one that is off."""
    kinds = ["invite_accepted", "message_sent"]
    webhook, secret = endpoints.create(acme, name="a", url=receiver.url, events=kinds, active=False)
    assert endpoints.send_test(acme, webhook.id).test_kind == "invite_accepted"
    dispatcher.deliver_due()
    (request,) = receiver.requests
    body = json.loads(request.body)
    assert verified(secret, request)
    assert (body["test"], body["type"]) == (True, "invite_accepted")
    assert body["data"] == events.sample("invite_accepted")
    assert body["id"] == request.headers["webhook-id"]
    assert body["id"].startswith("evt_test_")
    assert "sequence" not in body
    record(acme, happening())
    assert session().scalar(sa.select(Event.sequence)) == 1
    assert endpoints.send_test(acme, webhook.id, "message_sent").test_kind == "message_sent"
    with pytest.raises(InvalidRequest) as refusal:
        endpoints.send_test(acme, webhook.id, "follow_sent")
    assert paths(refusal.value) == ["event"]


def test_the_rate_is_of_the_last_day(acme: Workspace, rival: Workspace, receiver: Receiver, clock: Movable) -> None:
    webhook, _ = endpoints.create(acme, name="a", url=receiver.url, event="message_sent")
    answers = iter([200, 500, 200])
    receiver.answer = lambda request: next(answers)
    record(acme, happening(), happening(), happening())
    dispatcher.deliver_due()
    assert endpoints.rates(acme) == {webhook.id: (2, 3)}
    assert endpoints.rates(rival) == {}
    clock.forward(hours=30)
    assert endpoints.rates(acme) == {}


def test_a_webhook_gets_several_kinds_and_what_is_not_changed_stays(acme: Workspace, receiver: Receiver) -> None:
    """In their order, and nothing else; `event` is the first."""
    kinds, campaign = ["post_liked", "message_sent", "post_liked"], new_campaign(acme)
    made, _ = endpoints.create(acme, name="a", url=receiver.url, events=kinds)
    assert (made.event, made.events) == ("post_liked", ["post_liked", "message_sent"])
    record(acme, happening("message_sent"), happening("follow_sent"), happening("post_liked"))
    dispatcher.deliver_due()
    got = sorted(json.loads(request.body)["sequence"] for request in receiver.requests)
    assert got == [1, 3]
    endpoints.update(acme, made.id, event="follow_sent", events=kinds)
    assert endpoints.get(acme, made.id).events == ["follow_sent", "post_liked", "message_sent"]
    endpoints.update(acme, made.id, event="follow_sent", campaign_ids=[campaign, campaign])
    assert endpoints.get(acme, made.id).events == ["follow_sent"]
    changed = endpoints.update(acme, made.id, name="b")
    assert (changed.name, changed.url, changed.event) == ("b", receiver.url, "follow_sent")
    assert (changed.campaign_ids, changed.active) == ([campaign], True)
    with pytest.raises(InvalidRequest) as refusal:
        endpoints.update(acme, made.id, url="nonsense", name="")
    assert paths(refusal.value) == ["name", "url"]
