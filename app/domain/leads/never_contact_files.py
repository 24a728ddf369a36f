"""The do-not-contact list as a file: read from CSV or Excel, and written so that it can be read again."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import BinaryIO, NamedTuple

from app.core import text
from app.core.db import end_read, in_batches, in_pages
from app.core.errors import InvalidRequest
from app.domain.leads.csv_mapping import normalize
from app.domain.leads.imports import csv_column_names
from app.domain.people.exclusions import never_contact
from app.domain.people.exclusions.never_contact import AddedEntries, Entry
from app.domain.platform import audit_log, csv_files
from app.models.leads import NeverContact, NeverContactKind
from app.models.workspaces import Workspace

HEADER = ("kind", "entry", "reason", "until", "added")
MOST_ROWS, BATCH = 50_000, 1000
K = NeverContactKind
_NAMES = {
    normalize(name): meaning
    for names in (csv_column_names.NAMES, csv_column_names.NEVER_CONTACT)
    for meaning, together in names.items()
    for name in together.split(",")
}
# What names someone, in which kind of entry: of a row with a person, their company is not barred.
_PEOPLE: Mapping[str, str] = {"email": K.EMAIL, "profileUrl": K.PERSON, "publicId": K.PERSON}
_COMPANIES: Mapping[str, str] = {"companyUrl": K.DOMAIN, "companyName": K.COMPANY}
_WITH_DOTS = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})")
WRONG_DAY = "“{day}” is not a date. Write dates as 2026-12-31."


class Read(NamedTuple):
    """The entries of a file by kind and value, and the rows with errors."""

    wanted: dict[tuple[str, str], Entry]
    refused: list[tuple[int, str, str]]


def read(workspace: Workspace, stream: BinaryIO, reason: str = "", until: date | None = None) -> Read:
    """Read the entries of a file; raise InvalidRequest on `file` if it is none.

    Columns are found by their names; a file without these has one entry a row, in its first cell. `reason` and `until`
    count for rows that have none of their own.
    """
    never_contact.check(workspace, reason, until)
    packed = csv_files.pack(stream)
    if packed.lines > MOST_ROWS + 1:
        raise InvalidRequest.of(("file", f"Use at most {MOST_ROWS:,} rows. Split the file and upload each part."))
    found, columns = Read({}, []), None
    for number, cells, problem in csv_files.read(csv_files.lines(packed), csv_files.sniff(packed)):
        if columns is None and (columns := _columns(cells)):
            continue
        columns = columns or {"entry": 0}
        try:
            if problem:
                raise InvalidRequest.of(("entry", problem))
            for mark, entry in _entries(workspace, cells, columns, Entry("", reason.strip(), until)):
                found.wanted.setdefault(mark, entry)
        except InvalidRequest as refusal:
            shown = text.shorten(", ".join(filter(None, cells)), 200)
            found.refused.append((number, shown, refusal.fields[0].message))
    return found


def add(workspace: Workspace, found: Read) -> AddedEntries:
    """Add the entries that were read."""
    result = AddedEntries(refused=found.refused)
    for some in in_batches(list(found.wanted), never_contact.MOST_ENTRIES):
        never_contact.add_matched(workspace, {mark: found.wanted[mark] for mark in some}, result)
    return result


def _columns(header: Sequence[str]) -> dict[str, int]:
    """Return the place of each known column; {} when the row is no header."""
    found: dict[str, int] = {}
    for place, name in enumerate(header):
        if meaning := _NAMES.get(normalize(name)):
            found.setdefault(meaning, place)
    return found if not found.keys().isdisjoint({"entry", *_PEOPLE, *_COMPANIES}) else {}


def _entries(
    workspace: Workspace, cells: Sequence[str], columns: Mapping[str, int], usual: Entry
) -> Iterator[tuple[tuple[str, str], Entry]]:
    """Yield the entries of a row: what names the person, or else their company."""
    row = {
        meaning: text.csv_text(cells[place].strip()) if place < len(cells) else "" for meaning, place in columns.items()
    }
    until = _day(row["until"]) if row.get("until") else usual.until
    reason = text.squeeze(row.get("reason", "")) or usual.reason
    never_contact.check(workspace, reason, until)
    given = [(row.get("kind", "").casefold(), row["entry"])] if row.get("entry") else []
    given = given or [(str(kind), row[name]) for name, kind in _PEOPLE.items() if row.get(name)]
    given = given or [(str(kind), row[name]) for name, kind in _COMPANIES.items() if row.get(name)][:1]
    if not given:
        raise InvalidRequest.of(("entry", "The row has no person, email address, domain or company."))
    for kind, line in given:
        yield never_contact.match(line, kind), Entry(never_contact.split(line, kind)[1], reason, until)


def _day(written: str) -> date:
    if found := _WITH_DOTS.fullmatch(written):
        written = f"{found[3]}-{found[2]:0>2}-{found[1]:0>2}"
    try:
        return date.fromisoformat(written[:10] if written[10:11] in (" ", "T") else written)
    except ValueError:
        raise InvalidRequest.of(("until", WRONG_DAY.format(day=text.shorten(written, 40)))) from None


def rows(workspace: Workspace) -> Iterator[list[str]]:
    """Yield the header and one row per entry, the oldest first. Erased people have no name, and are left out."""
    audit_log.record(workspace, "export.never_contact", workspace.name)
    yield list(HEADER)
    query = never_contact.page(workspace).where(NeverContact.kind != K.ERASED)
    for found in in_pages(query, NeverContact.id, BATCH):
        told = [
            [one.kind, _shown(one), one.reason, f"{one.until or ''}", f"{one.created_at:%Y-%m-%d}"] for (one,) in found
        ]
        end_read()
        yield from ([text.csv_cell(cell) for cell in cells] for cells in told)


def _shown(entry: NeverContact) -> str:
    """Return an entry as it is read again: a company by the name it was given, anything else in its one spelling."""
    return never_contact.split(entry.label)[1] if entry.kind == K.COMPANY else entry.value
