"""`kill -9` of a server that is asked all the time, fifty times: every request under a key has one effect."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core import migrations
from tests.chaos.calls import Siege
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
    """Leads, campaigns, signals, look-ups, messages and files, repeated until each is answered."""
    siege = Siege(url, tmp_path, chance)
    siege.prepare()
    siege.run(kills)
    siege.hold()
    sys.stdout.write(f"answered {len(siege.answered)} after {siege.tries}\n")
    assert siege.tries.total() > len(siege.answered)
