"""Find the kinds of customers that a website says it works for."""

import re
from collections.abc import Iterator, Sequence

from app.core import languages
from app.ports.writer import Fact
from app.providers.writer.grammar import AND, sentences
from app.providers.writer.reading.words import Words, of
from app.providers.writer.taxonomy import Passage, segments_in

ENOUGH, MOST, MOST_WORDS, LONGEST, BEGIN, LIST = 3, 5, 4, 48, 20, 3
_NOT_A_LIST = re.compile(
    r"\b(?:in|im|at|on|all|across|throughout|around|near|with|mit|avec|con|met|com|em|that|who|which|die|qui|che|que|from|to|by|get|want|need|seeking)\b.*$",
    re.IGNORECASE,
)
_OURS = re.compile(r"the \w+[^\Ws]", re.IGNORECASE)  # “our love for the farm”
_DETERMINED = re.compile(r"\w (?:an?|the|its|his|her|their)\b", re.IGNORECASE)


def named(found: Sequence[Passage], language: str) -> Iterator[Fact]:
    """Yield the kinds of customers, those named most prominently and most often first."""
    words = of(language)
    weighed, known = dict[str, tuple[float, Fact]](), list[set[str]]()
    for passage in (one for one in found if not words.has(one.words, "not")):
        for one in _served(passage.words, languages.base(language), words):
            key = one.casefold()[:6]
            weight, fact = weighed.get(key, (0.0, Fact(one, passage.page, passage.words, "for")))
            weighed[key] = (weight + passage.weight + words.has(passage.words[:BEGIN], "us"), fact)
    for weight, fact in sorted(weighed.values(), key=lambda pair: -pair[0]):
        stems = set(words.stems(fact.text))
        if weight >= ENOUGH and len(known) < MOST and not any(stems <= one or one < stems for one in known):
            known.append(stems)
            yield fact


def typed(description: str, pitch: str, language: str) -> tuple[str, ...]:
    """Return the kinds of customers in a whole list of the founder's, else those whom the pitch is for."""
    words, code = of(language), languages.base(language)
    for said in (one for one in sentences(description) if words.has(one, "audience")):
        begins = [match.end() for match in re.finditer(words.either("audience", "is"), said, re.IGNORECASE)]
        several = list[str]()
        for part in said[begins[-1] :].rstrip(".!").split(","):
            part = _NOT_A_LIST.sub("", re.sub(f"^{AND}", "", part)).strip()
            halves = re.split(AND, part)  # “primary and secondary schools” are one kind
            several += halves if all(_is_kind(one, code, words) for one in halves) else [part]
        buys = any(_buys(one, code, words) for one in several)  # the others are kinds that no table knows
        if buys and 1 < len(several) <= MOST and all(_is_kind(one, code, words) for one in several):
            return tuple(several)
    named = _served(pitch, code, words, "for")
    return tuple(dict.fromkeys(one for one in named if not words.has(one, "private")))[:MOST]


def _served(said: str, language: str, words: Words, *more: str) -> Iterator[str]:
    """Yield the kinds of customers that a sentence names after the words for whom something is."""
    for clause in re.split(rf"\s?{words.either('whom', 'helping', *more)}\s", said, flags=re.IGNORECASE)[1:]:
        items = re.split(rf"\s*,\s*|{AND}", re.split(r"[.!?;:()|]|\s[–—-]\s", clause)[0])
        if len(items) > LIST and sum(_buys(one, language, words) for one in items) < 2:
            continue  # “we supply pipes, bars and plates” names no bars as customers
        for item in items:
            article = rf"^{words.either('article')}\s+"
            one = re.sub(article, "", _NOT_A_LIST.sub("", item).strip(" ."), flags=re.IGNORECASE)
            deed = words.pattern("deed").match(one) and not segments_in(one, language, share=1.0)  # sailing schools
            deed = deed or words.has(one, "formal", "informal", "us", "theirs")
            ours = language == "en" and _OURS.fullmatch(item.strip())
            if deed or ours or _DETERMINED.search(one) or len(one.split()) > MOST_WORDS or len(one) > LONGEST:
                continue
            if _buys(one, language, words):
                yield one


def _is_kind(item: str, language: str, words: Words) -> bool:
    return _buys(item, language, words) or words.has(item, "several")


def _buys(item: str, language: str, words: Words) -> bool:
    return words.has(item, "buyers") or bool(segments_in(item, language))
