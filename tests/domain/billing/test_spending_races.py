"""Sixteen threads in one purse, and a process that is killed with its hand in it."""

import signal
import sys
from pathlib import Path

import pytest
from flask import Flask

from app import create_app
from app.core import clock as time
from app.core.db import db, end_read
from app.domain.billing import credits
from app.domain.workspace import workspaces
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.support import processes, spending
from tests.support.processes import Running

pytestmark = pytest.mark.postgres

ROOT = Path(__file__).parents[3]


def test_credits_spent_from_many_threads_add_up(app: Flask, acme: Workspace, rival: Workspace) -> None:
    """Mixed spending by sixteen at once: every sum is right, at the end and at every moment before."""
    crowd = spending.Crowd(app, [acme.id, rival.id], seed=7, turns=12)
    end_read()
    crowd.spend(threads=16)
    assert crowd.done.total() == 16 * 12
    assert {"hold", "capture", "signal"} <= set(crowd.done)
    spending.check()


def test_a_kill_between_hold_and_capture_costs_nothing(migrated: str, tmp_path: Path) -> None:
    """What was held when the process died is free again a day later; what was paid has its answer."""
    settings = {"OVERTURE_INSTANCE": str(tmp_path), "OVERTURE_LOG_LEVEL": "error"}
    app = create_app(DATABASE_URL=migrated, SECRET_KEY=processes.SECRET, **settings)
    with app.app_context():
        made = workspaces.create("Acme", "ada@acme.example", PASSWORD, sandbox=True)
        end_read()
    env = processes.environment(migrated, tmp_path, PYTHONPATH=str(ROOT), OVERTURE_LOG_LEVEL="error")
    for number in range(2):
        process = Running(env, sys.executable, "-m", "tests.chaos.spender", str(made.id), str(number), quick=True)
        assert process.ready == "looking up"
        process.signal(signal.SIGKILL)
        process.ended()
        process.close()
    calm = time.Movable(time.now())
    calm.forward(hours=25)
    time.use(calm)
    try:
        with app.app_context():
            spending.check()
            assert credits.balance(made).held >= 4
            assert credits.expire_due() >= 2
            assert credits.balance(made).held == 0
            spending.check()
            end_read()
            db.engine.dispose()
    finally:
        time.use(None)
