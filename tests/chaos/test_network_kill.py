"""`kill -9` of a campaign over a real network, between what it does and hearing of it: nobody contacted twice."""

import random
import sys
from pathlib import Path

from app.core import migrations
from tests.chaos.network_kills import NetworkOrdeal


def test_it_works(tmp_path: Path, chance: random.Random, kills: int) -> None:
    """As often as is asked for, at one of the next deeds each time."""
    url = f"sqlite:///{tmp_path / 'overture.db'}"
    migrations.upgrade(url)
    ordeal = NetworkOrdeal(url, tmp_path, chance)
    ordeal.begin(people=max(10, kills))
    unheard = ordeal.run(kills, days=max(1.0, kills / 20))
    verdict = ordeal.verdict()
    sys.stdout.write(f"killed {kills} times, {unheard} of them unheard; {len(verdict.log)} deeds, {verdict.sent}\n")
    verdict.hold()
    assert unheard > 0
