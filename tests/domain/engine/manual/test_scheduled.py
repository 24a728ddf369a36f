"""Replies at a time, and replies that can be taken back: one row that waits, sent once through the same check."""

from datetime import datetime, timedelta

import pytest

from app.core.errors import Conflict, InvalidRequest
from app.domain.conversations import inbox, inbox_settings, messages, reply_times, threads
from app.domain.engine import manual_send
from app.domain.engine.manual import compose
from app.domain.people.exclusions import never_contact
from app.models.conversations import Conversation
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.engine.manual.test_compose import a_talk, written
from tests.domain.engine.test_manual_send import sent
from tests.domain.outreach import takes_in, the_account
from tests.support.movable import Movable

WAIT = 10


@pytest.fixture
def talk(acme: Workspace, clock: Movable) -> Conversation:
    return a_talk(acme)


def in_an_hour(acme: Workspace) -> datetime:
    return acme.now() + timedelta(hours=1)


def wrote_again(acme: Workspace, talk: Conversation, ref: str = "again") -> None:
    takes_in(acme, the_account(acme), Received(talk.person.handle, "message", "One more thing", acme.now(), ref))


def test_a_reply_waits_the_seconds_and_is_sent_once_unless_it_is_taken_back(
    acme: Workspace, talk: Conversation, clock: Movable
) -> None:
    before, last = sent(acme), threads.get(acme, talk.id).last_message_at
    clock.forward(minutes=1)
    message = compose.write(acme, talk.id, "Thank you.", wait=WAIT)
    assert threads.get(acme, talk.id).last_message_at > last
    assert compose.discard(acme, talk.id, message.id).text == "Thank you."
    assert threads.get(acme, talk.id).last_message_at == last
    clock.forward(minutes=1)
    manual_send.run_due()
    assert sent(acme) == before
    message = compose.write(acme, talk.id, "Thank you.", wait=WAIT)
    clock.forward(seconds=WAIT - 1)
    assert manual_send.run_due() == 0
    clock.forward(seconds=1)
    manual_send.run_due()
    manual_send.run_due()
    assert sent(acme) == before + 1
    assert written(acme)[0].status == "sent"
    with pytest.raises(Conflict):
        compose.discard(acme, talk.id, message.id)


def test_a_scheduled_reply_is_sent_at_its_time_through_the_check(
    acme: Workspace, talk: Conversation, clock: Movable
) -> None:
    for moment in (timedelta(0), timedelta(seconds=-1), compose.LONGEST_WAIT + timedelta(seconds=1)):
        with pytest.raises(InvalidRequest) as refusal:
            compose.write(acme, talk.id, "Good morning.", send_at=acme.now() + moment)
        assert [field.path for field in refusal.value.fields] == ["sendAt"]
    before = sent(acme)
    message = compose.write(acme, talk.id, "Good morning.", send_at=in_an_hour(acme))
    assert compose.moves(message) == {"retry", "discard"}
    manual_send.run_due()
    assert sent(acme) == before
    clock.forward(hours=1)
    manual_send.run_due()
    assert sent(acme) == before + 1
    compose.write(acme, talk.id, "Good evening.", send_at=in_an_hour(acme))
    never_contact.add_person(acme, talk.person_id, "They asked for it.")
    clock.forward(hours=1)
    manual_send.run_due()
    (_, message) = written(acme)
    assert (message.status, sent(acme)) == ("failed", before + 1)
    assert message.error.startswith("This person is on the do-not-contact list")


def test_a_message_of_theirs_holds_a_scheduled_reply(acme: Workspace, talk: Conversation, clock: Movable) -> None:
    """At once, so that it is seen before its time; then it can be sent all the same. One without a time is not held."""
    before = sent(acme)
    compose.write(acme, talk.id, "Good morning.", send_at=in_an_hour(acme))
    compose.write(acme, talk.id, "Thank you.", wait=WAIT)
    wrote_again(acme, talk)
    (message, other) = written(acme)
    assert (message.status, message.error, message.due_at) == ("failed", messages.THEY_WROTE, None)
    assert other.status == "queued"
    clock.forward(hours=1)
    manual_send.run_due()
    assert sent(acme) == before + 1
    clock.forward(minutes=5)
    compose.retry(acme, talk.id, message.id)
    manual_send.run_due()
    assert sent(acme) == before + 2


def test_times_are_those_of_the_person(acme: Workspace, talk: Conversation) -> None:
    talk.person.location = "Lisbon, Portugal"
    zone = reply_times.zone_of(acme, talk.person)
    assert (zone.name, zone.theirs) == ("Europe/Lisbon", True)
    sunday = datetime(2026, 11, 22, 23, 30, tzinfo=zone.info)
    assert {name: f"{one:%a %H:%M}" for name, one in reply_times.offered(sunday, zone).items()} == {
        "morning": "Mon 09:00",
        "afternoon": "Mon 14:00",
    }
    tuesday = sunday + timedelta(days=2)
    assert reply_times.offered(tuesday, zone)["monday"].day == 30
    talk.person.location = ""
    assert reply_times.zone_of(acme, talk.person) == (acme.timezone, False)


def test_a_meeting_link_is_the_members_own_or_everyones(acme: Workspace, talk: Conversation) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        compose.write(acme, talk.id, "Here: {{meeting_link}}")
    assert refusal.value.fields[0].message == inbox_settings.NO_LINK
    inbox_settings.change(acme, 10, "cal.example/acme")
    written = compose.write(acme, talk.id, "Here: {{meeting_link}}").text
    assert written.startswith("Here: https://cal.example/acme?utm_source=overture&")


def test_a_reminder_that_came_back_waits_until_it_is_answered(
    acme: Workspace, talk: Conversation, clock: Movable
) -> None:
    wrote_again(acme, talk)
    assert threads.waiting(acme) == 1
    inbox.remind(acme, talk.id, (acme.now() + timedelta(days=2)).date())
    assert threads.waiting(acme) == 0
    clock.forward(days=3)
    assert threads.waiting(acme) == 1
    compose.write(acme, talk.id, "Now?")
    assert threads.waiting(acme) == 0
