"""Lessons: the kinds of edits that are recognised with certainty, and the rule each of them suggests.

A lesson is a kind with its detail. `seen` finds it in one edit, `stands` says whether a text still has what its rule
would change, and `rule` is the rule in words that the built-in writer follows (`app/providers/writer/learnt_rules.py`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from app.core.message_parts import AFTERWORD
from app.domain.rules.edits.differences import BLANK, LINK, Anatomy, Difference, anatomy, blanked, length, swaps

Detail = tuple[str, ...]
CHANNELS = {"connection_request": "note", "message": "message", "inmail": "email", "email": "email"}  # by kind of step
FRAME = 0.5  # of the sentences sent must have stood in the text offered: else it was written anew, and says little
LEAST_WORDS = 4  # of a sentence that is left out by a rule
LONGEST_SWAP = 3  # words
SHORTER = 0.75  # of the words offered, at most, are left in a text that was shortened
_LONG = re.compile(r"[^\W\d_]{4,}")  # a word that means something by itself
_QUOTES = re.compile(r"[“”\"{}\n]")
_TIMES = ("", "once", "twice", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class Lesson:
    """A kind of edit, and what it was about."""

    kind: str
    detail: Detail = ()

    @property
    def rule(self) -> str:
        """Return the rule that the edit suggests."""
        return KINDS[self.kind].rule(*self.detail)

    def asks(self, times: int) -> str:
        """Return the question to the person who made the edits."""
        return f"{self.did(times)} Make it a rule?"

    def did(self, times: int) -> str:
        """Return a sentence about the edits."""
        often = f"{_TIMES[times] if times < len(_TIMES) else f'{times:,}'} times"
        return f"{KINDS[self.kind].did(*self.detail)} {often}."

    def stands(self, text: str, step_kind: str, values: Sequence[str] = ()) -> bool:
        """Return whether the text still has what the rule would change."""
        what = CHANNELS.get(step_kind, "message")
        whole = blanked(text, values)
        return bool(text.strip()) and KINDS[self.kind].stands(whole, anatomy(whole), what, self.detail)


@dataclass(frozen=True)
class Kind:
    """How a kind of edit is seen, known in a text, and put into words."""

    seen: Callable[[Difference, str], Iterable[Detail]]
    stands: Callable[[str, Anatomy, str, Detail], bool]
    rule: Callable[..., str]
    did: Callable[..., str]


def seen(difference: Difference, step_kind: str) -> list[Lesson]:
    """Return the lessons of one edit; none when the text was written anew."""
    if difference.kept < FRAME or not difference.offered.sentences:
        return []
    what = CHANNELS.get(step_kind, "message")
    return [Lesson(name, detail) for name, kind in KINDS.items() for detail in kind.seen(difference, what)]


def _plain(sentence: str) -> str:
    return " ".join(re.sub(r"[!¡.]", "", sentence).split()).casefold()


def _one_question(found: Difference, what: str) -> Iterable[Detail]:
    before, after = found.offered.questions, found.sent.questions
    if len(before) > 1 and len(after) == 1 and set(before) - set(after) <= set(found.removed):
        if after[0] == before[0]:
            yield ("first",)
        elif after[0] == before[-1]:
            yield ("last",)


def _no_questions(found: Difference, what: str) -> Iterable[Detail]:
    if found.offered.questions and not found.sent.questions and set(found.offered.questions) <= set(found.removed):
        yield ()


def _calm(found: Difference, what: str) -> Iterable[Detail]:
    if "!" not in found.offered_text or "!" in found.sent_text:
        return
    loud = {_plain(one) for one in found.offered.sentences if "!" in one}
    greeted = found.offered.greeting and found.offered.greeting == found.sent.greeting
    hello = greeted and re.match(r"[^\n.?]{0,50}!", found.offered_text) is not None
    if hello or loud & {_plain(one) for one in found.sent.sentences}:
        yield ()


def _greeting(found: Difference, what: str) -> Iterable[Detail]:
    old, new = _hello(found.offered), _hello(found.sent)
    if old and new and old.casefold() != new.casefold() and not _QUOTES.search(new):
        yield (what, new)


def _hello(text: Anatomy) -> str:
    return f"{text.greeting} {BLANK}" if text.names and text.greeting else text.greeting


def _sign_off(found: Difference, what: str) -> Iterable[Detail]:
    old, new = found.offered.sign_off, found.sent.sign_off
    if what == "email" and old and new and old.casefold() != new.casefold() and not _QUOTES.search(new):
        yield (new,)


def _swap(found: Difference, what: str) -> Iterable[Detail]:
    pairs = dict.fromkeys(pair for old, new in found.changed for pair in swaps(old, new))
    for old, new in pairs:
        if _exchangeable(old) and _exchangeable(new) and old.casefold() != new.casefold():
            detail = (_small(old), _small(new))
            if not _says(found.sent_text, detail[0]):
                yield detail


def _exchangeable(words: str) -> bool:
    if not words or BLANK in words or _QUOTES.search(words) or re.search(r"[.;!?,]", words):
        return False
    return len(words.split()) <= LONGEST_SWAP and bool(_LONG.search(words))


def _small(words: str) -> str:
    """Return words as they stand inside a sentence, unless they are a name or an abbreviation."""
    first, space, rest = words.partition(" ")
    return f"{first[:1].lower()}{first[1:]}{space}{rest}" if first[1:].islower() and not words.istitle() else words


def _says(text: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE) is not None


def _shorter(found: Difference, what: str) -> Iterable[Detail]:
    if found.removed and not found.added and 0 < found.sent.words <= SHORTER * found.offered.words:
        yield (what,)


def _left_out(found: Difference, what: str) -> Iterable[Detail]:
    asked = set(found.offered.questions) if [*_one_question(found, what), *_no_questions(found, what)] else set()
    for one in dict.fromkeys(found.removed):
        if one not in asked and length(one) >= LEAST_WORDS and not _QUOTES.search(one) and _LONG.search(one):
            yield (one,)


def _added(found: Difference, what: str) -> Iterable[Detail]:
    for one in dict.fromkeys(found.added):
        if (AFTERWORD.match(one) or LINK.search(one)) and BLANK not in one and not _QUOTES.search(one):
            yield (what, one)


def _ended(rule: str) -> str:
    return rule if rule.endswith((".”", "!”", "?”")) else f"{rule}."


def _is_said(whole: str, text: Anatomy, what: str, detail: Detail) -> bool:
    return detail[-1].casefold() in (one.casefold() for one in text.sentences)


# Of texts shortened, the detail gets the number of words once several edits agree on it: see `agreed_length`.
KINDS: dict[str, Kind] = {
    "one_question": Kind(
        _one_question,
        lambda whole, text, what, detail: len(text.questions) > 1,
        "Ask only one question in a text: the {} one.".format,
        lambda which: f"You removed the {'second' if which == 'first' else 'first'} question",
    ),
    "no_questions": Kind(
        _no_questions,
        lambda whole, text, what, detail: bool(text.questions),
        lambda: "Ask no questions.",
        lambda: "You removed every question",
    ),
    "no_exclamation": Kind(
        _calm,
        lambda whole, text, what, detail: "!" in whole,
        lambda: "No exclamation marks.",
        lambda: "You removed the exclamation marks",
    ),
    "greeting": Kind(
        _greeting,
        lambda whole, text, what, detail: (
            what == detail[0] and bool(text.greeting) and _hello(text).casefold() != detail[1].casefold()
        ),
        "Begin each {} with “{}”.".format,
        "You changed the greeting of {}s to “{}”".format,
    ),
    "sign_off": Kind(
        _sign_off,
        lambda whole, text, what, detail: (
            what == "email" and bool(text.sign_off) and text.sign_off.casefold() != detail[0].casefold()
        ),
        "Sign off with “{}”.".format,
        "You changed the sign-off to “{}”".format,
    ),
    "swap": Kind(
        _swap,
        lambda whole, text, what, detail: _says(whole, detail[0]),
        lambda old, new: f"Write “{new}” instead of “{old}”.",
        lambda old, new: f"You wrote “{new}” instead of “{old}”",
    ),
    "leave_out": Kind(
        _left_out,
        _is_said,
        lambda line: _ended(f"Leave out the sentence “{line}”"),
        "You removed “{}”".format,
    ),
    "add_line": Kind(
        _added,
        lambda whole, text, what, detail: what == detail[0] and not _is_said(whole, text, what, detail),
        lambda what, line: _ended(f"End each {what} with “{line}”"),
        lambda what, line: f"You added “{line}” to {what}s",
    ),
    "most_words": Kind(
        _shorter,
        lambda whole, text, what, detail: what == detail[0] and text.words > int(detail[1]),
        lambda what, most: f"At most {most} words in each {what}.",
        lambda what, most: f"You shortened {what}s to {most} words or fewer",
    ),
}


def agreed_length(sent: Iterable[str], values: Iterable[Sequence[str]]) -> int:
    """Return the number of words that texts were shortened to, rounded up to tens."""
    longest = max(anatomy(blanked(text, known)).words for text, known in zip(sent, values, strict=True))
    return -(-longest // 10) * 10
