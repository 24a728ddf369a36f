"""`kill -9` of a campaign over a real network, between what it does and hearing of it: no one contacted twice."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kills.network import NetworkOrdeal


@pytest.fixture
def ordeal(url: str, tmp_path: Path, chance: random.Random) -> Iterator[NetworkOrdeal]:
    """The network, and a database."""
    made = NetworkOrdeal(url, tmp_path, chance)
    yield made
    made.stop()


def test_campaigns_on_a_real_network_survive_kills(ordeal: NetworkOrdeal, kills: int) -> None:
    """As often as is asked for, at one of the next actions each time."""
    ordeal.begin(people=max(10, kills))
    died = ordeal.run(kills, days=max(1.0, kills / 20))
    verdict = ordeal.verdict()
    sys.stdout.write(f"killed {kills} times, after {dict(died)}; {len(verdict.log)} actions, {verdict.sent}\n")
    verdict.hold()
    assert died["action"] > 0
