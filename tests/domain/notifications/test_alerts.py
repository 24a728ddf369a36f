"""What is worth an alert, told once, and only to whom it concerns."""

import json
from datetime import timedelta

import pytest

from app.core.db import session, transaction
from app.domain.approvals import approvals
from app.domain.conversations import threads
from app.domain.installation.sandbox import sandbox_clock
from app.domain.notifications import alerts as notifications_alerts
from app.domain.notifications import destinations
from app.domain.platform import jobs
from app.domain.rules.schedules.quiet_hours import Timing
from app.domain.senders import accounts as senders
from app.domain.webhooks import events
from app.domain.webhooks.events import NewEvent
from app.domain.workspace import workspaces
from app.models.accounts import Account
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import the_setup, work
from tests.domain.engine.manual.test_compose import a_talk
from tests.domain.outreach import email, the_account
from tests.domain.reviewing import drafts, held
from tests.domain.tasks.test_tasks import says
from tests.support.movable import Movable
from tests.support.receivers import Receiver

DATA = {
    "campaign": {"id": 1, "name": "First"},
    "lead": {"firstName": "Ada", "lastName": "Byron", "companyName": "Alder"},
    "message": {"text": "Sounds\ngood, tell me more."},
}


def happen(workspace: Workspace, *kinds: str) -> None:
    with transaction():
        events.record(workspace.id, [NewEvent(kind, workspace.now(), None, DATA) for kind in kinds])


@pytest.fixture
def told(receiver: Receiver) -> list[str]:
    lines: list[str] = []

    def take(request: object) -> int:
        title, _, told = json.loads(receiver.requests[-1].body)["text"].partition("\n")
        assert title.endswith(": outreach update")
        lines.append(told)
        return 200

    receiver.answer = take
    return lines


def alerted() -> int:
    """How many workspaces had something to tell, after the work of telling it."""
    found = notifications_alerts.run_due()
    work()
    return found


def test_events_since_the_last_alert_are_told_once_together(
    acme: Workspace, rival: Workspace, receiver: Receiver, told: list[str]
) -> None:
    """What was before, and what is the stranger's, is not told; five of a kind are, and how many more."""
    happen(acme, "every_reply")
    destinations.set_destination(acme, "chat", receiver.url, replies=True)
    destinations.set_destination(rival, "chat", receiver.url, replies=True)
    happen(acme, "every_reply", "message_sent", "campaign_completed")
    assert notifications_alerts.run_due() == 1
    assert alerted() == 0
    assert told == ["Ada Byron (Alder) wrote: “Sounds good, tell me more.”\nThe campaign “First” has finished."]
    happen(acme, *["every_reply"] * 8)
    assert alerted() == 1
    assert (told[1].splitlines()[-1], len(told[1].splitlines())) == ("… and 3 more.", 6)


def test_replies_only_for_who_wants_them_and_never_of_muted_conversations(
    acme: Workspace, receiver: Receiver, told: list[str], clock: Movable
) -> None:
    destinations.set_destination(acme, "chat", receiver.url)
    happen(acme, "every_reply")
    assert notifications_alerts.run_due() == 0
    happen(acme, "every_reply", "lead_auto_tagged_positive")
    assert alerted() == 1
    assert told == ["Ada Byron (Alder) replied positively."]
    talk = a_talk(acme)
    threads.mute(acme, talk.id, muted=True)
    destinations.set_destination(acme, "chat", receiver.url, replies=True)
    said = {**DATA, "message": {"text": "Hello?", "conversationId": talk.id}}
    with transaction():
        events.record(acme.id, [NewEvent("every_reply", acme.now(), None, said)])
    assert notifications_alerts.run_due() == 0
    happen(acme, "every_reply")
    assert notifications_alerts.run_due() == 1


def test_people_to_come_back_to_are_told_on_their_day_once(
    acme: Workspace, clock: Movable, receiver: Receiver, told: list[str]
) -> None:
    """Also when only the clock of the sandbox has come that far."""
    talk = a_talk(acme, "accepts-bo")
    says(acme, talk, "Not now, maybe later.")
    destinations.set_destination(acme, "chat", receiver.url)
    assert notifications_alerts.run_due() == 0
    for _ in range(5):
        sandbox_clock.advance(acme, 24 * 19)
    assert alerted() == 1
    (lines,) = told
    assert lines.splitlines()[-1] == "Bo asked to be contacted again: “Not now, maybe later.”"
    assert notifications_alerts.run_due() == 0


def test_waiting_drafts_are_told_once_a_day_and_those_that_expire_soon(
    acme: Workspace, rival: Workspace, receiver: Receiver, told: list[str]
) -> None:
    """Also when only the clock of the sandbox has come that far; a decision ends it."""
    held(acme, ["quiet-ada", {"publicId": "bob", "email": "b@b.example"}], [email("Hello", "One")])
    destinations.set_destination(acme, "chat", receiver.url)
    destinations.set_destination(rival, "chat", receiver.url)
    assert notifications_alerts.run_due() == 0
    sandbox_clock.advance(acme, 26)
    assert alerted() == 1
    assert told == ["2 drafts are waiting for approval, the oldest for 1 day."]
    assert notifications_alerts.run_due() == 0
    sandbox_clock.advance(acme, 24 * 11)
    assert alerted() == 1
    wait, expire = told[-1].splitlines()
    assert wait == "2 drafts are waiting for approval, the oldest for 12 days."
    assert expire.startswith("2 drafts expire within 2 days, the first on ")
    for draft in drafts(acme, "pending"):
        approvals.skip(acme, draft.id)
    sandbox_clock.advance(acme, 30)
    notifications_alerts.run_due()
    work()
    assert "for approval" not in "".join(told[2:])


def test_a_sender_that_needs_someone_is_told_once(
    acme: Workspace, receiver: Receiver, told: list[str], clock: Movable
) -> None:
    """One that the network distrusts, one that was stopped, and one whose inbox cannot be read."""
    destinations.set_destination(acme, "chat", receiver.url)
    number = the_account(acme).id

    def becomes(**columns: object) -> None:
        clock.forward(minutes=1)
        with transaction() as current:
            account = current.get_one(Account, number)
            for name, value in columns.items():
                setattr(account, name, value)
        clock.forward(minutes=1)
        assert [alerted(), alerted()] == [1, 0]

    soon = acme.now() + timedelta(minutes=1)
    becomes(status="challenged", status_reason="LinkedIn wants proof", status_at=soon)
    assert told == ["Ada needs attention: LinkedIn wants proof."]
    soon = acme.now() + timedelta(minutes=1)
    becomes(status="connected", active=False, status_reason="Mail servers refuse its email.", status_at=soon)
    assert "needs attention: Mail servers refuse its email." in told[1]
    assert ".." not in told[1]
    senders.switch(acme, number, True)
    assert the_account(acme).status_reason == ""
    soon = acme.now() + timedelta(minutes=1)
    becomes(unread_since=soon, silent_at=soon)
    assert told[2].startswith("Ada: inbox not read since ")


def test_a_chat_that_does_not_answer_is_tried_again(
    acme: Workspace, receiver: Receiver, told: list[str], clock: Movable
) -> None:
    """After a pause as long as it asks for; what happens meanwhile goes with it, once."""
    destinations.set_destination(acme, "chat", receiver.url, replies=True)
    taking, receiver.answer = receiver.answer, lambda request: 500
    happen(acme, "campaign_completed")
    alerted()
    receiver.answer = lambda request: (429, {"retry-after": "600"}, b"")
    clock.forward(minutes=2)
    work()
    assert "wait 600 seconds" in the_setup(acme).alerts_problem
    receiver.answer = taking
    happen(acme, "lead_auto_tagged_positive")
    clock.forward(seconds=590)
    assert (alerted(), told) == (0, [])
    clock.forward(seconds=15)
    work()
    assert told == ["The campaign “First” has finished.\nAda Byron (Alder) replied positively."]
    assert the_setup(acme).alerts_problem == ""


def test_an_address_that_is_gone_is_tried_no_more_and_nothing_is_lost(
    acme: Workspace, receiver: Receiver, told: list[str], clock: Movable
) -> None:
    """Until another place is given, which is told what the former one was not."""
    destinations.set_destination(acme, "chat", receiver.url)
    taking, receiver.answer = receiver.answer, lambda request: 404
    happen(acme, "campaign_completed")
    notifications_alerts.run_due()
    work()
    found = the_setup(acme)
    assert found.alerts_broken_at == acme.now()
    assert "know this address (" in found.alerts_problem
    happen(acme, "lead_auto_tagged_positive")
    clock.forward(hours=1)
    assert notifications_alerts.run_due() == 0
    assert len(receiver.requests) == 1
    receiver.answer = taking
    destinations.set_destination(acme, "chat", receiver.url + "/new")
    assert the_setup(acme).alerts_broken_at is None
    notifications_alerts.run_due()
    work()
    assert told == ["The campaign “First” has finished.\nAda Byron (Alder) replied positively."]


def test_days_of_silence_count_as_gone(acme: Workspace, receiver: Receiver, clock: Movable) -> None:
    """Tried ever more slowly, then given up with a sentence; a test that gets through mends it."""
    destinations.set_destination(acme, "chat", receiver.url)
    receiver.answer = lambda request: 500
    happen(acme, "campaign_completed")
    notifications_alerts.run_due()
    for _ in range(30):
        work()
        clock.forward(hours=6)
    assert len(receiver.requests) < 20
    assert "No notifications have been delivered for 3 days" in the_setup(acme).alerts_problem
    assert the_setup(acme).alerts_broken_at
    receiver.answer = lambda request: 200
    assert destinations.test(acme).delivered
    assert the_setup(acme).alerts_broken_at is None
    assert notifications_alerts.run_due() == 1


def test_a_digest_gathers_until_the_hour(acme: Workspace, receiver: Receiver, told: list[str], clock: Movable) -> None:
    """Without news there is none, and the next hour begins from there: what happens after it waits for the next."""
    destinations.set_destination(acme, "chat", receiver.url, timing=Timing("hourly"))
    clock.forward(minutes=61)
    assert notifications_alerts.run_due() == 0
    happen(acme, "campaign_completed")
    clock.forward(minutes=58)
    happen(acme, "campaign_completed")
    assert notifications_alerts.run_due() == 0
    clock.forward(minutes=1)
    assert alerted() == 1
    assert [line.count("has finished") for line in told] == [2]


def test_a_daily_digest_waits_for_morning(acme: Workspace, receiver: Receiver, told: list[str], clock: Movable) -> None:
    """At eight where the workspace is: it is 10:00 in Berlin, when this begins."""
    workspaces.change(acme, "Acme", "Europe/Berlin")
    destinations.set_destination(acme, "chat", receiver.url, timing=Timing("daily"))
    happen(acme, "campaign_completed")
    clock.forward(hours=21, minutes=59)
    assert notifications_alerts.run_due() == 0
    clock.forward(minutes=1)
    assert alerted() == 1
    assert [line.count("has finished") for line in told] == [1]


def test_quiet_hours_keep_everything(acme: Workspace, receiver: Receiver, told: list[str], clock: Movable) -> None:
    """Over midnight, on the workspace's clock; also what was under way when they began."""
    workspaces.change(acme, "Acme", "America/New_York")  # where this begins at four in the morning
    destinations.set_destination(acme, "chat", receiver.url, timing=Timing("immediately", "22:00", "07:00"))
    happen(acme, "campaign_completed")
    assert notifications_alerts.run_due() == 0
    clock.forward(hours=2, minutes=59)
    assert notifications_alerts.run_due() == 0
    clock.forward(minutes=1)
    taking, receiver.answer = receiver.answer, lambda request: (429, {"retry-after": "50400"}, b"")
    assert alerted() == 1
    receiver.answer = taking
    clock.forward(hours=15)
    work()
    assert told == []
    clock.forward(hours=9)
    assert alerted() == 1
    assert told == ["The campaign “First” has finished."]


def test_a_sandbox_writes_no_mail(acme: Workspace) -> None:
    destinations.set_destination(acme, "email", "ada@example.com", replies=True)
    happen(acme, "every_reply")
    notifications_alerts.run_due()
    assert jobs.run_due() == 1
    assert {job.state for job in session().query(Job)} == {"done"}
