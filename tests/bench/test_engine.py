"""T4 and T7: what a live turn costs and how long statistics take, with few people waiting and with many."""

import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import db, end_read, session
from app.domain.campaigns import campaigns
from app.domain.engine import turns
from app.domain.workspace import workspaces
from app.models.campaigns import Campaign
from app.models.ledger import Action, ActionState
from tests.bench import engine_stock, stock
from tests.bench.engine_stock import MIDNIGHT, Size
from tests.bench.measure import Report, Target, in_turn, seconds
from tests.support.movable import Movable

BEGINS = MIDNIGHT + timedelta(hours=10)  # everyone works
ROUNDS_A_TURN = 3


@pytest.fixture(scope="module")
def sizes(quick: bool) -> dict[str, Size]:
    """Twenty campaigns of fifty senders each; a hundred times the people must not matter."""
    people = {"10 k": 20, "1 M": 100} if quick else {"10 k": 10, "1 M": 1000}
    campaigns = 2 if quick else 20
    return {name: Size(campaigns, 50, 0, people=each, at_once=True) for name, each in people.items()}


@pytest.fixture(scope="module")
def engines(sizes: dict[str, Size], tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Flask]]:
    """The application on each of them."""
    folder = tmp_path_factory.mktemp("engines")
    made = {name: stock.empty(folder / f"{size.people}.db") for name, size in sizes.items()}
    for name, size in sizes.items():
        engine_stock.fill(made[name].config["DATABASE_URL"], size)
    engine_stock.connect_nothing()
    yield made
    stock.let_go(*made.values())


def test_statistics(engines: dict[str, Flask], sizes: dict[str, Size], report: Report, rounds: int) -> None:
    """A page of campaigns with their counters, with few people and with many."""

    def milliseconds(name: str) -> float:
        with engines[name].app_context():
            workspace = workspaces.get(1)
            page = campaigns.page(workspace).order_by(Campaign.id.desc()).limit(25)

            def look() -> None:
                found = db.session.scalars(page).all()
                assert len(campaigns.stats(workspace, [campaign.id for campaign in found])) == sizes[name].groups
                end_read()

            look()
            return seconds(lambda: [look() for _ in range(20)]) / 20 * 1000

    figures = in_turn(rounds, few=lambda: milliseconds("10 k"), many=lambda: milliseconds("1 M"))
    targets = [Target("ms", figures["many"], most=5), Target("growth", figures["many"] / figures["few"], most=1.5)]
    title = f"a page of {sizes['1 M'].groups} campaigns with their counters, few people and many"
    report.add("T7", title, figures, "ms", targets)


class Rounds:
    """The engine on one database: every round, each sender takes a turn, in batches as in the scheduler."""

    def __init__(self, app: Flask, clock: Movable) -> None:
        self._app, self._clock, self._at = app, clock, BEGINS
        self.turns, self.served = 0, list[float]()

    def run(self) -> float:
        """Milliseconds of processor time of one turn, over a few rounds."""
        with self._app.app_context():
            self._clock.to(self._at)
            before, spent = _done(), time.process_time()
            for _ in range(ROUNDS_A_TURN):
                self.served.append(seconds(_until_none))
                self._clock.forward(minutes=10)
            spent = time.process_time() - spent
            done, self._at = _done() - before, self._clock.at
            self.turns += done
            return spent * 1000 / done


def _until_none() -> None:
    while turns.run_due():
        pass


def _done() -> int:
    count = session().scalar(sa.select(sa.func.count()).where(Action.state == ActionState.SENT))
    session().commit()
    return count or 0


def test_turns(engines: dict[str, Flask], sizes: dict[str, Size], clock: Movable, report: Report, rounds: int) -> None:
    """A thousand senders due at the same moment in one process; each sends a message."""
    senders = sizes["1 M"].senders
    ours = {name: Rounds(app, clock) for name, app in engines.items()}
    figures = in_turn(min(rounds, 3), **{name: each.run for name, each in ours.items()})
    assert all(each.turns > senders * 3 for each in ours.values()), {name: each.turns for name, each in ours.items()}
    targets = [
        Target("ms of processor time a turn", figures["1 M"], most=5),
        Target("growth from 10 k to 1 M waiting", figures["1 M"] / figures["10 k"], most=1.3),
        Target(f"seconds until {senders:,} senders due at once were served", max(ours["1 M"].served), most=30),
    ]
    title = f"a live turn (message), {senders:,} senders, by people waiting"
    report.add("T4", title, figures, "ms of processor time", targets)
