"""Copying table rows: one stream of every table, parents first, in batches or as JSON lines.

A backup without `pg_dump`, a database copy and the transfer of a workspace all use this stream, so that a new
table or column is included in all of them.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date, datetime, time
from decimal import Decimal
from io import BufferedIOBase
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from pydantic_core import from_json

import app.models  # noqa: F401  the tables
from app.core.database_copy import DamagedCopy
from app.core.db import MAX_ID, Base, UTCDateTime

BATCH, LARGE = 500, 10  # rows in memory at once: usually, and of tables whose rows hold files
LONGEST_LINE = 128 * 2**20  # bytes; the longest row that we write is a CSV file of 40 MB
Row = dict[str, Any]
# Prefixes of tables that no model describes, each with the reason why its rows are not copied.
LEFT_OUT = {
    "alembic_version": "the migrations of the other database write it",
    "fulltext_": "an index of conversation_words, which each database keeps in step by itself",
    "sqlite_": "SQLite's own; the last number given out moves with `last_ids`",
    "procrastinate_": "a queue of what the rows say is due; it is filled from them again",
}


def tables() -> list[sa.Table]:
    """Return every table, each behind those it refers to."""
    return Base.metadata.sorted_tables


def is_left_out(name: str) -> bool:
    """Return whether the table is in LEFT_OUT."""
    return name.startswith(tuple(LEFT_OUT))


def unknown_tables(connection: sa.Connection) -> list[str]:
    """Return the database's tables that are neither copied nor in LEFT_OUT."""
    names = sa.inspect(connection).get_table_names()
    return sorted(name for name in names if name not in Base.metadata.tables and not is_left_out(name))


def batch_of(table: sa.Table) -> int:
    """Return how many rows of the table may be in memory at once."""
    return LARGE if "content" in table.c else BATCH


def read(
    connection: sa.Connection, table: sa.Table, *where: sa.ColumnElement[bool], size: int = 0
) -> Generator[list[Row]]:
    """Yield the rows in batches, in the order of the primary key; never more than a batch is in memory."""
    size = size or batch_of(table)
    query = sa.select(table).where(*where).order_by(*_order(connection, table))
    with connection.execute(query, execution_options={"yield_per": size}) as found:
        for batch in found.mappings().partitions():
            yield [dict(row) for row in batch]


def _order(connection: sa.Connection, table: sa.Table) -> list[sa.ColumnElement[Any]]:
    """Return the primary key; texts in the same order on every database, whatever its language."""
    by_bytes = connection.dialect.name == "postgresql"
    return [
        sa.collate(column, "C") if by_bytes and isinstance(column.type, sa.String) else column
        for column in table.primary_key
    ]


def write(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the rows with their ids, in one transaction of the caller."""
    if rows:
        connection.execute(sa.insert(table), rows)


def is_filled(connection: sa.Connection) -> bool:
    """Return whether any of these tables, as far as the database has them, holds a row."""
    there = set(sa.inspect(connection).get_table_names())
    one = (sa.select(1).select_from(table).limit(1) for table in tables() if table.name in there)
    return any(connection.execute(query).first() for query in one)


def numbered() -> list[str]:
    """Return the tables whose rows have ids."""
    return [table.name for table in tables() if "id" in table.c]


def last_ids(connection: sa.Connection) -> dict[str, int]:
    """Return the highest id that each table ever gave out, also to rows that were deleted since."""
    highest = {name: connection.scalar(sa.func.max(Base.metadata.tables[name].c.id)) or 0 for name in numbered()}
    last = given(connection, list(highest))
    numbers = {name: max(number, last.get(name) or 0) for name, number in highest.items()}
    return {name: number for name, number in numbers.items() if number}


def given(connection: sa.Connection, names: list[str]) -> dict[str, int]:
    """Return the database's own id counters; SQLite drops the counter of a table that a migration recreates."""
    if connection.dialect.name == "sqlite":
        return dict(connection.execute(sa.text("SELECT name, seq FROM sqlite_sequence")).all())
    last = sa.text(
        "SELECT last_value FROM pg_sequences WHERE last_value IS NOT NULL"
        " AND format('%I.%I', schemaname, sequencename) = pg_get_serial_sequence(:name, 'id')"
    )
    return {name: connection.scalar(last, {"name": name}) for name in names}


def set_last_ids(connection: sa.Connection, numbers: Mapping[str, int]) -> None:
    """Set each table's id counter to these numbers, so that no id is given out twice."""
    for name, number in numbers.items():
        if connection.dialect.name == "sqlite":
            connection.execute(sa.text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": name})
            put = sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :number)")
        else:
            put = sa.text("SELECT setval(pg_get_serial_sequence(:name, 'id'), :number)")
        connection.execute(put, {"name": name, "number": number})


# How to write a value that JSON has no type for, and how to read it back.
_Code = tuple[Callable[[Any], Any], Callable[[Any], Any]]
_CODES: dict[type, _Code] = {
    bytes: (lambda value: b64encode(value).decode(), lambda text: b64decode(text, validate=True)),
    datetime: (datetime.isoformat, datetime.fromisoformat),
    date: (date.isoformat, date.fromisoformat),
    time: (time.isoformat, time.fromisoformat),
    Decimal: (str, Decimal),
}
_AS_THEY_ARE = (int, float, str, bool)


def encode(table: sa.Table, row: Mapping[str, Any]) -> bytes:
    """Return the row as one line of JSON, in which every value is exact."""
    cells = {
        column.name: code[0](row[column.name]) if (code := _code(column)) and row[column.name] is not None else value
        for column in table.columns
        for value in (row[column.name],)
    }
    return json.dumps([table.name, cells], ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes, metadata: sa.MetaData = Base.metadata) -> tuple[sa.Table, Row]:
    """Return the table and the row of such a line; raise ValueError for a line of another form."""
    try:
        name, cells = from_json(line, allow_inf_nan=False)
        table = metadata.tables[name]
        if cells.keys() != {column.name for column in table.columns}:
            raise ValueError("other columns")
        return table, {column.name: _decoded(column, cells[column.name]) for column in table.columns}
    except (AttributeError, KeyError, TypeError, ValueError, ArithmeticError) as problem:
        raise ValueError(f"This is not a row of a table: {line[:80].decode(errors='replace')}") from problem


def _decoded(column: sa.Column[Any], value: Any) -> Any:
    """Return the value of the column; raise ValueError unless it has the column's type."""
    if isinstance(column.type, sa.JSON) or (value is None and column.nullable):
        return value
    if code := _code(column):
        if type(value) is not str:
            raise ValueError(f"{column} holds another type")
        value = code[1](value)
        if isinstance(value, datetime) and value.tzinfo is None:
            raise ValueError("a moment without its time zone")
        return value
    kind = column.type.python_type
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind or (kind is int and abs(value) > MAX_ID):
        raise ValueError(f"{column} holds another type")
    return value


def lines(file: BufferedIOBase) -> Iterator[bytes]:
    """Yield the lines of a file of any size; raise ValueError for a line too long to be one of our rows."""
    while line := file.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise ValueError("A line is too long.")
        yield line


def write_file(connection: sa.Connection, to: Path) -> None:
    """Write every row of the database into a new file, for a Postgres backup without `pg_dump`."""
    with to.open("xb") as file:
        for table in tables():
            with closing(read(connection, table)) as batches:
                file.writelines(encode(table, row) for row in chain.from_iterable(batches))


def read_file(file: Path) -> Iterator[tuple[sa.Table, list[Row]]]:
    """Yield the rows of such a file in batches of one table."""
    try:
        with file.open("rb") as opened:
            yield from parse(lines(opened))
    except ValueError as problem:
        raise DamagedCopy(str(problem)) from problem


def parse(rows: Iterable[bytes]) -> Iterator[tuple[sa.Table, list[Row]]]:
    """Yield the rows of such lines in batches of one table; raise ValueError for lines of another form."""
    for table, some in groupby(map(decode, rows), key=itemgetter(0)):
        while batch := [row for _, row in islice(some, batch_of(table))]:
            yield table, batch


def _code(column: sa.Column[Any]) -> _Code | None:
    kind = datetime if isinstance(column.type, UTCDateTime) else column.type.python_type
    if isinstance(column.type, sa.JSON) or kind in _AS_THEY_ARE:
        return None
    if kind not in _CODES:
        raise TypeError(f"Say how JSON writes {column}, a {kind.__name__}.")
    return _CODES[kind]
