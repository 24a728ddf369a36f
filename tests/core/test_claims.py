"""Claims: each row to one worker, the earliest first, and back again when the worker dies."""

import threading
from datetime import timedelta

import pytest
from flask import Flask

from app.core.claims import claim
from app.core.db import transaction
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres

LEASE = timedelta(minutes=1)


def waiting(workspace: Workspace, count: int) -> None:
    at = workspace.now()
    with transaction() as current:
        current.add_all(
            Job(workspace_id=workspace.id, kind="none", open_key=None, due_at=at + timedelta(seconds=n), created_at=at)
            for n in range(count)
        )


def take(at: object, limit: int = 10) -> list[int]:
    return claim(Job, Job.due_at, at, limit=limit, lease=LEASE)  # type: ignore[arg-type]


def test_the_earliest_rows_are_taken_first_and_each_once(acme: Workspace, clock: Movable) -> None:
    """No more than asked for, not what is not due, and again when the lease has passed."""
    waiting(acme, 25)
    clock.forward(seconds=4)
    taken = [take(clock.at)]
    clock.forward(seconds=55)
    taken += [take(clock.at) for _ in range(3)]
    assert [len(some) for some in taken] == [5, 10, 10, 0]
    flat = [row_id for some in taken for row_id in some]
    assert flat == sorted(set(flat))
    clock.forward(seconds=4)
    assert take(clock.at) == []
    clock.forward(seconds=1)
    assert take(clock.at) == flat[:5]
    clock.forward(seconds=55)
    assert len(take(clock.at, 99)) == 20


def test_many_workers_never_get_the_same_row(app: Flask, acme: Workspace, clock: Movable) -> None:
    limit = 7
    waiting(acme, 120)
    clock.forward(minutes=5)
    taken: list[int] = []

    def work() -> None:
        with app.app_context():
            misses = 0
            while misses < 3:  # a row that another one holds is passed over, so an empty hand once is no end
                some = take(clock.at, limit)
                misses = 0 if some else misses + 1
                assert len(some) <= limit
                taken.extend(some)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken += take(clock.at, 200)
    assert len(taken) == len(set(taken)) == 120
