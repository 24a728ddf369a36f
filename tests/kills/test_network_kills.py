"""`kill -9` of campaigns over a real network, between what they do and hearing of it."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kills.network import NetworkOrdeal
from tests.support.size import sized

pytestmark = pytest.mark.postgres


@pytest.fixture
def ordeal(url: str, tmp_path: Path, chance: random.Random) -> Iterator[NetworkOrdeal]:
    """The network, and a database."""
    made = NetworkOrdeal(url, tmp_path, chance)
    yield made
    made.stop()


def test_a_killed_worker_contacts_no_one_twice_on_a_real_network(ordeal: NetworkOrdeal) -> None:
    """By the network's own log nothing is done twice; nothing is lost, and everything is settled."""
    kills = sized(20)
    ordeal.begin(people=kills)
    died = ordeal.run(kills, days=max(1.0, kills / 20))
    verdict = ordeal.verdict()
    sys.stdout.write(f"killed {kills} times, after {dict(died)}; {len(verdict.log)} actions, {verdict.sent}\n")
    verdict.hold()
    assert died["action"] > 0
