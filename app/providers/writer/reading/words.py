"""The words of a language by which the sentences of a website are understood, from one file per language."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any

from app.core import languages

FOLDER, STEM = Path(__file__).parent / "words", 6
ENDING, BEGUN = 3, 8  # letters at most of an ending, and at least of the noun with which two compounds begin
LANGUAGES = frozenset(file.stem for file in FOLDER.glob("*.toml"))


class Words:
    """One file of words/: its plain strings by name, its tables, and its lists as patterns of whole words."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self._told, self._lists = told, told["lists"]
        self.verbs: Mapping[str, str] = told["verbs"]
        self.beginnings: Mapping[str, str] = told["beginnings"]
        self.trades: Mapping[str, str] = told.get("trades", {})
        self.turned: Mapping[str, str] = told["turned"]
        self.articles: Mapping[str, str] = told["articles"]
        self.acts: Mapping[str, str] = told["acts"]
        self.third, self.first = _whole(self.verbs), _whole(self.verbs.values())
        self.verb_words = frozenset(one.split()[0] for one in self.verbs.values())
        self.called = [(_whole(_entries(names)), said) for names, said in told["called"].items()]
        self.business = [(_whole(_entries(nouns)), article) for nouns, article in told["business"].items()]
        self.adjectives_first, self.large_nouns = bool(told["adjectives_first"]), bool(told.get("large_nouns"))

    def __getitem__(self, name: str) -> str:
        return str(self._told.get(name, ""))

    @cache  # noqa: B019  # one object per language
    def pattern(self, name: str) -> re.Pattern[str]:
        """Return a list of the file as a pattern of whole words."""
        return _whole(_entries(self._lists.get(name, "")))

    def either(self, *names: str) -> str:
        """Return the source of a pattern that finds a word of one of the lists."""
        return f"(?:{'|'.join(self.pattern(name).pattern for name in names)})"

    def has(self, text: str, *names: str) -> bool:
        """Return whether a text has a word of one of the lists."""
        return any(self.pattern(name).search(text) for name in names)

    def is_one(self, text: str, *names: str) -> bool:
        """Return whether a text is an entry of one of the lists."""
        return any(self.pattern(name).fullmatch(text) for name in names)

    @cached_property
    def vague(self) -> frozenset[str]:
        """The stems of words that any business says of itself."""
        return frozenset(stem(one) for one in _entries(self._lists["generic"]))

    def stems(self, text: str) -> list[str]:
        """Return the beginnings of the words that say something, each once."""
        return list(dict.fromkeys(map(stem, self.told(text))))

    def told(self, text: str) -> list[str]:
        """Return the words that say something, in small letters."""
        found = re.findall(r"[^\W\d_][\w’'-]+", text)
        return [one.casefold() for one in found if not self.is_one(one, "stops")]

    def has_any(self, text: str, several: Iterable[str]) -> bool:
        """Return whether a text has one of several words, whatever its ending, that not any business says."""
        said = [one for one in self.told(text) if stem(one) not in self.vague]
        return any(self._same(one, other) for one in said for other in several)

    def _same(self, one: str, other: str) -> bool:
        """Return whether two words differ only in their endings, as “personale” and “personalizzato” do not.

        Where nouns are joined, both may begin with the same noun: Personalleiter and Personalsuche.
        """
        begins = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
        alike = len(list(begins))
        shorter, longer = sorted((len(one) - alike, len(other) - alike))
        joined = bool(self["compounds"]) and (not shorter or alike >= BEGUN)
        return stem(one) == stem(other) and (longer <= ENDING or joined)


def stem(word: str) -> str:
    """Return the beginning of a word."""
    return word.casefold()[:STEM].rstrip("s")


def _entries(told: str) -> list[str]:
    return [" ".join(one.split()) for one in told.split(",") if one.strip()]


def _whole(entries: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of whole words, the longest first; * is any letters."""
    several = sorted({re.escape(one).replace(r"\*", r"[\w-]*") for one in entries}, key=len, reverse=True)
    return re.compile(rf"(?<![\w&’'-])(?:{'|'.join(several) or '(?!)'})(?![\w&-])", re.IGNORECASE)


@cache
def of(language: str) -> Words:
    """Return the words of a language, or the English ones."""
    code = languages.base(language)
    return Words(tomllib.loads((FOLDER / f"{code}.toml").read_text("utf-8"))) if written(language) else of("en")


def written(language: str) -> bool:
    """Return whether there are words for a language."""
    return languages.base(language) in LANGUAGES
