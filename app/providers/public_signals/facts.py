"""Which trace on a home page means which technology. facts.txt has: where to look | name | use | what stands there.

A trace lies in an address that the page loads, in its generator, in its source, or in the header of that name. What a
pattern captures is the version.
"""

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Fact:
    """One trace of a technology."""

    where: str
    name: str
    category: str
    pattern: re.Pattern[str]


def _read(line: str) -> Fact:
    where, name, category, pattern = (part.strip() for part in line.split(" | ", 3))
    return Fact(where, name, category, re.compile(pattern, re.IGNORECASE))


_WRITTEN = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
FACTS = tuple(_read(line) for line in _WRITTEN.splitlines())
