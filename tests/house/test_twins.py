"""One word for one thing: no sentence that a person reads has the forbidden twin of a glossary word."""

import csv
import re
from pathlib import Path

from tools.sentences import sentences

VALUES = re.compile(r"\{[^{}]*\}")


def test_no_sentence_has_the_twin_of_a_glossary_word() -> None:
    """`twins.csv` names each twin, the word to say, and where the twin means something else."""
    with (Path(__file__).parent / "twins.csv").open(encoding="utf-8") as file:
        twins = list(csv.DictReader(file))
    read = [(place, VALUES.sub("", text)) for place, text in sentences()]
    assert len(read) > 5000
    found = []
    for twin in twins:
        never = re.compile(rf"\b({twin['never']})\b", re.IGNORECASE)
        elsewhere = re.compile(twin["but not in"] or r"\Z\A.")
        hits = ((place, text) for place, text in read if never.search(text) and not elsewhere.search(f"{place} {text}"))
        found += [f"{place}: say {twin['say']}: {text}" for place, text in hits]
    assert found == []
