"""Classify a business's trade from its text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from app.providers.writer.tables.goods import GOODS
from app.providers.writer.tables.segments import SEGMENTS
from app.providers.writer.tables.services import SERVICES
from app.providers.writer.tables.shapes import Category, Segment, words
from app.providers.writer.tables.software import SOFTWARE
from app.providers.writer.tables.trades import TRADES

CATEGORIES = {category.code: category for category in (*SOFTWARE, *SERVICES, *TRADES, *GOODS)}
ENOUGH = 8
GENERIC = Category(
    "", "Other", "", "", "partners and suppliers", "finding the right partner; comparing offers",
    "the need",
    "owner; operations",
    {
        "growing": "A first guess: they are large enough to buy and small enough to decide quickly.",
        "software": "A first guess: they are used to being written to and answer quickly.",
        "manufacturers": "A first guess: they buy from many kinds of suppliers.",
        "retail": "A first guess: they have many places that need the same things.",
        "consultancies": "A first guess: they know many companies and recommend what they like.",
    },
)  # fmt: skip


_PROGRAM = re.compile(r"software|\b(apps?|platforms?|saas|tools?|systems?|api|cloud|crm|erp|ai|automation|online|"
                      r"payments?|terminals?|sensors?|devices?|database)\b", re.IGNORECASE)  # fmt: skip
_IS_A = re.compile(r"\b(?:is|are|am|run|own) an? ([^.,;:]{3,60})")


@dataclass(frozen=True)
class Passage:
    """Words of a page or description; `weight` is larger for titles and for what a site says of itself."""

    page: str
    words: str
    weight: int = 1


@dataclass(frozen=True)
class Trade:
    """The trade that was found, the words that name what is sold, and the passage that says so."""

    category: Category
    offer: str
    passage: Passage


@cache
def _pattern(listed: str) -> re.Pattern[str]:
    return re.compile("|".join(_whole(entry) for entry in sorted(words(listed), key=len, reverse=True)), re.IGNORECASE)


def _whole(entry: str) -> str:
    entry = re.sub(r"^(a|an) ", "", entry)
    return rf"(?<![\w-])(?:{re.escape(entry)})(?:e?s)?(?![\w-])"


def found_in(listed: str, text: str) -> list[str]:
    """Return the entries of a list that are in a text, in its spelling."""
    return [match.lower() for match in _pattern(listed).findall(text)]


def trade_of(passages: Sequence[Passage]) -> Trade | None:
    """Return the trade with the most matching words; None when there are too few."""
    ranked = sorted(CATEGORIES.values(), key=lambda category: -_score(category, passages))
    best = ranked[0]
    if _score(best, passages) < ENOUGH:
        return None
    offer, passage = _offer(best, passages)
    return Trade(best, offer, passage)


def _score(category: Category, passages: Sequence[Passage]) -> float:
    if category in SOFTWARE and not any(_PROGRAM.search(passage.words) for passage in passages):
        return 0  # a law firm does not sell contract software
    hits: dict[str, float] = {}
    named = False
    for passage in passages:
        for term in set(found_in(category.offers, passage.words)):
            hits[term] = min(hits.get(term, 0) + 3 * passage.weight, 14)
            named = True
        for term in set(found_in(category.keywords, passage.words)):
            key = term.rstrip("s")
            hits[key] = max(hits.get(key, 0), min(hits.get(key, 0) + passage.weight, 5))
        for told in _IS_A.findall(passage.words):
            if found_in(category.keywords, told):
                hits["itself"] = 6
    return sum(hits.values()) if named or len(hits) > 1 else 0


def _offer(category: Category, passages: Sequence[Passage]) -> tuple[str, Passage]:
    """Return the business's most prominent words for what it sells."""
    best: tuple[float, str, Passage] | None = None
    for offer in words(category.offers):
        for passage in passages:
            if found_in(offer, passage.words):
                rank = passage.weight * 10 + len(offer.split()) * 6
                if best is None or rank > best[0]:
                    best = (rank, offer, passage)
    if best:
        return best[1], best[2]
    both = f"{category.offers}; {category.keywords}"
    passage = max(passages, key=lambda one: (len(set(found_in(both, one.words))) * min(one.weight, 2), -len(one.words)))
    return words(category.offers)[0], passage


@cache
def segments_in(text: str) -> tuple[Segment, ...]:
    """Return the kinds of companies that a text names, in its order."""
    found = []
    for segment in SEGMENTS.values():
        match = _pattern(segment.words).search(text)
        if match:
            found.append((match.start(), match.end(), segment))
    whole = [one for one in found if not any(_inside(one[:2], other[:2]) for other in found)]
    return tuple(segment for _, _, segment in sorted(whole, key=lambda one: one[:2]))


def _inside(span: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether words are only a part of longer ones: the builder in a machine builder."""
    return other[0] <= span[0] and span[1] <= other[1] and other[1] - other[0] > span[1] - span[0]


def category(code: str) -> Category:
    """Return the trade's category with that code, or the one for everything else."""
    return CATEGORIES.get(code, GENERIC)
