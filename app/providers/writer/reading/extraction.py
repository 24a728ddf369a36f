"""Extract facts about a business, each with its source text. What is not written is not known."""

import re
from collections.abc import Iterator, Sequence

from app.ports import Site
from app.ports.writer import Fact
from app.providers.website.business_name import tidy
from app.providers.writer.grammar import closed, harmless, listed, quoted, sentences, sound
from app.providers.writer.taxonomy import Passage

DESCRIPTION, MOST = "description", 400
LONGEST_NAME = 90
_OUTCOME = re.compile(
    r"\b(sav(e|es|ing)|cut|reduc\w+|without|faster|fewer|less|never|so (that )?you|more time|on time|in minutes|"
    r"instead of|"
    r"no more|every (day|morning)|easier|keeps?|stop)\b",
    re.IGNORECASE,
)
_PRICE = re.compile(r"(?:[€$£]\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|EUR|USD|GBP|CHF|euros?|dollars|pounds)\b)", re.IGNORECASE)
_CUSTOMERS = re.compile(
    r"\b(?:trusted by|used by|loved by|customers include|clients include|customers such as|clients such as|worked with|"
    r"clients like|customers like|teams at|chosen by|references include)\s*:?\s+(?:teams at\s+)?(.{3,160})",
    re.IGNORECASE,
)
_PROPER = re.compile(r"[A-ZÀ-Ž][\w'’.&-]*(?: (?:[A-ZÀ-Ž&][\w'’.&-]*|of|and|the|de|la|von))*(?<! and)(?<! of)(?<! the)")
_PLACE = re.compile(
    r"\b(?:based in|located in|headquartered in|(?:bakery|roastery|workshop|studio|office|kitchen|factory|brewery|"
    r"depot|"
    r"warehouse|showroom) (?:is )?in)\s+((?:[A-ZÀ-Ž][\w'’-]+)(?:[ -][A-ZÀ-Ž][\w'’-]+){0,2})"
)
_CLAIM = re.compile(
    r"\b(since (18|19|20)\d\d|founded|established|family[- ](run|owned)|certified|iso \d+|years of experience|"
    r"accredited|"
    r"guarantee\w*|award\w*)\b",
    re.IGNORECASE,
)
# A word of a name: Halden, mySQL2, A-1, blockforge.gg.
_WORD = r"(?:[\w.'’-]*[A-ZÀ-Ž0-9][\w/.'’-]*|[a-z][\w-]*\.[a-z]{2,6})"
_SEVERAL = rf"{_WORD}(?:(?:,? (?:&|and|of|for|the|of the|for the))? {_WORD})*"
_IT_IS = (
    re.compile(
        rf"^({_SEVERAL}) (?:is|are|makes?|offers?|provides?|helps?|sells?|builds?|designs?|runs?|delivers?|supplies|"
        r"develops?|bakes?|roasts?|hosts?|inspects?|tests?|cleans?|rents?|repairs?|restores?|prints?|teaches|trains?|"
        r"connects?|manages?|automates?|tracks?|measures?|monitors?|organi[sz]es?|produces?|manufactures?|translates?|"
        r"installs?|maintains?|brews?|grows?|advises?|insures?|recruits?|looks? after|works? (?:with|for))\b"
    ),
    re.compile(rf"^({_WORD}(?: (?:& |and )?{_WORD})+) [a-z]+s\b"),
    re.compile(rf"^({_WORD}(?: {_WORD}){{1,4}}): "),
)
_CALLED = re.compile(
    r"\b(?:(?i:called|named|company is|business is|name is|we are|i run|we run|i'm with)|"
    r"[Aa]t(?= [A-Z][^,.]{1,40}, we))\s+"
    r"([A-ZÀ-Ž][\w&'’-]*(?: (?:& |and )?[A-ZÀ-Ž][\w&'’-]*){0,3})"
)
_NO_NAME = {
    "we",
    "i",
    "our",
    "it",
    "they",
    "the",
    "this",
    "a",
    "an",
    "my",
    "you",
    "there",
    "most",
    "software",
    "people",
}


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


def name_in(site: Site | None, description: str) -> str:
    """Return the business name; '' if unknown."""
    if site and harmless(site.name):
        return harmless(site.name)
    for sentence in sentences(description):
        for pattern in (*_IT_IS, _CALLED):
            match = pattern.search(plain(sentence))
            if match and _may_be_name(match[1]) and not agents(match[0].split()[-1]):
                return tidy(harmless(match[1].strip(" .,"), LONGEST_NAME), LONGEST_NAME)
    if site:
        return (
            harmless(site.domain.partition(".")[0].replace("-", " ").title()) if not site.domain[:1].isdigit() else ""
        )
    return ""


def plain(sentence: str) -> str:
    """Return a sentence without quotation marks and emoji, which may surround a name."""
    return " ".join(re.sub(r"[^\w\s.,:;!?&/'’()+-]", " ", sentence).split())


def agents(word: str) -> bool:
    """Return whether a word ending in s names people, as divers does, not a verb, as delivers does."""
    verbs = ("offers", "delivers", "covers", "answers", "powers", "renders", "monitors", "engineers", "orders")
    return bool(re.search(r"(ers|ors|ists|ians)$", word)) and word not in verbs


def _may_be_name(words: str) -> bool:
    first, *more = words.lower().split()
    return len(words) <= LONGEST_NAME and (first not in _NO_NAME or bool(more and first == "the"))


def facts(name: str, place: str, found: Sequence[Passage]) -> list[Fact]:
    """Return the facts about the business."""
    known: list[Fact] = []
    if name:
        where = next((one for one in found if name.lower() in one.words.lower()), None)
        if where:
            known.append(Fact(f"The business is called {name}.", where.page, where.words, "name"))
    known += _quotes(found, _OUTCOME, "outcome", 3)
    known += _quotes(found, _PRICE, "price", 2)
    known += _customers(found, name)
    known += _places(found, place)
    known += _quotes(found, _CLAIM, "claim", 3)
    return known


def _quotes(found: Sequence[Passage], pattern: re.Pattern[str], kind: str, most: int) -> Iterator[Fact]:
    fitting = [
        one
        for one in found
        if pattern.search(one.words) and 15 <= len(one.words) <= 170 and "?" not in one.words and _whole(one.words)
    ]
    fitting = sorted(fitting, key=lambda one: -one.weight)
    texts = dict.fromkeys(one.words for one in fitting)
    for text in list(texts)[:most]:
        where = next(one for one in fitting if one.words == text)
        yield Fact(f"It says: {quoted(text)}", where.page, text, kind)


def _whole(words: str) -> bool:
    """Return whether it reads as a sentence, not as a menu or a title with bars."""
    return len(words.split()) >= 4 and not re.search(r"[|»·•–—]\s|\s[|–—-]\s|\.\.\.|…", words)


def _customers(found: Sequence[Passage], name: str) -> Iterator[Fact]:
    names: dict[str, Passage] = {}
    for passage in found:
        for match in _CUSTOMERS.finditer(passage.words):
            for one in re.split(r",|;| and ", match[1].rstrip(".")):
                proper = _PROPER.match(one.strip())
                plain = harmless(proper[0]) if proper else ""
                if plain and plain == one.strip().rstrip(".") and plain.lower() != name.lower() and len(plain) > 2:
                    names.setdefault(plain, passage)
    if names:
        where = next(iter(names.values()))
        chosen = [one for one, passage in names.items() if passage is where][:4]
        be = "are" if len(chosen) > 1 else "is"
        yield Fact(f"Among the customers it names {be} {listed(chosen)}.", where.page, where.words, "customer")


def _places(found: Sequence[Passage], place: str) -> Iterator[Fact]:
    for passage in found:
        match = _PLACE.search(passage.words)
        if match:
            yield Fact(f"It is based in {harmless(match[1])}.", passage.page, passage.words, "place")
            return
    if harmless(place):
        where = next((one for one in found if place in one.words), None)
        if where:
            yield Fact(f"It is based in {harmless(place)}.", where.page, where.words, "place")


def own_words(found: Sequence[Passage], name: str = "") -> Passage | None:
    """Return the sentence that describes the business best; of equals, one that begins with its name."""
    begins = re.compile(rf"(we|i) (?!work|serve|help|are\b)|our |{re.escape(name.lower()) or '(?!)'}")
    fitting = [
        one
        for one in found
        if (24 if begins.match(one.words.lower()) else 40) <= len(one.words) <= 260
        and _whole(one.words)
        and "?" not in one.words
    ]
    return max(
        fitting,
        key=lambda one: (one.weight, bool(begins.match(one.words.lower())), -abs(len(one.words) - 120)),
        default=None,
    )


def subject(fact: Fact) -> str:
    """Return the core of a customer or place fact."""
    inner = fact.text.removeprefix("It is based in ")
    inner = re.sub(r"^Among the customers it names (are|is) ", "", inner)
    return inner.removesuffix(".") if inner != fact.text else closed(fact.quote)
