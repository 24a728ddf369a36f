"""The style document: length, tone, words to avoid."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from app.core import languages
from app.core.mail.message_parts import asks, take_apart
from app.ports.writer import PlayStep

_LENGTH = re.compile(
    r"(?:at most|up to|no more than|maximum(?: of)?|max\.?|under|below)\s+(\d{1,3})\s+words", re.IGNORECASE
)
_AVOID = re.compile(
    r"(?:words to avoid|avoid|(?:never|do not|don['’]?t) (?:say|use|write|mention))\b(?: the words?\b)?", re.IGNORECASE
)
_MARKS = " \t-*#>_:"  # of Markdown, around what a line says


@dataclass(frozen=True)
class Style:
    """What a style document asks for. `words` 0 means no limit."""

    words: int = 0
    tone: str = ""  # formal, casual or ''
    avoid: tuple[str, ...] = ()


def read(markdown: str) -> Style:
    """Return the parts of a style document that a program can follow."""
    length = _LENGTH.search(markdown)
    tone, avoid, listing = "", [], False
    for line in markdown.splitlines():
        told = line.strip(_MARKS)
        if told.lower().startswith("tone"):
            tone = tone_of(told[4:])
        if named := _AVOID.match(told):
            avoid += _entries(told[named.end() :])
            listing = named.end() == len(told)
        elif listing and line.strip().startswith(("-", "*")):
            avoid += _entries(told)
        elif told:
            listing = False
    return Style(int(length[1]) if length else 0, tone, tuple(dict.fromkeys(avoid)))


def tone_of(words: str) -> str:
    """Return `formal`, `casual` or '' for a tone in a person's words."""
    plain = words.lower()
    if re.search(r"\b(not|less|in)[- ]?(too )?formal|casual|friendly|relaxed|warm|easy", plain):
        return "casual"
    return "formal" if re.search(r"formal|polite|serious", plain) else ""


def _entries(text: str) -> list[str]:
    parts = re.split(r"[,;]|\s(?:and|or)\s", text)
    return [one for part in parts if 1 < len(one := part.strip(f"{_MARKS}.\"'“”`")) <= 40]


def applied(steps: Iterable[PlayStep], style: Style, language: str = "en") -> list[PlayStep]:
    """Apply the style to the steps."""
    made = list(steps)
    if style.tone:
        made = [retold(step, style.tone, language) for step in made]
    if style.avoid:
        made = [without(step, style.avoid) for step in made]
    if style.words:
        made = [within(step, style.words) for step in made]
    return made


def by_rules(steps: Iterable[PlayStep], rules: Sequence[str], language: str = "en") -> list[PlayStep]:
    """Return the steps by the workspace's rules; one that asks for nothing a style may ask changes nothing."""
    made = list(steps)
    for rule in rules:
        made = applied(made, read(rule), language)
    return made


@cache
def words_of(language: str) -> Mapping[str, Any]:
    """Return what is known of a language for changing its texts; nothing of those that we do not write."""
    return _languages().get(languages.base(language), {})


@cache
def _languages() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads((Path(__file__).parent / "changes.toml").read_text("utf-8"))


def retold(step: PlayStep, tone: str, language: str) -> PlayStep:
    """Return a step in a tone, `formal` or `casual`: phrases that the language has for it take the place of others."""
    pattern, phrases = _phrases(language, tone)
    text, subject = (pattern.sub(lambda one: phrases.get(one[0], one[0]), said) for said in (step.text, step.subject))
    return replace(step, text=text, subject=subject)


@cache
def _phrases(language: str, tone: str) -> tuple[re.Pattern[str], Mapping[str, str]]:
    """Return the phrases of a tone, and a pattern that finds them and those that are in the tone already."""
    phrases = dict(words_of(language).get(tone, ()))
    several = sorted({*phrases, *phrases.values()}, key=len, reverse=True)
    bounded = (rf"(?<!\w){re.escape(one)}" + r"(?!\w)" * (not one.endswith(" ")) for one in several)
    return re.compile("|".join(bounded) or r"(?!)"), phrases


def without(step: PlayStep, avoided: Sequence[str]) -> PlayStep:
    """Return a step without the sentences that have a word to avoid; one that would say nothing stays as it is."""
    if not mentions(step.text, avoided):
        return step
    text = take_apart(step.text).only(lambda sentence: not mentions(sentence, avoided)).text
    if not said(text):
        text = "" if step.kind == "invite" else step.text
    return replace(step, text=text)


def said(text: str) -> bool:
    """Return whether a text says more than hello and goodbye."""
    return bool(take_apart(text).places)


def mentions(text: str, several: Sequence[str]) -> list[str]:
    """Return which of the words are in a text."""
    return [word for word in several if word and _word(word).search(text)]


@cache
def _word(word: str) -> re.Pattern[str]:
    """Return a pattern; a two-letter word is case-sensitive: AI, not ai in French."""
    return re.compile(rf"(?<![\w-]){re.escape(word)}(?:e?s|'s)?(?![\w-])", re.IGNORECASE if len(word) > 2 else 0)


def length(text: str) -> int:
    """Return the number of words, without those of the greeting's variables."""
    return len(re.sub(r"\{\{[^{}]*\}\}", "x", text).split())


def within(step: PlayStep, most: int) -> PlayStep:
    """Shorten a step to at most so many words if leaving out sentences is enough."""
    text = step.text
    while length(text) > most and (shorter := less(text)) != text:
        text = shorter
    return replace(step, text=text)


def less(text: str, kept: Sequence[str] = ()) -> str:
    """Return a text without the last sentence that it can do without.

    The greeting, the first question and sentences that hold one of the words `kept` stay; without a question, the
    first sentence does.
    """
    parts = take_apart(text)
    needed = [place for place in parts.places if asks(parts.at(place))][:1] or parts.places[:1]
    spare = [place for place in parts.places if place not in needed and not _holds(parts.at(place), kept)]
    return parts.replaced(spare[-1]).text if spare else text


def _holds(sentence: str, kept: Sequence[str]) -> bool:
    return any(plain(one) in plain(sentence) for one in kept if one.strip())


def plain(sentence: str) -> str:
    """Return a sentence as it is compared: in small letters, without its last mark."""
    return " ".join(sentence.split()).rstrip(" .").casefold()
