"""How hard the disturbances are."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core import migrations
from tests.databases import empty_postgres
from tests.support.templates import Templates


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--kills` and `--seed`; the seed of a run is printed, and repeats it as far as chance is ours."""
    parser.addoption("--kills", type=int, default=50, help="how often the process is killed")
    parser.addoption("--seed", type=int, default=None, help="the seed of a former run")


@pytest.fixture
def kills(pytestconfig: pytest.Config) -> int:
    """How often the process is killed."""
    return int(pytestconfig.getoption("--kills"))


@pytest.fixture
def chance(pytestconfig: pytest.Config) -> random.Random:
    """Where chance comes from; its seed is printed."""
    seed = pytestconfig.getoption("--seed")
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    sys.stdout.write(f"\nseed {seed}\n")
    return random.Random(seed)


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
