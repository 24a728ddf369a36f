"""A name in one column becomes first and last name."""

import csv
from pathlib import Path

from app.domain.leads import full_names

NAMES = Path(__file__).with_name("full_names.csv").read_text(encoding="utf-8")


def test_a_name_is_split() -> None:
    for row in csv.DictReader(NAMES.splitlines()):
        assert full_names.split(row["name"]) == (row["first"], row["last"]), row
