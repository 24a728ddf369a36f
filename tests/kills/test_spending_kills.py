"""`kill -9` of a process that spends credits: none is lost, and none is charged twice."""

import random
import signal
import sys
import time
from pathlib import Path

import pytest

from app import create_app
from app.core import clock
from app.core.db import db, end_read
from app.domain.billing import credits
from app.domain.workspace import workspaces
from tests.conftest import PASSWORD
from tests.support import processes, spending
from tests.support.movable import Movable
from tests.support.processes import Running
from tests.support.size import sized

ROOT = Path(__file__).parents[2]


@pytest.mark.postgres
def test_credits_add_up_whenever_the_process_that_spends_dies(url: str, tmp_path: Path, chance: random.Random) -> None:
    """What was held when it died is free again a day later; what was paid has its answer."""
    settings = {"OVERTURE_INSTANCE": str(tmp_path), "OVERTURE_LOG_LEVEL": "error"}
    app = create_app(DATABASE_URL=url, SECRET_KEY=processes.SECRET, **settings)
    with app.app_context():
        made = workspaces.create("Acme", "ada@acme.example", PASSWORD, sandbox=True)
        end_read()
    env = processes.environment(url, tmp_path, PYTHONPATH=str(ROOT), OVERTURE_LOG_LEVEL="error")
    kills = sized(15)
    for number in range(kills):
        with Running(env, sys.executable, "-m", "tests.kills.spender", str(made.id), str(number)) as process:
            time.sleep(chance.uniform(0, 0.6))
            process.signal(signal.SIGKILL)
            assert process.ended() == -signal.SIGKILL, process.output
    calm = Movable(clock.now())
    calm.forward(hours=25)
    clock.use(calm)
    try:
        with app.app_context():
            spending.check()
            assert credits.balance(made).held >= kills
            while credits.expire_due():
                pass
            assert credits.balance(made).held == 0
            spending.check()
            end_read()
            db.session.remove()
            db.engine.dispose()
    finally:
        clock.use(None)
