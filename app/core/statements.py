"""Statements compiled once and run on the bare driver, inside the session's own transaction when there is one.

For paths on which every microsecond is paid a thousand times: SQLAlchemy's own execution costs 0.1 ms a statement, this
a fifth of it. A statement is a constant of its module; lists (`expanding=True`) are bound as one parameter, so that the
text stays the same however long they are, and Postgres keeps its plan.
"""

import json
import re
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import repeat
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from app.core.db import db, is_reading, session

_BOUND = re.compile(r"__\[POSTCOMPILE_(\w+)\]|:(\w+)")  # as SQLite has them
_LISTED = re.compile(r"(NOT )?IN \(__\[POSTCOMPILE_(\w+)\]\)")
_NAMED = sqlite.dialect(paramstyle="named")
Process = Callable[[Any], Any]


def rows(statement: sa.Executable, **parameters: Any) -> list[Any]:
    """What the statement gives, as named tuples."""
    prepared = prepare(statement)
    values = prepared.parameters(parameters)
    if prepared.reads and not is_reading():
        return prepared.named(committed(prepared, values))  # to begin and end a transaction costs more than ten reads
    cursor = _execute(prepared, "execute", values)
    found = cursor.fetchall()
    cursor.close()
    return prepared.named(found)


def write_rows(statement: sa.Executable, values: Sequence[Mapping[str, Any]]) -> int:
    """The statement was done with each of these values; how many rows it touched. All of them name the same columns."""
    if not values:
        return 0
    prepared = prepare(statement, tuple(values[0]))
    if len(values) == 1:
        cursor = _execute(prepared, "execute", prepared.parameters(values[0]))
    else:
        cursor = _execute(prepared, "executemany", prepared.parameters_of_each(values))
    touched = int(cursor.rowcount)
    cursor.close()
    return touched


def prepare(statement: Any, names: tuple[str, ...] = ()) -> "Prepared":
    """The statement for this database, compiled once. `names` are the columns of values that are written together."""
    kept = _prepared.get(statement)
    if kept is None:
        kept = _prepared.setdefault(statement, {})
    which = db.engine.name, names
    found = kept.get(which)
    if found is None:
        found = kept[which] = Prepared(statement, names)
    return found


class Prepared:
    """A statement as the driver takes it: its text, what its parameters and its results go through."""

    def __init__(self, statement: Any, names: tuple[str, ...]) -> None:
        self.dialect, self.reads = db.engine.dialect, bool(statement.is_select)
        dialect = _NAMED if self.dialect.name == "sqlite" else self.dialect
        columns = {"column_keys": list(names)} if isinstance(statement, sa.Insert) and names else {}
        compiled: Any = statement.compile(dialect=dialect, for_executemany=bool(names), **columns)
        fixed = {name: each for name, each in compiled.binds.items() if each.unique and name not in names}
        constants = fixed if self.dialect.name == "sqlite" else {}
        bound = {name: each for name, each in compiled.binds.items() if name not in constants}
        listed = {found.group(2) for found in _LISTED.finditer(compiled.string)}
        self._processes = {name: _processor(each.type, dialect, name in listed) for name, each in bound.items()}
        given = {name: each.effective_value for name, each in bound.items() if not each.required}
        given |= {column.key: column.default.arg for column in compiled.insert_prefetch}
        self._defaults: dict[str, Any] = {}
        self._defaults = {name: self._value(name, given) for name in given if name not in names}
        if self.dialect.name == "sqlite":
            self.text = _BOUND.sub(_spelt(constants, list(bound)), compiled.string)
            self._shape: Callable[[Iterable[Any]], Any] = tuple
        else:
            self.text = _LISTED.sub(_compared, compiled.string)
            self._shape = lambda values: dict(zip(bound, values, strict=True))
        results = compiled._result_columns or ()
        row: Any = namedtuple("Row", [each.keyname for each in results], rename=True)  # type: ignore[misc]
        self._make = partial(tuple.__new__, row)  # what `_make` does, without a step of Python
        processes = ((place, _reader(each.type, dialect)) for place, each in enumerate(results))
        self._results = [(place, process) for place, process in processes if process]

    def parameters(self, given: Mapping[str, Any]) -> Any:
        """What the driver is given."""
        return self._shape([self._value(name, given) for name in self._processes])

    def parameters_of_each(self, given: Sequence[Mapping[str, Any]]) -> list[Any]:
        """The same for several that name the same columns, made column by column."""
        columns = [self._column(name, given) for name in self._processes]
        return list(map(self._shape, zip(*columns, strict=True)))

    def _value(self, name: str, given: Mapping[str, Any]) -> Any:
        if name not in given:
            return self._defaults[name]
        process = self._processes[name]
        return process(given[name]) if process else given[name]

    def _column(self, name: str, given: Sequence[Mapping[str, Any]]) -> Iterable[Any]:
        if name not in given[0]:
            return repeat(self._defaults[name], len(given))
        process, values = self._processes[name], map(itemgetter(name), given)
        return map(process, values) if process else values

    def named(self, found: Sequence[Any]) -> list[Any]:
        """The driver's rows as named tuples of our values."""
        return list(map(self._make, self._read(found)))

    def plain(self, found: Sequence[Any]) -> list[list[Any]]:
        """The driver's rows as lists of our values."""
        return list(map(list, self._read(found)))

    def _read(self, found: Sequence[Any]) -> Iterable[Any]:
        """Our values; of several rows column by column, in a third of the time."""
        if not (self._results and found):
            return found
        if len(found) == 1:
            values = list(found[0])
            for place, process in self._results:
                values[place] = process(values[place])
            return [values]
        columns: list[Iterable[Any]] = list(zip(*found, strict=True))
        for place, process in self._results:
            columns[place] = map(process, columns[place])
        return zip(*columns, strict=True)


_prepared: WeakKeyDictionary[Any, dict[tuple[str, tuple[str, ...]], Prepared]] = WeakKeyDictionary()


def _spelt(constants: Mapping[str, Any], names: Sequence[str]) -> Callable[[re.Match[str]], str]:
    """Constants stand in the text: what is bound may fit a partial index or not, so SQLite would plan it each time.

    All else has a number there: by names, the driver would look for each of them again in every row.
    """

    def replaced(found: re.Match[str]) -> str:
        listed, one = found.groups()
        name = listed or one
        if name in names:
            number = f"?{names.index(name) + 1}"
            return f"SELECT value FROM json_each({number})" if listed else number
        constant = constants.get(name)
        if constant is None:
            return found.group(0)
        process, value = constant.type._cached_bind_processor(_NAMED), constant.effective_value
        return ", ".join(_literal(process(each) if process else each) for each in (value if listed else [value]))

    return replaced


def _literal(value: str | float | None) -> str:
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


_idle: WeakKeyDictionary[sa.Engine, list[Any]] = WeakKeyDictionary()


def committed(prepared: Prepared, values: Any) -> Sequence[Any]:
    """The driver's rows as they are committed now, outside the session and its transaction.

    A connection that only reads is in no transaction, so its way through the pool is saved, and on a server the round
    trips by which a transaction begins and ends. One that was lost since it was used last is replaced.
    """
    engine = db.engine
    idle = _idle.get(engine)
    if idle is None:
        idle = _idle.setdefault(engine, [])
        sa.event.listen(engine, "engine_disposed", _close_idle)
    try:
        connection, known = idle.pop(), True
    except IndexError:
        connection, known = _opened(engine), False
    try:
        found: list[Any] = connection.execute(prepared.text, values).fetchall()
    except prepared.dialect.loaded_dbapi.Error as error:
        lost = known and prepared.dialect.is_disconnect(error, connection, None)
        connection.close()
        if lost:
            return committed(prepared, values)
        raise _failure(prepared, error) from error
    except BaseException:
        connection.close()
        raise
    idle.append(connection)
    return found


def _opened(engine: sa.Engine) -> Any:
    """A connection of the driver that no pool knows and that begins no transaction by itself."""
    fresh = engine.raw_connection()
    connection: Any = fresh.driver_connection
    fresh.detach()
    if engine.dialect.name != "sqlite":
        connection.autocommit = True
    return connection


def _close_idle(engine: sa.Engine) -> None:
    idle = _idle.get(engine, [])
    while idle:
        idle.pop().close()


def _execute(prepared: Prepared, how: str, parameters: Any) -> Any:
    """A cursor after the statement was done, in the transaction that the session is in."""
    current = session()
    connection: Any = current.info.get("driver") or current.connection().connection.driver_connection
    cursor: Any = connection.cursor()
    try:
        getattr(cursor, how)(prepared.text, parameters)
    except prepared.dialect.loaded_dbapi.Error as error:
        cursor.close()  # an open one would hold the file's lock for as long as the traceback lives
        raise _failure(prepared, error) from error
    return cursor


def _failure(prepared: Prepared, error: Any) -> Exception:
    """The error as everybody catches it, without the values in its words."""
    dialect = prepared.dialect
    kinds = dialect.loaded_dbapi.Error
    failure: Exception = sa.exc.DBAPIError.instance(
        prepared.text, None, error, kinds, hide_parameters=True, dialect=dialect
    )
    return failure


def _compared(found: re.Match[str]) -> str:
    """A list is one parameter on Postgres too."""
    no, name = found.groups()
    return f"{'<> ALL' if no else '= ANY'}(%({name})s)"


def _reader(type_: Any, dialect: sa.Dialect) -> Process | None:
    """What a value of that type goes through on its way from the driver.

    The same JSON is parsed once: everybody gets a copy of their own, but what is inside of it is shared.
    """
    process = type_._cached_result_processor(dialect, None)
    if not (process and isinstance(type_, sa.JSON)):
        return process  # type: ignore[no-any-return]
    known = lru_cache(maxsize=512)(process)

    def read(written: Any) -> Any:
        value = known(written)
        return value.copy() if isinstance(value, dict | list) else value

    return read


def _processor(type_: Any, dialect: sa.Dialect, listed: bool) -> Process | None:
    """What a value of that type goes through on its way to the driver."""
    process = type_._cached_bind_processor(dialect)
    if not listed:
        return process  # type: ignore[no-any-return]
    of_all: Process = (lambda values: [process(value) for value in values]) if process else list
    return (lambda values: json.dumps(of_all(values))) if dialect.name == "sqlite" else of_all
