"""Every kind of unit finds what is due, for both workspaces, and leaves out what is busy."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.claims import NONE_BUSY, Busy, Due
from app.core.clock import now
from app.core.db import transaction
from app.domain.engine import lifecycle, turns
from app.domain.engine.inbound import poll
from app.domain.platform import jobs, restore_hold
from app.domain.platform.restore_hold import Reach
from app.engines import once
from app.engines.units import UNITS, UnitKind, held
from app.engines.upkeep import UPKEEP, Upkeep
from app.models.accounts import Account
from app.models.platform.installation import Restore
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, the_account
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres


def test_nothing_is_due_in_an_empty_installation(app: Flask) -> None:
    """Each kind is asked as the engine asks it."""
    for kind in UNITS:
        assert kind.due(10, Busy([1, 2], [3])) == [], kind.name
        assert once.run_due(app, kind) == 0, kind.name


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


def test_a_held_copy_does_nothing_outside(acme: Workspace, clock: Movable) -> None:
    """Until it is released; people wait some minutes more, and what stays inside never waits, nor does its upkeep."""
    kinds = [held(UnitKind(each, one_due, run_it, 1, 1, "turns", each, reach=each)) for each in Reach]
    tasks = [Upkeep(str(each), lambda: 1, 1, each) for each in (Reach.INSIDE, Reach.OUTSIDE)]
    with transaction() as current:
        current.execute(sa.insert(Restore).values(**restore_hold.enter(now(), now())))

    def done() -> list[str]:
        found = [kind.name for kind in kinds if kind.due(10, NONE_BUSY)]
        assert found == [kind.name for kind in kinds if kind.run(1)]
        return found

    assert done() == [Reach.INSIDE]
    assert [task.run() for task in tasks] == [1, 0]
    restore_hold.release("a test")
    assert done() == [Reach.INSIDE, Reach.OUTSIDE]
    clock.forward(minutes=restore_hold.LISTEN / timedelta(minutes=1))
    assert done() == [Reach.INSIDE, Reach.OUTSIDE, Reach.PEOPLE]


def one_due(most: int, busy: Busy) -> list[Due]:
    return [Due(1, 1)]


def run_it(key: int) -> int:
    return 1


def test_whatever_contacts_people_or_calls_the_outside_is_marked() -> None:
    """Every unit reaches outside; of the upkeep, these stay inside."""
    assert {kind.name for kind in UNITS if kind.reach == Reach.PEOPLE} == {"turn", "message"}
    assert {kind.reach for kind in UNITS} == {Reach.PEOPLE, Reach.OUTSIDE}
    assert {task.name for task in UPKEEP if task.reach != Reach.INSIDE} == {
        "hopeless campaigns",
        "overdue subscriptions",
    }
