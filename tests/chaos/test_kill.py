"""`kill -9` of the processes of a running campaign, fifty times: no action twice, none lost, every number right."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core import migrations
from tests.chaos.kills import Ordeal
from tests.databases import Templates, empty_postgres


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path, templates: Templates) -> Iterator[str]:
    """A migrated database on each kind that `--db` names."""
    if request.config.getoption("--db") not in (request.param, "both"):
        pytest.skip(f"Run with --db {request.param}.")
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'overture.db'}"
        migrations.upgrade(url)
        yield url
    else:
        with empty_postgres(templates) as url:
            migrations.upgrade(url)
            yield url


def test_it_works(url: str, tmp_path: Path, chance: random.Random, kills: int) -> None:
    """The web process with its scheduler, and a process that moves the clock, die at random moments."""
    ordeal = Ordeal(url, tmp_path, chance)
    ordeal.begin(people=400)
    killed = ordeal.kill(kills)
    verdict = ordeal.verdict(days=5)
    sys.stdout.write(f"killed {dict(killed)}; {verdict}\n")
    verdict.hold()
    assert verdict.acts > kills
