"""Find the kinds of customers that a website names: who something is for counts more than who is only mentioned."""

import re
from collections.abc import Iterator, Sequence

from app.core import languages
from app.ports.writer import Fact
from app.providers.writer.grammar import AND
from app.providers.writer.reading.words import Words, of
from app.providers.writer.tables import buyers
from app.providers.writer.taxonomy import Passage, segments_in

MENTIONED, BROADLY, ENOUGH, MOST, MOST_WORDS, LONGEST = 0.2, 0.4, 0.75, 5, 4, 48
_NOT_A_LIST = re.compile(
    r"\b(?:in|im|at|with|mit|avec|con|met|com|em|that|who|which|die|qui|che|que|from|to|by|get|want|need|seeking)\b.*$",
    re.IGNORECASE,
)
_DETERMINED = re.compile(r"\w (?:an?|the|its|his|her|their)\b", re.IGNORECASE)
_NAMED = {
    language: re.compile(
        several if language in buyers.UNSPACED else rf"(?<![\w-])(?:{several})(?![\w-])", re.IGNORECASE
    )
    for language, several in buyers.NAMED.items()
}
_BROADLY = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(buyers.BROAD))})(?![\w-])", re.IGNORECASE)
_OWNED = re.compile(rf"(?<![\w-]){buyers.OWNED}(?![\w-])", re.IGNORECASE)


def named(found: Sequence[Passage], language: str, own: str) -> Iterator[Fact]:
    """Yield the kinds of customers, those named most prominently and most often first.

    `own` says what the business does: a law firm whose offer names lawyers does not sell to lawyers.
    """
    words = of(language)
    own = re.split(rf"\s{words.either('for', 'place')}\s", own, flags=re.IGNORECASE)[0]
    sold, weighed, known = set(words.stems(own)), dict[str, tuple[float, Fact]](), list[set[str]]()
    for passage in (one for one in found if not words.has(one.words, "not")):
        for one, share in _named_in(passage.words, languages.base(language), words):
            if share == 1 or not sold & set(words.stems(one)):
                key = one.casefold()[:6]
                weight, fact = weighed.get(key, (0.0, Fact(one, passage.page, passage.words, "for")))
                weighed[key] = (weight + passage.weight * share, fact)
    for weight, fact in sorted(weighed.values(), key=lambda pair: -pair[0]):
        stems = set(words.stems(fact.text))
        if weight >= ENOUGH and len(known) < MOST and not any(stems <= one or one < stems for one in known):
            known.append(stems)
            yield fact


def _named_in(said: str, language: str, words: Words) -> Iterator[tuple[str, float]]:
    """Yield kinds of customers that a sentence names, and what that counts."""
    served, mentioned = set[str](), _NAMED.get(language, re.compile("(?!)"))
    whom = rf"\s?{words.either('whom', 'helping')}\s"
    for clause in re.split(whom, said, flags=re.IGNORECASE)[1:]:
        for item in re.split(rf"\s*,\s*|{AND}", re.split(r"[.!?;:()|]|\s[–—-]\s", clause)[0]):
            one = re.sub(
                rf"^{words.either('article')}\s+", "", _NOT_A_LIST.sub("", item).strip(" ."), flags=re.IGNORECASE
            )
            one = _to_the_noun(one) if language == "en" else one
            buys = words.has(one, "buyers") or segments_in(one) or mentioned.search(one)
            deed = words.pattern("deed").match(one) or words.has(one, "formal", "informal", "us", "theirs")
            if buys and not deed and len(one.split()) <= MOST_WORDS and len(one) <= LONGEST:
                served.update(words.stems(one))
                yield one, BROADLY if one.casefold() in buyers.BROAD else 1.0
    for one in (*(match[0] for match in mentioned.finditer(said)), *_OWNED.findall(said)):
        if not served.intersection(words.stems(one)):
            yield one, MENTIONED


def _to_the_noun(said: str) -> str:
    """Return an English phrase up to the customers it names: of "retailers seeking growth", retailers."""
    if _DETERMINED.search(said):
        return ""
    last = max((match.end() for one in (_NAMED["en"], _BROADLY) for match in one.finditer(said)), default=0)
    *_, before, head = ["", "", *said.split()]
    company = segments_in(head) or (segments_in(f"{before} {head}") and not segments_in(before))
    return said[:last] or (said if company else "")
