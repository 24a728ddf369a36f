"""Every kind of unit finds what is due, for both workspaces, and leaves out what is busy."""

from datetime import timedelta

import pytest
from flask import Flask

from app.core.claims import NONE_BUSY, Busy, Due
from app.core.clock import Movable
from app.core.db import transaction
from app.domain.engine import lifecycle, manual_send, turns
from app.domain.engine.inbound import poll
from app.domain.platform import jobs
from app.engines import once
from app.engines.units import QUEUES, UNITS, of_queues
from app.models.accounts import Account
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, the_account

pytestmark = pytest.mark.databases("both")


def test_nothing_is_due_in_an_empty_installation(app: Flask) -> None:
    """Each kind is asked as the engine asks it."""
    for kind in UNITS:
        assert kind.due(10, Busy([1, 2], [3])) == [], kind.name
        assert once.run_due(app, kind) == 0, kind.name


def test_a_kind_stands_in_one_queue_and_every_queue_has_some() -> None:
    assert len({kind.name for kind in UNITS}) == len(UNITS)
    assert sum((len(of_queues([queue])) for queue in QUEUES), 0) == len(UNITS)


def test_a_started_campaign_makes_its_sender_due_each_by_its_own_clock(
    acme: Workspace, rival: Workspace, clock: Movable
) -> None:
    """A sandbox's clock runs ahead, and a turn is due by it."""
    a_campaign(acme, ["accepts-anna"], [INVITE])
    while lifecycle.run_due():
        pass
    sender = the_account(acme)
    (mine,) = turns.due(10)
    assert mine == Due(sender.id, acme.id)
    assert turns.due(10, Busy([sender.id])) == []
    assert turns.due(10, Busy([], [acme.id])) == []
    with transaction() as current:
        current.get_one(Account, sender.id).turn_at = acme.now() + timedelta(hours=1)
    assert turns.due(10) == []
    with transaction() as current:
        current.get_one(Workspace, acme.id).clock_offset += 3600
    assert turns.due(10) == [mine]
    assert turns.run(sender.id) == 1
    assert turns.run(sender.id) == 0


def test_the_first_of_each_workspace_comes_before_the_second_of_any(acme: Workspace, rival: Workspace) -> None:
    with transaction():
        for number in range(5):
            jobs.add(acme, "enrichment", str(number))
        jobs.add(rival, "enrichment", "1")
    order = [due.workspace_id for due in jobs.due(10)]
    assert sorted(order[:2]) == sorted([acme.id, rival.id])
    assert order[2:] == [acme.id] * 4
    assert [due.workspace_id for due in jobs.due(10, urgent=True)] == []


def test_an_inbox_is_due_some_minutes_after_it_was_read(acme: Workspace, clock: Movable) -> None:
    sender = the_account(acme)
    clock.forward(minutes=6)
    assert Due(sender.id, acme.id) in poll.due(10)
    assert poll.run(sender.id) == 1
    assert Due(sender.id, acme.id) not in poll.due(10)
    assert poll.run(sender.id) == 0


def test_a_workspace_that_may_not_contact_people_has_no_message_due(acme: Workspace) -> None:
    assert manual_send.due(10, NONE_BUSY) == []
