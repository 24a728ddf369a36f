"""A short version of tests/chaos/test_calls.py: twice `kill -9` of a server with requests under way."""

import random
from pathlib import Path

from tests.kills.calls import Siege


def test_a_call_repeated_through_kills_has_one_effect(migrated: str, tmp_path: Path) -> None:
    """Every request, repeated under its key until it is answered, has one effect."""
    siege = Siege(migrated, tmp_path, random.Random())
    siege.prepare()
    siege.run(2)
    siege.hold()
    assert {call.kind for call in siege.answered} >= {"leads", "campaign", "signal", "enrich", "message", "import"}
