"""Text from outside meets only patterns whose time grows with its length: all of them are pumped."""

import json
import subprocess
import sys

from tests.house.ours import ROOT


def test_no_pattern_takes_far_longer_on_a_text_that_is_a_little_longer() -> None:
    """Or a message of some thousand spaces freezes the server; each is tried as it is called."""
    pumped = subprocess.run(
        [sys.executable, ROOT / "tests/house/pumped.py"], capture_output=True, text=True, check=True, timeout=900
    )
    *grown, number = map(json.loads, pumped.stdout.splitlines())
    assert number > 500
    assert grown == []
