"""A short version of tests/chaos/test_autopilot_kills.py: one `kill -9` while a business is being understood."""

import random
from pathlib import Path

from tests.kills.trials import Trial


def test_a_killed_setup_is_finished_by_the_next_worker(migrated: str, tmp_path: Path) -> None:
    """The next worker goes on: five kinds of customers, one version of each document, and no bar that hangs."""
    with Trial(migrated, tmp_path, random.Random()).begun() as trial:
        trial.reach("understanding")
        trial.kill("understanding", 1)
        trial.finish()
        trial.hold()
        assert trial.hit["understanding"] == 1
