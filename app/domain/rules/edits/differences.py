"""Differences of two texts, sentence by sentence; what was filled in for one person is left blank in both."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

BLANK = "…"  # stands where a value of the person stood
SIMILAR = 0.55  # two sentences with that much in common are one that was changed
HALF_ALIKE, SAME_LETTERS = 0.3, 0.7  # or that much, if so many of their letters are the same
_GREETINGS = (
    "hi|hello|hey|dear|good (?:morning|afternoon|day|evening)|greetings|hallo|guten (?:tag|morgen|abend)|liebe[rs]?|"
    "sehr geehrte[rs]?(?: (?:herr|frau))?|moin|bonjour|salut|cher|chère|hola|buenos días|buenas tardes|estimad[oa]|"
    "beste|geachte|dag|goedemorgen|ciao|buongiorno|salve|gentile|caro|cara|olá|oi|bom dia|prezad[oa]"
)
# A greeting ends with a mark, or with its line; its name is a blank, or a few words.
_GREETING = re.compile(
    rf"^(?P<words>(?:{_GREETINGS})(?: there| all| again)?)(?: (?P<name>[^\n,!:;.?–-]{{1,40}}))?"
    r"(?P<mark> ?[,!:]| [–-](?= )|$)",
    re.IGNORECASE | re.MULTILINE,
)
_NAMED = re.compile(
    rf"^(?P<words>[^\W\d][^\n,!:;.?{BLANK}]{{0,24}}?) (?P<name>{BLANK})(?P<mark> ?[,!:]| [–-](?= )|$)", re.MULTILINE
)
_SIGN_OFF = re.compile(r"(?:^|\n)(?P<words>[^\W\d][^\n,.?!:;]{1,38}),?\n(?P<name>[^\n.?!]{1,60})\s*\Z")
_AFTERWORD = re.compile(r"(?:^|\n)(?P<words>P\.? ?-?S\.?[ :,][^\n]+)\s*\Z", re.IGNORECASE)
_END = re.compile(r"(?<=[.!?…])[\"”’)]?\s+(?=[\"“‘(¿¡A-ZÀ-ÞŠŽЀ-Я0-9…])")
_SHORT = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|St|No|Inc|Ltd|Co|e\.g|i\.e|approx|vs|etc|incl|P\.S|z\.B|bzw|ca|Nr|Sr|Sra|M|Mme)\.$"
)
_WORD = re.compile(r"[\w’'-]+")
LINK = re.compile(
    r"https?://\S+|www\.\S+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|co|de|fr|es|nl|it|pt|eu|app|dev|example)\b\S*"
)


@dataclass(frozen=True)
class Anatomy:
    """A text in its parts; `greeting` and `sign_off` are without name and mark, `body` is sentences."""

    greeting: str
    names: bool  # the greeting names the person
    body: tuple[str, ...]
    sign_off: str
    afterword: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the sentences that say something, the afterword at the end."""
        return (*self.body, self.afterword) if self.afterword else self.body

    @property
    def questions(self) -> tuple[str, ...]:
        """Return the sentences that ask."""
        return tuple(one for one in self.sentences if one.rstrip('"”’) ').endswith("?"))

    @property
    def words(self) -> int:
        """Return how many words the sentences have."""
        return sum(length(one) for one in self.sentences)


def length(sentence: str) -> int:
    """Return how many words a sentence has; a value of the person counts as one."""
    return len([one for one in sentence.split() if _WORD.search(one) or BLANK in one])


def blanked(text: str, values: Sequence[str]) -> str:
    """Return the text with each of these values as a blank, the longest first."""
    wanted = sorted({value.strip() for value in values if len(value.strip()) > 1}, key=len, reverse=True)
    if wanted:
        either = "|".join(re.escape(value) for value in wanted)
        text = re.sub(rf"(?<!\w)(?:{either})(?!\w)", BLANK, text)
    return text


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


def anatomy(text: str) -> Anatomy:
    """Take a text apart. Its values should be blanks."""
    rest = "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n"))
    afterword, sign_off = "", ""
    if found := _AFTERWORD.search(rest):
        afterword, rest = " ".join(found["words"].split()), rest[: found.start()].rstrip()
    if (found := _SIGN_OFF.search(rest)) and length(found["words"]) <= 4 and length(found["name"]) <= 5:
        sign_off, rest = found["words"].strip(), rest[: found.start()].rstrip()
    greeting, names = "", False
    if found := _GREETING.match(rest) or _NAMED.match(rest):
        greeting, names = found["words"].strip(), bool(found["name"])
        rest = rest[found.end() :].lstrip(" \n–-")
    return Anatomy(greeting, names, tuple(sentences(rest)), sign_off, afterword)


@dataclass(frozen=True)
class Difference:
    """What became of a text: sentences removed, added and changed, and the share of what is left."""

    offered_text: str
    sent_text: str
    offered: Anatomy
    sent: Anatomy
    removed: tuple[str, ...]
    added: tuple[str, ...]
    changed: tuple[tuple[str, str], ...]

    @cached_property
    def kept(self) -> float:
        """Return which share of the sentences that were sent stood in the text offered, in these or similar words."""
        return 1 - len(self.added) / len(self.sent.sentences) if self.sent.sentences else 0.0


def compare(offered: str, sent: str, values: Sequence[str] = ()) -> Difference:
    """Compare the text offered with the one sent."""
    old, new = blanked(offered, values), blanked(sent, values)
    before, after = anatomy(old), anatomy(new)
    removed, added, changed = _aligned(before.sentences, after.sentences)
    return Difference(old, new, before, after, tuple(removed), tuple(added), tuple(changed))


def _aligned(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str], list[tuple[str, str]]]:
    """Return what was removed, added and changed; a sentence that only moved is none of these."""
    plain_old, plain_new = [_plain(one) for one in old], [_plain(one) for one in new]
    gone = [place for place, one in enumerate(plain_old) if plain_old[:place].count(one) >= plain_new.count(one)]
    come = [place for place, one in enumerate(plain_new) if plain_new[:place].count(one) >= plain_old.count(one)]
    pairs = ((-likeness(plain_old[a], plain_new[b]), a, b) for a in gone for b in come)
    changed: dict[int, int] = {}
    for unlike, a, b in sorted(pairs):
        if -unlike >= SIMILAR and a not in changed and b not in changed.values():
            changed[a] = b
    return (
        [old[place] for place in gone if place not in changed],
        [new[place] for place in come if place not in changed.values()],
        [(old[a], new[b]) for a, b in sorted(changed.items())],
    )


def _plain(sentence: str) -> str:
    return " ".join(sentence.split()).rstrip(".").casefold()


def likeness(one: str, other: str) -> float:
    """Return how alike two sentences are, from 0 to 1: word by word, or letter by letter where words were respelt."""
    words = difflib.SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()
    if not HALF_ALIKE <= words < SIMILAR:
        return words
    letters = difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
    return max(words, letters * SIMILAR / SAME_LETTERS)


def swaps(old: str, new: str) -> list[tuple[str, str]]:
    """Return the words of a sentence that were replaced by others; [] when anything else was changed, too."""
    before, after = old.split(), new.split()
    found = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if kind != "replace":
            return []
        pair = tuple(" ".join(words).strip('.,;:!?"“”()') for words in (before[a:b], after[c:d]))
        found.append((pair[0], pair[1]))
    return found
