"""Standing rules: those learnt from edits and those of the style document, followed in any text."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from app.core.message_parts import AFTERWORD, GREETING, asks, take_apart
from app.ports.writer import PlayStep
from app.providers.writer import style
from app.providers.writer.grammar import capital

_SAID = '[“"](?P<words>[^”"]+)[”"]'
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("one_question", r"ask only one question in (?:a|each|every) (?:text|message)(?:: the (?P<words>first|last) one)?"),
    ("no_questions", r"(?:ask )?no questions"),
    ("no_exclamation", r"no exclamation marks"),
    ("greeting", rf"begin each (?P<what>email|message|note) with {_SAID}"),
    ("sign_off", rf"sign off with {_SAID}"),
    ("swap", rf"write {_SAID} instead of [“\"](?P<old>[^”\"]+)[”\"]"),
    ("add_line", rf"end each (?P<what>email|message|note) with {_SAID}"),
    ("leave_out", rf"leave out the sentence {_SAID}"),
    ("most_words", r"at most (?P<words>\d{1,3}) words in each (?P<what>email|message|note)"),
)
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)
STEPS = {"email": "email", "message": "social", "note": "invite"}
_HELLO = re.compile(r"\A([^\n.!?]{1,50})!(?=\n)")  # a greeting in a line of its own


@dataclass(frozen=True)
class LearntRule:
    """A rule as it was read: its kind, the words or number it names, and which kind of step it is for, '' for any.

    `old` are the words that `words` take the place of.
    """

    kind: str
    words: str = ""
    what: str = ""
    old: str = ""


def read(text: str) -> LearntRule | None:
    """Return the rule if the text is one in these words, else None."""
    whole = " ".join(text.split())
    for kind, pattern in _COMPILED:
        if found := pattern.fullmatch(whole) or pattern.fullmatch(whole.rstrip(".")):
            named = {name: words or "" for name, words in found.groupdict().items()}
            what = "email" if kind == "sign_off" else STEPS.get(named.get("what", ""), "")
            return LearntRule(kind, named.get("words", ""), what, named.get("old", ""))
    return None


def obeyed(steps: Iterable[PlayStep], rules: Sequence[str], language: str = "en") -> list[PlayStep]:
    """Return the steps by the standing rules; one that is read neither as learnt nor as of a style changes nothing."""
    made = list(steps)
    for one in rules:
        rule = read(one)
        made = followed(made, rule) if rule else style.applied(made, style.read(one), language)
    return made


def followed(steps: Sequence[PlayStep], rule: LearntRule) -> list[PlayStep]:
    """Return the steps after the rule; one that would say nothing any more stays as it is."""
    return [_followed(step, rule) if _concerns(step, rule) else step for step in steps]


def _concerns(step: PlayStep, rule: LearntRule) -> bool:
    return step.kind != "reaction" and bool(step.text.strip()) and rule.what in ("", step.kind)


def _followed(step: PlayStep, rule: LearntRule) -> PlayStep:
    if rule.kind == "most_words":
        return style.within(step, int(rule.words))
    if rule.kind == "swap":
        return replace(step, text=_swapped(step.text, rule), subject=_swapped(step.subject, rule))
    if rule.kind == "no_exclamation":
        return replace(step, text=_calm(_HELLO.sub(r"\1,", step.text), "."), subject=_calm(step.subject, ""))
    text = _FOLLOW[rule.kind](step.text, rule.words)
    return replace(step, text=text) if style.said(text) or not style.said(step.text) else step


def _swapped(text: str, rule: LearntRule) -> str:
    pattern = re.compile(rf"(?<!\w){re.escape(rule.old)}(?!\w)", re.IGNORECASE)
    pieces = re.split(r"(\{\{[^{}]*\}\})", text)  # a variable's name is no word of the text
    return "".join(
        one
        if one.startswith("{{")
        else pattern.sub(lambda found: capital(rule.words) if found[0][:1].isupper() else rule.words, one)
        for one in pieces
    )


def _calm(text: str, mark: str) -> str:
    return re.sub(r"(?<!\s)\s?!+", mark, re.sub(r"\?!+|!+\?", "?", text.replace("¡", "")))


def _one_question(text: str, which: str) -> str:
    parts = take_apart(text)
    several = [place for place in parts.places if asks(parts.at(place))]
    wanted, seen = len(several) if which == "last" else 1, 0

    def keeps(sentence: str) -> bool:
        nonlocal seen
        seen += asks(sentence)
        return not asks(sentence) or seen == wanted

    return parts.only(keeps).text if len(several) > 1 else text


def _no_questions(text: str, words: str) -> str:
    return take_apart(text).only(lambda sentence: not asks(sentence)).text


def _leave_out(text: str, words: str) -> str:
    return take_apart(text).only(lambda sentence: not _is(sentence, words)).text


def _is(sentence: str, words: str) -> bool:
    """Return whether a sentence has these words, with anything in place of their blanks."""
    told, (first, *rest) = sentence.casefold(), words.casefold().split("…")
    if not rest:
        return told == first
    at = len(first)
    for piece in rest[:-1]:
        found = told.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return told.startswith(first) and told[at:].endswith(rest[-1])


def _greeting(text: str, words: str) -> str:
    hello = GREETING.match(text)
    named = words.endswith("…")
    if hello is None or (named and not hello["name"]):
        return text
    new = f"{words.removesuffix('…').rstrip()} {hello['name']}" if named else words
    return f"{new}{hello['mark']}{text[hello.end() :]}"


def _signed(text: str, words: str) -> str:
    parts = take_apart(text)
    return replace(parts, signature=parts.signature.replace(parts.farewell, words, 1)).text if parts.farewell else text


def _add_line(text: str, words: str) -> str:
    if words.casefold() in text.casefold():
        return text
    parts = take_apart(text)
    if AFTERWORD.match(words):
        return replace(parts, afterword=f"\n\n{words}").text
    return replace(parts, signature=f"\n\n{words}{parts.signature}").text


_FOLLOW: dict[str, Callable[[str, str], str]] = {
    "one_question": _one_question,
    "no_questions": _no_questions,
    "leave_out": _leave_out,
    "greeting": _greeting,
    "sign_off": _signed,
    "add_line": _add_line,
}
