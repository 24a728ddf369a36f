"""`kill -9` of a server that is asked all the time: every request under a key has one effect."""

import random
import sys
from pathlib import Path

import pytest

from tests.kills.calls import Siege
from tests.support.size import sized


@pytest.mark.postgres
def test_calls_repeated_through_kills_have_one_effect(url: str, tmp_path: Path, chance: random.Random) -> None:
    """Leads, campaigns, signals, look-ups, messages and files, repeated under their keys until each is answered."""
    siege = Siege(url, tmp_path, chance)
    siege.prepare()
    siege.run(sized(10))
    siege.hold()
    sys.stdout.write(f"answered {len(siege.answered)} after {siege.tries}\n")
    assert siege.tries.total() > len(siege.answered)
    assert {call.kind for call in siege.answered} >= {"leads", "campaign", "signal", "enrich", "message", "import"}
