"""Which processes run the engine, and which one would take over."""

import pytest
from flask import Flask

from app.core.db import end_read
from app.domain.installation import engine_processes
from app.domain.installation.engine_processes import LEASE
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres


def states() -> list[str]:
    found = [one.state for one in engine_processes.every()]
    end_read()
    return found


def test_the_first_process_is_active_and_the_others_stand_by(app: Flask) -> None:
    """The doctor says so."""
    assert "nothing is sent" in engine_processes.sentence()
    end_read()
    first, second = (engine_processes.join(command, "embedded") for command in ("serve", "worker"))
    assert (engine_processes.beat(first), engine_processes.beat(second)) == (True, False)
    assert states() == ["active", "standby"]
    assert engine_processes.sentence().endswith("; 1 standing by.")
    end_read()


def test_a_seat_goes_to_the_next_when_its_lease_ends_or_its_holder_leaves(app: Flask, clock: Movable) -> None:
    """A process that was forgotten meanwhile is told so."""
    first, second = (engine_processes.join("serve", "embedded") for _ in range(2))
    engine_processes.beat(first)
    clock.forward(seconds=LEASE.seconds - 1)
    assert engine_processes.beat(second) is False
    clock.forward(seconds=2)
    assert engine_processes.beat(second) is True
    assert states() == ["active", "gone"]
    assert engine_processes.beat(first) is False
    engine_processes.leave(second)
    assert engine_processes.beat(first) is True
    assert states() == ["active"]
    clock.forward(seconds=engine_processes.FORGOTTEN.total_seconds() + 60)
    engine_processes.join("serve", "embedded")
    assert engine_processes.beat(first) is None


def test_every_worker_of_a_distributed_engine_is_active(app: Flask) -> None:
    """One of them has the seat of the pulse; all of them work."""
    for process in [engine_processes.join("worker", "procrastinate") for _ in range(2)]:
        engine_processes.beat(process)
    assert states() == ["active", "active"]
