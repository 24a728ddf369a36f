"""`kill -9` of the processes of a running campaign, fifty times: no action twice, none lost, every number right."""

import random
import sys
from pathlib import Path

from tests.kills.campaign import Ordeal


def test_campaigns_survive_kills_at_random_moments(url: str, tmp_path: Path, chance: random.Random, kills: int) -> None:
    """The web process with its scheduler, and a process that moves the clock, die at random moments."""
    ordeal = Ordeal(url, tmp_path, chance)
    ordeal.begin(people=400)
    killed = ordeal.kill(kills)
    verdict = ordeal.verdict(days=5)
    sys.stdout.write(f"killed {dict(killed)}; {verdict}\n")
    verdict.hold()
    assert verdict.acts > kills
