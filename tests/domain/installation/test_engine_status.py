"""What waits, is late, runs and failed, by kind of unit."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import db, is_sqlite, session, transaction
from app.domain.engine.inbound import poll
from app.domain.installation import engine_status
from app.domain.installation.engine_status import Queue
from app.domain.webhooks import endpoints
from app.models.accounts import Account, AccountStatus
from app.models.autopilot import Setup, SourceConnection
from app.models.campaigns import Campaign, CampaignStatus
from app.models.conversations import Conversation, Message, MessageStatus
from app.models.crm import CrmConnection, CrmFlow
from app.models.leads import LeadList
from app.models.ledger import BY_HAND_STEP, Action, ActionState
from app.models.monitors import Monitor
from app.models.platform.jobs import Job, JobState
from app.models.webhooks import Delivery, DeliveryState, Event
from app.models.workspaces import Workspace
from tests.domain.outreach import person_id
from tests.support.movable import Movable

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
SOON, JUST, LONG_AGO = (NOW + timedelta(seconds=s) for s in (30, -30, -600))

Look = Callable[[str], Queue]


@pytest.fixture
def look(clock: Movable, acme: Workspace, rival: Workspace) -> Look:
    clock.to(NOW)
    with transaction() as current:
        current.execute(sa.update(Account).values(polled_at=NOW, turn_at=None))
    return lambda kind: {queue.kind: queue for queue in engine_status.queues(NOW)}[kind]


def add(*rows: Any) -> None:
    with transaction() as current:
        current.add_all(rows)


def sender(of: Workspace, ref: str, **columns: Any) -> Account:
    made = Account(workspace_id=of.id, provider_ref=ref, name=ref, limits={}, created_at=NOW, polled_at=NOW)
    for name, value in columns.items():
        setattr(made, name, value)
    return made


def job(of: Workspace, key: str, **columns: Any) -> Job:
    return Job(workspace_id=of.id, kind="test", open_key=key, created_at=NOW, **columns)


def someone(of: Account, public_id: str) -> int:
    return person_id(session().get_one(Workspace, of.workspace_id), public_id)


def action(of: Account, token: str, **columns: Any) -> Action:
    about = {"person_id": someone(of, "ada"), "kind": "message", "budget": "message", "token": token, "at": NOW}
    return Action(workspace_id=of.workspace_id, sender_id=of.id, **about | columns)


def test_turns_and_inboxes_are_due_late_and_running(look: Look, acme: Workspace, rival: Workspace) -> None:
    """A turn under way is not due until the end of its lease; a sandbox whose clock was moved is left out."""
    assert [look(kind) for kind in engine_status.KINDS] == [Queue(kind) for kind in engine_status.KINDS]
    assert engine_status.open_intents() == 0
    with transaction() as current:
        current.execute(sa.update(Workspace).where(Workspace.id == rival.id).values(clock_offset=86400))
    read = NOW - poll.EVERY
    add(
        sender(rival, "other", turn_at=LONG_AGO),
        sender(acme, "later", turn_at=SOON),
        sender(acme, "due", turn_at=JUST),
        sender(acme, "late", turn_at=LONG_AGO),
        sender(acme, "running", turn_at=NOW + timedelta(seconds=9), claimed_until=SOON),
        sender(acme, "slow", turn_at=LONG_AGO, claimed_until=SOON),
        sender(acme, "died", turn_at=JUST, claimed_until=JUST),
        sender(acme, "inbox due", polled_at=read - timedelta(seconds=1)),
        sender(acme, "inbox late", polled_at=read - timedelta(minutes=2)),
        sender(acme, "inbox never read", polled_at=None, created_at=read),
        sender(acme, "lost", polled_at=LONG_AGO, status=AccountStatus.DISCONNECTED),
    )
    assert look("turn") == Queue("turn", due=3, late=1, running=2, oldest_due_at=LONG_AGO)
    assert look("inbox") == Queue("inbox", due=3, late=1, failed=1, oldest_due_at=NOW - timedelta(minutes=2))


def test_failed_actions_of_a_day_and_those_without_an_outcome_are_counted(look: Look, acme: Workspace) -> None:
    """Failed ones of a step belong to turns, those written by hand to messages."""
    ours = sender(acme, "ours")
    add(ours)
    failed = {"state": ActionState.FAILED, "settled_at": LONG_AGO}
    add(
        action(ours, "step", **failed),
        action(ours, "hand", step=BY_HAND_STEP, **failed),
        action(ours, "old", state=ActionState.FAILED, settled_at=NOW - timedelta(days=2)),
        action(ours, "sent", state=ActionState.SENT, settled_at=LONG_AGO),
        action(ours, "begun", state=ActionState.SENDING, check_at=SOON),
        action(ours, "unknown", state=ActionState.UNKNOWN, check_at=SOON),
        action(ours, "given up", state=ActionState.UNKNOWN),
    )
    assert (look("turn").failed, look("message").failed) == (1, 1)
    assert engine_status.open_intents() == 2


def test_outcomes_are_looked_up_for_senders_that_are_free(look: Look, acme: Workspace) -> None:
    free, busy = sender(acme, "free"), sender(acme, "busy", claimed_until=SOON)
    lost = sender(acme, "lost", status=AccountStatus.DISCONNECTED)
    add(free, busy, lost)
    open_one: dict[str, Any] = {"state": ActionState.UNKNOWN, "check_at": LONG_AGO}
    add(*(action(of, "a", **open_one) for of in (free, busy, lost)))
    add(action(free, "later", state=ActionState.SENDING, check_at=SOON))
    assert look("lookup") == Queue("lookup", due=1, late=1, oldest_due_at=LONG_AGO)


def test_messages_wait_for_a_sender_that_can_act(look: Look, acme: Workspace, rival: Workspace) -> None:
    """Of a suspended workspace, or with a sender that is signed out, nothing is late."""
    lost = sender(acme, "lost", status=AccountStatus.DISCONNECTED)
    able, theirs = sender(acme, "able"), sender(rival, "theirs")
    add(able, lost, theirs)
    with transaction() as current:
        current.execute(sa.update(Workspace).where(Workspace.id == rival.id).values(suspended_at=NOW))
    for number, (of, due_at) in enumerate([(able, LONG_AGO), (able, SOON), (lost, LONG_AGO), (theirs, LONG_AGO)]):
        talk = Conversation(workspace_id=of.workspace_id, sender_id=of.id, person_id=someone(of, f"p{number}"))
        talk.channel, talk.last_direction = "social", "out"
        talk.last_message_at = talk.created_at = talk.updated_at = NOW
        add(talk)
        queued = {"direction": "out", "kind": "message", "text": "Hi", "provider_id": "", "at": NOW}
        status = MessageStatus.QUEUED
        add(Message(workspace_id=of.workspace_id, conversation_id=talk.id, due_at=due_at, status=status, **queued))
    add(action(able, "hand", step=BY_HAND_STEP, state=ActionState.SENDING, check_at=SOON))
    assert look("message") == Queue("message", due=1, late=1, running=1, oldest_due_at=LONG_AGO)


def test_jobs_are_due_late_running_and_failed(look: Look, acme: Workspace) -> None:
    """A backlog is counted as far as MOST; what is oldest is known all the same."""
    add(
        job(acme, "later", due_at=SOON),
        job(acme, "due", due_at=JUST),
        job(acme, "late", due_at=LONG_AGO),
        job(acme, "running", due_at=LONG_AGO, claimed_until=SOON),
    )
    ended: dict[str, Any] = {"workspace_id": acme.id, "kind": "test", "created_at": NOW, "open_key": None}
    add(
        Job(state=JobState.FAILED, done_at=JUST, **ended),
        Job(state=JobState.FAILED, done_at=NOW - timedelta(days=2), **ended),
        Job(state=JobState.DONE, done_at=JUST, **ended),
    )
    assert look("job") == Queue("job", due=2, late=1, running=1, failed=1, oldest_due_at=LONG_AGO)
    at = [LONG_AGO - timedelta(seconds=number) for number in range(engine_status.MOST)]
    row = {"workspace_id": acme.id, "kind": "test", "payload": {}, "state": "open", "attempts": 0, "error": ""}
    with transaction() as current:
        current.execute(sa.insert(Job), [row | {"due_at": due, "created_at": NOW} for due in at])
    assert (look("job").due, look("job").oldest_due_at) == (engine_status.MOST, at[-1])


def test_other_work_is_due_late_running_or_failing(look: Look, acme: Workspace, rival: Workspace) -> None:
    """Deliveries, campaigns, sources, monitors, and a CRM each way."""
    hook, _ = endpoints.create(acme, name="Hook", url="https://hooks.example/in", event="every_reply", campaign_ids=[])
    row: dict[str, Any] = {"workspace_id": acme.id, "webhook_id": hook.id, "created_at": NOW}
    add(
        Delivery(due_at=JUST, **row),
        Delivery(due_at=LONG_AGO, claimed_until=SOON, **row),
        Delivery(due_at=None, **row),
        Delivery(state=DeliveryState.FAILED, done_at=JUST, **row),
    )
    people: dict[str, Any] = {"workspace_id": acme.id, "account_ids": [], "sequence": [], "timezone": "UTC"}
    people |= {"days": [1], "start_time": "09:00", "end_time": "17:00", "created_at": NOW, "list_id": None}
    add(
        Campaign(name="To begin", status=CampaignStatus.SCHEDULED, start_date=LONG_AGO, **people),
        Campaign(name="Later", status=CampaignStatus.SCHEDULED, start_date=SOON, **people),
        Campaign(name="To end", status=CampaignStatus.RUNNING, start_date=LONG_AGO, end_date=JUST, **people),
        Campaign(name="Broken", status=CampaignStatus.FAILED, **people),
        SourceConnection(workspace_id=acme.id, kind="analytics", created_at=NOW, due_at=LONG_AGO, failed_at=JUST),
        SourceConnection(workspace_id=acme.id, kind="payments", created_at=NOW, due_at=SOON),
        SourceConnection(workspace_id=rival.id, kind="payments", created_at=NOW, due_at=JUST, stage="customers"),
    )
    ours, theirs = (LeadList(workspace_id=one.id, name="People", created_at=NOW) for one in (acme, rival))
    add(ours, theirs)
    about = {"kind": "signal", "every": "day", "most_per_day": 5, "created_at": NOW}
    add(
        Monitor(workspace_id=acme.id, list_id=ours.id, name="Waits", due_at=LONG_AGO, **about),
        Monitor(workspace_id=acme.id, list_id=ours.id, name="Later", due_at=SOON, **about),
        Monitor(workspace_id=rival.id, list_id=theirs.id, name="Runs", due_at=JUST, claimed_until=SOON, **about),
        Monitor(workspace_id=rival.id, list_id=theirs.id, name="Fails", error="Refused.", **about),
    )
    for workspace, there in ((acme, {"due_at": LONG_AGO}), (rival, {"due_at": JUST, "claimed_until": SOON})):
        known = CrmConnection(workspace_id=workspace.id, service="hubspot", account="1", event_cursor=0, created_at=NOW)
        add(known)
        common = {"workspace_id": workspace.id, "connection_id": known.id}
        add(CrmFlow(**common, way="in", **there), CrmFlow(**common, way="out", error="Connect it again."))
    for queue in (
        Queue("delivery", due=1, running=1, failed=1, oldest_due_at=JUST),
        Queue("campaign", due=2, late=1, failed=1, oldest_due_at=LONG_AGO),
        Queue("source", due=1, late=1, running=1, failed=1, oldest_due_at=LONG_AGO),
        Queue("monitor", due=1, late=1, running=1, failed=1, oldest_due_at=LONG_AGO),
        Queue("crm_in", due=1, late=1, running=1, oldest_due_at=LONG_AGO),
        Queue("crm_out", failed=2),
    ):
        assert look(queue.kind) == queue


def test_alerts_wait_from_the_first_event_not_looked_at(look: Look, acme: Workspace) -> None:
    add(Setup(workspace_id=acme.id, alerts={"kind": "email"}, alerts_event=0, created_at=NOW))
    about = {"sequence": 1, "ref": "evt_1", "kind": "campaign_completed", "body": "{}", "created_at": LONG_AGO}
    add(Event(workspace_id=acme.id, **about))
    assert look("alert") == Queue("alert", due=1, late=1, oldest_due_at=LONG_AGO)
    quiet = {"start": "08:00", "end": "10:00"}
    with transaction() as current:
        current.execute(sa.update(Setup).values(alerts_quiet=quiet, alerts_problem="The mailbox is full."))
    session().expire_all()
    assert look("alert") == replace(Queue("alert"), failed=1)
    with transaction() as current:  # its body says nothing that a receiver could read
        current.execute(sa.delete(Event))


def test_rows_are_found_by_an_index(look: Look) -> None:
    """However many there are, only those that are due or failed lately are read."""
    if not is_sqlite():
        pytest.skip("Postgres chooses by the size of the tables")
    said: list[tuple[str, Any]] = []

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, *rest: Any) -> None:
        said.append((statement, parameters))

    sa.event.listen(db.engine, "before_cursor_execute", note)
    try:
        engine_status.queues(NOW)
        engine_status.open_intents()
    finally:
        sa.event.remove(db.engine, "before_cursor_execute", note)
    scanned = set()
    for statement, parameters in said:
        plan = session().connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        scanned |= {
            row.detail.split()[1] for row in plan if row.detail.startswith("SCAN") and "INDEX" not in row.detail
        }
    assert not scanned & {"job", "delivery", "action", "message", "campaign_lead", "event", "conversation"}
