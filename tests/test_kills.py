"""A short version of tests/chaos/test_kill.py: three times `kill -9` of a running campaign."""

import random
from pathlib import Path

from app.core import migrations
from tests.chaos.kills import Ordeal


def test_it_works(tmp_path: Path) -> None:
    """No action twice, none lost, every number right."""
    url = f"sqlite:///{tmp_path / 'overture.db'}"
    migrations.upgrade(url)
    ordeal = Ordeal(url, tmp_path, random.Random())
    ordeal.begin(people=30)
    assert ordeal.kill(3).total() >= 3
    ordeal.verdict(days=1).hold()
