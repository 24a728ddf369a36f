"""Words of letters in many languages, from the data files of `languages/`, and how phrases of them are found.

In a data file a line is one phrase. It may begin at any word; `…` stands for up to five words, `{name}` for one of the
words under that name in the same table, `^` and `$` for the ends of a sentence. The rest is a regular expression.
Texts and phrases are compared in small letters without accents, one space between words, without commas.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Any

_FOLDER = resources.files(__name__.rpartition(".")[0]) / "languages"
SHARED = ("beside", "dates", "letters", "stop")  # files that are about all languages
_ESCAPED = re.compile(r"\\.|.", re.DOTALL)
_NAMED = re.compile(r"\{([a-z_]+)\}")
_NOISE = re.compile(r"[\s,\"“”„«»‚‘‹›()\[\]*_|、，「」『』（）…]+")
_LETTER = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_A_WORD = r"\S{1,100}"  # limited, or the search would take quadratic time in a letter that is one huge word


@cache
def shared(name: str) -> Mapping[str, Any]:
    """Return a data file about all languages."""
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def _plain_letters() -> dict[int, str]:
    """Return the letter without accents for every letter of the European scripts that has one."""
    table = {}
    for code in (*range(0xC0, 0x530), *range(0x1E00, 0x2000)):
        first = unicodedata.normalize("NFD", chr(code))[0]
        table[code] = first if first.isalpha() else chr(code)
    for low, plain in shared("letters")["plain"].items():
        table[ord(low)] = plain
        if len(low.upper()) == 1:
            table[ord(low.upper())] = plain.upper()
    return table | {
        ord(one): str(number)
        for digits in ("٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "０１２３４５６７８９")
        for number, one in enumerate(digits)
    }


_LETTERS = _plain_letters()


def plain(text: str) -> str:
    """Return the text without accents, letter by letter, so that a place in one is the same place in the other."""
    return text.translate(_LETTERS)


def fold(text: str) -> str:
    """Return the text in small letters without accents, of the same length."""
    small = plain(text)
    low = small.lower()
    if len(low) != len(small):
        low = "".join(one if len(one := sign.lower()) == 1 else sign for sign in small)
    return plain(low)


def fold_pattern(line: str) -> str:
    """Return a line of a pattern in small letters without accents, its escapes as they are."""
    return "".join(sign if sign.startswith("\\") else fold(sign) for sign in _ESCAPED.findall(line))


@lru_cache(maxsize=512)
def squeezed(sentence: str) -> str:
    """Return a sentence as phrases are compared with it: folded, one space between words, no commas or quotes."""
    return _NOISE.sub(" ", fold(unicodedata.normalize("NFC", sentence))).strip(" .!?:;。！？-–—")


class Language:
    """The phrases of one language, compiled when they are first asked for."""

    def __init__(self, name: str, tables: Mapping[str, Any]) -> None:
        self.name, self._tables = name, tables
        self.scripts = re.compile("|".join(shared("letters")["scripts"][one] for one in tables["script"]))
        self.spaced = bool(tables.get("spaces", True))  # the language puts spaces between words
        self.glued = bool(tables.get("glued", False))  # little words are written together with the next one
        self._compiled: dict[tuple[str, str], re.Pattern[str] | None] = {}

    def lines(self, table: str, name: str) -> list[str]:
        """Return the lines of one entry."""
        return _lines(self._tables.get(table, {}).get(name, ""))

    def phrases(self, table: str, name: str) -> re.Pattern[str] | None:
        """Return the compiled pattern of one entry's phrases; None where the language has none."""
        known = self._compiled
        if (table, name) not in known:
            lines = self.lines(table, name)
            known[table, name] = self._compile(lines, self._tables[table]) if lines else None
        return known[table, name]

    def sources(self, table: str, name: str) -> list[str]:
        """Return the regex source of each of the entry's lines, so that a caller can join several entries in one."""
        return [self._source(line, self._tables[table]) for line in self.lines(table, name)]

    def _compile(self, lines: list[str], named: Mapping[str, str]) -> re.Pattern[str]:
        begin = r"\b" if self.spaced and not self.glued else ""
        sources = [self._source(line, named) for line in lines]
        return re.compile("|".join(f"(?:{'' if one.startswith('^') else begin}{one})" for one in sources))

    def _source(self, line: str, named: Mapping[str, str]) -> str:
        while found := _NAMED.search(line):
            line = line.replace(found[0], "(?:" + "|".join(_lines(named[found[1]])) + ")")
        line = fold_pattern(line)
        if not self.spaced:
            line = line.replace(" … ", ".{0,12}?").replace("…", ".{0,12}?").replace(" ", "")
        return line.replace(" … ", r"(?: \S+){0,5}? ").replace(r"\S+", _A_WORD)

    def says(self, table: str, name: str, sentence: str) -> bool:
        """Return whether a sentence has one of the phrases of an entry."""
        pattern = self.phrases(table, name)
        return bool(pattern and pattern.search(self.as_compared(squeezed(sentence))))

    def as_compared(self, sentence: str) -> str:
        """Return a squeezed sentence as this language's phrases are compared with it."""
        return sentence if self.spaced else sentence.replace(" ", "")


def _tables(name: str) -> Mapping[str, Any]:
    """Return the tables of a language's file; if it is `like` another, they are that one's in its own letters."""
    own = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    if "like" not in own:
        return own
    letters = dict(line.split(" ", 1) for line in _lines(own["letters"]))
    return {**_spelled(_tables(own["like"]), letters), **own}


def _spelled(told: Any, letters: Mapping[str, str]) -> Any:
    if isinstance(told, dict):
        return {name: _spelled(one, letters) for name, one in told.items()}
    longest = "|".join(sorted(letters, key=len, reverse=True))
    written = re.compile(rf"\\.|{_NAMED.pattern}|{longest}")
    return written.sub(lambda found: letters.get(found[0], found[0]), told) if isinstance(told, str) else told


def _lines(text: str) -> list[str]:
    joined = re.sub(r"\\\n\s*", "", text)
    return [line.strip() for line in joined.splitlines() if line.strip() and not line.strip().startswith("#")]


@cache
def languages() -> Mapping[str, Language]:
    """Return all languages by their names (ISO 639)."""
    found = {}
    for file in sorted(_FOLDER.iterdir(), key=lambda one: one.name):
        name, _, kind = file.name.rpartition(".")
        if kind == "toml" and name not in SHARED:
            found[name] = Language(name, _tables(name))
    return found


def alternatives(file: str, *names: str) -> str:
    """Return the lines of an entry about all languages, or of one for each, as alternatives of a pattern."""
    told: Any = shared(file)
    for name in names:
        told = told[name]
    lines = _lines(told if isinstance(told, str) else "\n".join(told.values()))
    return "|".join(dict.fromkeys(map(fold_pattern, lines)))


@cache
def _little() -> Mapping[str, frozenset[str]]:
    return {name: frozenset(" ".join(one.lines("language", "little")).split()) for name, one in languages().items()}


def little_words() -> frozenset[str]:
    """Return the little words of all languages, which are no names."""
    return frozenset().union(*_little().values())


def _counts(text: str) -> dict[str, int]:
    said = _LETTER.findall(fold(text[:2000]))
    return {name: sum(word in words for word in said) for name, words in _little().items() if words}


def likely(text: str) -> list[str]:
    """Return the languages a text may be in, the likeliest first and English always; all where no word tells."""
    counts = _counts(text)
    most = max(counts.values())
    found = [name for name, count in sorted(counts.items(), key=lambda pair: -pair[1]) if count >= 0.6 * most]
    return found if "en" in found else [*found, "en"]  # English is mixed into any other


def foreign(text: str) -> set[str]:
    """Return the languages a text is certainly not in: it has little words of others, and none of theirs."""
    counts = _counts(text)
    return {name for name, count in counts.items() if not count} if max(counts.values()) > 2 else set()


def written_in(text: str) -> list[Language]:
    """Return the languages whose letters a text has."""
    small = fold(text[:20_000])
    return [one for one in languages().values() if one.scripts.search(small)]


def spoken_in(text: str) -> list[Language]:
    """Return the languages that a text may be in, English always: it is mixed into any other."""
    none = foreign(text) - {"en"}
    return [one for one in written_in(text) if one.name not in none]


def search(table: str, name: str, text: str, among: Iterable[str]) -> re.Match[str] | None:
    """Return the first phrase found, in the first of these languages that has one."""
    return next((found for pattern in finds(table, name, among) if (found := pattern.search(text))), None)


def finds(table: str, name: str, among: Iterable[str]) -> Iterator[re.Pattern[str]]:
    """Yield the compiled pattern of these phrases in each of these languages that has some."""
    known = languages()
    return (pattern for one in among if one in known and (pattern := known[one].phrases(table, name)))
