"""What is worth an alert, told once, and only to whom it concerns."""

import json

import pytest

from app.core.clock import Movable
from app.core.db import session, transaction
from app.domain import events, jobs
from app.domain.autopilot import alerting, alerts
from app.domain.events import Happening
from app.models.accounts import Account
from app.models.jobs import Job
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import work
from tests.domain.outreach import the_account
from tests.receivers import Receiver

DATA = {
    "campaign": {"id": 1, "name": "First"},
    "lead": {"firstName": "Ada", "lastName": "Byron", "companyName": "Alder"},
    "message": {"text": "Sounds\ngood, tell me more."},
}


def happen(workspace: Workspace, *kinds: str) -> None:
    """Events of these kinds were recorded."""
    with transaction():
        events.record(workspace.id, [Happening(kind, workspace.now(), None, DATA) for kind in kinds])


@pytest.fixture
def told(receiver: Receiver) -> list[str]:
    """What the chat was told."""
    lines: list[str] = []

    def take(request: object) -> int:
        lines.append(json.loads(receiver.requests[-1].body)["text"])
        return 200

    receiver.answer = take
    return lines


def test_it_works(acme: Workspace, rival: Workspace, receiver: Receiver, told: list[str]) -> None:
    """Once, together; what was before, and what is the stranger's, is not told."""
    happen(acme, "every_reply")
    alerts.put(acme, "chat", receiver.url, replies=True)
    alerts.put(rival, "chat", receiver.url, replies=True)
    happen(acme, "every_reply", "message_sent", "campaign_completed")
    assert alerting.tick() == 1
    assert alerting.tick() == 0
    work()
    assert told == ["Ada Byron (Alder) wrote: “Sounds good, tell me more.”\nThe campaign “First” has finished."]


def test_replies_only_for_who_wants_them(acme: Workspace, receiver: Receiver, told: list[str]) -> None:
    """Positive ones always."""
    alerts.put(acme, "chat", receiver.url)
    happen(acme, "every_reply")
    assert alerting.tick() == 0
    happen(acme, "every_reply", "lead_auto_tagged_positive")
    alerting.tick()
    work()
    assert told == ["Ada Byron (Alder) answered positively."]


def test_many_are_summed_up(acme: Workspace, receiver: Receiver, told: list[str]) -> None:
    """Five of a kind, and how many more."""
    alerts.put(acme, "chat", receiver.url, replies=True)
    happen(acme, *["every_reply"] * 8)
    alerting.tick()
    work()
    assert told[0].splitlines()[-1] == "… and 3 more."
    assert len(told[0].splitlines()) == 6


def test_a_sender_who_needs_somebody_is_told_once(
    acme: Workspace, receiver: Receiver, told: list[str], clock: Movable
) -> None:
    """With the reason."""
    alerts.put(acme, "chat", receiver.url)
    account_id = the_account(acme).id
    clock.forward(minutes=1)
    with transaction() as current:
        account = current.get_one(Account, account_id)
        account.status, account.status_reason = "challenged", "The network wants proof"
        account.status_at = acme.now()
    clock.forward(minutes=1)
    assert [alerting.tick(), alerting.tick()] == [1, 0]
    work()
    assert told == ["Ines Duarte needs you: The network wants proof."]


def test_a_chat_that_does_not_answer_is_tried_again(
    acme: Workspace, receiver: Receiver, told: list[str], clock: Movable
) -> None:
    """And gets it once."""
    alerts.put(acme, "chat", receiver.url, replies=True)
    taking, receiver.answer = receiver.answer, lambda request: 500
    happen(acme, "every_reply")
    alerting.tick()
    work()
    receiver.answer = taking
    clock.forward(minutes=2)
    work()
    assert len(told) == 1


def test_a_sandbox_writes_no_mail(acme: Workspace) -> None:
    """And nothing waits for ever."""
    alerts.put(acme, "email", "ada@example.com", replies=True)
    happen(acme, "every_reply")
    alerting.tick()
    assert jobs.run_due() == 1
    assert {job.state for job in session().query(Job)} == {"done"}
