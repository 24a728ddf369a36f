"""T4: whole steps a second with many people waiting, beside the raw limit of a claim and its record in batches."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.core import clock
from app.core.db import session
from app.domain.engine import turns
from app.models.ledger import Action, ActionState
from tests.bench import engine_stock, raw, stock
from tests.bench.engine_stock import AT, MESSAGES, VISITS, Engine
from tests.bench.measure import Report, Target, in_turn, rate

ROUNDS_A_TURN = 3


@pytest.fixture
def time_stands() -> Iterator[clock.Movable]:
    """A clock that moves only between rounds."""
    movable = clock.Movable(AT)
    clock.use(movable)
    yield movable
    clock.use(None)


class Ours:
    """The engine on one database: every round, each sender takes a turn."""

    def __init__(self, engine: Engine, time: clock.Movable) -> None:
        self._engine, self._time, self._at = engine, time, AT
        self.steps = 0

    def run(self) -> float:
        """Steps a second over a few rounds."""
        with self._engine.app.app_context():
            self._time.to(self._at)
            before = self._done()
            share = 0.0
            for _ in range(ROUNDS_A_TURN):
                share += 1 / rate(1, lambda: turns.run_due(self._engine.senders))
                self._time.forward(minutes=10)
            self._at = self._time.at
            done = self._done() - before
            self.steps += done
            return done / share

    @staticmethod
    def _done() -> int:
        count = session().scalar(sa.select(sa.func.count()).where(Action.state == ActionState.SENT))
        session().commit()
        return count or 0


@pytest.mark.parametrize("sequence", [VISITS, MESSAGES], ids=["visits", "messages"])
def test_steps(
    tmp_path: Path,
    time_stands: clock.Movable,
    report: Report,
    rounds: int,
    quick: bool,
    sequence: list[dict[str, object]],
) -> None:
    """A thousand senders in one process; ten times the people, and a hundred times, must not matter."""
    senders = 50 if quick else 1000
    sizes = {"10 k": 1_000, "100 k": 5_000} if quick else {"10 k": 10_000, "100 k": 100_000, "1 M": 1_000_000}
    engines = {
        name: engine_stock.engine(tmp_path, waiting=size, senders=senders, sequence=sequence)
        for name, size in sizes.items()
    }
    connection = stock.connect(tmp_path / "raw.db")
    limit = raw.Steps(connection, sizes["100 k"])
    ours = {name: Ours(engine, time_stands) for name, engine in engines.items()}
    ways = {name: each.run for name, each in ours.items()}
    figures = in_turn(
        3 if quick else min(rounds, 5),
        **ways,
        raw=lambda: rate(ROUNDS_A_TURN * senders, lambda: limit.run(ROUNDS_A_TURN, senders)),
    )
    assert all(each.steps > senders * 3 for each in ours.values()), {name: each.steps for name, each in ours.items()}
    connection.close()
    for engine in engines.values():
        engine.close()
    largest = list(sizes)[-1]
    targets = [
        Target("steps a second", figures["100 k"], least=5000),
        Target("share of the raw limit", figures["100 k"] / figures["raw"], least=0.15),
        Target(f"growth from 10 k to {largest}", figures["10 k"] / figures[largest], most=1.3),
    ]
    title = f"whole steps ({sequence[-1]['type']}), {senders:,} senders, by people waiting (peers: not installed)"
    report.add("T4", title, figures, "steps/s", targets)
