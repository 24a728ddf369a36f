"""The rows of the tables."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Segment:
    """A kind of company that may buy. `plural` is for the middle of a sentence, `label` for a chip.

    `small` companies are run by their owner, who decides; `words` are how texts and directories speak of them.
    """

    code: str
    label: str
    plural: str
    words: str
    sizes: str = "11-50; 51-200"
    small: bool = False
    owners: str = ""


@dataclass(frozen=True)
class Role:
    """Who decides: `plural` in the middle of a sentence, the titles to begin with, and more titles to offer."""

    code: str
    plural: str
    titles: str
    more: str = ""


@dataclass(frozen=True)
class Category:
    """A trade. `offers` are nouns that can follow "offers", the usual one first; `topic` is what its buyers look after.

    `pains` can follow "Is", and `outcome` can follow "If" and be followed by "is on your list". `customers` gives five
    kinds of company, the likeliest first, each with a sentence on why.
    """

    code: str
    label: str
    offers: str
    keywords: str
    topic: str
    pains: str
    outcome: str
    roles: str
    customers: Mapping[str, str]


def words(listed: str) -> list[str]:
    """Return the entries of a list written with semicolons."""
    return [entry.strip() for entry in listed.split(";") if entry.strip()]
