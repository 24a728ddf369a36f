"""Find the built-in writer's own sentences in a text: they say no more than the words that were put into them."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from app.ports.writer import Brief
from app.providers.writer.claims import claim_support
from app.providers.writer.sequences import Voice, voice
from app.providers.writer.tongues import every, tongue_of

_PIECE = re.compile(r"\[|\]|\||\{(\w+)\}|\.\s|[^\[\]|{}.]+|.", re.DOTALL)


def without(brief: Brief, text: str, given: Sequence[str], known: Sequence[str], blank: str) -> str:
    """Return the text with a blank for each such sentence.

    Words of the business stand in it exactly as they are in the profile, and rest on words that are `given`. Words
    about the recipient are among `known`.
    """
    business, masked = _of_business(voice(brief, ""), given), _masked(text, known, blank)
    several = _expressions(business, blank, brief.profile.language)
    spans = sorted(
        (found.span() for one in several for found in one.finditer(masked)), key=lambda span: span[0] - span[1]
    )
    taken: list[tuple[int, int]] = []
    for begin, end in spans:
        if all(end <= other or until <= begin for other, until in taken):
            taken.append((begin, end))
    for begin, end in sorted(taken, reverse=True):
        text = f"{text[:begin]} {blank} {text[end:]}"
    return text


def _masked(text: str, known: Sequence[str], blank: str) -> str:
    """Return the text with blanks, as many as letters, for what is known of the recipient.

    The expressions of a business then serve everyone: they take long to compile.
    """
    said = "|".join(re.escape(one) for one in sorted({*known} - {""}, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{said})(?!\w)", lambda match: blank * len(match[0]), text) if said else text


def _of_business(spoken: Voice, given: Sequence[str]) -> tuple[tuple[str, str], ...]:
    several = {name: spoken.filled(f"{{{name}}}") for name in ("name", "sells", "short", "change", "proof", "offer")}
    return tuple(
        (name, said)
        for name, said in several.items()
        if name == "name" or claim_support.supported(said, given, spoken.name)
    )


@lru_cache(maxsize=64)
def _expressions(business: tuple[tuple[str, str], ...], blank: str, language: str) -> tuple[re.Pattern[str], ...]:
    tongue = tongue_of(language)
    patterns = [*tongue.common.items(), *(one for angle in tongue.angles.values() for one in angle.items())]
    slots = {name: re.escape(said) for name, said in business if said}
    fallbacks = {
        "first": tongue.there,
        "company": tongue.company,
        "title": "right person",
        "opening": tongue.opening,
        "round": tongue.round,
        "technology": tongue.technology,
        "news": tongue.news,
    }
    for name, fallback in fallbacks.items():
        slots[name] = f"{re.escape(blank)}+|{re.escape(fallback)}"
    texts = {text for key, text in patterns if key not in ("hello", "farewell")}
    found = sorted({one for text in texts for one in _expression_of_each(text, slots)})
    return tuple(re.compile(one, re.IGNORECASE) for one in found)


def _expression_of_each(pattern: str, slots: Mapping[str, str]) -> list[str]:
    """Return the expression of a pattern, or those of its choices that need no words which are missing."""
    whole = _expression(pattern, slots)
    return [whole] if whole else [one for text in every(pattern) if (one := _expression(text, slots))]


def _expression(pattern: str, slots: Mapping[str, str]) -> str:
    """Return the regular expression of a pattern; '' when the business has not said what it needs."""
    said = ""
    for piece in _PIECE.finditer(pattern.rstrip(" .?")):
        if name := piece[1]:
            if name not in slots:
                return ""
            said += f"(?:{slots[name]})"
        elif piece[0] in "[]|":
            said += {"[": "(?:", "]": ")", "|": "|"}[piece[0]]
        elif re.fullmatch(r"\.\s", piece[0]):
            said += r"(?:\.| –)\s"
        else:
            said += re.escape(piece[0])
    return rf"(?:(?<=^)|(?<=[.!?,:–\n(] )|(?<=[\n(]))(?:{said})(?=\s*(?:$|[.!?,:;–\n)]))"
