"""Where alerts go: checked, sealed, masked, really told, and honest about what became of it."""

import json
from collections.abc import Iterator

import pytest

from app.core.db import transaction
from app.core.errors import Conflict, InvalidRequest, NotSupported
from app.domain.autopilot import setup_state
from app.domain.notifications import destinations
from app.domain.rules.schedules.quiet_hours import Timing
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import the_setup
from tests.providers.mail.mailservers import Post
from tests.support.mailed import house_mail
from tests.support.receivers import Receiver


@pytest.fixture
def post() -> Iterator[Post]:
    with house_mail() as post:
        yield post


def test_a_chat_address_is_sealed_and_shown_shortened(acme: Workspace, receiver: Receiver) -> None:
    """The address is whole only on its way out."""
    url = receiver.url + "/services/T0/B0/abcdefgh"
    shown = destinations.set_destination(acme, "chat", url).alerts
    assert shown == {"kind": "chat", "target": "http://127.0.0.1/…efgh", "replies": False}
    assert url.encode() not in (the_setup(acme).alerts_sealed or b"")
    assert destinations.test(acme).delivered
    text, url = "Test notification\nOverture notifications will arrive here.", "http://localhost/autopilot/alerts"
    assert json.loads(receiver.requests[0].body) == {"text": text, "event": "test", "url": url}
    assert receiver.requests[0].path == "/hook/services/T0/B0/abcdefgh"


def test_the_test_tells_what_happened(acme: Workspace, receiver: Receiver) -> None:
    """And the setup remembers it, until one gets through."""
    destinations.set_destination(acme, "chat", receiver.url)
    receiver.answer = lambda request: 500
    assert "has a problem" in destinations.test(acme).sentence
    assert "has a problem" in the_setup(acme).alerts_problem
    assert the_setup(acme).alerts_broken_at is None
    receiver.answer = lambda request: 410
    assert destinations.test(acme).broken
    assert the_setup(acme).alerts_broken_at
    receiver.answer = lambda request: 200
    assert destinations.test(acme).sentence == "The chat received the notification."
    assert (the_setup(acme).alerts_problem, the_setup(acme).alerts_broken_at) == ("", None)


def test_a_test_notification_goes_out_by_email(acme: Workspace, post: Post) -> None:
    """From us, marked as automatic, with the link below; an address that the server refuses is broken.

    A server that refuses us has a problem that may pass.
    """
    destinations.set_destination(acme, "email", "ada@example.com")
    assert destinations.test(acme).sentence == "Email sent to ada@example.com."
    ((sender, recipient, raw),) = post.taken
    assert (sender, recipient) == ("overture@acme.example", "ada@example.com")
    assert b"Subject: Overture: Test notification\r\n" in raw
    assert b"From: Overture <overture@acme.example>\r\n" in raw
    assert b"Auto-Submitted: auto-generated\r\n" in raw
    assert raw.rstrip().endswith(b"https://o.example/autopilot/alerts")
    post.replies["RCPT"] = "550 5.1.1 no such user"
    sent = destinations.test(acme)
    assert sent.broken
    assert "no such user" in sent.sentence
    post.replies.clear()
    post.password = "another"
    sent = destinations.test(acme)
    assert (sent.broken, sent.delivered) == (False, False)
    assert "an app password" not in sent.sentence


def test_without_email_a_test_notification_says_that_nothing_is_sent(acme: Workspace) -> None:
    """In its one spelling; in a sandbox the test says that nothing is sent."""
    with pytest.raises(Conflict):
        destinations.test(acme)
    found = destinations.set_destination(acme, "email", " Ada@Example.com ", replies=True).alerts
    assert found == {"kind": "email", "target": "ada@example.com", "replies": True}
    sent = destinations.test(acme)
    assert not sent.delivered
    assert "Sandbox" in sent.sentence
    with transaction() as current:
        current.get_one(Workspace, acme.id).sandbox = False
    assert destinations.test(acme).sentence == destinations.NO_MAIL
    assert destinations.set_destination(acme, "email", "eve@example.com").alerts_problem == destinations.NO_MAIL


def test_alerts_that_go_nowhere_and_times_that_are_none_are_refused(acme: Workspace) -> None:
    """When alerts are set and when they are changed; nothing is kept then."""
    for kind, target, path in (
        ("email", "nobody", "target"),
        ("chat", "not a url", "target"),
        ("chat", "https://user:pw@hooks.slack.com/x", "target"),
        ("chat", "https://hooks.slack.com/x", "target"),
        ("pigeon", "roof", "kind"),
    ):
        with pytest.raises(InvalidRequest) as refusal:
            destinations.set_destination(acme, kind, target)
        assert refusal.value.fields[0].path == path
    with pytest.raises(NotSupported):
        destinations.set_destination(acme, "sms", "+49 30 1234")
    assert the_setup(acme).alerts is None
    destinations.set_destination(acme, "email", "ada@example.com")
    for timing, path in (
        (Timing("weekly"), "digest"),
        (Timing("daily", "22:00"), "quietHours.end"),
        (Timing("daily", "24:00", "07:00"), "quietHours.start"),
        (Timing("daily", "07:00", "07:00"), "quietHours.end"),
    ):
        with pytest.raises(InvalidRequest) as refusal:
            destinations.set_destination(acme, "email", "eve@example.com", timing=timing)
        assert [field.path for field in refusal.value.fields] == [path]
        with pytest.raises(InvalidRequest):
            destinations.change(acme, True, timing)
    assert the_setup(acme).alerts == {"kind": "email", "target": "ada@example.com", "replies": False}


def test_times_stay_when_the_place_changes(acme: Workspace, receiver: Receiver) -> None:
    timing = Timing("daily", "22:00", "07:00")
    destinations.set_destination(acme, "email", "ada@example.com", timing=timing)
    destinations.set_destination(acme, "chat", receiver.url)
    found = destinations.view(acme)
    assert found.timing == timing
    assert found.chat
    assert found.chat.name == "generic"
    destinations.change(acme, True, Timing())
    assert destinations.view(acme).timing == Timing()


def test_an_address_sealed_with_another_secret_is_asked_for_again(acme: Workspace, receiver: Receiver) -> None:
    destinations.set_destination(acme, "chat", receiver.url)
    with transaction():
        setup_state.locked(acme).alerts_sealed = b"\x01" + bytes(60)
    assert destinations.view(acme).chat is None
    assert destinations.test(acme) == destinations.Sent(False, destinations.LOST, broken=True)
    assert receiver.requests == []
