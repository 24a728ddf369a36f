"""`kill -9` of a server that is asked all the time, fifty times: every request under a key has one effect."""

import random
import sys
from pathlib import Path

from tests.kills.calls import Siege


def test_calls_repeated_through_kills_have_one_effect(
    url: str, tmp_path: Path, chance: random.Random, kills: int
) -> None:
    """Leads, campaigns, signals, look-ups, messages and files, repeated until each is answered."""
    siege = Siege(url, tmp_path, chance)
    siege.prepare()
    siege.run(kills)
    siege.hold()
    sys.stdout.write(f"answered {len(siege.answered)} after {siege.tries}\n")
    assert siege.tries.total() > len(siege.answered)
