"""Read the tables of trades, kinds of companies and job titles, which are data files that anyone can correct."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MOST_WORDS = 6  # of an entry
FIVE = 5  # customer types
LEAST_BEGUN, MOST_BEGUN = 4, 24  # letters with which a word begins
SHORT = 3  # letters of a word that has no plural
LONGEST_TEXT = 4000
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Segment:
    """A kind of company that may buy. `plural` is for the middle of a sentence, `label` for a chip.

    `firms` is the plural where people work: the managers of apartment buildings work at property management companies.

    `words` are how texts speak of them and `industries` how directories of people do, `sizes` those of most of them,
    and `decides` the codes of the roles that decide there, the usual one first. `called` is what people call such a
    role there, where that is not “owners of …”, and `funded` says that such companies raise money from investors.
    `broad` says that another noun beside the word makes it a different kind: a repair shop is no shop. What they buy
    may go into what they make, where it `makes` something.
    """

    code: str
    label: str
    plural: str
    firms: str
    words: tuple[str, ...]
    industries: tuple[str, ...]
    sizes: tuple[str, ...]
    decides: tuple[str, ...]
    called: Mapping[str, str]
    funded: bool = False
    broad: bool = False
    makes: bool = False


@dataclass(frozen=True)
class Role:
    """Who decides: `who` in the plural, the titles to search for, and more to offer; `alone` without asking others."""

    code: str
    who: str
    at: str
    titles: tuple[str, ...]
    more: tuple[str, ...]
    alone: bool = False


@dataclass(frozen=True)
class Buyer:
    """A kind of company, the role that decides there, and why they would buy, or send people who do.

    `swaps` says that those who send people serve the same ones, so that the business can recommend them in return.
    """

    segment: str
    role: str
    reason: str
    sends: bool
    swaps: bool


@dataclass(frozen=True)
class Trade:
    """A trade: `names` say what such a business is or sells, `words` only support them.

    `kind` is service, software or goods. Of the customers those after the fifth are for businesses that sell to private
    people. `programs` says that its work has to do with the programs that its customers
    use, `practice` that a doctor's name is often its own, and `first` is the occasion that suits best, '' if none.
    `made_for` says that those for whom it makes something buy it, and only they.
    """

    code: str
    label: str
    kind: str
    names: tuple[str, ...]
    words: tuple[str, ...]
    customers: tuple[Buyer, ...]
    programs: bool = False
    practice: bool = False
    first: str = ""
    made_for: bool = False

    @property
    def near(self) -> bool:
        """Return whether it sells to people nearby, so that most who are written to send customers."""
        return sum(one.sends for one in self.customers[:FIVE]) * 2 > FIVE


@cache
def trades() -> Mapping[str, Trade]:
    """Return the trades by their codes."""
    return {code: _trade(code, row) for code, row in _table("trades").items()}


def _buyer(line: str) -> Buyer:
    who, _, reason = line.partition(": ")
    place, _, how = who.partition(" ")
    segment, _, role = place.partition(".")
    return Buyer(segment, role, reason, sends=bool(how), swaps=how == "swaps")


@cache
def industrial() -> tuple[Buyer, ...]:
    """Return who buys from a business that calls its work industrial, whatever its trade."""
    return tuple(_buyer(line) for line in _table("recognition")["industrial"])


@cache
def not_industrial() -> frozenset[str]:
    """Return the kinds of companies that buy nothing industrial."""
    return frozenset(split(_table("recognition")["not_industrial"]))


def _trade(code: str, row: Mapping[str, Any]) -> Trade:
    return Trade(
        code=code,
        label=row["label"],
        kind=row["kind"],
        names=split(row["names"]),
        words=split(row["words"]),
        customers=tuple(_buyer(line) for line in row["customers"]),
        programs=row.get("programs", row["kind"] == "software"),
        practice=row.get("practice", False),
        first=row.get("first", ""),
        made_for=row.get("made_for", False),
    )


@cache
def segments() -> Mapping[str, Segment]:
    """Return the kinds of companies by their codes."""
    return {code: _segment(code, row) for code, row in _table("segments").items()}


def _segment(code: str, row: Mapping[str, Any]) -> Segment:
    return Segment(
        code=code,
        label=row["label"],
        plural=row["plural"],
        firms=row.get("firms", row["plural"]),
        words=split(row["words"]),
        industries=split(row.get("industries", "")),
        sizes=split(row["sizes"]),
        decides=split(row["decides"]),
        called=row.get("called", {}),
        funded=row.get("funded", False),
        broad=row.get("broad", False),
        makes=row.get("makes", False),
    )


@cache
def roles() -> Mapping[str, Role]:
    """Return those who decide by their codes."""
    return {
        code: Role(code, row["who"], row["at"], split(row["titles"]), split(row["more"]), row.get("alone", False))
        for code, row in _table("titles")["roles"].items()
    }


@cache
def languages_of(country: str) -> tuple[str, ...]:
    """Return the languages of business in a country, by its code, as far as titles are known in them."""
    return split(_table("titles")["spoken"].get(country, ""), " ")


@cache
def titles_in(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the titles of each role as people write them in a language; none in English."""
    return {role: split(several) for role, several in _native("titles", language).items()}


@cache
def companies_in(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return what each kind of company is called in a language; nothing in English."""
    return {segment: split(several) for segment, several in _native("companies", language).items()}


@cache
def countries() -> Mapping[str, str]:
    """Return the names of countries by their codes."""
    return {code: split(row)[0] for code, row in _table("countries").items()}


@cache
def country_words() -> Mapping[str, str]:
    """Return the codes of countries by what people call them in the languages that are read, and by short forms."""
    return {name: code for code, names in _table("recognition")["countries"].items() for name in split(names)}


@cache
def teams() -> Mapping[str, tuple[str, ...]]:
    """Return by role how people call all who do that work: HR teams, purchasing."""
    return {role: split(names) for role, names in _table("recognition")["teams"].items()}


@cache
def countries_near(country: str) -> tuple[str, ...]:
    """Return the countries to try after one, by its code."""
    return split(_table("countries").get(country, ""))[1:]


@cache
def clues(kind: str) -> tuple[str, ...]:
    """Return the words that tell a business from its customers: for, own, sells, programs or advice."""
    return split(_table("recognition")[kind])


@cache
def judging(kind: str) -> Mapping[str, str]:
    """Return the patterns of titles by rank, or what is said for people by the occasion."""
    return _table("judging")[kind]  # type: ignore[no-any-return]


@cache
def texts_of_plays() -> Mapping[str, Mapping[str, str]]:
    """Return what a play says of itself, by occasion."""
    return _table("plays")


def _native(table: str, language: str) -> Mapping[str, str]:
    return {**_table(table).get(language[:2], {}), **_table(table).get(language, {})}


@cache
def _table(name: str) -> Mapping[str, Any]:
    return tomllib.loads((HERE / f"{name}.toml").read_text("utf-8"))


def split(listed: str, mark: str = ";") -> tuple[str, ...]:
    """Return the entries of a list."""
    return tuple(one for entry in listed.split(mark) if (one := " ".join(entry.split())))


@dataclass(frozen=True)
class Found:
    """Where an entry stands in a text, counted in words, and what it stands for."""

    begin: int
    end: int
    entry: str
    code: str


class Lexicon:
    """Entries of one to six words, and what each stands for. `word*` finds every word that begins so.

    Accents, capitals, hyphens and the plural of a word do not matter. A text is looked up word by word, so that a long
    one takes no longer than its length. What one entry stands for comes in the order of the entries, so that the same
    words mean the same each time.
    """

    def __init__(self, entries: Iterable[tuple[str, str]]) -> None:
        self._whole: dict[str, dict[str, None]] = {}
        self._begun: dict[str, dict[str, None]] = {}
        for entry, code in entries:
            if entry.endswith("*"):
                self._begun.setdefault(bare(entry.rstrip("*")), {})[code] = None
            else:
                self._whole.setdefault(" ".join(root(one) for one in tokens(entry)), {})[code] = None

    def found(self, there: Sequence[str]) -> list[Found]:
        """Return the entries in the words of a text, in its order."""
        roots = [root(one) for one in there]
        found = []
        for at, word in enumerate(there):
            for end in range(at + 1, min(at + MOST_WORDS, len(there)) + 1):
                entry = " ".join(roots[at:end])
                found += [Found(at, end, entry, code) for code in self._whole.get(entry, ())]
            # A word that is an entry of its own is not also one that only begins like another.
            cuts = range(LEAST_BEGUN, min(len(word), MOST_BEGUN) + 1) if roots[at] not in self._whole else ()
            for cut in cuts:
                found += [Found(at, at + 1, word[:cut], code) for code in self._begun.get(word[:cut], ())]
        return found


def tokens(text: str) -> list[str]:
    """Return the words of a text in small letters, without accents."""
    return WORD.findall(bare(text[:LONGEST_TEXT]))


def bare(text: str) -> str:
    """Return a text in small letters, without accents."""
    return "".join(one for one in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(one))


def root(word: str) -> str:
    """Return a word without the plural."""
    if len(word) <= SHORT:
        return word
    cut = word.removesuffix("s")
    return cut.removesuffix("e") if len(cut) > SHORT + 1 else cut
