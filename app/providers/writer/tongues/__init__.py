"""The languages in which the built-in writer writes."""

import re

from app.core import languages
from app.providers.writer.grammar import pick
from app.providers.writer.tongues.de import GERMAN
from app.providers.writer.tongues.en import ENGLISH
from app.providers.writer.tongues.es import SPANISH
from app.providers.writer.tongues.fr import FRENCH
from app.providers.writer.tongues.it import ITALIAN
from app.providers.writer.tongues.nl import DUTCH
from app.providers.writer.tongues.pt import PORTUGUESE
from app.providers.writer.tongues.shapes import Tongue

TONGUES = {one.code: one for one in (ENGLISH, GERMAN, FRENCH, SPANISH, DUTCH, ITALIAN, PORTUGUESE)}
_CHOICE = re.compile(r"\[([^\[\]]*)\]")


def tongue_of(language: str) -> Tongue:
    """Return the language's sentences; English where there are none."""
    return TONGUES.get(languages.base(language), ENGLISH)


def written_in(language: str) -> bool:
    """Return whether the built-in writer writes a language."""
    return languages.base(language) in TONGUES


def note(language: str) -> str:
    """Return what to tell an owner whose language the built-in writer doesn't write, else ''."""
    listed = [one.english for one in TONGUES.values()]
    names = f"{', '.join(listed[:-1])} and {listed[-1]}"
    return "" if written_in(language) else f"I write only {names} without a model, so these messages are in English."


def chosen(pattern: str, *about: str) -> str:
    """Return a sentence with one option of each of its choices, always the same for the same arguments."""
    number = 0
    while match := _CHOICE.search(pattern):
        number += 1
        option = pick(match[1].split("|"), pattern, str(number), *about)
        pattern = pattern[: match.start()] + option + pattern[match.end() :]
    return pattern


def every(pattern: str) -> list[str]:
    """Return every sentence that a pattern can become."""
    match = _CHOICE.search(pattern)
    if not match:
        return [pattern]
    return [
        one
        for option in match[1].split("|")
        for one in every(pattern[: match.start()] + option + pattern[match.end() :])
    ]
