"""A backup while a campaign writes, restored elsewhere and released: nobody is contacted twice."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import empty_postgres
from tests.kills.restored import RestoredOrdeal


@pytest.fixture
def elsewhere(url: str, tmp_path: Path) -> Iterator[str]:
    """An empty database of the same kind."""
    if url.startswith("sqlite"):
        yield f"sqlite:///{tmp_path / 'elsewhere.db'}"
    else:
        with empty_postgres() as made:
            yield made


@pytest.fixture
def ordeal(url: str, elsewhere: str, tmp_path: Path, chance: random.Random) -> Iterator[RestoredOrdeal]:
    """The network, the original and the place for its copy."""
    made = RestoredOrdeal(url, tmp_path, chance, elsewhere=elsewhere)
    yield made
    made.stop()


@pytest.mark.postgres
def test_a_restored_copy_contacts_no_one_twice(ordeal: RestoredOrdeal, chance: random.Random) -> None:
    """The original goes on after the backup; the copy sends nothing while held, and then only what was never sent."""
    ordeal.begin(people=24)
    at, gap = chance.uniform(0.02, 0.12), chance.uniform(0.04, 0.1)  # of the third of a day that all of it takes
    ordeal.back_up_at(at)
    ordeal.run(kills=0, days=at + 0.01)
    backed_up = ordeal.reached
    ordeal.run(kills=0, days=ordeal.days + gap)
    left = ordeal.reached
    ordeal.restore()
    ordeal.run(kills=0, days=ordeal.days + 0.3)
    assert ordeal.reached == left
    ordeal.release()
    ordeal.run(kills=0, days=ordeal.days + 2.5)
    verdict = ordeal.verdict()
    sys.stdout.write(f"{len(backed_up)} deeds by the backup, {len(left)} by the end, {len(verdict.log)} in all\n")
    assert len(backed_up) < len(left) < len(verdict.log)
    verdict.hold()
