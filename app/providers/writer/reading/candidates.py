"""Find up to four sentences with which a founder would say what the business does, each with its page and quotation."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from app.ports import Site
from app.ports.writer import Candidate
from app.providers.writer.grammar import sentences, sound
from app.providers.writer.reading.extraction import DESCRIPTION
from app.providers.writer.reading.sayings import Voice, finished, is_loud, pieces, spoken
from app.providers.writer.reading.topics import called, deeds_in, enough, named_in, topic_of
from app.providers.writer.reading.words import Words, of, written

MOST, MOST_QUOTED, LEAST, PROMINENT, ALIKE, THREE, OWN = 4, 400, 2.35, 2.0, 0.7, 3, 1.5
_HOW = {"own": 1.0, "told": 2.0, "begun": 1.5, "framed": 0.4}


class Place(NamedTuple):
    """Words of a page that may say what the business does; `weight` is larger for more prominent places.

    Where `frame` holds, a phrase without a verb may be made a sentence.
    """

    page: str
    words: str
    weight: float
    frame: bool = False


def candidates(site: Site | None, description: str, name: str, language: str) -> list[Candidate]:
    """Return the sentences, the best first; none where the site holds none that would be said."""
    if not written(language):
        return []
    words = of(language)
    voice = voice_of(site, description, name, words)
    found: list[tuple[float, Place, str]] = []
    for place in _places(site, description, voice.names):
        if not sound(place.words[:MOST_QUOTED]) or len(place.words) > MOST_QUOTED:
            continue  # its words are shown beside the sentence
        said, how = spoken(place.words, voice, frame=place.frame)
        said = _three_of(said, words) if how == "framed" else said
        if said and (score := _score(said, how, place, voice)) >= LEAST:
            found.append((score, place, said))
    chosen: list[Candidate] = []
    known: list[set[str]] = []
    for _, place, said in sorted(found, key=lambda one: -one[0]):
        stems = set(words.stems(said))
        if len(chosen) < MOST and not any(len(stems & one) > ALIKE * min(len(stems), len(one)) for one in known):
            known.append(stems)
            chosen.append(Candidate(said, place.page, place.words, topic_of(said, site, voice)))
    ranked = sorted(chosen, key=lambda one: not one.topic) or _menu(site, voice)
    if any(one.topic for one in ranked):
        return ranked
    topic = named_in(ranked[0].pitch, site, voice) if ranked else ""
    return [replace(ranked[0], topic=topic), *ranked[1:]] if topic else [*_called(site, voice), *ranked][:MOST]


def _three_of(said: str, words: Words) -> str:
    """Return a sentence that only lists things, as a menu does, with the first three of them."""
    joined = re.compile(rf"\s(?:{words.either('and')}|&)\s", re.IGNORECASE)
    listed = said.rstrip(".").split(", ")
    plain = [one for one in listed if not joined.search(one)]
    if len(listed) <= THREE or joined.search(listed[-1]) or len(plain) < THREE or plain[0] != listed[0]:
        return said
    return f"{plain[0]}, {plain[1]} {words['and']} {plain[2]}."


def _menu(site: Site | None, voice: Voice) -> list[Candidate]:
    """Return a sentence of the headings under which a home page lists its services, where nothing else is said."""
    home = site.pages[0] if site and site.pages else None
    listed = deeds_in(home.headings[1:16], voice) if home else []
    if home is None or not listed:
        return []
    first, second, third = (topic for _, topic in listed)
    lead = voice.lead("provide")
    said = finished(f"{lead} {first}, {second} {voice.words['and']} {third}", voice, lead)
    topic = enough(first, said, site, voice)
    return [Candidate(said, home.url, " · ".join(one for one, _ in listed), topic)] if said else []


def _called(site: Site | None, voice: Voice) -> list[Candidate]:
    """Return a sentence of the trade that a home page names at its top; further down may stand another's."""
    found: list[tuple[str, Candidate]] = []
    for home in site.pages[:1] if site else ():
        plain = [] if voice.words.has(home.description, "refused") else [home.description]
        for line in (*pieces(home.title), *home.headings[:3], *plain):
            said, topic, name = called(line, site, voice)
            found += [(name.casefold(), Candidate(said, home.url, line, topic))] if said else []
    several = [one for one in found if found[0][0] in one[0]]  # “masajes a domicilio” says more than “masajes”
    return [max(several, key=lambda one: len(one[0]))[1]] if several else []


def _places(site: Site | None, description: str, names: tuple[str, ...]) -> Iterator[Place]:
    """Yield the places where a business says what it does: descriptions, titles, headings and sentences."""
    for at, sentence in enumerate(sentences(description[:20_000])[:12]):
        yield Place(DESCRIPTION, sentence, 4 - 0.2 * at, frame=at == 0 and sentence[-1] not in ".!?")
    for index, page in enumerate(site.pages if site else ()):
        if index and page.kind not in ("product", "about", "other", "home"):
            continue
        home, about = index == 0, index == 0 or page.kind == "about"
        for at, sentence in enumerate(sentences(page.description)[:3]):
            yield Place(page.url, sentence, (2.4 if about else 1.2) - 0.3 * at, frame=home and at == 0)
            parts = [one for one in pieces(sentence) if not _is_name(one, names)]
            parts = parts[1:] if len(parts) > 1 and parts[0].casefold().startswith(names) else parts
            yield from [Place(page.url, one, 1.9, frame=True) for one in parts[:1] if home and at == 0]
        titles = [one for one in pieces(page.title)[:3] if home and not _is_name(one, names)]
        yield from [Place(page.url, one, 1.6 - 0.2 * at, frame=True) for at, one in enumerate(titles)]
        for at, heading in enumerate(page.headings[:12]):
            yield Place(page.url, heading, 1.5 * home - 0.1 * at - 0.5 * (at > 0), frame=home and at == 0)
        for at, sentence in enumerate(sentences(page.text)[:150]):
            if not re.search(r"[“”«»\"„]", sentence):  # others said it
                yield Place(page.url, sentence, (1.2 if about else 0.6) - 0.01 * min(at, 40))


def _is_name(piece: str, names: Sequence[str]) -> bool:
    """Return whether a part of a title is only the name, with a word beside it at most."""
    lower = piece.casefold()
    flat = "".join(filter(str.isalnum, lower))
    near = any(f"{lower} ".startswith(f"{one} ") and len(lower.split()) <= len(one.split()) + 1 for one in names)
    return near or any(len(one) > 5 and " " not in one and one in flat for one in names)


def voice_of(site: Site | None, description: str, name: str, words: Words) -> Voice:
    """Return how the business speaks, from everything that its site says."""
    pages = site.pages if site else ()
    heads = [[page.title, page.description, *page.headings[:12]] for page in pages]
    texts = [description, *(one for page in pages for one in (*page.headings[12:], page.text))]
    lines = dict.fromkeys(
        [*(one for head in heads for one in head), *(one for text in texts for one in sentences(text))]
    )
    whole = "\n".join(lines)
    small = frozenset(re.findall(r"(?<![\w.@/])[^\W\d_A-ZÀ-Þ][\w’'-]*+(?!\.\w|@)", whole))
    told_plainly = "\n".join(line for line in lines if not is_loud(line))
    large = {one.lower() for one in re.findall(r"(?<=[a-zà-ž,] )[A-ZÀ-Þ][\w’]*", told_plainly)}
    towns = rf"(?<=\s)(?i:{words.either('town')})\s(?:{words.either('article')}\s)?([A-ZÀ-Þ][\w’'-]+)"
    placed = re.findall(towns, " ".join(f" {' | '.join(head)}" for head in heads)) + (
        site.place.split() if site else []
    )
    places = frozenset(one.casefold() for one in placed if not words.has(one, "deeds")) - small
    told = Counter(stem for line in lines for stem in words.stems(line))
    plain = " ".join(one for one in name.split() if one.casefold() in small or words.has(one, "deeds"))
    first = f"{plain} {pages[0].title} {' '.join(pages[0].headings[:1])}" if pages else ""
    core = {one for one in words.stems(first) if told[one] > 2} - words.vague - {*words.stems(" ".join(places))}
    one, many = (len(words.pattern(name).findall(whole)) for name in ("i", "us"))
    return Voice(
        words,
        _names(site, name),
        small,
        frozenset(large) - small - {*name.casefold().split()},
        places,
        told,
        frozenset(words.stems(" ".join([description, *(one for head in heads for one in head)]))),
        frozenset(core),
        brand=name.casefold() if site and name.casefold() == site.domain.partition(".")[0] else "",
        alone=one > 2 * many,
        typed=not pages,
    )


def _names(site: Site | None, name: str) -> tuple[str, ...]:
    """Return what the business may be called in its own sentences, the longest first."""
    several = name.casefold().split()
    found = {" ".join(several[:end]) for end in range(1, len(several))} | {
        site.domain.partition(".")[0] if site else ""
    }
    found = {one for one in found if len(one) > 3} | {name.casefold()}
    return tuple(sorted((one for one in found if len(one) > 1), key=len, reverse=True))


def _score(said: str, how: str, place: Place, voice: Voice) -> float:
    """Return how well a sentence says what the business does, and for whom; 0 when its site hardly speaks of it."""
    words, typed = voice.words, place.page == DESCRIPTION
    places = words.stems(" ".join(voice.places))
    stems = [one for one in words.stems(said) if one not in words.vague and one not in places]
    shared = [one for one in stems if one in voice.main and voice.told[one] > 1]
    are = said.startswith(words["are"])
    if not (shared or typed or (are and not voice.main)):
        return 0
    whom, where = (re.search(rf"\s{words.either(name)}\s", said, re.IGNORECASE) for name in ("for", "place"))
    score = place.weight + _HOW[how] + min(len(shared), 4) * 0.4 + (0.8 if whom else 0)
    score -= 0.8 if words.has(said, "formal") else 0
    score -= 0.5 if len(said) > 120 else 0
    score -= 0.7 if words.has(said, "weak") else 0
    score -= OWN if words.has(" ".join(said.split()[2:]), "us") else 0  # our own tools are not what we sell
    score -= 1.2 if re.match(rf"(?:{words['pronoun']}\s)?{words.either('with')}", said, re.IGNORECASE) else 0
    if typed:
        return score
    if len(voice.core) > 1 and not voice.core & set(shared):
        score -= 1.5 if place.weight < PROMINENT else 0.5
    if how == "framed" and place.weight < PROMINENT:
        small = [one for one in stems if words.large_nouns or re.search(rf"\s{re.escape(one)}", said)]
        score -= 0.6 * max(0, sum(voice.told[one] < 2 for one in small) - 1)
    if how == "framed" and not are and len(shared) <= bool(whom or where) and not voice.core & {*shared}:
        score -= 1
    if how == "own" and len(shared) < 2:
        score -= 0.5 if are else 2
    return score
