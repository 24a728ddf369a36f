"""Wishes to hear no more: certain, or so likely that a member decides. A word alone decides nothing.

A sentence is a wish by its grammar: a verb of stopping and one of writing, a negation with "again", "remove" with
"me" or "my address". What says that it is none ("if you …", a colleague who unsubscribed, "not before Tuesday") stands
in the data files as well.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from app.domain.replies import words
from app.domain.replies.own_words import Own, sentences
from app.domain.replies.words import Language

LONGEST_ALONE = 8  # words of a letter that is nothing but "STOP, please"
LONGEST_SAID = 300
_ANSWERS = re.compile(r"^\s*(?:re|aw|fw|fwd|wg|sv|vs|antw|odp|ynt|res|rif|ref|tr|回复|答复|回覆|转发|답장)\s*(?:\[\d+\])?\s*[:：]", re.IGNORECASE)
_SIGNS = re.compile(r"[^\w\s'-]+")


class Wish(NamedTuple):
    """A sentence that asks to hear no more, and whether that is certain."""

    sentence: str
    is_certain: bool


def find(own: Own, subject: str = "") -> Wish | None:
    """Return the wish of a letter's own words or of a subject that its writer chose; None without one."""
    if is_alone(own.said) or (not _ANSWERS.match(subject) and is_alone(subject)):
        return Wish(" ".join((own.said if is_alone(own.said) else subject).split())[:LONGEST_SAID], True)
    languages = words.written_in(own.said)
    found = [*_wishes(own.said, languages)]
    below = [*_wishes(own.signature, words.written_in(own.signature))] if own.signature else []
    found += [Wish(one.sentence, False) for one in below if one.is_certain]  # who signs first and then asks is rare
    return max(found, key=lambda one: one.is_certain, default=None)


def is_alone(text: str) -> bool:
    """Return whether a text is nothing but a word such as "unsubscribe" or "STOP", with a please or a thank-you."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    said = _SIGNS.sub(" ", words.squeezed(first)).strip()
    if not said or len(said.split()) > LONGEST_ALONE:
        return False
    return any(_alone(one.name).fullmatch(one.as_compared(" ".join(said.split()))) for one in words.written_in(said))


@cache
def _alone(name: str) -> re.Pattern[str]:
    """Return what a text is made of that is nothing but such a word: at least one of them, and polite ones."""
    language = words.languages()[name]
    alone = "|".join(sorted(map(words.fold_pattern, language.lines("stop", "alone")), key=len, reverse=True))
    polite = "|".join(sorted(map(words.fold_pattern, language.lines("stop", "polite")), key=len, reverse=True)) or "(?!)"
    gap = "(?: |$)" if language.spaced else ""
    alone, polite = (alone, polite) if language.spaced else (alone.replace(" ", ""), polite.replace(" ", ""))
    return re.compile(rf"(?:(?:{polite}){gap}){{0,7}}(?:{alone}){gap}(?:(?:{alone}|{polite}){gap}){{0,7}}")


def _wishes(text: str, languages: Sequence[Language]) -> Iterator[Wish]:
    """Yield the sentences that are a wish, with what certainty."""
    mentioned = False  # "my address" in a sentence before: "Delete it."
    for begin, end in sentences(text):
        sentence = text[begin:end]
        judged = [_judged(sentence, one, mentioned) for one in languages]
        if any(judged):
            yield Wish(" ".join(sentence.split())[:LONGEST_SAID], "sure" in judged and "but" not in judged)
        mentioned = mentioned or any(_says(one, "unsure", sentence) for one in languages)


def _judged(sentence: str, language: Language, mentioned: bool) -> str:
    """Return "sure", "but" (it is limited), "unsure" or "" for a sentence in one language."""
    if _says(language, "never", sentence):
        return ""
    yet = language.phrases("tone", "yet")
    small = words.squeezed(sentence)
    for clause in [part.strip() for part in yet.split(small)] if yet else [small]:  # "not now, but write again in May"
        if _says(language, "sure", clause) or (mentioned and _says(language, "it", clause)):
            return "but" if _says(language, "but", sentence) else "sure"
    return "unsure" if _says(language, "unsure", sentence) else ""


def _says(language: Language, name: str, sentence: str) -> bool:
    pattern = language.phrases("stop", name)
    return bool(pattern and pattern.search(language.as_compared(words.squeezed(sentence))))
