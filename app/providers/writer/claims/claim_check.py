"""Check what a text says, whoever wrote it: about us, about the reader, and about what happened between us.

A sentence may say what was read or typed, and no more. What the founder typed, confirmed or stands by settles every
sentence that says it, also a part of it or several joined. Questions, wishes and greetings claim nothing.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from unicodedata import normalize

from app.core.domains import is_ending
from app.ports.writer import ANGLES, Brief, Evidence, Problem
from app.providers.writer import sequences, style
from app.providers.writer.claims import claim_support
from app.providers.writer.claims.claim_words import Words, of_text, plain
from app.providers.writer.grammar import AND, sentences

_DOT = "[.。．｡]"  # which browsers take for one another
_UNSEEN = "\\u00ad\\u200b-\\u200d\\u2060\\ufeff"  # signs that take no room, and that browsers leave out
_LINK = re.compile(
    r"(?:https?://|www\.)[^\s<>()\"”]+|\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]{1,64}"
    r"|(?:\b(?:\d{1,3}\.){3}\d{1,3}|\[(?:[0-9a-f]{0,4}:){2,7}[0-9a-f.]{0,15}\])(?::\d|/)[^\s<>()\"”]*"
    rf"|\b(?:[\w{_UNSEEN}-]{{1,64}}{_DOT}){{1,4}}"
    rf"(?P<ending>xn--[a-z0-9-]{{1,59}}|(?:[^\W\d_]|[{_UNSEEN}]){{2,24}})\b(?P<path>/[^\s<>()\"”]*)?",
    re.IGNORECASE,
)
_RESERVED = ("example", "test")  # endings that no one can register
_VARIABLE = re.compile(r"\{\{[^{}]*\}\}")
_BLANK = "␣"
_TIME = re.compile(r"\b\d{1,3}[ -]?min\w*|\b\d{1,2}:\d\d\b", re.IGNORECASE)
_LENGTH = re.compile(  # of what is written here
    r"\b\w+ (?:short |kurzen )?(?:sentences?|lines|words|sätzen?|zeilen|worten|phrases?|lignes|mots|frases?|líneas|"
    r"palabras|frasi|righe|parole|zinnen|regels|woorden|linhas|palavras)\b|\bl[aeo]s (?:dos|deux)\b",
    re.IGNORECASE,
)
_PIECES = re.compile(rf"([,;:()“”\"–—]|\s(?:-)\s|{AND})")
_QUOTATION = re.compile(r"[“„\"«»‟]([^“”„\"«»‟]{3,600})[”“\"»«]")
_GREETED = re.compile(r"[,.!:–]|\s-\s")
_A_PIECE, _A_TITLE = 3, 6  # words
_MOST_PIECES = 60
_TRIGGER = 4  # letters of a word that says what a phrase is about
_MOST = 50_000  # letters that are read
_UNTICKED = "This quotes your website. Tick the quotation in your profile first, or say it in your own words."
NO_SOURCE = "Nothing that was read or typed says this."
_OF_RECIPIENT = "Nothing known of this person says this."
_DENIED = {
    "contact": "Nothing shows that this happened between you.",
    "wrote": "Nothing shows that they wrote this to you.",
    "people": "Nothing shows that another person is part of this.",
    "seen": "Nothing shows that you have seen this.",
    "likely": "This is only likely. Say what you know of them, or ask.",
    "deadline": "Your profile has no such deadline.",
    "superlative": "Your profile has no such comparison or award.",
    "customers": "Your profile has no such customers or results.",
    "market": "This speaks for a whole market.",
    "offer": "Your profile has no such offer.",
}
_OF_THEM = ("contact", "wrote", "people", "seen", "likely")
_ASKED = ("likely", "market")  # what may be asked


@dataclass(frozen=True)
class Sources:
    """What sentences may rest on: the founder's `own` words, what else is said of us, and what is known of them."""

    own: Sequence[str]
    ours: Sequence[str]
    theirs: Sequence[str]
    names: str
    topic: str
    wrote: bool  # whether they wrote to us

    @property
    def all(self) -> Sequence[str]:
        """Return all of them."""
        return (*self.ours, *self.theirs)


@dataclass(frozen=True)
class Said:
    """One sentence: as it stands in the text, what of it is not settled, and the same in plain small letters."""

    whole: str
    bare: str
    low: str
    words: Words
    sources: Sources
    about: str  # business or recipient
    asks: bool
    named_them: bool  # whether their name or company stands in it
    strict: bool


def links(text: str) -> list[re.Match[str]]:
    """Return the links and addresses in a text, with blanks for its variables, whose names may look like one."""
    read = _VARIABLE.sub(lambda found: " " * len(found[0]), text)
    return [match for match in _LINK.finditer(read) if _is_link(match)]


def _is_link(match: re.Match[str]) -> bool:
    """Return whether it leads somewhere; "read it.So we" only lacks a space, though names in Somalia end so."""
    ending = match["ending"] and normalize("NFKC", re.sub(f"[{_UNSEEN}]", "", match["ending"]))
    if ending is None or ending.lower() in _RESERVED:
        return True
    return is_ending(ending) and bool(match["path"] or len(ending) > 2 or not ending.istitle())


def problems(brief: Brief, text: str, known: Sequence[str] = (), *, strict: bool = False) -> Sequence[Problem]:
    """Return everything that a person should check before it is sent, what is claimed of the recipient first.

    A person may say of us one word in four that no source has; a model, which is checked `strict`, none.
    """
    sources, words = sources_of(brief, known), of_text(text, brief.profile.language)
    read = _LINK.sub(
        lambda found: _BLANK if _is_link(found) else found[0],
        _VARIABLE.sub(_BLANK, re.sub(r"[^\S\n]+", " ", text[:_MOST])),
    )
    found = [*_links(text, brief, sources), *_broken(brief, text), *_quoted(brief, text)]
    profile = brief.profile
    unknown = sequences.texts(profile.language, profile.tone, profile.country)["unknown"].values()
    there = [*known, *unknown, brief.sender_name, brief.recipient, *brief.recipient.split(", ")]
    claimed: list[tuple[str, Problem]] = []
    for sentence in sentences(_without_quotes(read, sources)):
        if said := _said(brief, sentence, words, _narrowed(brief, sentence, sources), strict):
            claimed += [(sentence, one) for rule in RULES if (one := rule(said))][:1]
    ours = _frames(brief) if claimed else frozenset()
    found += [one for sentence, one in claimed if _flat(_without(sentence, there)) not in ours]
    found.sort(key=lambda one: one.about != "recipient")
    return list({(one.words, one.sentence): one for one in found}.values())


def _frames(brief: Brief) -> frozenset[str]:
    """Return the built-in writer's own sentences: they say no more than the words that were put into them."""
    voices = (sequences.Voice(brief, angle.code) for angle in ANGLES)
    texts = (_VARIABLE.sub(_BLANK, text) for voice in voices for text in voice.every())
    return frozenset(_flat(_without(one, [brief.sender_name])) for text in texts for one in sentences(text))


def _without(sentence: str, names: Sequence[str]) -> str:
    """Return a sentence without what is known of the recipient and the sender."""
    for name in sorted(filter(None, names), key=len, reverse=True):
        sentence = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", _BLANK, sentence)
    return sentence


def sources_of(brief: Brief, known: Sequence[str] = ()) -> Sources:
    """Return what the sentences of a text may rest on."""
    profile = brief.profile
    typed = [getattr(profile, name) for name in profile.typed]
    own = [
        *profile.sentences,
        *(one if isinstance(one, str) else " · ".join(map(str, one)) for one in typed),
        *profile.stands,
        brief.offer,
        *(said for fact in profile.facts if not fact.is_quotation for said in (fact.text, fact.quote)),
        *(fact.text for fact in profile.facts if fact.quotable and fact.kind == "detail"),
    ]
    ours = [
        *own,
        *(fact.quote for fact in profile.facts if fact.quotable),
        *(one.quote for one in brief.evidence if one.about == "business"),
    ]
    theirs = [_told(one) for one in brief.evidence if one.about != "business"]
    names = " · ".join((profile.name, brief.sender_name, brief.recipient))
    wrote = any(one.about == "conversation" for one in brief.evidence)
    return Sources(tuple(filter(None, own)), tuple(filter(None, ours)), (*theirs, *known), names, profile.topic, wrote)


def _said(brief: Brief, sentence: str, words: Words, sources: Sources, strict: bool) -> Said | None:
    """Return a sentence without what is settled; None when nothing is left."""
    bare = _without_greeting(sentence, words)
    bare = _LENGTH.sub(_BLANK, _unsettled(bare, sources.own))
    if not re.search(r"\w", bare):
        return None
    low = " ".join(plain(bare).casefold().split())
    parts = [*brief.recipient.split(", "), *(one for one in sources.theirs if len(one.split()) <= _A_TITLE)]
    named = any(len(one) > 2 and plain(one).casefold() in low for one in parts)
    about = "recipient" if (named or words.them.search(low)) and not words.us.search(low) else "business"
    asks = sentence.rstrip(" ”\"'").endswith("?") and not words.presumes.search(low)
    return Said(sentence.replace(_BLANK, "…"), bare, low, words, sources, about, asks, named, strict)


def _without_greeting(sentence: str, words: Words) -> str:
    if not words.greeting.match(plain(sentence).casefold()):
        return sentence
    return _GREETED.split(sentence, maxsplit=1)[-1].strip()


def _unsettled(sentence: str, own: Sequence[str]) -> str:
    """Return the sentence with a blank for each piece that the founder said."""
    whole = [f" {_flat(one)} " for one in own]
    if any(f" {_flat(sentence)} " in one for one in whole):
        return _BLANK
    pieces, left = _PIECES.split(sentence), list[str]()
    while 0 < len(pieces) <= _MOST_PIECES:
        runs = range(len(pieces), 0, -1)
        run = next((number for number in runs if _is_piece(_flat("".join(pieces[:number])), whole)), 0)
        left.append(_BLANK if run else pieces[0])
        pieces = pieces[run or 1 :]
    return "".join([*left, *pieces])


def _is_piece(said: str, whole: Sequence[str]) -> bool:
    return len(said.split()) >= _A_PIECE and any(f" {said} " in one for one in whole)


@lru_cache(maxsize=4096)
def _flat(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", plain(text).casefold()))


def _narrowed(brief: Brief, sentence: str, sources: Sources) -> Sources:
    """Return what a sentence of an opener, or a part of one, was written from; else all that there is."""
    said = _flat(sentence.replace(_BLANK, ""))
    opened = next((one for one in brief.opener if said and said in _flat(one.text)), None)
    if opened is None:
        return sources
    there = [one for one in brief.evidence if one.id in opened.facts]
    ours = [one.quote for one in there if one.about == "business"]
    return replace(sources, ours=ours, theirs=[_told(one) for one in there if one.about != "business"])


def _told(one: Evidence) -> str:
    """Return a quote with where it stands: a sentence may say that it was read there."""
    return f"{one.quote} · {one.label}"


def _denied(said: Said) -> Problem | None:
    """Refuse what is never said without a source: contacts, people, likelihoods, awards, results, offers."""
    for kind, pattern in said.words.deny.items():
        if (said.asks and kind in _ASKED) or (kind == "wrote" and said.sources.wrote):
            continue
        given = said.sources.theirs if kind in _OF_THEM else said.sources.ours
        for match in pattern.finditer(said.low):
            before = said.low[: match.start()].split()[-3:]
            if kind == "likely" and said.words.supposes.intersection(before):
                continue
            if not _is_excused(match[0], given, said.words):
                return Problem(said.whole, _DENIED[kind], "recipient" if kind in _OF_THEM else "business")
    return None


def _is_excused(phrase: str, given: Sequence[str], words: Words) -> bool:
    """Return whether a source has the words of such a phrase."""
    several = [one for one in claim_support.tokens(phrase, words) if len(one.word) >= _TRIGGER or one.number]
    triggers = [one for one in several if not words.them.fullmatch(one.word) and not words.us.fullmatch(one.word)]
    if triggers:
        return any(claim_support.stands(triggers, [one], words) for one in given)
    return any(f" {_flat(phrase)} " in f" {_flat(one)} " for one in given)


def _counted(said: Said) -> Problem | None:
    """Refuse a number that no source has, also in a question."""
    given = said.sources.all
    if claim_support.numbers(
        _TIME.sub(_BLANK, said.bare), [*given, said.sources.names, said.sources.topic], said.words
    ):
        return Problem(said.whole, "This number has no source.", said.about)
    return None


def _unsaid(said: Said) -> Problem | None:
    """Refuse what a sentence says of us or of them beyond the words that were read or typed."""
    if said.asks or _supposes(said) or _is_title(said):
        return None
    given = _given(said)
    topic = "" if said.words.them.search(_first(said)) else said.sources.topic
    names, bare = f"{said.sources.names} · {topic}", _TIME.sub(_BLANK, said.bare)
    lacking = claim_support.missing(bare, given, names, said.words, strict=said.strict or said.about == "recipient")
    of_us = bool(said.words.us.search(said.low))
    if lacking or (of_us and claim_support.turned(said.bare, given, said.words)):
        return Problem(said.whole, _OF_RECIPIENT if said.about == "recipient" else NO_SOURCE, said.about)
    return None


def _given(said: Said) -> Sequence[str]:
    """Return what a sentence may rest on: what is said of them is no source of what is said of us."""
    if said.about == "recipient" and _tells_of_them(said):
        to_them = [one for one in said.sources.ours if said.words.them.search(plain(one).casefold())]
        return [*said.sources.theirs, *to_them]
    if said.words.us.search(said.low) and not (said.named_them or said.words.them.search(said.low)):
        return said.sources.ours
    return said.sources.all


def _tells_of_them(said: Said) -> bool:
    """Return whether they do what a sentence says; it is of us what we do for them, or what they can do with us."""
    if said.words.can.intersection(said.low.split()):
        return False
    return bool(said.words.them.search(_first(said)) or said.named_them)


def _first(said: Said) -> str:
    """Return the first words of a sentence, where the one stands who does what it says."""
    return " ".join(re.findall(r"[^\s,]+", said.low)[:2])


def _supposes(said: Said) -> bool:
    """Return whether a sentence begins with a condition, or wishes without speaking of us or of them."""
    first = (re.findall(r"[^\W_]+", said.low) or [""])[0]
    if first in said.words.ifs:
        return not said.words.us.search(said.low)
    spoken = said.words.us.search(said.low) or said.words.them.search(said.low)
    return not spoken and bool(said.words.supposes.intersection(said.low.split()))


def _is_title(said: Said) -> bool:
    """Return whether it is no sentence, such as a subject or the name below a message."""
    whole = said.whole.rstrip(" ”\"'").endswith((".", "!", ":", "?", "…"))
    spoken = said.words.us.search(said.low) or said.words.them.search(said.low)
    return not whole and not spoken and len(said.low.split()) <= _A_TITLE


RULES: tuple[Callable[[Said], Problem | None], ...] = (_denied, _counted, _unsaid)


def _without_quotes(text: str, sources: Sources) -> str:
    """Return the text without quotations that are verbatim in a source."""
    given = [f" {_flat(one)} " for one in sources.all]

    def blank(match: re.Match[str]) -> str:
        inner = f" {_flat(match[1])} "
        return _BLANK if inner.strip() and any(inner in one for one in given) else match[0]

    return _QUOTATION.sub(blank, text)


def _quoted(brief: Brief, text: str) -> Iterator[Problem]:
    """Yield each quotation of a page that the owner did not tick."""
    closed = [_flat(fact.quote) for fact in brief.profile.facts if fact.is_quotation and not fact.quotable]
    opened = [_flat(one) for one in sources_of(brief).ours]
    for match in _QUOTATION.finditer(text[:_MOST]):
        inner = _flat(match[1])
        is_closed = any(inner in one for one in closed) and not any(inner in one for one in opened)
        if is_closed and len(inner.split()) >= _A_PIECE:
            yield Problem(match[1].strip(), _UNTICKED, "rule")


def _links(text: str, brief: Brief, sources: Sources) -> Iterator[Problem]:
    whole = " ".join([*sources.all, *(fact.page for fact in brief.profile.facts)]).lower()
    for match in links(text[:_MOST]):
        if re.sub(r"^(https?://)?(www\.)?", "", match[0].lower()).rstrip("/.,") not in whole:
            yield Problem(match[0], "This link or address is not one of yours.", "link")


def _broken(brief: Brief, text: str) -> Iterator[Problem]:
    for rule in brief.rules:
        for word in style.mentions(text, style.read(rule).avoid):
            yield Problem(word, f"This breaks the rule “{rule}”", "rule")
    for word in style.mentions(text, style.read(brief.style).avoid):
        yield Problem(word, "The style document says to avoid this.", "rule")
