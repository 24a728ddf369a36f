"""Table rows on the move: every table of the models, parents first, read and written in batches or as JSON lines.

A backup without `pg_dump`, a copy into another database and the export of a workspace walk the same tables, so that a
new table or column moves with all of them.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.schema import sort_tables_and_constraints

import app.models  # noqa: F401  the tables
from app.core.db import Base, UTCDateTime

BATCH, LARGE = 500, 10  # rows that are in memory at once; of a table whose rows hold whole files
Row = dict[str, Any]
# Tables of a database that no model describes, by how their names begin, and why their rows stay behind.
LEFT_OUT = {
    "alembic_version": "the migrations of the other database write it",
    "fulltext_": "an index of conversation_words, which each database keeps in step by itself",
    "sqlite_": "SQLite's own; the last number given out moves with `last_ids`",
    "procrastinate_": "a queue of what the rows say is due; it is filled from them again",
}


@dataclass(frozen=True)
class Part:
    """One table in its place: `later` are columns that refer to rows which come after, or to the table itself."""

    table: sa.Table
    later: tuple[str, ...]


def parts(metadata: sa.MetaData = Base.metadata) -> list[Part]:
    """Return every table, each behind those it refers to."""
    tables = list(metadata.tables.values())
    *whole, (_, circles) = sort_tables_and_constraints(tables)  # type: ignore[no-untyped-call]
    later: dict[sa.Table, list[str]] = {table: [] for table in tables}
    for table in tables:
        for key in table.foreign_key_constraints:
            if key in circles or key.referred_table is table:
                later[table] += [column.name for column in key.columns]
    stuck = [f"{table.name}.{name}" for table, names in later.items() for name in names if not table.c[name].nullable]
    if stuck:
        raise ValueError(f"Rows of a circle are written before those they refer to, so let it be null: {stuck}")
    return [Part(table, tuple(later[table])) for table, _ in whole if table is not None]


def is_left_out(name: str) -> bool:
    """Return whether the table is named as left out."""
    return name.startswith(tuple(LEFT_OUT))


def unknown_tables(connection: sa.Connection, metadata: sa.MetaData = Base.metadata) -> list[str]:
    """Return the tables of a database that are neither carried nor named as left out."""
    names = sa.inspect(connection).get_table_names()
    return sorted(name for name in names if name not in metadata.tables and not is_left_out(name))


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


def write(connection: sa.Connection, part: Part, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the rows with their ids, in one transaction of the caller; then `write_later` once all tables are in."""
    if rows:
        nothing = dict.fromkeys(part.later)
        connection.execute(sa.insert(part.table), [{**row, **nothing} for row in rows])


def write_later(connection: sa.Connection, part: Part, rows: Sequence[Mapping[str, Any]]) -> None:
    """Set the references of these rows that had to wait for the rows they refer to."""
    table, keys = part.table, list(part.table.primary_key)
    waiting = [row for row in rows if any(row[name] is not None for name in part.later)]
    if not waiting:
        return
    change = (
        sa.update(table)
        .where(*(key == sa.bindparam(f"of_{key.name}", type_=key.type) for key in keys))
        .values({name: sa.bindparam(f"to_{name}", type_=table.c[name].type) for name in part.later})
    )
    values = [
        {f"of_{key.name}": row[key.name] for key in keys} | {f"to_{name}": row[name] for name in part.later}
        for row in waiting
    ]
    connection.execute(change, values)


def is_filled(connection: sa.Connection, metadata: sa.MetaData = Base.metadata) -> bool:
    """Return whether any of these tables, as far as the database has them, holds a row."""
    there = set(sa.inspect(connection).get_table_names())
    one = (sa.select(1).select_from(table).limit(1) for table in metadata.sorted_tables if table.name in there)
    return any(connection.execute(query).first() for query in one)


def last_ids(connection: sa.Connection, metadata: sa.MetaData = Base.metadata) -> dict[str, int]:
    """Return the last number that each table gave out, be its row deleted since or not."""
    numbered = [table for table in metadata.sorted_tables if "id" in table.c]
    highest = {table.name: connection.scalar(sa.select(sa.func.max(table.c.id))) or 0 for table in numbered}
    given = _given(connection, list(highest))
    numbers = {name: max(number, given.get(name) or 0) for name, number in highest.items()}
    return {name: number for name, number in numbers.items() if number}


def _given(connection: sa.Connection, names: list[str]) -> dict[str, int]:
    """Return what the database's own counters say; SQLite forgets those of a table that a migration made anew."""
    if connection.dialect.name == "sqlite":
        return dict(connection.execute(sa.text("SELECT name, seq FROM sqlite_sequence")).all())
    last = sa.text(
        "SELECT last_value FROM pg_sequences WHERE last_value IS NOT NULL"
        " AND format('%I.%I', schemaname, sequencename) = pg_get_serial_sequence(:name, 'id')"
    )
    return {name: connection.scalar(last, {"name": name}) for name in names}


def set_last_ids(connection: sa.Connection, numbers: Mapping[str, int]) -> None:
    """Go on after these numbers, so that no id is ever given out twice."""
    for name, number in numbers.items():
        if connection.dialect.name == "sqlite":
            connection.execute(sa.text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": name})
            put = sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :number)")
        else:
            put = sa.text("SELECT setval(pg_get_serial_sequence(:name, 'id'), :number)")
        connection.execute(put, {"name": name, "number": number})


# How a value that JSON has no word for is written in it, and read from it.
_Code = tuple[Callable[[Any], Any], Callable[[Any], Any]]
_CODES: dict[type, _Code] = {
    bytes: (lambda value: b64encode(value).decode(), lambda text: b64decode(text, validate=True)),
    datetime: (datetime.isoformat, datetime.fromisoformat),
    date: (date.isoformat, date.fromisoformat),
    time: (time.isoformat, time.fromisoformat),
    Decimal: (str, Decimal),
}
_AS_THEY_ARE = (int, float, str, bool)


def encode(table: sa.Table, row: Mapping[str, Any]) -> str:
    """Return the row as one line of JSON, in which every value is exact."""
    cells = {
        column.name: code[0](row[column.name]) if (code := _code(column)) and row[column.name] is not None else value
        for column in table.columns
        for value in (row[column.name],)
    }
    return json.dumps([table.name, cells], ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def decode(line: str, metadata: sa.MetaData = Base.metadata) -> tuple[sa.Table, Row]:
    """Return the table and the row of such a line; raise ValueError for a line of another form."""
    try:
        name, cells = json.loads(line)
        table = metadata.tables[name]
        if cells.keys() != {column.name for column in table.columns}:
            raise ValueError("other columns")
        return table, {
            column.name: code[1](value) if (code := _code(column)) and value is not None else value
            for column in table.columns
            for value in (cells[column.name],)
        }
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        raise ValueError(f"This is not a row of a table: {line[:80]}") from problem


def _code(column: sa.Column[Any]) -> _Code | None:
    kind = datetime if isinstance(column.type, UTCDateTime) else column.type.python_type
    if isinstance(column.type, sa.JSON) or kind in _AS_THEY_ARE:
        return None
    if kind not in _CODES:
        raise TypeError(f"Say how JSON writes {column}, a {kind.__name__}.")
    return _CODES[kind]
