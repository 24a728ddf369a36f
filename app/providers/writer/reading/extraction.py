"""Extract facts about a business, each with its source text. What is not written is not known."""

import re
from collections.abc import Iterator, Sequence

from app.ports import Site
from app.ports.writer import Fact
from app.providers.website.business_name import tidy
from app.providers.writer.grammar import harmless, listed, quoted, sentences, sound
from app.providers.writer.reading.words import Words, of
from app.providers.writer.taxonomy import Passage

DESCRIPTION, MOST, LONGEST_NAME, QUOTABLE = "description", 400, 90, range(15, 171)
_PRICE = re.compile(
    r"(?:[€$£]\s?\d[\d.,]*|(?<![\d.,])\d[\d.,]*\s?(?:€|EUR|USD|GBP|CHF|euros?|dollars|pounds)\b)", re.IGNORECASE
)
_PROPER = re.compile(r"[A-ZÀ-Ž][\w'’.&-]*(?: (?:[A-ZÀ-Ž&][\w'’.&-]*|of|and|the|de|la|von))*(?<! and)(?<! of)(?<! the)")
_PLACE = r"\s([A-ZÀ-Ž][\w'’-]+(?:[ -][A-ZÀ-Ž][\w'’-]+){0,2})"
_NO_SENTENCE = re.compile(r"[|»·•–—]\s|\s[|–—-]\s|\.\.\.|…")
# A word of a name: Halden, mySQL2, A-1, blockforge.gg. No word is read in two ways, or several take forever.
_SMALL = r"[^\WA-ZÀ-Ž0-9]"
_WORD = rf"(?:(?:{_SMALL}|[.'’-])*[A-ZÀ-Ž0-9][\w/.'’-]*|[a-z](?:{_SMALL}|-)*\.[a-z]{{2,6}})"
_SEVERAL = rf"{_WORD}(?:(?:,? (?:&|and|of|for|the|of the|for the))? {_WORD})*"
_COLON = re.compile(rf"^({_WORD}(?: {_WORD}){{1,4}}): ")
_CALLED = re.compile(
    r"\b(?:(?i:called|named|company is|business is|name is|we are|i run|we run|i'm with)|"
    r"[Aa]t(?= [A-Z][^,.]{1,40}, we))\s+([A-ZÀ-Ž][\w&'’-]*(?: (?:& |and )?[A-ZÀ-Ž][\w&'’-]*){0,3})"
)


def passages(site: Site | None, description: str) -> list[Passage]:
    """Return everything that may be quoted, titles and summaries first."""
    if site is None or not site.pages:
        said = dict.fromkeys(sentences(description[:20_000]))
        return [Passage(DESCRIPTION, sentence, 3) for sentence in said if sound(sentence)][:MOST]
    found: list[Passage] = []
    for index, page in enumerate(site.pages):
        top, middle, body = (4, 3, 2) if index == 0 else (1, 1, 1)
        found += [Passage(page.url, page.title, top), Passage(page.url, page.description, top)]
        found += [Passage(page.url, heading, middle) for heading in page.headings[:12]]
        found += [Passage(page.url, sentence, body) for sentence in sentences(page.text)[:150]]
    if description.strip():
        found += [Passage(DESCRIPTION, sentence, 3) for sentence in sentences(description)]
    return [one for one in found if one.words.strip() and len(one.words) <= 400 and sound(one.words)][:MOST]


def name_in(site: Site | None, description: str, words: Words) -> str:
    """Return the business name; '' if unknown."""
    if site and harmless(site.name):
        return harmless(site.name)
    verbs = rf"(?:{words.third.pattern}|{of('en').third.pattern}|{words.either('is')}|{of('en').either('is')})"
    for sentence in sentences(description[:20_000]):
        said = " ".join(re.sub(r"[^\w\s.,:;!?&/'’()+-]", " ", sentence[:MOST]).split())
        for match in filter(
            None, (re.search(rf"^({_SEVERAL}) {verbs}", said), _COLON.search(said), _CALLED.search(said))
        ):
            first, *more = match[1].split()
            if not words.is_one(first, "no_name") or (more and first.casefold() == "the"):
                return tidy(harmless(match[1].strip(" .,"), LONGEST_NAME), LONGEST_NAME)
    label = site.domain.partition(".")[0] if site else ""
    return harmless(label.replace("-", " ").title()) if not label[:1].isdigit() else ""


def facts(name: str, place: str, found: Sequence[Passage], words: Words) -> list[Fact]:
    """Return the facts about the business."""
    where = next((one for one in found if name and name.lower() in one.words.lower()), None)
    known = [Fact(f"The business is called {name}.", where.page, where.words, "name")] if where else []
    known += _quotes(found, words.pattern("outcome"), "outcome", 3)
    known += _quotes(found, _PRICE, "price", 2)
    known += _customers(found, name, words)
    known += _places(found, place, words)
    known += _quotes(found, words.pattern("claim"), "claim", 3)
    return known


def _quotes(found: Sequence[Passage], pattern: re.Pattern[str], kind: str, most: int) -> Iterator[Fact]:
    """Yield the first whole sentences with a pattern, those in prominent places first."""
    fitting = {
        one.words: one
        for one in sorted(found, key=lambda one: one.weight)[::-1]
        if pattern.search(one.words) and len(one.words) in QUOTABLE and "?" not in one.words and _whole(one.words)
    }
    for text, where in list(fitting.items())[:most]:
        yield Fact(f"It says: {quoted(text)}", where.page, text, kind)


def _whole(said: str) -> bool:
    """Return whether it reads as a sentence, not as a menu or a title with bars."""
    return len(said.split()) >= 4 and not _NO_SENTENCE.search(said)


def _customers(found: Sequence[Passage], name: str, words: Words) -> Iterator[Fact]:
    for passage in found:
        match = re.search(rf"{words.either('trusted')}\s*:?\s+(?:teams at\s+)?(.{{3,160}})", passage.words, re.I)
        parts = [one.strip().rstrip(".") for one in re.split(r",|;| and ", match[1])] if match else []
        named = [
            harmless(one) for one in parts if _PROPER.fullmatch(one) and len(one) > 2 and one.lower() != name.lower()
        ]
        if chosen := list(dict.fromkeys(filter(None, named)))[:4]:
            be = "are" if len(chosen) > 1 else "is"
            yield Fact(f"Among the customers it names {be} {listed(chosen)}.", passage.page, passage.words, "customer")
            return


def _places(found: Sequence[Passage], place: str, words: Words) -> Iterator[Fact]:
    matches = ((one, re.search(rf"(?i:{words.either('based')}){_PLACE}", one.words)) for one in found)
    told = next(((one, match[1]) for one, match in matches if match), None)
    told = told or next(((one, place) for one in found if place and place in one.words), None)
    if told and harmless(told[1]):
        yield Fact(f"It is based in {harmless(told[1])}.", told[0].page, told[0].words, "place")
