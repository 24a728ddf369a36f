"""A whole database as a file of rows, one line of JSON each: the backup of a Postgres without its own programs."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app.core.database_copy import DamagedCopy
from app.domain.operations import table_rows
from app.domain.operations.table_rows import Part, Row


def write(connection: sa.Connection, to: Path) -> None:
    """Write every row, each behind those it refers to."""
    with to.open("x", encoding="utf-8") as file:
        for part in table_rows.parts():
            for batch in table_rows.read(connection, part.table):
                file.writelines(table_rows.encode(part.table, row) + "\n" for row in batch)


def count(file: Path) -> dict[str, int]:
    """Return the number of rows of each table in the file."""
    return dict(Counter(table.name for table, _ in _rows(file)))


def load(connection: sa.Connection, file: Path) -> None:
    """Insert all rows into empty tables, in the caller's transaction."""
    for part, rows in _batches(file):
        table_rows.write(connection, part, rows)
    for part, rows in _batches(file):
        if part.later:
            table_rows.write_later(connection, part, rows)


def _batches(file: Path) -> Iterator[tuple[Part, list[Row]]]:
    known = {part.table.name: part for part in table_rows.parts()}
    for table, rows in groupby(_rows(file), key=itemgetter(0)):
        while batch := [row for _, row in islice(rows, table_rows.batch_of(table))]:
            yield known[table.name], batch


def _rows(file: Path) -> Iterator[tuple[sa.Table, dict[str, Any]]]:
    with file.open(encoding="utf-8", newline="\n") as lines:
        try:
            yield from map(table_rows.decode, lines)
        except ValueError as problem:
            raise DamagedCopy(str(problem)) from problem
