"""Normalize kinds of companies to the industries of people directories."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

INDUSTRIES: Mapping[str, Sequence[str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def industries(label: str) -> list[str]:
    """Return the industries that a targeting label may mean; [] for none."""
    found = (names for pattern, names in INDUSTRIES.items() if re.search(rf"\b(?:{pattern})", label, re.IGNORECASE))
    return list(dict.fromkeys(name for names in found for name in names))
