"""A minute of mixed spending by sixteen threads, and a spender that is killed fifty times."""

import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from app import create_app
from app.core import clock
from app.core.db import db, end_read
from app.domain.billing import credits
from app.domain.workspace import workspaces
from tests.conftest import PASSWORD
from tests.support import processes, spending
from tests.support.processes import Running

ROOT = Path(__file__).parents[2]
SECONDS = 60.0


@pytest.fixture
def app(url: str, tmp_path: Path) -> Iterator[Flask]:
    """The application on it, for sixteen threads."""
    settings = {"OVERTURE_INSTANCE": str(tmp_path), "OVERTURE_LOG_LEVEL": "error", "OVERTURE_THREADS": 16}
    app = create_app(DATABASE_URL=url, SECRET_KEY=processes.SECRET, **settings)
    yield app
    with app.app_context():
        db.session.remove()
        db.engine.dispose()


def test_the_ledger_equals_the_balance_whatever_is_spent_at_once(app: Flask, chance: random.Random) -> None:
    """Ledger equals balance, never negative, nothing resolved twice."""
    with app.app_context():
        made = [workspaces.create(name, f"ada@{name}.example", PASSWORD, sandbox=True).id for name in ("acme", "rival")]
        end_read()
    crowd = spending.Crowd(app, made, seed=chance.randrange(10**6))
    crowd.spend(threads=16, seconds=SECONDS)
    sys.stdout.write(f"{dict(crowd.done)}\n")
    with app.app_context():
        spending.check()


def test_kills(app: Flask, url: str, tmp_path: Path, chance: random.Random, kills: int) -> None:
    """No credit is lost and none is charged twice, whenever the process dies."""
    with app.app_context():
        made = workspaces.create("Acme", "ada@acme.example", PASSWORD, sandbox=True)
        end_read()
    env = processes.environment(url, tmp_path, PYTHONPATH=str(ROOT), OVERTURE_LOG_LEVEL="error")
    for number in range(kills):
        process = Running(env, sys.executable, "-m", "tests.chaos.spender", str(made.id), str(number))
        time.sleep(chance.uniform(0, 0.6))
        process.signal(signal.SIGKILL)
        assert process.ended() == -signal.SIGKILL, process.output
        process.close()
    calm = clock.Movable(clock.now())
    calm.forward(hours=25)
    clock.use(calm)
    try:
        with app.app_context():
            spending.check()
            while credits.expire_due():
                pass
            assert credits.balance(made).held == 0
            spending.check()
            end_read()
    finally:
        clock.use(None)
