"""Export a list as CSV, as a stream, or as a workbook: safe in spreadsheets, and ready to import again."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

import sqlalchemy as sa

from app.core import text
from app.core.db import end_read, in_pages
from app.domain.leads import csv_mapping, lists
from app.domain.leads.profiles import TEXTS
from app.domain.platform import audit_log, workbooks
from app.models.leads import Lead
from app.models.people import Person
from app.models.workspaces import Workspace

BATCH = 1000
MOST_CUSTOM = 150
_LEAD = cast(sa.Table, Lead.__table__)
_FIELDS = {name: column for name, (column, _) in TEXTS.items()} | {"imageUrl": "image_url"}
_COLUMNS = [*(getattr(Person, column) for column in _FIELDS.values()), Person.tags, Person.custom_fields]
TAGS_BETWEEN = "; "
FORMATS = ("csv", "xlsx")
EXCEL = workbooks.MEDIA_TYPE


def rows(workspace: Workspace, list_id: int, picked: Sequence[int] = (), **narrowed: str) -> Iterator[list[str]]:
    """Yield the header and one row per lead, all or those that the filter finds, in the order added."""
    audit_log.record(workspace, "export.list", lists.get_list(workspace, list_id).name)
    people = lists.contact_coverage(workspace, list_id, picked=picked, **narrowed)
    own = _custom_names(people)
    yield [*_FIELDS, "tags", *(csv_mapping.CUSTOM + name for name in own)]
    for batch in _batches(people, (_LEAD.c.id, *_COLUMNS)):
        for row in batch:
            fields = row.custom_fields
            cells = [getattr(row, column) for column in _FIELDS.values()]
            cells += [TAGS_BETWEEN.join(row.tags), *(_as_text(fields[name]) if name in fields else "" for name in own)]
            yield [text.csv_cell(cell) for cell in cells]


def _custom_names(people: sa.Select[Any]) -> list[str]:
    """Return the names of the custom fields in the order of first use."""
    found: dict[str, None] = {}
    for batch in _batches(people, (_LEAD.c.id, Person.custom_fields)):
        for row in batch:
            found.update(dict.fromkeys(row.custom_fields))
    return list(found)[:MOST_CUSTOM]


def _batches(people: sa.Select[Any], wanted: Iterable[Any]) -> Iterator[Sequence[Any]]:
    """Yield the leads by keyset; no transaction stays open between batches, however slow the download."""
    for batch in in_pages(people.with_only_columns(*wanted), _LEAD.c.id, BATCH):
        end_read()
        yield batch


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def file(name: str, table: Iterable[Sequence[str]], format: str = "") -> tuple[str, Iterator[bytes], str]:
    """Return the name, content and media type of a table as a file of one of the FORMATS; '' is CSV."""
    if format == "xlsx":
        return f"{name}.xlsx", workbooks.write(table), EXCEL
    return f"{name}.csv", csv_chunks(table), "text/csv; charset=utf-8"


def csv_chunks(table: Iterable[Sequence[str]]) -> Iterator[bytes]:
    """Yield rows in chunks as CSV bytes that every spreadsheet opens as UTF-8."""
    out = io.StringIO()
    writer = csv.writer(out)
    out.write("\ufeff")
    for row in table:
        writer.writerow(row)
        if out.tell() > 64 * 1024:
            yield out.getvalue().encode()
            out.seek(0)
            out.truncate()
    yield out.getvalue().encode()
