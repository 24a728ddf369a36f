"""Text from outside meets only patterns whose time grows with its length: all of them are pumped."""

import csv
import json
import subprocess
import sys
from pathlib import Path

from tests.house.ours import ROOT, text

KNOWN = Path(__file__).with_name("short_texts.csv")


def test_no_pattern_takes_far_longer_on_a_text_that_is_a_little_longer() -> None:
    """Or a message of some thousand spaces freezes the server; `short_texts.csv` says where a bound comes first."""
    pumped = subprocess.run(
        [sys.executable, ROOT / "tests/house/pumped.py"], capture_output=True, text=True, check=True, timeout=900
    )
    *grown, number = map(json.loads, pumped.stdout.splitlines())
    assert number > 500
    rows = [(row["file"], row["pattern"]) for row in csv.DictReader(text(KNOWN).splitlines())]
    unbounded = [
        (place, pattern, bit)
        for place, pattern, bit in grown
        if not any(place.startswith(f"{file}:") and pattern.startswith(begin) for file, begin in rows)
    ]
    assert unbounded == []
