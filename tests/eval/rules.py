"""What counts as right, false, shared, broken or done: rules that a machine can follow, so that figures compare."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from app.ports.writer import PlayStep
from app.providers.writer.tables.shapes import words
from app.providers.writer.taxonomy import CATEGORIES
from tests.eval.material import Labelled

_FORMS = frozenset("gmbh ug llc ltd limited srl snc spa as ab llp inc bv sarl sas ltda the".split())
_STOPS = {
    "en": "the and of to is for with that your we our are you i it at on this have who",
    "de": "der die das und ist für mit wir sie ein eine nicht auf zu im ihre ich bei wer",
    "fr": "le la les et des est pour avec nous vous une dans votre nos sur je qui au chez",
    "es": "el la los las y para que con una por en su nuestro es usted del al yo quién",
    "it": "il lo gli e di che per con una nostro sono della mi lei chi da nel alla",
    "nl": "de het een en van voor met wij u ons onze zijn niet op dat bij ik wie",
    "pt": "o os as e para que com uma por em nosso não se do da ao eu quem sua",
}
_BROKEN = re.compile(
    r"  |(?<!\S)[,;:.?!](?!\.)| [,;:.?!](?=\s|$)|\.\.(?!\.)|,,|\b(\w{2,}) \1\b|"
    r"\b(and|or|with|of|to|for|the|a|an|if|that)\s*[.?!]|[{}]|\(\s*\)|“\s*”",
    re.IGNORECASE | re.MULTILINE,
)
_ONLY = re.compile(r"\b(writes? only|only writes?|can't write|cannot write)\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d[\d.,:]*")
_MINUTES = re.compile(r"\b\d+[ -]?min", re.IGNORECASE)
_SHORT = 4  # letters
_GREETING = 3  # words: what is shorter says hello or goodbye


def name_right(site: Labelled, name: str) -> bool:
    """Return whether the business is named as it names itself, whatever the capitals, signs and legal form."""
    return _bare(name) != "" and _bare(name) in {_bare(one) for one in site.names}


def _bare(name: str) -> str:
    kept = [word for word in re.findall(r"\w+", name.casefold()) if word not in _FORMS]
    return "".join(kept)


def has_word(text: str, several: Iterable[str]) -> bool:
    """Return whether the text has one of the words, which may be parts of longer ones.

    A word of four letters or fewer must begin where a word begins, and one with a space after it end where one ends.
    """
    return any(_word(one).search(text.casefold()) for one in several)


@cache
def _word(one: str) -> re.Pattern[str]:
    bare = re.escape(one.strip().casefold())
    begins = r"(?<!\w)" if len(one.strip()) <= _SHORT and one.strip().isascii() else ""
    return re.compile(f"{begins}{bare}" + r"(?!\w)" * one.endswith(" "))


def offer_right(site: Labelled, offer: str) -> bool:
    """Return whether the words for what is sold contain one that any right answer must contain."""
    return has_word(offer, site.words)


def buyers_named(site: Labelled, types: Sequence[str]) -> int:
    """Return how many kinds of buyers that the site names stand in the suggested customer types."""
    whole = "\n".join(types)
    return sum(has_word(whole, several) for several in site.buyers)


@cache
def _offers() -> tuple[re.Pattern[str], Mapping[str, frozenset[str]]]:
    """Return a pattern of every offer in the product's table, the longest first, and the trades of each."""
    trades: dict[str, set[str]] = {}
    for category in CATEGORIES.values():
        for phrase in words(category.offers):
            trades.setdefault(phrase.casefold(), set()).add(category.code)
    listed = "|".join(re.escape(one) for one in sorted(trades, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)"), {one: frozenset(codes) for one, codes in trades.items()}


def falsehoods(site: Labelled, text: str, offer: str, pages: str) -> list[str]:
    """Return what a message asserts falsely of the business or the recipient.

    An offer of the product's table is false when none of its trades is true of the business and the site never uses
    the words; so is the offer as the product understood it, when it has none of the words of a right one, and so is
    each number that the site does not have, for nothing known of the recipient is a number. Minutes of a call are not.
    """
    pattern, trades = _offers()
    told = text.casefold()
    found = [
        phrase
        for phrase in pattern.findall(told)
        if not trades[phrase] & {*site.trades} and not re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", pages)
    ]
    if offer and not offer_right(site, offer) and offer.casefold() in told:
        found.append(offer)
    known = {_digits(one) for one in _DIGITS.findall(pages)}
    return found + [one for one in _DIGITS.findall(_MINUTES.sub("", told)) if _digits(one) not in known]


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number)


def pieces(text: str, blanked: Iterable[str]) -> set[str]:
    """Return the sentences of a text without names, numbers and the owner's words; greetings are left out."""
    for words_of_owner in sorted({one for one in blanked if len(one) > 1}, key=len, reverse=True):
        text = re.sub(re.escape(words_of_owner), "␣", text, flags=re.IGNORECASE)
    text = re.sub(r"“[^”]*”", "␣", _DIGITS.sub("␣", text))
    found = (" ".join(one.split()).casefold() for line in text.splitlines() for one in re.split(r"(?<=[.!?]) ", line))
    return {one for one in found if len(re.findall(r"[^\W␣]+", one)) >= _GREETING}


def shared(sets: Mapping[str, set[str]], least: int = 3) -> dict[str, float]:
    """Return for each business the share of its sentences that stand in those of `least` or more businesses."""
    stands = Counter(one for several in sets.values() for one in several)
    return {
        name: sum(stands[one] >= least for one in several) / len(several) for name, several in sets.items() if several
    }


def repeated(plays: Sequence[set[str]]) -> float:
    """Return the share of sentences that stand in more than one play of the same business."""
    stands = Counter(one for several in plays for one in several)
    whole = sum(len(several) for several in plays)
    return sum(stands[one] > 1 for several in plays for one in several) / whole if whole else 0.0


def language_of(text: str) -> str:
    """Return the language of a text by its small words, '' when too few are known; Japanese by its script."""
    if len(re.findall(r"[\u3040-\u30ff]", text)) > 5:
        return "ja"
    told = Counter(re.findall(r"[^\W\d_]+", text.casefold()))
    score = {code: sum(told[one] for one in listed.split()) for code, listed in _STOPS.items()}
    best = max(score, key=lambda code: score[code])
    return best if score[best] >= 3 else ""


def says_so(note: str) -> bool:
    """Return whether the product says that it does not write the language."""
    return bool(_ONLY.search(note))


def broken(step: PlayStep) -> bool:
    """Return whether the text of a step can't be sent: nothing in it, or not a sentence any more."""
    if step.kind == "reaction" or (step.kind == "invite" and not step.text):
        return False
    text = re.sub(r"\{\{[^{}]*\}\}", "Name", step.text)
    unequal = text.count("“") != text.count("”") or text.count("(") != text.count(")")
    lines = [line for line in text.splitlines() if line.strip() and line.strip() != "---"]
    greeted = {after for before, after in pairwise(lines) if before.endswith(",")}  # German goes on with a small letter
    small = any(
        re.search(r"(?<![.\d])[.!?] [a-zà-ž]", line) or (re.match(r"[a-zà-ž]", line) and line not in greeted)
        for line in lines
    )
    untold = not any(len(line.split()) > 2 for line in lines)
    return unequal or small or untold or bool(_BROKEN.search("\n".join(lines)))


def met(checks: Mapping[str, Any], before: Sequence[PlayStep], after: Sequence[PlayStep]) -> bool:
    """Return whether everything holds that a wish asked for."""
    return all(_CHECKS[name](wanted, before, after) for name, wanted in checks.items())


def _written(steps: Sequence[PlayStep], kind: str = "") -> list[PlayStep]:
    return [step for step in steps if step.kind in ((kind,) if kind else ("social", "email"))]


def _texts(steps: Sequence[PlayStep]) -> str:
    return "\n".join(f"{step.subject}\n{step.text}" for step in steps if step.kind != "reaction")


def _length(steps: Sequence[PlayStep]) -> int:
    return len(_texts(steps).split())


def _days(step: PlayStep) -> float:
    return step.delay.count * {"minutes": 1 / 1440, "hours": 1 / 24, "days": 1}[step.delay.unit]


def _waits(steps: Sequence[PlayStep]) -> float:
    return sum(_days(step) for step in steps)


def _last_line(step: PlayStep, before: int = 2) -> str:
    lines = [line for line in step.text.splitlines() if line.strip()]
    return " ".join(lines[-before:])


_CHECKS: dict[str, Any] = {
    "absent": lambda wanted, before, after: wanted.casefold() not in _texts(after).casefold(),
    "present": lambda wanted, before, after: wanted.casefold() in _texts(after).casefold(),
    "signed": lambda wanted, before, after: all(
        re.search(rf"(^|\s){wanted},?\s", _last_line(step)) for step in _written(after, "email")
    ),
    "emails": lambda wanted, before, after: len(_written(after, "email")) == wanted,
    "messages": lambda wanted, before, after: len(_written(after)) == wanted,
    "language": lambda wanted, before, after: all(language_of(step.text) == wanted for step in _written(after)),
    "words": lambda wanted, before, after: _length(after) <= wanted * _length(before),
    "only": lambda wanted, before, after: {step.kind for step in after} == {wanted},
    "reactions": lambda wanted, before, after: len(_written(after, "reaction")) == wanted,
    "note": lambda wanted, before, after: all(step.text == wanted for step in _written(after, "invite")),
    "more": lambda wanted, before, after: len(_written(after)) == len(_written(before)) + wanted,
    "waits": lambda wanted, before, after: _waits(after) > _waits(before),
    "wait": lambda wanted, before, after: all(
        any(step.id == name and _days(step) >= days for step in after) for name, days in wanted.items()
    ),
    "asks": lambda wanted, before, after: all(step.text.rstrip().endswith("?") for step in after if step.id == wanted),
    "subject": lambda wanted, before, after: any(step.subject == wanted for step in _written(after, "email")),
    "first": lambda wanted, before, after: next(step.kind for step in after if step.kind != "reaction") == wanted,
}
