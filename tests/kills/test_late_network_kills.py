"""A short version of tests/chaos/test_late_network.py: a few kills and suspends while answers come late."""

import random
from pathlib import Path

from tests.kills.late_network import LateOrdeal


def test_a_suspended_worker_repeats_nothing_that_was_done_late(migrated: str, tmp_path: Path) -> None:
    """It wakes beside the one that took over; the network did some of it after everyone had stopped to wait."""
    ordeal = LateOrdeal(migrated, tmp_path, random.Random(), senders=1)
    try:
        ordeal.begin(people=4)
        assert ordeal.run(kills=3, days=1).total() == 3
        ordeal.books().hold()
    finally:
        ordeal.stop()
