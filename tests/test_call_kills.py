"""A short version of tests/chaos/test_calls.py: three times `kill -9` of a server with requests under way."""

import random
from pathlib import Path

from app.core import migrations
from tests.chaos.calls import Siege


def test_it_works(tmp_path: Path) -> None:
    """Every request, repeated under its key until it is answered, has one effect."""
    url = f"sqlite:///{tmp_path / 'overture.db'}"
    migrations.upgrade(url)
    siege = Siege(url, tmp_path, random.Random())
    siege.prepare()
    siege.run(3)
    siege.hold()
    assert {call.kind for call in siege.answered} >= {"leads", "campaign", "signal", "enrich", "message", "import"}
