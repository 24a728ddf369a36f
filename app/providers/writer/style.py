"""The style document: length, tone, words to avoid."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from app.ports.writer import PlayStep
from app.providers.writer.grammar import capital, sentences
from app.providers.writer.tongues import tongue_of

_LENGTH = re.compile(
    r"(?:at most|up to|no more than|maximum(?: of)?|max\.?|under|below)\s+(\d{1,3})\s+words", re.IGNORECASE
)
_AVOID = re.compile(
    r"^\W*(?:words to avoid|avoid|never (?:say|use|write)|do not (?:say|use))\W*:?\s*(.*)$", re.IGNORECASE
)
_TONE = re.compile(r"^\W*tone\W*:\s*(.*)$", re.IGNORECASE)
_FORMAL = (
    ("Thanks for", "Thank you for"), ("thanks for", "thank you for"), ("I'm", "I am"), ("I'd", "I would"),
    ("I'll", "I will"), ("don't", "do not"), ("can't", "cannot"), ("we're", "we are"), ("We're", "We are"),
    ("it's", "it is"), ("It's", "It is"), ("Best regards,", "Kind regards,"), ("Cheers,", "Kind regards,"),
    ("just reply", "please reply"), ("just write back", "please write back"),
)  # fmt: skip
_CASUAL = (
    ("Thank you for", "Thanks for"), ("thank you for", "thanks for"), ("I am ", "I'm "), ("I would ", "I'd "),
    ("I will ", "I'll "), ("do not ", "don't "), ("Best regards,", "Cheers,"), ("Kind regards,", "Cheers,"),
    ("Dear {{", "Hi {{"), ("Hello {{", "Hi {{"), ("congratulations on", "congrats on"), ("Would a short call",
    "Would a quick call"),
    ("open to a short call", "up for a quick call"), ("It would be good to connect", "Would be good to connect"),
)  # fmt: skip


@dataclass(frozen=True)
class Style:
    """What a style document asks for. `words` 0 means no limit."""

    words: int = 0
    tone: str = ""  # formal, casual or ''
    avoid: tuple[str, ...] = ()


def read(markdown: str) -> Style:
    """Return the parts of a style document that a program can follow."""
    length = _LENGTH.search(markdown)
    tone, avoid, listing = "", [], False
    for line in markdown.splitlines():
        named, stated = _AVOID.match(line), _TONE.match(line)
        if stated:
            tone = tone_of(stated[1])
        if named:
            avoid += _entries(named[1])
            listing = not named[1].strip()
        elif listing and line.strip().startswith(("-", "*")):
            avoid += _entries(line.strip(" -*"))
        elif line.strip() and not line.strip().startswith(("-", "*")):
            listing = False
    return Style(int(length[1]) if length else 0, tone, tuple(dict.fromkeys(avoid)))


def tone_of(words: str) -> str:
    """Return `formal`, `casual` or '' for a tone in a person's words."""
    plain = words.lower()
    if re.search(r"\b(not|less|in)[- ]?(too )?formal|casual|friendly|relaxed|warm|easy", plain):
        return "casual"
    return "formal" if re.search(r"formal|polite|serious", plain) else ""


def _entries(text: str) -> list[str]:
    parts = re.split(r"[,;]|\s+and\s+|\s+or\s+", re.sub(r"^the words?\s+", "", text.strip()))
    return [part.strip(" .\"'“”`*") for part in parts if 1 < len(part.strip(" .\"'“”`*")) <= 40]


def applied(steps: Iterable[PlayStep], style: Style, language: str = "en") -> list[PlayStep]:
    """Apply the style to the steps."""
    made = list(steps)
    if style.tone and language == "en":
        made = [retold(step, formal if style.tone == "formal" else casual) for step in made]
    if style.avoid:
        made = [without(step, style.avoid, language) for step in made]
    if style.words:
        made = [within(step, style.words) for step in made]
    return made


def retold(step: PlayStep, how: "Retelling") -> PlayStep:
    """Return a step with changed words."""
    return replace(step, text=how(step.text), subject=how(step.subject)) if step.text or step.subject else step


class Retelling:
    """Replaces phrases by others."""

    def __init__(self, phrases: Sequence[tuple[str, str]], hello: str) -> None:
        self._phrases, self._hello = phrases, hello

    def __call__(self, text: str) -> str:
        """Return the text in the other tone."""
        for before, after in self._phrases:
            text = text.replace(before, after)
        return re.sub(r"\b(Hi|Hello|Hey|Dear) (?=\{\{(?:first|full)_name)", self._hello, text)


formal = Retelling(_FORMAL, "Hello ")
casual = Retelling(_CASUAL, "Hi ")


def without(step: PlayStep, avoided: Sequence[str], language: str = "en") -> PlayStep:
    """Return a step without the sentences that have a word to avoid; a greeting stays."""
    if not mentions(f"{step.subject} {step.text}", avoided):
        return step
    text = "\n".join(_line_without(line, avoided) for line in step.text.split("\n"))
    text = re.sub(r"(\n---)+\s*$", "", re.sub(r"\n{3,}", "\n\n", text)).strip()
    subject = "" if mentions(step.subject, avoided) else step.subject
    common = tongue_of(language).common
    return replace(
        step, text=text if said(text) else least(step, language),
        subject=subject or (common["least_subject"] if step.subject else ""),
    )  # fmt: skip


def said(text: str) -> bool:
    """Return whether a text says more than hello and goodbye."""
    return any(
        one.rstrip().endswith((".", "?", "!", "…", "”", ")")) for line in text.split("\n") for one in sentences(line)
    )


def least(step: PlayStep, language: str = "en") -> str:
    """Return the least that a step can say, with its own farewell."""
    tongue = tongue_of(language)
    hello = tongue.common["hello"].replace("{first}", f"{{{{first_name|{tongue.there}}}}}")
    if step.kind == "invite":
        return ""
    if step.kind != "email":
        return f"{hello} {tongue.common['least']}"
    question = capital(tongue.common["least"]) if tongue.raised else tongue.common["least"]
    farewell = FAREWELL.search(step.text)
    return "\n\n".join([hello, question, *([farewell[0]] if farewell else [])])


FAREWELL = re.compile(r"^[^\n]+\n\{\{sender[^\n]*\Z", re.MULTILINE)


def _line_without(line: str, avoided: Sequence[str]) -> str:
    if not mentions(line, avoided):
        return line
    return " ".join(sentence for sentence in sentences(line) if not mentions(sentence, avoided))


def mentions(text: str, several: Sequence[str]) -> list[str]:
    """Return which of the words are in a text."""
    return [word for word in several if word and _word(word).search(text)]


@cache
def _word(word: str) -> re.Pattern[str]:
    """Return a pattern; a two-letter word is case-sensitive: AI, not ai in French."""
    return re.compile(rf"(?<![\w-]){re.escape(word)}(?:e?s|'s)?(?![\w-])", re.IGNORECASE if len(word) > 2 else 0)


def length(text: str) -> int:
    """Return the number of words, without those of the greeting's variables."""
    return len(re.sub(r"\{\{[^{}]*\}\}", "x", text).split())


def within(step: PlayStep, most: int) -> PlayStep:
    """Shorten a step to at most so many words if leaving out sentences is enough."""
    text = step.text
    while length(text) > most:
        shorter = less(text)
        if shorter == text:
            break
        text = shorter
    return replace(step, text=text)


def less(text: str) -> str:
    """Return a text without its least needed sentence: not the greeting, the last question or the farewell."""
    blocks = text.split("\n")
    candidates: list[tuple[int, int, int]] = []
    for at, block in enumerate(blocks):
        if block.strip() == "---" or _FAREWELL.match(block) or (at and _FAREWELL.match(blocks[at - 1])):
            continue
        parts = sentences(block)
        for number, part in enumerate(parts):
            greeting = bool(re.match(r"(hi|hello|hey|dear|thank)", part, re.IGNORECASE) or part.startswith("{{"))
            if not part.endswith("?") and not greeting and not (len(parts) == 1 and part.endswith(",")):
                candidates.append((len(part), at, number))
    questions = [
        (at, number)
        for at, block in enumerate(blocks)
        for number, one in enumerate(sentences(block))
        if one.endswith("?")
    ]
    if not candidates and len(questions) > 1:
        candidates = [(0, *questions[0])]
    asked_or_more = len(questions) or len(candidates) > 1
    if not candidates or not asked_or_more:
        return text
    _, at, number = max(candidates)
    parts = sentences(blocks[at])
    blocks[at] = " ".join(parts[:number] + parts[number + 1 :])
    return re.sub(r"\n{3,}", "\n\n", "\n".join(blocks)).strip().removeprefix("---").removesuffix("---").strip()


_FAREWELL = re.compile(r"^(best|kind|warm)?\s*(regards|wishes|cheers|thanks|best|sincerely)\b[\w ]*,?$", re.IGNORECASE)
