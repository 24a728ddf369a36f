"""Read who must not be contacted from a file of another tool: by its columns, statuses, tags and names.

Nothing here depends on what the columns are imported as, so that no mapping loses it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from app.core import text
from app.domain.leads.imports.opt_out_words import Tool, is_turned, plain, tool_of, value_of, words

MOST_ASKED = 20  # values of a column with one meaning that are shown and asked about one by one
LONGEST_VALUE = 60
FILE = "fileName"
EMPTY, DATE, TEXT, OTHER = "(empty)", "(a date)", "(any text)", "(other values)"
_DATE = re.compile(
    r"\d{1,4}[-/.年 ]\s?\d{1,2}[-/.月 ]\s?\d{1,4}(?:[T ,日].*)?|\d{8}T?\d{0,6}|\d{10}|\d{13}"
    r"|(?:\w{3,9},? )?(?:\d{1,2}\.? )?\w{3,9}\.? (?:\d{1,2},? )?\d{4}(?:[ ,].*)?",
    re.DOTALL,
)
_NO_DATE = re.compile(r"0{4}[-/.]0{1,2}[-/.]0{1,2}.*|1970-01-01.*|0", re.DOTALL)
_NUMBER = re.compile(r"\d{1,9}(?:[.,]\d{1,4})?")
_OF_EMAIL = re.compile(r" e ?mails? ")
_GONE = re.compile(r"5\.\d{1,3}\.\d{1,3}")  # a mail server's code for an address that does not work
_PIECES = re.compile(r"[;,|\n\[\]\"{}]")


class Meaning(StrEnum):
    """What a file says of a person."""

    NEVER = "never"  # they must not be contacted
    DEAD = "dead"  # their address does not work
    FINE = "fine"  # they may be contacted and the address works
    UNKNOWN = "unknown"  # a member has to say


class _Kind(StrEnum):
    FLAG = "flag"  # a filled cell means opted out, or a dead address
    CONSENT = "consent"  # "no" means opted out
    VAGUE = "vague"  # about consent, but unclear which values mean opted out
    STATUS = "status"
    LISTS = "lists"
    ELSEWHERE = "elsewhere"
    OTHER = "other"


class Sign(NamedTuple):
    """A value of a column, or the name of the file, what it means, and how many rows have it."""

    column: str
    value: str
    meaning: Meaning
    people: int


class Survey(NamedTuple):
    """What a whole file says: the tool that wrote it ('' when unknown), its signs, and rows by what they say."""

    tool: str
    signs: list[Sign]
    never: int
    dead: int

    def told(self) -> dict[str, Any]:
        """Return the survey as JSON."""
        return {**self._asdict(), "signs": [one._asdict() for one in self.signs]}

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Survey":
        """Return the survey that `told` gave as JSON."""
        signs = [Sign(one["column"], one["value"], Meaning(one["meaning"]), one["people"]) for one in told["signs"]]
        return cls(told["tool"], signs, told["never"], told["dead"])


class Said(NamedTuple):
    """What a file says about one person, in which column and value, and the date as the file writes it."""

    meaning: Meaning
    column: str
    value: str
    when: str


_REST = {None: EMPTY, Meaning.FINE: EMPTY, Meaning.UNKNOWN: OTHER, Meaning.NEVER: TEXT, Meaning.DEAD: TEXT}
"""The value under which a column's values of one meaning are counted together, if they are too many to show."""
Answers = Mapping[str, Mapping[str, str]]
"""The meanings that a member chose: by column and value."""


def _phrase_meaning(given: str) -> Meaning | None:
    """Return what the known phrases in a plain text mean; None if it has none."""
    known = words()
    for phrases, meaning in ((known.never, Meaning.NEVER), (known.dead, Meaning.DEAD)):
        if match := phrases.anywhere.search(given):
            soft = meaning == Meaning.DEAD and known.soft.found(given)
            return Meaning.FINE if soft or is_turned(given[: match.start() + 1]) else meaning
    return None


def _is_only_phrase(name: str) -> bool:
    """Return whether a name is one of the known phrases, with no further words such as a reason or a link."""
    match = words().never.anywhere.search(name) or words().dead.anywhere.search(name)
    return match is not None and match.start() <= 1 and name.find(" ", match.end()) == len(name) - 1


def _about(name: str) -> str:
    """Return the part of a column's name to read: "Opted out of email" of "Opted out of email: Rate updates"."""
    before, colon, _ = name.partition(":")
    said = plain(before)
    return before if colon and (_phrase_meaning(said) or words().consent.found(said)) else name


class _Column:
    """A column: its kind, and a cache of what each of its values means."""

    def __init__(self, number: int, name: str, tool: Tool | None, answers: Mapping[str, str], emails: bool) -> None:
        self.number, self.name, self._answers = number, name, answers
        self._words = plain(_about(name))
        self._tool_says = tool.statuses if tool else {}
        is_paper = emails and words().postal.is_whole(self._words)
        self.kind, self._about = (_Kind.ELSEWHERE, Meaning.NEVER) if is_paper else self._read_name(tool)
        self._is_detail = words().detail.found(self._words)
        self._is_plain = _is_only_phrase(self._words)
        self._of_address = words().address.found(self._words)
        self._known: dict[str, tuple[Meaning | None, str]] = {}

    def _read_name(self, tool: Tool | None) -> tuple[_Kind, Meaning]:
        known, name, never = words(), self._words, Meaning.NEVER
        if tool and (own := tool.column_meanings.get(name)):
            return (_Kind.CONSENT, never) if own == "consent" else (_Kind.FLAG, Meaning(own))
        if known.nothing.found(name):
            return _Kind.OTHER, never
        if known.elsewhere.found(name) and not re.search(r" (?:e ?)?mails? | contact ", name):
            return _Kind.ELSEWHERE, never
        if name in known.values["names_never"]:
            return _Kind.FLAG, never
        about = _phrase_meaning(name)
        if about in (Meaning.NEVER, Meaning.DEAD):
            return _Kind.FLAG, about
        if about == Meaning.FINE and not known.soft.found(name):
            return _Kind.VAGUE, never  # such as "Not unsubscribed"
        if match := known.consent.anywhere.search(name):
            return (_Kind.VAGUE if is_turned(name[: match.start() + 1]) else _Kind.CONSENT), never
        if known.vague.found(name) and not known.engagement.found(name):
            return _Kind.VAGUE, never
        for phrases, kind in ((known.lists, _Kind.LISTS), (known.status, _Kind.STATUS)):
            if phrases.found(name):
                return kind, never
        return _Kind.OTHER, never

    def read(self, cell: str) -> tuple[Meaning | None, str]:
        """Return what the cell means, None for nothing, and the value by which it is counted and asked about."""
        found = self._known.get(cell)
        if found is None:
            meaning, value = self._read(cell)
            rest = OTHER if self.kind == _Kind.STATUS and meaning is None and value != EMPTY else _REST[meaning]
            found = self.answer(value) or self.answer(rest) or meaning, value
            if len(self._known) < 50_000:
                self._known[cell] = found
        return found

    def answer(self, value: str) -> Meaning | None:
        """Return the meaning that a member chose for the value, if any."""
        said = self._answers.get(value.casefold())
        return Meaning(said) if said else None

    def is_unclear(self, value: str) -> bool:
        """Return whether a value that says nothing alone is asked about where others say something."""
        if self.kind != _Kind.STATUS or value == EMPTY:
            return False
        known, given = words(), plain(value)
        if known.subscription.found(self._words) and value not in (DATE, TEXT):
            return given not in known.values["empty"] and not known.consent.found(given)
        return known.reason.found(self._words) or given in known.values["status_unclear"]

    def tells_apart(self, meaning: Meaning | None, value: str) -> bool:
        """Return whether the value says that the person did not opt out."""
        if meaning != Meaning.FINE:
            return False
        asked = self.kind == _Kind.FLAG and self._about == Meaning.NEVER
        return asked or (self.kind == _Kind.STATUS and words().consent.found(plain(value)))

    def explains(self, meaning: Meaning | None) -> bool:
        """Return whether this is why an address that does not work stands in a file of people not to contact."""
        return meaning == Meaning.DEAD and self.kind == _Kind.STATUS and words().reason.found(self._words)

    def _read(self, cell: str) -> tuple[Meaning | None, str]:
        written = cell.strip()
        given = plain(written)
        if not given.strip():
            given = value_of(written)  # a cell with only a sign, such as a tick
            if given not in words().values["yes"] | words().values["no"]:
                return None, EMPTY
        if "://" in written:
            return None, EMPTY
        if self.kind == _Kind.OTHER and "@" in written and " " not in written:
            return None, TEXT
        meaning = _READERS[self.kind](self, written, given)
        return meaning, self._value(written, given)

    def _value(self, written: str, given: str) -> str:
        if _is_date(written):
            return DATE
        # Text that may name a person is not kept.
        is_value = len(written) <= LONGEST_VALUE and given.count(" ") < 7 and "@" not in written
        return text.squeeze(written) if is_value else TEXT

    def _flag(self, written: str, given: str) -> Meaning | None:
        values, number = words().values, _number(written)
        if self._about == Meaning.NEVER and given in values["open"]:
            return Meaning.UNKNOWN
        if given in values["no"] or given in values["empty"] or number == 0 or _NO_DATE.fullmatch(written):
            return Meaning.FINE
        if said := _phrase_meaning(given):
            return said
        if given in values["fine"] or (self._about == Meaning.DEAD and words().soft.found(given)):
            return Meaning.FINE
        if given in values["status_never"]:
            return Meaning.NEVER
        if given in values["refused"]:
            return self._about
        certain = given in values["yes"] or number or _is_date(written) or given in values["address_dead"]
        says_more = self._is_detail or not self._is_plain
        return self._about if certain or says_more or given.count(" ") > 3 else Meaning.UNKNOWN

    def _consent(self, written: str, given: str) -> Meaning | None:
        values, number = words().values, _number(written)
        if given in values["open"] and not self._is_detail:
            return Meaning.UNKNOWN
        if given in values["empty"]:
            return None
        if said := _phrase_meaning(given):
            return said
        if given in values["refused"] or given in values["status_never"]:
            return Meaning.NEVER
        if given in values["no"] or number == 0:
            return None if self._is_detail else Meaning.NEVER
        if given in values["yes"] or given in values["fine"] or number == 1 or _is_date(written):
            return Meaning.FINE
        return None if self._is_detail else Meaning.UNKNOWN

    def _vague(self, written: str, given: str) -> Meaning | None:
        values = words().values
        if said := _phrase_meaning(given):
            return said
        if given in values["refused"] or given in values["status_never"]:
            return Meaning.NEVER
        if given in values["open"] and not self._is_detail:
            return Meaning.UNKNOWN
        many = (_number(written) or 0) > 1  # counts something
        certain = many or any(given in values[name] for name in ("yes", "fine", "empty")) or _is_date(written)
        return None if certain or self._is_detail else Meaning.UNKNOWN

    def _status(self, written: str, given: str) -> Meaning | None:
        values = words().values
        if own := self._tool_says.get(given):
            return Meaning(own)
        if said := _phrase_meaning(given):
            return said
        if given in values["status_never"]:
            return Meaning.NEVER
        if given in values["status_dead"] or _GONE.fullmatch(written):
            return Meaning.DEAD
        if self._of_address and given in values["address_dead"]:
            return Meaning.DEAD
        return Meaning.FINE if given in values["fine"] else None

    def _lists(self, written: str, given: str) -> Meaning | None:
        values = words().values
        found = set()
        for piece in map(plain, _PIECES.split(written)):
            found.add(Meaning.NEVER if piece in values["status_never"] else _phrase_meaning(piece))
        return next((meaning for meaning in (Meaning.NEVER, Meaning.DEAD) if meaning in found), None)

    def _elsewhere(self, written: str, given: str) -> Meaning | None:
        said = _phrase_meaning(given)
        return said if said == Meaning.NEVER and " contact" in given else None

    def _other(self, written: str, given: str) -> Meaning | None:
        known = words()
        if known.never.is_whole(given) or known.dead.is_whole(given):
            said = _phrase_meaning(given)
            return None if said == Meaning.FINE else said
        if match := known.asked.anywhere.search(given):
            return None if is_turned(given[: match.start() + 1]) else Meaning.UNKNOWN
        return None


_READERS: dict[_Kind, Callable[[_Column, str, str], Meaning | None]] = {
    _Kind.FLAG: _Column._flag,
    _Kind.CONSENT: _Column._consent,
    _Kind.VAGUE: _Column._vague,
    _Kind.STATUS: _Column._status,
    _Kind.LISTS: _Column._lists,
    _Kind.ELSEWHERE: _Column._elsewhere,
    _Kind.OTHER: _Column._other,
}


def _is_date(written: str) -> bool:
    return len(written) <= LONGEST_VALUE and _DATE.fullmatch(written) is not None


def _number(written: str) -> float | None:
    return float(written.replace(",", ".")) if _NUMBER.fullmatch(written) else None


class Reader:
    """Reads what the rows of one file say, with what a member answered; `skipped` are columns of names and the like."""

    def __init__(
        self, header: Sequence[str], file_name: str, list_name: str, skipped: Iterable[int], answers: Answers
    ) -> None:
        self._tool = tool_of(header, file_name)
        given = {
            _key(column): {value.casefold(): meaning for value, meaning in of.items()} for column, of in answers.items()
        }
        without = set(skipped)
        emails = any(_OF_EMAIL.search(plain(name)) and _phrase_meaning(plain(name)) for name in header)
        self._columns = [
            _Column(number, name, self._tool, given.get(_key(name), {}), emails)
            for number, name in enumerate(header)
            if number not in without
        ]
        self.file_value, self._file = self._of_file(file_name, list_name)
        # Only columns that name the day of opting out; in a file of people who opted out, also a plain "Date".
        self._when = [
            number
            for number, name in enumerate(header)
            if (words().when.found(plain(name)) and _phrase_meaning(plain(name)))
            or (self._file and words().when.is_whole(plain(name)))
        ]
        self._file_answer = given.get(_key(FILE), {}).get(self.file_value.casefold(), "")

    def _of_file(self, file_name: str, list_name: str) -> tuple[str, Meaning | None]:
        """Return the file or list name that says all people in it opted out or are unreachable, and which of these."""
        stem = file_name.rpartition(".")[0] if file_name.lower().endswith((".csv", ".txt", ".tsv")) else file_name
        for name in (stem, list_name):
            given, known = plain(name), words()
            tools = (kind for tool in known.tools for file, kind in tool.files.items() if file in given)
            meaning: Meaning | None = Meaning(own) if (own := next(tools, "")) else _phrase_meaning(given)
            if given in known.values["names_never"]:
                meaning = Meaning.NEVER
            if meaning in (Meaning.NEVER, Meaning.DEAD):
                mixed = not own and known.mixed.found(
                    known.never.anywhere.sub(" ", known.dead.anywhere.sub(" ", given))
                )
                return name, Meaning.UNKNOWN if mixed else meaning
        return stem, None

    def _row(self, cells: Sequence[str]) -> Iterator[tuple[_Column, Meaning | None, str]]:
        for column in self._columns:
            if column.number < len(cells):
                yield column, *column.read(cells[column.number])

    def of(self, cells: Sequence[str]) -> Said | None:
        """Return what the row says, if it says that the person must not be contacted or that the address is dead."""
        worst: tuple[Meaning, str, str] | None = None
        file = Meaning(self._file_answer) if self._file_answer else self._file
        if file in (Meaning.NEVER, Meaning.DEAD):
            worst = file, FILE, self.file_value
        for column, meaning, value in self._row(cells):
            if meaning == Meaning.NEVER or (meaning == Meaning.DEAD and (not worst or column.explains(meaning))):
                worst = meaning, column.name, cells[column.number].strip() if value == DATE else value
                if meaning == Meaning.NEVER:
                    break
        return Said(*worst, self._date(cells)) if worst else None

    def _date(self, cells: Sequence[str]) -> str:
        written = (cells[number].strip() for number in self._when if number < len(cells))
        return next((one for one in written if one and not _NO_DATE.fullmatch(one) and _is_date(one)), "")

    def survey(self, rows: Iterable[Sequence[str]]) -> Survey:
        """Read all rows; return what they say, with the questions that a member has to answer."""
        counts: Counter[tuple[int, str, Meaning]] = Counter()
        blank: Counter[int] = Counter()
        unclear: Counter[tuple[int, str]] = Counter()
        total = never = dead = explained = 0
        told_apart = False
        for cells in rows:
            total += 1
            row_never = row_dead = row_explained = False
            for column, meaning, value in self._row(cells):
                if meaning:
                    counts[column.number, value, meaning] += 1
                    told_apart = told_apart or column.tells_apart(meaning, value)
                    row_never = row_never or meaning == Meaning.NEVER
                    row_dead = row_dead or meaning == Meaning.DEAD
                    row_explained = row_explained or column.explains(meaning)
                elif value == EMPTY and column.kind == _Kind.CONSENT:
                    blank[column.number] += 1
                elif column.is_unclear(value):
                    unclear[column.number, value] += 1
            never += row_never
            dead += row_dead and not row_never
            explained += row_explained and not row_never
        file = self._file_sign(told_apart, total)
        certain = file is not None and file.meaning in (Meaning.NEVER, Meaning.DEAD)
        if not certain:
            self._ask(counts, unclear)
        signs = [*([file] if file else []), *self._signs(counts, blank)]
        if file and file.meaning == Meaning.NEVER:
            never, dead = total - explained, explained
        elif file and file.meaning == Meaning.DEAD:
            dead = total - never
        return Survey(self._tool.name if self._tool else "", signs, never, dead)

    def _ask(self, counts: Counter[tuple[int, str, Meaning]], unclear: Counter[tuple[int, str]]) -> None:
        """Count unclear values as UNKNOWN, to ask about them, in columns where others mean opted out or dead."""
        speaking = {number for number, _, meaning in counts if meaning in (Meaning.NEVER, Meaning.DEAD)}
        for (number, value), people in unclear.items():
            if number in speaking:
                counts[number, value, Meaning.UNKNOWN] += people

    def _signs(self, counts: Counter[tuple[int, str, Meaning]], blank: Counter[int]) -> list[Sign]:
        signs: list[Sign] = []
        for column in self._columns:
            theirs = {(value, meaning): n for (number, value, meaning), n in counts.items() if number == column.number}
            for one in (Meaning.UNKNOWN, Meaning.NEVER, Meaning.DEAD):
                alike = [key for key in theirs if key[1] == one]
                if len(alike) > MOST_ASKED:
                    rest = sum(theirs.pop(key) for key in alike)
                    theirs[_REST[one], one] = rest
            signs += [
                Sign(column.name, value, meaning, n)
                for (value, meaning), n in theirs.items()
                if meaning != Meaning.FINE or column.answer(value)
            ]
            only_yes = theirs and all(
                meaning == Meaning.FINE and plain(value) in words().values["yes"] for value, meaning in theirs
            )
            if only_yes and blank[column.number]:
                meaning = column.answer(EMPTY) or Meaning.UNKNOWN
                signs.append(Sign(column.name, EMPTY, meaning, blank[column.number]))
        return signs

    def _file_sign(self, told_apart: bool, total: int) -> Sign | None:
        """Return what the file's name says; UNKNOWN when a column says that some people in it did not opt out."""
        if self._file is None:
            return None
        meaning = Meaning.UNKNOWN if told_apart else self._file
        return Sign(FILE, self.file_value, Meaning(self._file_answer) if self._file_answer else meaning, total)


def _key(column: str) -> str:
    return text.squeeze(column).casefold()
