"""A message in its parts: the greeting, lines of sentences, and the signature."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

_VARIABLE = r"\{\{[^{}]*\}\}"
GREETING = re.compile(
    r"^(?P<words>(?:hi|hello|hey|dear|good (?:morning|afternoon|day|evening)|greetings|hallo|liebe[rs]?|"
    r"guten (?:tag|morgen|abend)|sehr geehrte[rs]?(?: (?:herr|frau))?|moin|bonjour|salut|cher|chère|hola|buenos días|"
    r"buenas tardes|estimad[oa]|beste|geachte|dag|goedemorgen|ciao|buongiorno|salve|gentile|caro|cara|olá|oi|bom dia|"
    r"prezad[oa])(?: there| all| again)?|[^\W\d][^\n,!:;.?{]{0,24}?(?= (?:\{\{first_name|…)))"
    rf"(?:(?: |, (?=\{{\{{|…|[^\W\d]\S{{0,30}}[,:] ))(?P<name>{_VARIABLE}|[^\n,!:;.?–{{}}-]{{1,40}}))?"
    r"(?P<mark> ?[,!:]| [–-](?= )|(?=\n|\Z))",
    re.IGNORECASE,
)
AFTERWORD = re.compile(r"P\.? ?-?S\.?[ :,]", re.IGNORECASE)
CUT = "---"  # alone in its line, it begins a second message
_BREAK = f"\n{CUT}\n"
_SPACE = re.compile(r"\s*")
_END = re.compile(r"(?<=[.!?…])[\"”’)]?\s+(?=[\"“‘(¿¡{A-ZÀ-ÞŠŽЀ-Я0-9…])")
_SHORT = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|St|No|Inc|Ltd|Co|e\.g|i\.e|approx|vs|etc|incl|P\.S|z\.B|bzw|ca|Nr|Sr|Sra|M|Mme)\.$"
)
_CLOSED = (".", "!", "?", "…")
_QUOTES = "\"”’')"
_SIGNED, _NAME = 4, 60  # the words of a farewell, and the letters of a name


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; the end of a line ends a sentence too."""
    found: list[str] = []
    for line in text.splitlines():
        begun = len(found)
        for piece in _END.split(line.strip()):
            if len(found) > begun and _SHORT.search(found[-1]):
                found[-1] = f"{found[-1]} {piece}"
            elif piece.strip("- "):
                found.append(" ".join(piece.split()))
    return found


def ends(words: str) -> bool:
    """Return whether the words end as a sentence does."""
    return words.rstrip(f" {_QUOTES}").endswith(_CLOSED)


def asks(sentence: str) -> bool:
    """Return whether a sentence is a question."""
    return sentence.rstrip(f" {_QUOTES}").endswith("?")


@dataclass(frozen=True)
class MessageParts:
    """A message split into parts; the text around the lines keeps its spaces and line breaks. `afterword` is a P.S."""

    greeting: str
    lines: tuple[tuple[str, ...], ...]
    signature: str
    afterword: str

    @property
    def text(self) -> str:
        """Return the message as one text, without empty parts."""
        several = "\n".join(" ".join(line) for line in self.lines).split(_BREAK)
        parts = [part for one in several if (part := one.strip().removeprefix(CUT).removesuffix(CUT).strip())]
        whole = f"{self.greeting}{_BREAK.join(parts)}{self.signature}{self.afterword}"
        return re.sub(r"\n{3,}", "\n\n", whole).strip()

    @property
    def places(self) -> list[tuple[int, int]]:
        """Return line and number of each complete sentence; a line without an end mark, such as a name, is left out."""
        return [(at, number) for at, line in enumerate(self.lines) for number, one in enumerate(line) if ends(one)]

    def at(self, place: tuple[int, int]) -> str:
        """Return the sentence at a place."""
        return self.lines[place[0]][place[1]]

    @property
    def body(self) -> list[str]:
        """Return the sentences of all lines."""
        return [sentence for line in self.lines for sentence in line if sentence != CUT]

    def only(self, keeps: Callable[[str], bool]) -> "MessageParts":
        """Return the message with the sentences that are kept."""
        kept = tuple(tuple(one for one in line if one == CUT or keeps(one)) for line in self.lines)
        return replace(self, lines=kept, afterword=self.afterword if keeps(self.afterword.strip()) else "")

    def replaced(self, place: tuple[int, int], *sentences: str) -> "MessageParts":
        """Return the message with these sentences, or none, in the place of one."""
        at, number = place
        line = self.lines[at]
        changed = (*line[:number], *sentences, *line[number + 1 :])
        return replace(self, lines=(*self.lines[:at], changed, *self.lines[at + 1 :]))

    def begun(self, sentence: str) -> "MessageParts":
        """Return the message with a sentence behind the greeting, in a paragraph of its own as the greeting is."""
        first, *rest = self.lines
        lines = ((sentence,), (), *self.lines) if self.greeting.endswith("\n") else ((sentence, *first), *rest)
        return replace(self, lines=lines)


def take_apart(text: str) -> MessageParts:
    """Return the parts of a message; a first sentence with the person's first name counts as a greeting, too."""
    whole = text.replace("\r\n", "\n").strip()
    above, _, last = whole.rpartition("\n")
    kept = above.rstrip() if AFTERWORD.match(last) else whole
    body, signature = _signed(kept)
    hello = GREETING.match(body)
    end = hello.end() if hello else 0
    if hello is None and "{{first_name" in (first := next(iter(sentences(body)), "")) and body.startswith(first):
        end = len(first)
    if found := _SPACE.match(body, end):
        end = found.end()
    lines = (line.strip() for line in body[end:].split("\n"))
    told = tuple((CUT,) if one == CUT else tuple(sentences(one)) for one in lines)
    return MessageParts(body[:end], told, signature, whole[len(kept) :])


def _signed(text: str) -> tuple[str, str]:
    """Return the text and how it is signed: a few words and a name in lines of their own, or a few words alone."""
    lines = text.split("\n")
    told = [number for number, line in enumerate(lines) if line.strip()]
    if len(told) < 2 or not _is_name(lines[-1]):
        return text, ""
    begin = len(lines) - 1
    if len(told) > 2 and told[-2] == begin - 1 and _is_farewell(lines[begin - 1]):
        begin -= 1
    elif lines[begin - 1].strip() or not _is_farewell(lines[begin]):
        return text, ""
    kept = "\n".join(lines[:begin]).rstrip()
    return kept, text[len(kept) :]


def _is_name(line: str) -> bool:
    return len(line) <= _NAME and line.strip() != CUT and not any(mark in line for mark in ".?!")


def _is_farewell(line: str) -> bool:
    plain = line.strip().removesuffix(",")
    told = re.sub(_VARIABLE, "x", plain)
    return told[:1].isalpha() and len(told.split()) <= _SIGNED and not any(mark in plain for mark in ",.?!:;")
