"""T4: what a live turn costs with many people waiting, beside turns written plainly, and how long a thousand take."""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.core import clock
from app.core.db import session
from app.domain.engine import turns
from app.models.ledger import Action, ActionState
from tests.bench import engine_stock
from tests.bench.engine_stock import AT, MESSAGES, VISITS, Engine
from tests.bench.measure import Report, Target, in_turn, seconds
from tests.bench.plain_turns import Turns

ROUNDS_A_TURN = 3
BETWEEN = timedelta(minutes=10)


@pytest.fixture
def time_stands() -> Iterator[clock.Movable]:
    """A clock that moves only between rounds."""
    movable = clock.Movable(AT)
    clock.use(movable)
    yield movable
    clock.use(None)


class Ours:
    """The engine on one database: every round, each sender takes a turn, in batches as in the scheduler."""

    def __init__(self, engine: Engine, time: clock.Movable) -> None:
        self._engine, self._time, self._at = engine, time, AT
        self.turns, self.served = 0, list[float]()

    def run(self) -> float:
        """Milliseconds of processor time of one turn, over a few rounds."""
        with self._engine.app.app_context():
            self._time.to(self._at)
            before, spent = self._done(), 0.0
            for _ in range(ROUNDS_A_TURN):
                spent += _processor(self._round)
                self._time.forward(minutes=BETWEEN.seconds // 60)
            self._at = self._time.at
            done = self._done() - before
            self.turns += done
            return spent * 1000 / done

    def _round(self) -> None:
        self.served.append(seconds(lambda: _until_none(turns.run_due)))

    @staticmethod
    def _done() -> int:
        count = session().scalar(sa.select(sa.func.count()).where(Action.state == ActionState.SENT))
        session().commit()
        return count or 0


class Plain:
    """The plain turns, round by round."""

    def __init__(self, turns: Turns) -> None:
        self._turns, self._at = turns, AT.replace(tzinfo=None)

    def run(self) -> float:
        """Milliseconds of processor time of one turn, over a few rounds."""
        done, spent = 0, 0.0

        def round_() -> None:
            nonlocal done
            done += _until_none(lambda: self._turns.run_due(self._at, lambda person: None))

        for _ in range(ROUNDS_A_TURN):
            spent += _processor(round_)
            self._at += BETWEEN
        return spent * 1000 / done


def _until_none(run_due: Callable[[], int]) -> int:
    done = 0
    while more := run_due():
        done += more
    return done


def _processor(work: Callable[[], object]) -> float:
    """Seconds of processor time, which what else the machine does hardly changes."""
    began = time.process_time()
    work()
    return time.process_time() - began


@pytest.mark.parametrize("sequence", [VISITS, MESSAGES], ids=["visits", "messages"])
def test_turns(
    tmp_path: Path,
    time_stands: clock.Movable,
    report: Report,
    rounds: int,
    quick: bool,
    sequence: list[dict[str, object]],
) -> None:
    """A thousand senders due at the same moment in one process; a hundred times the people must not matter."""
    senders = 50 if quick else 1000
    sizes = {"10 k": 1_000, "1 M": 5_000} if quick else {"10 k": 10_000, "1 M": 1_000_000}
    engines = {
        name: engine_stock.engine(tmp_path, waiting=size, senders=senders, sequence=sequence)
        for name, size in sizes.items()
    }
    ours = {name: Ours(engine, time_stands) for name, engine in engines.items()}
    beside = Turns(tmp_path / "plain.db", waiting=sizes["10 k"], senders=senders, at=AT.replace(tzinfo=None))
    ways = {name: each.run for name, each in ours.items()}
    figures = in_turn(min(rounds, 3), **ways, plain=Plain(beside).run)
    assert all(each.turns > senders * 3 for each in ours.values()), {name: each.turns for name, each in ours.items()}
    beside.close()
    for engine in engines.values():
        engine.close()
    targets = [
        Target("ms of processor time a turn", figures["1 M"], most=5),
        Target("growth from 10 k to 1 M waiting", figures["1 M"] / figures["10 k"], most=1.3),
        Target(f"seconds until {senders:,} senders due at once were served", max(ours["1 M"].served), most=30),
    ]
    title = f"a live turn ({sequence[-1]['type']}), {senders:,} senders, by people waiting"
    report.add("T4", title, figures, "ms of processor time", targets)
