"""What the doctor finds by asking: a service, the model, a sender; and messages that wait. Offline it asks nothing."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from app import ports
from app.core.db import end_read, transaction
from app.domain.installation import doctor
from app.domain.installation.doctor import Finding
from app.domain.installation.doctor_checks.remote import CALLS
from app.domain.notifications import destinations
from app.domain.platform import services
from app.models.accounts import Account, AccountStatus
from app.models.conversations import Conversation, Message, MessageStatus
from app.models.workspaces import Workspace
from app.ports import LoggedOut
from tests.domain.outreach import person_id
from tests.pages.settings.test_services import Model, OneModel
from tests.support.finders import RIGHT, Finder, offered
from tests.support.mailed import house_mail

Look = Callable[..., list[Finding]]


@pytest.fixture
def finder(live: Workspace) -> Finder:
    found = offered()[0]
    services.connect(live, "finder", {"api_key": RIGHT})
    end_read()
    return found


@pytest.fixture
def wrong(live: Workspace, tmp_path: Path) -> Look:
    """What the checks that may ask find, and the one of what waits."""

    def look(ask: bool = True) -> list[Finding]:
        end_read()
        checks = {name: call(ask) for name, (_, call) in CALLS.items()}
        checks["waiting"] = doctor.CHECKS["waiting"][1](tmp_path)
        return [Finding(name, False, *problem) for name, problems in checks.items() for problem in problems]

    return look


def a_mailbox(live: Workspace) -> int:
    with transaction() as current:
        made = Account(workspace_id=live.id, provider="smtp", provider_ref="ines@live.example", channel="email")
        made.address, made.name, made.timezone, made.limits = "ines@live.example", "Ines", "UTC", {}
        made.status, made.active, made.created_at, made.status_at = "connected", True, live.now(), live.now()
        current.add(made)
        current.flush()
        return made.id


def test_a_service_that_fails_is_named_with_what_to_do(wrong: Look, finder: Finder, live: Workspace) -> None:
    """In its own words; offline its last failure counts, and it is not asked."""
    asked = len(finder.seen)
    assert wrong() == []
    assert len(finder.seen) == asked + 1
    finder.failure = LoggedOut("The key was revoked.")
    assert wrong(ask=False) == []
    [finding] = wrong()
    assert finding.check == "services"
    assert finding.sentence == f"Finder fails in workspace {live.id}: The key was revoked."
    assert "Services" in finding.remedy
    finder.failure, asked = None, len(finder.seen)
    assert wrong(ask=False) == [finding]
    assert len(finder.seen) == asked
    assert wrong() == []


def test_a_model_that_does_not_answer_is_found_and_sandboxes_are_not_asked(wrong: Look, acme: Workspace) -> None:
    """Only when it may be asked; the senders of a sandbox are invented."""
    with transaction() as current:
        for sender in current.query(Account).filter_by(workspace_id=acme.id):
            sender.status = AccountStatus.CHALLENGED
    model = Model()
    model.failure = "it rejected the key"
    ports.models.connect(OneModel(model))  # type: ignore[arg-type]
    assert wrong(ask=False) == []
    [finding] = wrong()
    assert (finding.check, "it rejected the key" in finding.sentence) == ("model", True)


def test_a_sender_that_cannot_sign_in_is_found(wrong: Look, live: Workspace) -> None:
    """Asked when it seems connected, told anyway when it is known to be signed out; not when it is switched off."""
    mailbox = a_mailbox(live)
    assert wrong(ask=False) == []
    [finding] = wrong()
    assert finding.check == "senders"
    assert finding.sentence.startswith(f"The mailbox ines@live.example of workspace {live.id} isn't working: ")
    with transaction() as current:
        sender = current.get_one(Account, mailbox)
        sender.status, sender.status_reason = AccountStatus.CHALLENGED, "LinkedIn wants proof."
    assert "LinkedIn wants proof." in wrong(ask=False)[0].sentence
    with transaction() as current:
        current.get_one(Account, mailbox).active = False
    assert wrong() == []


def test_messages_that_wait_for_too_long_are_found(wrong: Look, live: Workspace) -> None:
    """Those of a sender that could send them."""
    mailbox = a_mailbox(live)
    at, bo = live.now(), person_id(live, "bo")
    with transaction() as current:
        talk = Conversation(workspace_id=live.id, sender_id=mailbox, person_id=bo, channel="email")
        talk.last_message_at = talk.created_at = talk.updated_at = at
        talk.last_direction = "out"
        current.add(talk)
        current.flush()
        written = Message(workspace_id=live.id, conversation_id=talk.id, direction="out", kind="email", text="Hello")
        written.provider_id, written.at, written.status, written.by_hand = "ours", at, MessageStatus.QUEUED, True
        written.due_at = at - timedelta(minutes=59)
        current.add(written)
    assert wrong(ask=False) == []
    with transaction() as current:
        current.get_one(Message, written.id).due_at = at - timedelta(minutes=61)
    assert [finding.check for finding in wrong(ask=False)] == ["waiting"]
    with transaction() as current:
        current.get_one(Account, mailbox).active = False
    assert wrong(ask=False) == []


def test_mail_and_alerts_that_do_not_arrive(live: Workspace, wrong: Look) -> None:
    """The server is asked; why the last alert failed is known without asking."""
    with house_mail() as post:
        assert wrong() == []
        post.password = "another"
        (finding,) = wrong()
        assert finding.check == "mail"
        assert "OVERTURE_MAIL_URL" in finding.remedy
        assert wrong(ask=False) == []
    destinations.set_destination(live, "email", "ada@live.example")
    destinations.test(live)
    (finding,) = wrong(ask=False)
    assert (finding.check, destinations.NO_MAIL in finding.sentence) == ("alerts", True)
