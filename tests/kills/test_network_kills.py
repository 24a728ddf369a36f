"""A short version of tests/chaos/test_network_kill.py: twice `kill -9` between an action and its answer."""

import random
from pathlib import Path

from tests.kills.network import NetworkOrdeal


def test_a_killed_worker_contacts_no_one_twice_on_a_real_network(migrated: str, tmp_path: Path) -> None:
    """No one contacted twice by the network's own log, nothing lost, everything settled."""
    ordeal = NetworkOrdeal(migrated, tmp_path, random.Random())
    ordeal.begin(people=4, others="ignores")
    assert ordeal.run(kills=2, days=0.1).total() == 2
    verdict = ordeal.verdict()
    verdict.hold()
    assert len(verdict.log) == 6
