"""Tone of a person's own words: positive, negative or neither. No network, no model."""

import re
from collections.abc import Sequence

from app.domain.replies import words
from app.models.conversations import Sentiment

_TELLING = 12  # words; the language of fewer can't be told


def of(own: str) -> Sentiment:
    """Return the tone: "we already have one, but tell me more" is a yes when what follows asks for something."""
    small = words.fold(own)
    among = _among(own)
    if not words.search("tone", "no", small, among):
        return Sentiment.POSITIVE if _says_yes(small, among) else Sentiment.GENERIC
    yet = words.search("tone", "yet", small, among)
    after = small[yet.end() :] if yet else ""
    positive = after and _says_yes(after, among) and not words.search("tone", "no", after, among)
    return Sentiment.POSITIVE if positive else Sentiment.NEGATIVE


def _says_yes(small: str, among: Sequence[str]) -> bool:
    return bool(words.search("tone", "yes_alone", small, among) or words.search("tone", "yes", small, among))


def _among(own: str) -> list[str]:
    """Return the languages whose phrases may be meant: a short text may be in any."""
    return words.likely(own) if len(re.findall(r"\S+", own)) > _TELLING else list(words.languages())
