"""Import a CSV: analyze the file, map its columns, and add its people in a job, a thousand at a time.

Each thousand is one transaction together with `done`, so that a crash loses nothing and counts nothing twice.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple

import sqlalchemy as sa

from app.core import parallel, text
from app.core.db import (
    change_rows,
    defer_fsync,
    execute_many,
    get_owned,
    in_pages,
    refresh_statistics,
    session,
    transaction,
)
from app.core.errors import InvalidRequest
from app.domain.leads import company_csv, csv_mapping, leads, listed_companies, lists
from app.domain.leads.imports import import_opt_outs
from app.domain.leads.imports.import_opt_outs import OptedOut
from app.domain.leads.imports.opt_outs import FILE, Meaning, Said
from app.domain.leads.leads import AddResult
from app.domain.leads.profiles import InvalidProfile
from app.domain.leads.subjects import Subject
from app.domain.people import sources
from app.domain.people.exclusions import never_contact
from app.domain.people.people import Merge
from app.domain.people.sources import Source
from app.domain.platform import csv_files, jobs, locks
from app.domain.platform.csv_files import Packed, Row
from app.domain.webhooks import import_events
from app.models.leads import (
    IMPORT,
    ImportRefusal,
    ImportState,
    Lead,
    LeadImport,
    LeadList,
    ListedCompany,
    ListType,
    NeverContact,
)
from app.models.people import Person, PersonIdentity, PersonTag, PersonValue, SourceKind
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace

CHUNK = 1000
TURN = 10.0  # seconds after which the job lets other jobs run
PREVIEW = 5
BIG = 5_000  # rows; a smaller import does not change how the database plans its queries
LONG_TO_READ = 20_000  # lines; reading more takes over a tenth of a second
_LOOK_AT = 12  # first rows in which the header is searched
_LONGEST_ROW, _LONGEST_CELL = 20_000, 500
WRONG_WIDTH = "The row has {cells} cells, but the header has {columns}."


class _Kind(NamedTuple):
    """How the rows of a file are read: as people, or as companies."""

    noun: str
    is_known: Callable[[Sequence[str]], bool]
    is_one: Callable[[Sequence[str]], bool]
    guess_mapping: Callable[[Sequence[str], Sequence[Sequence[str]]], dict[str, str]]
    check: Callable[[dict[str, Any], Sequence[str]], dict[str, str]]
    row_reader: Callable[[dict[str, Any]], Callable[[Sequence[str]], Any]]
    several: Sequence[str]  # fields that more than one column may have


_PEOPLE = _Kind(
    "people",
    csv_mapping.is_known,
    csv_mapping.is_person,
    csv_mapping.guess_mapping,
    csv_mapping.check,
    csv_mapping.row_reader,
    csv_mapping.SEVERAL,
)
_COMPANIES = _Kind(
    "companies",
    company_csv.is_known,
    company_csv.is_company,
    company_csv.guess_mapping,
    company_csv.check,
    company_csv.row_reader,
    (company_csv.WEBSITE,),
)


def _kind(into: LeadList) -> _Kind:
    return _COMPANIES if into.type == ListType.COMPANIES else _PEOPLE


@dataclass(frozen=True)
class Preview:
    """The first people of a file as the mapping reads them: row number, cells, what is wrong."""

    rows: Sequence[Row]
    samples: Sequence[str]


def create(workspace: Workspace, list_id: int, file_name: str, stream: BinaryIO) -> LeadImport:
    """Store the file with a guessed mapping; raise InvalidRequest on `file` when it has no people."""
    found = _described(workspace, lists.get_list(workspace, list_id), file_name, stream)
    with transaction() as current:
        into = lists.get_list(workspace, list_id, lock=True)
        lists.check_may_fill(into.id)
        found.lawful_basis = into.lawful_basis or workspace.lawful_basis
        current.add(found)
        current.flush()
        return found


def create_list(workspace: Workspace, type: str, file_name: str, stream: BinaryIO) -> LeadImport:
    """Store the file as `create` does, with a new list of its name; a file without people makes none."""
    name = text.shorten(text.squeeze(PurePath(file_name).stem.replace("\0", "")), text.LONGEST_NAME)
    found = _described(workspace, LeadList(name=name, type=type), file_name, stream)
    with transaction() as current:
        found.list_id = lists.create_list(workspace, name, type).id
        found.lawful_basis = workspace.lawful_basis
        current.add(found)
        current.flush()
        return found


def read(
    workspace: Workspace,
    list_id: int,
    file_name: str,
    stream: BinaryIO,
    chosen: dict[str, str],
    merge: Merge | None = None,
    lawful_basis: str = "",
    consent: Mapping[str, Mapping[str, str]] | None = None,
    encoding: str = "",
) -> LeadImport:
    """Read the file into an import for `begin`; `chosen` maps some columns by name.

    `consent` is what values of columns mean where the file does not say it clearly. Write nothing: reading takes a
    while and is done before a transaction.
    """
    into = lists.get_list(workspace, list_id)
    basis = sources.lawful_basis(lawful_basis)
    found, kind = _described(workspace, into, file_name, stream, encoding, consent or {}), _kind(into)
    found.mapping = kind.check(_by_names(found, chosen, kind.several), found.header)
    unknown = import_opt_outs.columns_without(found.header, consent or {})
    if unknown:
        raise InvalidRequest.of(*((f"consent.{name}", "Column not found.") for name in unknown))
    import_opt_outs.check_named(found)
    found.merge, found.lawful_basis = merge or found.merge, basis
    return found


def begin(workspace: Workspace, found: LeadImport) -> LeadImport:
    """Save the import that was read and start it."""
    with transaction() as current:
        lists.get_list(workspace, found.list_id, lock=True)
        lists.check_may_fill(found.list_id)
        current.add(found)
        current.flush()
        _queue(workspace, found)
        return found


def _described(
    workspace: Workspace,
    into: LeadList,
    file_name: str,
    stream: BinaryIO,
    encoding: str = "",
    consent: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> LeadImport:
    packed = csv_files.pack(stream, encoding)
    if packed.lines > LONG_TO_READ:
        parallel.take_slot()
    noun = _kind(into).noun
    found = LeadImport(
        workspace_id=workspace.id,
        list_id=into.id,
        file_name=text.shorten(text.squeeze(file_name.replace("\0", "")) or f"{noun}.csv", 200),
        content=packed.content,
        merge=leads.way_of_merging(workspace, Merge.FILL),
        state=ImportState.MAPPING,
        consent=import_opt_outs.as_given(consent),
        created_at=workspace.now(),
    )
    _describe(found, into, packed)
    return found


def _describe(found: LeadImport, into: LeadList, packed: Packed) -> None:
    """Set what the file says of itself: its columns and rows, and who in it must not be contacted."""
    kind = _kind(into)
    delimiter = csv_files.sniff(packed)
    first = _first_rows(packed, delimiter)
    if not first:
        raise InvalidRequest.of(("file", "The file has no rows."))
    header_row = _header_row(first, kind)
    header = _header(first, header_row)
    samples = [cells for number, cells, problem in first if number > header_row and not problem]
    found.encoding, found.delimiter = packed.encoding, delimiter
    found.header_row, found.header = header_row, header
    counted = _Counted(_rows(found), {number for number in range(len(header)) if not _is_filled(samples, number)})
    import_opt_outs.survey(found, into, _skipped(found), counted)
    found.total = counted.all()
    found.mapping = kind.guess_mapping(header, [*samples, *counted.late])
    if not found.total:
        raise InvalidRequest.of(("file", f"The file has a header but no {kind.noun}."))


def _skipped(found: LeadImport) -> list[int]:
    """Return the columns of names and the like, in which no word is an opt-out."""
    return [number for number, name in enumerate(found.header) if csv_mapping.is_of_person(name)]


def _is_filled(samples: Sequence[Sequence[str]], number: int) -> bool:
    return any(row[number].strip() for row in samples if number < len(row))


class _Counted:
    """Rows that are counted while they are read.

    `late` has the first value of each column that was `unseen` in the first rows: it is not an empty column.
    """

    def __init__(self, rows: Iterator[Row], unseen: set[int]) -> None:
        self._rows, self._number, self._unseen = rows, 0, unseen
        self.late: list[list[str]] = []

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self._number += 1
            for column in [] if row[2] else [one for one in self._unseen if row[1][one].strip()]:
                self._unseen.remove(column)
                self.late.append([""] * column + [row[1][column]])
            yield row

    def all(self) -> int:
        """Return how many rows there are, after reading the rest."""
        for _ in self:
            pass
        return self._number


def _first_rows(packed: Packed, delimiter: str) -> list[Row]:
    rows = csv_files.read(csv_files.lines(packed), delimiter)
    return [row for row in islice(rows, _LOOK_AT) if not row[1][0].startswith("sep=")]


def _header_row(first: Sequence[Row], kind: _Kind) -> int:
    """Return the number of the header row, which notes may precede; 0 when there is no header."""
    known = next((number for number, cells, problem in first if not problem and kind.is_known(cells)), None)
    if known is not None:
        return known
    return 0 if kind.is_one(first[0][1]) else first[0][0]


def _header(first: Sequence[Row], header_row: int) -> list[str]:
    if header_row:
        cells = next(cells for number, cells, _ in first if number == header_row)
        while cells and not cells[-1].strip():
            cells = cells[:-1]
    else:
        cells = [""] * max(len(cells) for _, cells, _ in first)
    if not 1 <= len(cells) <= csv_files.MOST_COLUMNS:
        raise InvalidRequest.of(
            ("file", f"The file has {len(cells)} columns; the maximum is {csv_files.MOST_COLUMNS}.")
        )
    return csv_mapping.names(cells)


def get(workspace: Workspace, import_id: int, list_id: int | None = None) -> LeadImport:
    """Return the import (into that list, if one is given), or raise NotFound."""
    found = get_owned(LeadImport, workspace, import_id)
    return found if list_id in (None, found.list_id) else get_owned(LeadImport, workspace, 0)


def page(workspace: Workspace, list_id: int) -> sa.Select[Any]:
    """Select the imports into a list, without their content."""
    wanted = sa.select(LeadImport).options(sa.orm.defer(LeadImport.content))
    return wanted.where(LeadImport.workspace_id == workspace.id, LeadImport.list_id == list_id)


def preview(found: LeadImport, limit: int = PREVIEW) -> Preview:
    """Return the first people of the file, and the first value of each column."""
    rows = list(islice(_rows(found), 50)) if found.content else []
    samples = []
    for number in range(len(found.header)):
        filled = (cells[number].strip() for _, cells, problem in rows if not problem and number < len(cells))
        samples.append(next((cell for cell in filled if cell), ""))
    return Preview(rows[:limit], samples)


def read_as(workspace: Workspace, import_id: int, encoding: str) -> LeadImport:
    """Read an uploaded file in another encoding; its columns are matched again where their names change."""
    found = get_owned(LeadImport, workspace, import_id)
    into = lists.get_list(workspace, found.list_id)
    packed = csv_files.read_as(Packed(found.content or b"", found.encoding), encoding)
    with transaction():
        found = get_owned(LeadImport, workspace, import_id, lock=True)
        if found.state == ImportState.MAPPING:
            header, mapping = found.header, found.mapping
            _describe(found, into, packed)
            found.mapping = mapping if found.header == header else found.mapping
        return found


class Choices(NamedTuple):
    """What a member chose for an import; '' and None leave what stands. `consent` is what values mean, by column."""

    mapping: Mapping[str, Any]
    merge: str = ""
    lawful_basis: str | None = None
    consent: Mapping[str, Mapping[str, str]] | None = None


def choose(workspace: Workspace, import_id: int, chosen: Choices) -> LeadImport:
    """Store the choices as given, valid or not, so that none is lost."""
    with transaction():
        found = get_owned(LeadImport, workspace, import_id, lock=True)
        if found.state == ImportState.MAPPING:
            found.mapping = {
                str(number): str(key)[:200].replace("\0", "") for number, key in list(chosen.mapping.items())[:200]
            }
            if chosen.merge in set(Merge):
                found.merge = chosen.merge
            if chosen.lawful_basis is not None:
                found.lawful_basis = text.whole(chosen.lawful_basis)[: 2 * sources.LONGEST_BASIS]
            if chosen.consent is not None:
                found.consent = import_opt_outs.as_given(chosen.consent)
            into = lists.get_list(workspace, found.list_id)
            if found.opt_outs is None:  # the file was uploaded before imports asked about opt-outs
                import_opt_outs.survey(found, into, _skipped(found), _rows(found))
        return found


def _by_names(found: LeadImport, chosen: dict[str, str], several: Sequence[str]) -> dict[str, str]:
    """Return the guessed mapping with the columns of `chosen` by name; raise InvalidRequest for unknown columns."""
    at = {csv_mapping.normalize(name): str(number) for number, name in reversed(list(enumerate(found.header)))}
    unknown = [(f"mapping.{name}", "Column not found.") for name in chosen if csv_mapping.normalize(name) not in at]
    InvalidRequest.raise_for(unknown)
    named = {at[csv_mapping.normalize(name)]: key for name, key in chosen.items()}
    guessed = {
        number: "" if key in named.values() and key not in several else key for number, key in found.mapping.items()
    }
    return guessed | named


def start(workspace: Workspace, import_id: int, mapping: dict[str, Any] | None = None) -> LeadImport:
    """Start the import in the background; raise InvalidRequest naming the columns that do not fit."""
    with transaction():
        found = get_owned(LeadImport, workspace, import_id, lock=True)
        _queue(workspace, found)
        kind = _kind(lists.get_list(workspace, found.list_id))
        found.mapping = kind.check(found.mapping if mapping is None else mapping, found.header)
        import_opt_outs.check(found)
        found.lawful_basis = sources.lawful_basis(found.lawful_basis)
        return found


def _queue(workspace: Workspace, found: LeadImport) -> None:
    IMPORT.move(found, "start")
    lists.get_list(workspace, found.list_id)
    jobs.add(workspace, "lead_import", str(found.id), {"import": found.id})


def cancel(workspace: Workspace, import_id: int) -> LeadImport:
    """Cancel the import; people already imported stay."""
    with locks.changing(workspace.id):
        found = get_owned(LeadImport, workspace, import_id, lock=True)
        began = found.state == ImportState.RUNNING
        IMPORT.move(found, "cancel")
        found.content, found.finished_at = None, workspace.now()
        if began:
            import_events.tell(workspace, found)
        return found


def stem(found: LeadImport) -> str:
    """Return the file's name without its ending."""
    return found.file_name.removesuffix(".csv").removesuffix(".xlsx")


def refusals(workspace: Workspace, import_id: int) -> Iterator[list[str]]:
    """Yield the header, then the refused rows of the file, each with what was left out, its number and the reason."""
    found = get(workspace, import_id)
    yield [*found.header, *csv_mapping.ABOUT_REFUSALS]
    query = sa.select(
        ImportRefusal.id, ImportRefusal.row, ImportRefusal.cells, ImportRefusal.reason, ImportRefusal.field
    )
    for batch in in_pages(query.where(ImportRefusal.import_id == found.id), ImportRefusal.id, CHUNK):
        for row in batch:
            cells = [*row.cells, *[""] * (len(found.header) - len(row.cells))]
            yield [*(text.csv_cell(cell) for cell in cells), csv_mapping.left_out(row.field), str(row.row), row.reason]


def refused_rows(workspace: Workspace, import_id: int) -> sa.Select[Any]:
    """Select the refused rows in the order of the file."""
    found = get(workspace, import_id)
    return sa.select(ImportRefusal).where(ImportRefusal.import_id == found.id)


def first_refusals(workspace: Workspace, import_id: int, limit: int) -> Sequence[ImportRefusal]:
    """Return the first refused rows, for a page."""
    return session().scalars(refused_rows(workspace, import_id).order_by(ImportRefusal.id).limit(limit)).all()


def _rows(found: LeadImport) -> Iterator[Row]:
    """Yield the rows after the header, short ones filled up; those with too many cells are marked."""
    width = len(found.header)
    packed = Packed(found.content or b"", found.encoding)
    for number, cells, problem in csv_files.read(csv_files.lines(packed), found.delimiter, width):
        if number <= found.header_row:
            continue
        if not problem and len(cells) != width:
            if not any(cell.strip() for cell in cells[width:]):
                cells = [*cells, *[""] * width][:width]
            else:
                problem = WRONG_WIDTH.format(cells=len(cells), columns=width)
        yield number, cells, problem


def fail_import(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """Fail an import whose job failed repeatedly."""
    locks.lock_workspaces([workspace.id])
    found = session().get(LeadImport, payload["import"])
    if found and IMPORT.allows(found, "fail"):
        IMPORT.move(found, "fail")
        found.error, found.finished_at = sentence, workspace.now()
        import_events.tell(workspace, found)


def import_rows(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Import rows until the file ends, the import is canceled or the turn is over."""
    found = session().get(LeadImport, payload["import"], populate_existing=True)
    if found is None or found.state != ImportState.RUNNING:
        return None
    done, until = found.done, time.monotonic() + TURN
    into = session().get_one(LeadList, found.list_id)
    kind, rows = _kind(into), islice(_rows(found), found.done, None)
    take, said = kind.row_reader(found.mapping), import_opt_outs.reader(found, into, _skipped(found)).of
    session().expunge(found)
    while chunk := list(islice(rows, CHUNK)):
        read = _read(chunk, take, said, found.mapping)
        with defer_fsync():  # after a power cut the rows that did not last are read again
            if not _write(workspace, found, done, read):
                return None
            jobs.renew_lease(job)
        done += len(chunk)
        if time.monotonic() > until:
            return jobs.RESCHEDULE
    with locks.changing(workspace.id):
        ended = get_owned(LeadImport, workspace, found.id, lock=True)
        if IMPORT.allows(ended, "finish"):
            IMPORT.move(ended, "finish")
            ended.total, ended.content, ended.finished_at = ended.done, None, workspace.now()
            import_events.tell(workspace, ended)
    if done >= BIG:
        refresh_statistics(Lead, ListedCompany, NeverContact, Person, PersonIdentity, PersonTag, PersonValue)
    return None


class _Refused(NamedTuple):
    """A row that cannot be taken, or one of its values, as it stands in the file."""

    row: int
    cells: list[str]
    reason: str
    field: str = ""


class _Chunk(NamedTuple):
    """Some rows, read: whom to take, who opted out where they come from, and what cannot be taken."""

    given: list[Any]
    opted_out: list[OptedOut]
    refused: list[_Refused]


def _read(
    chunk: Sequence[Row],
    take: Callable[[Sequence[str]], Any],
    said: Callable[[Sequence[str]], Said | None],
    mapping: Mapping[str, str],
) -> _Chunk:
    read = _Chunk([], [], [])
    for number, cells, problem in chunk:
        told = said(cells) if not problem else None
        try:
            if problem:
                raise InvalidProfile(problem)
            one = take(cells)
        except InvalidProfile as refusal:
            blocked = told is not None and told.column == FILE and told.meaning == Meaning.NEVER
            if told and blocked and (domain := csv_mapping.domain_alone(cells, mapping)):
                read.opted_out.append(OptedOut(told, {}, domain=domain))
            else:
                read.refused.append(_Refused(number, _shortened_cells(cells), str(refusal)))
            continue
        opted_out = _opted_out(told, one, cells, mapping) if told else None
        read.opted_out.extend(filter(None, [opted_out]))
        if not opted_out or opted_out.is_taken:
            read.given.append(one)
            read.refused.extend(
                _Refused(number, _shortened_cells(cells), sentence, name) for name, sentence in one.problems
            )
    return read


def _opted_out(told: Said, one: Any, cells: Sequence[str], mapping: Mapping[str, str]) -> OptedOut | None:
    """Return whom a row bars: the person, or everyone at the company; None for a company's dead address."""
    if not isinstance(one, listed_companies.Given):
        return OptedOut(told, one.fields, csv_mapping.addresses(cells, mapping))
    return OptedOut(told, {}, domain=one.domain, company=one.name) if told.meaning == Meaning.NEVER else None


def _shortened_cells(cells: Sequence[str]) -> list[str]:
    return [text.shorten(cell.replace("\0", "\ufffd"), _LONGEST_CELL) for cell in cells[: csv_files.MOST_COLUMNS]]


def _write(workspace: Workspace, run: LeadImport, done: int, read: _Chunk) -> bool:
    """Add a chunk to the list with its counts; return False if the import was canceled or taken over."""
    with locks.changing(workspace.id) as current:
        into = current.get(LeadList, run.list_id, with_for_update=True)
        guarded = (LeadImport.id == run.id, LeadImport.state == ImportState.RUNNING, LeadImport.done == done)
        if into is None or into.deleted_at is not None:
            raise InvalidRequest("The list was deleted.")
        whole_rows = sum(not one.field for one in read.refused)
        gone = sum(not one.is_taken for one in read.opted_out)
        result = AddResult(invalid=whole_rows, skipped=gone)
        changed = change_rows(
            sa.update(LeadImport).where(*guarded).values(done=done + len(read.given) + gone + whole_rows)
        )
        if changed.rowcount != 1:
            return False
        if into.type == ListType.COMPANIES:
            listed_companies.upsert(workspace, into, read.given, result)
        else:
            source = Source(SourceKind.FILE, run.file_name, run.lawful_basis)
            leads.upsert(workspace, into, [one.fields for one in read.given], result, source, Merge(run.merge))
        import_opt_outs.enter(workspace, run, read.opted_out)
        numbers = {name: getattr(result, name) for name in ("added", "updated", "skipped", "invalid")}
        numbers |= {"problems": len(read.refused) - whole_rows, "opted_out": gone}
        numbers["bounced"] = len(read.opted_out) - gone
        counts = {name: getattr(LeadImport, name) + number for name, number in numbers.items() if number}
        if counts:
            change_rows(sa.update(LeadImport).where(LeadImport.id == run.id).values(counts))
        common = {"import_id": run.id, "workspace_id": workspace.id}
        execute_many(sa.insert(ImportRefusal), [{**common, **one._asdict()} for one in read.refused])
    return True


def moves(found: LeadImport) -> set[str]:
    """Return the actions allowed on the import now."""
    return {name for name in ("start", "cancel") if IMPORT.allows(found, name)}


def is_taking_in(subject: Subject) -> bool:
    """Return whether a file with this person is being imported at this moment."""
    return any(_names(found, subject) for found in _with_content(subject, ImportState.RUNNING))


def forget(subject: Subject) -> None:
    """Delete files that name the person, and clear refused rows that do."""
    for found in _with_content(subject, ImportState.MAPPING, ImportState.FAILED):
        if _names(found, subject):
            found.content = None
            if IMPORT.allows(found, "cancel"):
                IMPORT.move(found, "cancel")
                found.finished_at = subject.workspace.now()
    query = sa.select(ImportRefusal).where(
        ImportRefusal.workspace_id == subject.workspace.id, subject.mentioned(sa.cast(ImportRefusal.cells, sa.Text))
    )
    for row in session().scalars(query):
        if subject.named_in("\n".join(row.cells)):
            row.cells, row.reason = [], never_contact.ERASED_BECAUSE
    session().flush()


def _with_content(subject: Subject, *states: ImportState) -> Sequence[LeadImport]:
    query = sa.select(LeadImport).where(
        LeadImport.workspace_id == subject.workspace.id, LeadImport.state.in_(states), LeadImport.content.is_not(None)
    )
    return session().scalars(query).all()


def _names(found: LeadImport, subject: Subject) -> bool:
    lines = csv_files.lines(Packed(found.content or b"", found.encoding))
    return any(subject.named_in(line) for line in lines)
