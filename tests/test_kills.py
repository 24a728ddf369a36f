"""A short version of tests/chaos/test_kill.py: twice `kill -9` of a running campaign."""

import random
from pathlib import Path

from tests.chaos.kills import Ordeal


def test_a_killed_worker_loses_and_repeats_no_action(migrated: str, tmp_path: Path) -> None:
    """No action twice, none lost, every number right."""
    ordeal = Ordeal(migrated, tmp_path, random.Random())
    ordeal.begin(people=30)
    assert ordeal.kill(2).total() >= 2
    ordeal.verdict(days=1).hold()
