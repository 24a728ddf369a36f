"""Rules learnt from edits: read from their words, and followed in any text, a play's or a person's."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.ports.writer import PlayStep
from app.providers.writer import style
from app.providers.writer.grammar import sentences

_SAID = '[“"](?P<words>[^”"]+)[”"]'
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("one_question", r"ask only one question in (?:a|each|every) (?:text|message)(?:: the (?P<words>first|last) one)?"),
    ("no_questions", r"(?:ask )?no questions"),
    ("greeting", rf"begin each (?P<what>email|message|note) with {_SAID}"),
    ("add_line", rf"end each (?P<what>email|message|note) with {_SAID}"),
    ("leave_out", rf"leave out the sentence {_SAID}"),
    ("most_words", r"at most (?P<words>\d{1,3}) words in each (?P<what>email|message|note)"),
)
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)
KINDS = frozenset(kind for kind, _ in _PATTERNS)
STEPS = {"email": "email", "message": "social", "note": "invite"}
_VALUE = r"(?:\{\{[^{}]*\}\}|[^.!?\n{}]{1,60}?)"  # what stands where a rule has a blank
_HELLO = re.compile(
    r"^(?P<words>(?:hi|hello|hey|dear|good (?:morning|afternoon|day|evening)|greetings|hallo|guten (?:tag|morgen)|"
    r"liebe[rs]?|"
    r"sehr geehrte[rs]?|moin|bonjour|salut|cher|chère|hola|buenos días|buenas tardes|estimad[oa]|beste|geachte|"
    r"dag|goedemorgen|ciao|buongiorno|salve|gentile|caro|cara|olá|oi|bom dia|prezad[oa])(?: there| all| again)?|"
    r"[^\W\d][^\n,!:;.?{]{0,24}?(?= \{\{first_name))"
    r"(?: (?P<name>\{\{[^{}]*\}\}|[^\n,!:;.?–{}-]{1,40}))?(?P<mark> ?[,!:]| [–-](?= )|(?=\n|\Z))",
    re.IGNORECASE,
)
_AFTERWORD = re.compile(r"P\.? ?-?S\.?[ :,]", re.IGNORECASE)


@dataclass(frozen=True)
class LearntRule:
    """A rule as it was read: its kind, the words or number it names, and which kind of step it is for, '' for any."""

    kind: str
    words: str = ""
    what: str = ""


def read(text: str) -> LearntRule | None:
    """Return the rule if the text is one in these words, else None."""
    whole = " ".join(text.split())
    for kind, pattern in _COMPILED:
        if found := pattern.fullmatch(whole) or pattern.fullmatch(whole.rstrip(".")):
            named = found.groupdict()
            return LearntRule(kind, named.get("words") or "", STEPS.get(named.get("what") or "", ""))
    return None


def followed(steps: Sequence[PlayStep], rule: LearntRule) -> list[PlayStep]:
    """Return the steps after the rule; one that would say nothing any more stays as it is."""
    return [_followed(step, rule) if _concerns(step, rule) else step for step in steps]


def _concerns(step: PlayStep, rule: LearntRule) -> bool:
    return step.kind != "reaction" and bool(step.text.strip()) and rule.what in ("", step.kind)


def _followed(step: PlayStep, rule: LearntRule) -> PlayStep:
    if rule.kind == "most_words":
        return style.within(step, int(rule.words))
    text = _tidy(_FOLLOW[rule.kind](step.text, rule.words))
    return replace(step, text=text) if style.said(text) or not style.said(step.text) else step


def _tidy(text: str) -> str:
    return re.sub(r"(\n---)+\s*$", "", re.sub(r"\n{3,}", "\n\n", text)).strip()


def _only(text: str, keeps: Callable[[str], bool]) -> str:
    """Return the text with the sentences that are kept, each in its line; the greeting stays in any case."""
    hello = _HELLO.match(text)
    begin = hello.end() if hello else 0
    lines = text[begin:].split("\n")
    kept = (line if line.strip() == "---" else " ".join(filter(keeps, sentences(line))) for line in lines)
    first, *rest = kept
    space = " " if begin and first and text[begin : begin + 1] == " " else ""
    return "\n".join([f"{text[:begin]}{space}{first}", *rest])


def _asks(sentence: str) -> bool:
    return sentence.rstrip('"”’) ').endswith("?")


def _one_question(text: str, which: str) -> str:
    left = sum(_asks(one) for line in text.split("\n") for one in sentences(line))
    wanted, seen = left if which == "last" else 1, 0

    def keeps(sentence: str) -> bool:
        nonlocal seen
        seen += _asks(sentence)
        return not _asks(sentence) or seen == wanted

    return _only(text, keeps) if left > 1 else text


def _no_questions(text: str, words: str) -> str:
    return _only(text, lambda sentence: not _asks(sentence))


def _leave_out(text: str, words: str) -> str:
    pieces = [re.escape(piece) for piece in words.split("…")]
    pattern = re.compile(_VALUE.join(pieces), re.IGNORECASE)
    return _only(text, lambda sentence: not pattern.fullmatch(" ".join(sentence.split())))


def _greeting(text: str, words: str) -> str:
    hello = _HELLO.match(text)
    named = words.endswith("…")
    if hello is None or (named and not hello["name"]):
        return text
    new = f"{words.removesuffix('…').rstrip()} {hello['name']}" if named else words
    return f"{new}{hello['mark']}{text[hello.end() :]}"


def _add_line(text: str, words: str) -> str:
    if words.casefold() in text.casefold():
        return text
    farewell = None if _AFTERWORD.match(words) else sign_off(text)
    if farewell is None:
        return f"{text.rstrip()}\n\n{words}"
    return f"{text[: farewell.start()].rstrip()}\n\n{words}\n\n{text[farewell.start() :].lstrip()}"


_FOLLOW: dict[str, Callable[[str, str], str]] = {
    "one_question": _one_question,
    "no_questions": _no_questions,
    "leave_out": _leave_out,
    "greeting": _greeting,
    "add_line": _add_line,
}
_SIGN_OFF = re.compile(r"(?:^|\n)(?P<words>[^\W\d][^\n,.?!:;]{1,38})(?P<comma>,?)\n(?P<name>[^\n.?!]{1,60})\s*\Z")


def sign_off(text: str) -> re.Match[str] | None:
    """Return where a text is signed: a few words, and a name in a line of its own."""
    found = _SIGN_OFF.search(text)
    return found if found and len(found["words"].split()) <= 4 else None


def signed(text: str, words: str) -> str:
    """Return the text with another sign-off; an afterword stays below it."""
    cut = re.search(r"\n+P\.? ?-?S\.?[ :,][^\n]+\s*\Z", text, re.IGNORECASE)
    body, rest = (text[: cut.start()], text[cut.start() :]) if cut else (text, "")
    found = sign_off(body)
    return f"{body[: found.start('words')]}{words}{body[found.end('words') :]}{rest}" if found else text
