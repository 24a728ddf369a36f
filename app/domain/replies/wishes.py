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

MOST_SENTENCES, LONGEST_SENTENCE = 60, 600
LONGEST_ALONE = 8  # words of a letter that is nothing but "STOP, please"
LONGEST_SAID = 300
MOST_BESIDE = 6  # lines of a letter that says nothing but "stop"
LONGEST_GREETING = 6  # words
MOST_BEHIND = 2  # words that a wish may be followed by without saying what it is about
_ANSWERS = re.compile(
    r"^\s*(?:re|aw|fw|fwd|wg|sv|vs|antw|odp|ynt|res|rif|ref|tr|回复|答复|回覆|转发|답장)\s*(?:\[\d+\])?\s*[:：]",
    re.IGNORECASE,
)
_COMMAS = re.compile(r"[,，、]")
_SAYS = re.compile(r"\w")
_SIGNS = re.compile(r"[^\w\s'-]+")


class Wish(NamedTuple):
    """A sentence that asks to hear no more, and whether that is certain."""

    sentence: str
    is_certain: bool


def find(own: Own, subject: str = "") -> Wish | None:
    """Return the wish of a letter's own words or of a subject that its writer chose; None without one."""
    if not answers(subject) and is_alone(subject):
        return Wish(" ".join(subject.split())[:LONGEST_SAID], True)
    lone = _alone_in(own.said)
    found = [*([lone] if lone else []), *_wishes(own.said, words.written_in(own.said))]
    below = [*_wishes(own.signature, words.written_in(own.signature))] if own.signature else []
    found += [Wish(one.sentence, False) for one in below if one.is_certain]  # who signs first and then asks is rare
    return max(found, key=lambda one: one.is_certain, default=None)


def answers(subject: str) -> bool:
    """Return whether a subject is that of an answer: "Re: …"."""
    return _ANSWERS.match(subject) is not None


def is_alone(text: str) -> bool:
    """Return whether a text is nothing but a word such as "unsubscribe" or "STOP", with a please or a thank-you."""
    said = _compared(text)
    if not said or len(said.split()) > LONGEST_ALONE:
        return False
    among = words.written_in(said)
    alone = any(_alone(one.name).fullmatch(one.as_compared(said)) for one in among)
    return alone and not any(_says(one, "never", said) for one in among)  # "I don't want to unsubscribe"


def _compared(text: str) -> str:
    return " ".join(_SIGNS.sub(" ", words.squeezed(text)).split())


def _alone_in(text: str) -> Wish | None:
    """Return the sentence that is nothing but "stop": certain where all beside it is a greeting, a no or a name."""
    lines = [text[begin:end].strip() for begin, end in sentences(text)]
    lines = [part for whole in lines for line in whole.split("\n") for part in _begun(line) if _SAYS.search(part)]
    if len(lines) > MOST_BESIDE:
        return None
    lone = next((line for line in lines if is_alone(line)), None)
    if lone is None:
        return None
    certain = all(is_alone(one) or _is_beside(one) or _complains(one) for one in lines)
    return Wish(" ".join(lone.split())[:LONGEST_SAID], certain)


def _begun(line: str) -> list[str]:
    """Divide a line that begins or ends with such a word: "unsubscribe, I'm not interested", "Don't need it, stop"."""
    parts = _COMMAS.split(line)
    if not (is_alone(parts[0]) or is_alone(parts[-1])):
        return [line]
    short = len(line.split()) <= LONGEST_ALONE and "?" not in line
    return parts if short or all(is_alone(one) or _is_beside(one) or _complains(one) for one in parts) else [line]


def _complains(line: str) -> bool:
    """Return whether a line is about having been written to, or a short no: "I never signed up for this"."""
    short = len(line.split()) <= LONGEST_GREETING
    return any(
        _says(one, "unsure", line) or _says(one, "sure", line) or (short and _says(one, "no", line, "tone"))
        for one in words.written_in(line)
    )


def _is_beside(line: str) -> bool:
    """Return whether a line says nothing of its own: a greeting, a no, thanks, or a name."""
    said = _compared(line)
    greets = any(
        pattern and pattern.match(one.as_compared(said)) and len(said.split()) <= LONGEST_GREETING
        for one in words.written_in(line)
        if (pattern := one.phrases("stop", "beside"))
    )
    named = re.fullmatch(r"(?:[^\W\d_a-zà-ÿ][\w.'-]*[ ,]*){1,4}", line.strip()) is not None
    return greets or named


@cache
def _alone(name: str) -> re.Pattern[str]:
    """Return what a text is made of that is nothing but such a word: at least one of them, and polite ones."""
    language = words.languages()[name]
    alone = "|".join(sorted(map(words.fold_pattern, language.lines("stop", "alone")), key=len, reverse=True))
    filler = [*language.lines("stop", "polite"), *language.lines("stop", "beside")]
    polite = "|".join(sorted(map(words.fold_pattern, filler), key=len, reverse=True)) or "(?!)"
    gap = "(?: |$)" if language.spaced else ""
    alone, polite = (alone, polite) if language.spaced else (alone.replace(" ", ""), polite.replace(" ", ""))
    return re.compile(rf"(?:(?:{polite}){gap}){{0,7}}(?:{alone}){gap}(?:(?:{alone}|{polite}){gap}){{0,7}}")


def _wishes(text: str, languages: Sequence[Language]) -> Iterator[Wish]:
    """Yield the sentences that are a wish, with what certainty."""
    mentioned = False  # "my address" in a sentence before: "Delete it."
    foreign = words.foreign(text)
    for begin, end in sentences(text)[:MOST_SENTENCES]:
        sentence = text[begin:end][:LONGEST_SENTENCE]
        if any(_says(one, "never", sentence) for one in languages):
            continue  # in whichever language: English is mixed into any other
        small = words.squeezed(sentence)
        thing = _shared("things").search(small)
        if thing and not _shared("about").search(small):
            continue  # "don't send me the invoice by post"
        judged = [_judged(sentence, one, mentioned) for one in languages]
        judged = [
            "unsure" if how == "sure" and one.name in foreign else how
            for how, one in zip(judged, languages, strict=True)
        ]  # by words of a language that the letter isn't in, nobody is silenced
        if any(judged):
            is_certain = "sure" in judged and "but" not in judged and not thing
            yield Wish(" ".join(sentence.split())[:LONGEST_SAID], is_certain)
        mentioned = mentioned or any(_says(one, "unsure", sentence) for one in languages)


def _judged(sentence: str, language: Language, mentioned: bool) -> str:
    """Return "sure", "but" (it is limited), "unsure" or "" for a sentence in one language."""
    yet = language.phrases("tone", "yet")
    small = words.squeezed(sentence)
    for clause in [part.strip() for part in yet.split(small)] if yet else [small]:  # "not now, but write again in May"
        if _says(language, "law", clause):
            return "sure"
        closed = _says(language, "sure", clause) and _is_closed(language, clause)
        if closed or (mentioned and _says(language, "it", clause)):
            return "but" if _says(language, "but", sentence) else "sure"
        if _says(language, "sure", clause):
            return "but"
    return "unsure" if _says(language, "unsure", sentence) else ""


def _is_closed(language: Language, clause: str) -> bool:
    """Return whether a wish says nothing else behind it: "don't send us articles about casinos" is about articles."""
    pattern = language.phrases("stop", "sure")
    found = pattern.search(language.as_compared(clause)) if pattern else None
    behind = language.as_compared(clause)[found.end() :] if found else ""
    if not language.spaced:
        return len(behind) <= MOST_BEHIND * 4
    rest = behind.partition(" ")[2] if behind[:1].strip() else behind
    refusal = language.phrases("tone", "no")  # "…, we are not interested" says why
    refused = refusal.search(rest) if refusal else None
    about = rest[: refused.start()] if refused else rest
    return len(about.split()) <= MOST_BEHIND or bool(_shared("about").search(rest))


@cache
def _shared(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words.alternatives('stop', name)})(?!\w)")


def _says(language: Language, name: str, sentence: str, table: str = "stop") -> bool:
    pattern = language.phrases(table, name)
    return bool(pattern and pattern.search(language.as_compared(words.squeezed(sentence))))
