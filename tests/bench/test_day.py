"""T13: one day of a thousand workspaces on Postgres; `--day 0.1` makes it a tenth of that."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core import migrations
from tests.bench import day
from tests.bench.engine_stock import MIDNIGHT, Size, fill
from tests.bench.measure import Report, Target, seconds
from tests.postgres import Server, create_database

WHOLE = 1000  # workspaces


class Measured(Server):
    """A server of our own, as durable as a live one, that counts its statements."""

    settings = (
        "max_connections=100",
        "timezone=UTC",
        "shared_buffers=512MB",
        "max_wal_size=4GB",
        "shared_preload_libraries=pg_stat_statements",
    )


@pytest.fixture
def url() -> Iterator[str]:
    """A migrated database on it."""
    server = Measured()
    made = create_database(server.url)
    migrations.upgrade(made)
    yield made
    server.stop()


def test_one_day(url: str, tmp_path: Path, report: Report, quick: bool, pytestconfig: pytest.Config) -> None:
    """Every sender works through its day, every inbox is read every five minutes."""
    share = 0.005 if quick else float(pytestconfig.getoption("--day"))
    size = Size(max(1, round(WHOLE * share)))
    filled = seconds(lambda: fill(url, size))
    day.begin_to_count(url)
    passing = day.Day(url, tmp_path, MIDNIGHT, report.say)
    took = passing.run()
    turns = passing.units["turn"]
    assert turns > size.senders * 10, passing.units
    slow = day.slowest(url)
    people = size.senders * size.people
    title = f"one day of {size.groups:,} workspaces, {size.senders:,} senders, {people:,} campaign leads"
    figures = {"filled in": filled, "passed in": took}
    targets = [
        Target("minutes for the whole size", took / 60 / share, most=20),
        Target("ms of the slowest statement", slow[0][0], most=100),
    ]
    report.add("T13", title, figures, "s", targets)
    for name, units in passing.units.most_common():
        each = passing.processor[name] * 1000 / max(1, units)
        report.say(f"      {units:>9,} {name}, {each:.2f} ms of processor time each")
    report.say(f"      {passing.looks:.1f} s in looks for what is due")
    for longest, mean, calls, query in slow:
        report.say(f"      {longest:,.0f} ms at most, {mean:,.1f} ms of {calls:,}: {' '.join(query.split())[:150]}")
