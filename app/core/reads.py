"""Selects compiled once and run on the bare driver: for the few reads that scripts make all the time.

They see what is committed, outside the session and its transaction, and cost a tenth of a query built each time.
"""

import json
from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from app.core.db import UTCDateTime, db
from app.core.paging import Page, Window

Convert = Callable[[Any], Any]


def _moment(value: Any) -> datetime:
    if isinstance(value, str):
        return datetime.fromisoformat(value + "+00:00")
    return value.astimezone(UTC)  # type: ignore[no-any-return]


def _json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return [] if value == "[]" else {} if value == "{}" else json.loads(value)


def _conversion(type_: sa.types.TypeEngine[Any]) -> Convert | None:
    """What the driver does not do by itself."""
    if isinstance(type_, UTCDateTime):
        return _moment
    if isinstance(type_, sa.JSON):
        return _json
    return bool if isinstance(type_, sa.Boolean) else None


@dataclass(frozen=True)
class _Prepared:
    text: str
    order: tuple[str, ...] | None  # the names of the parameters, where the driver counts them
    defaults: dict[str, Any]

    def values(self, given: dict[str, Any]) -> Any:
        whole = self.defaults | given
        return whole if self.order is None else [whole[name] for name in self.order]


_idle: WeakKeyDictionary[sa.Engine, list[Any]] = WeakKeyDictionary()


def _on_server(engine: sa.Engine, text: str, values: Any) -> Sequence[Any]:
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        cursor.execute(text, values)
        rows = cursor.fetchall()
        cursor.close()
        return rows
    finally:
        connection.close()


def _on_file(engine: sa.Engine, text: str, values: Any) -> Sequence[Any]:
    """A connection to a file is only read from here, and is in no transaction: its way through the pool is saved."""
    idle = _idle.get(engine)
    if idle is None:
        idle = _idle.setdefault(engine, [])
        sa.event.listen(engine, "engine_disposed", _close_idle)
    try:
        connection = idle.pop()
    except IndexError:
        fresh = engine.raw_connection()
        connection = fresh.driver_connection
        fresh.detach()
    try:
        cursor = connection.cursor()
        cursor.execute(text, values)
        rows: list[Any] = cursor.fetchall()
        cursor.close()
    except BaseException:
        connection.close()
        raise
    idle.append(connection)
    return rows


def _close_idle(engine: sa.Engine) -> None:
    idle = _idle.get(engine, [])
    while idle:
        idle.pop().close()


class Read:
    """A select of columns with named parameters. Its rows are named tuples; plain lists unless they are `named`."""

    def __init__(self, query: sa.Select[Any], *, named: bool = True) -> None:
        self._query, self._named = query, named
        columns = list(query.selected_columns)
        self._row: Any = namedtuple("Row", [column.key for column in columns], rename=True)  # type: ignore[misc]
        converted = [(index, _conversion(column.type)) for index, column in enumerate(columns)]
        self._converted = [(index, convert) for index, convert in converted if convert]
        self._prepared: dict[str, _Prepared] = {}

    def all(self, **given: Any) -> list[Any]:
        """Every row."""
        engine = db.engine
        prepared = self._prepared.get(engine.name) or self._prepare(engine.dialect)
        how = _on_file if engine.name == "sqlite" else _on_server
        return [self._made(row) for row in how(engine, prepared.text, prepared.values(given))]

    def one(self, **given: Any) -> Any:
        """The only row, or None."""
        rows = self.all(**given)
        return rows[0] if rows else None

    def _made(self, row: Any) -> Any:
        values = list(row)
        for index, convert in self._converted:
            if values[index] is not None:
                values[index] = convert(values[index])
        return self._row._make(values) if self._named else values

    def _prepare(self, dialect: sa.Dialect) -> _Prepared:
        compiled = self._query.compile(dialect=dialect)
        order = compiled.positiontup if isinstance(compiled, sa.sql.compiler.SQLCompiler) else None
        prepared = _Prepared(compiled.string, tuple(order) if order else None, dict(compiled.params))
        self._prepared[dialect.name] = prepared
        return prepared


class Pages:
    """A select that is read page by page; its first column is the id by which it is cut."""

    def __init__(self, query: sa.Select[Any], *, oldest_first: bool, named: bool = True) -> None:
        key = next(iter(query.selected_columns))
        if key.key != "id":
            raise ValueError("The first column of a select that is read in pages is its id.")
        ordered = query.order_by(key.asc() if oldest_first else key.desc()).limit(sa.bindparam("limit"))
        beyond = key > sa.bindparam("last") if oldest_first else key < sa.bindparam("last")
        self._first, self._next = Read(ordered, named=named), Read(ordered.where(beyond), named=named)

    def page(self, window: Window, **given: Any) -> Page:
        """The page, with one row more read, so that no page is empty after a full one."""
        if window.cursor:
            rows = self._next.all(limit=window.limit + 1, last=window.last, **given)
        else:
            rows = self._first.all(limit=window.limit + 1, **given)
        if len(rows) <= window.limit:
            return Page(rows, "")
        return Page(rows[: window.limit], window.after(rows[window.limit - 1][0]))
