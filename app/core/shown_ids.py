"""Shown ids: by what pages, `/v1`, webhooks and logs know a row, without telling how many rows there are.

The database counts the rows of each table, so that indexes, order and pages follow their age. What leaves a query is
that number enciphered with a key of the installation, and what goes into one is deciphered: two ids of one's own say
nothing about what others made in between. Rows from before there was a key keep their numbers.
"""

import json
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.sql import operators

TABLE = "shown_ids"
# A Feistel network over two halves. Fewer than six rounds can be told from chance by who knows enough of its numbers
# (Patarin, "Generic Attacks on Feistel Schemes", 2001).
ROUNDS, HALF = 6, 20
_MASK = (1 << HALF) - 1
FIRST = 1 << 2 * HALF  # shown ids have 13 digits, which JavaScript holds exactly; before them stand the old numbers
CACHED = 20_000  # ids of each table
COUNTED = sa.BigInteger().with_variant(sa.Integer(), "sqlite")  # the type of the numbers in the database


class ShownId(int):
    """An id as others see it, which sorts and is dealt out by the age of its row, as in the database."""

    __slots__ = ()
    count_of: Callable[[int], int]  # of its table

    def __lt__(self, other: int) -> bool:
        return self.count_of(self) < self._count(other)

    def __le__(self, other: int) -> bool:
        return self.count_of(self) <= self._count(other)

    def __gt__(self, other: int) -> bool:
        return self.count_of(self) > self._count(other)

    def __ge__(self, other: int) -> bool:
        return self.count_of(self) >= self._count(other)

    def __mod__(self, other: int) -> int:
        return self.count_of(self) % other

    def _count(self, other: int) -> int:
        """Return the number of another row; that of a plain number is one of the same table."""
        return (other if isinstance(other, ShownId) else self).count_of(other)

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        """Arrive in another process as a number like those that people send."""
        return int, (int(self),)


class Numbering:
    """The shown ids of one table: up to the number `kept` its rows keep theirs, then each is enciphered."""

    def __init__(self, table: str, key: bytes, kept: int) -> None:
        self._table, self._kept = table, kept
        # Each table has a key of its own, so that its ids say nothing of another's.
        self._key = blake2b(table.encode(), key=key, digest_size=32).digest()
        # A class for each table, so that an id holds no more than its number.
        self._kind: type[ShownId] = type("ShownId", (ShownId,), {"__slots__": (), "count_of": staticmethod(self.count)})
        self._shown: dict[int, int] = {}
        self._counted: dict[int, int] = {}

    def show(self, number: int) -> int:
        """Return the shown id of the row that the table counts as `number`; a place behind all rows stays."""
        found = self._shown.get(number)
        return self._remember(number, self._show(number)) if found is None else found

    def count(self, shown: int) -> int:
        """Return the number of the row with that shown id; one below zero for an id that no row has."""
        found = self._counted.get(shown)
        if found is not None:
            return found
        number = self._count(int(shown))
        if number > 0:
            self._remember(number, self._kind(shown))
        return number

    def _remember(self, number: int, shown: int) -> int:
        if len(self._shown) >= CACHED:
            self._shown, self._counted = {}, {}
        self._shown[number], self._counted[shown] = shown, number
        return shown

    def _show(self, number: int) -> int:
        if number <= 0:
            return -number
        if number >= 2 * FIRST:
            return number
        if number <= self._kept:
            return self._kind(number)
        if number >= FIRST:
            raise OverflowError(f"{self._table} has more rows than there are shown ids.")
        left, right = number >> HALF, number & _MASK
        for each in range(ROUNDS):
            left, right = right, left ^ self._turn(each, right)
        return self._kind(FIRST + (left << HALF | right))

    def _count(self, shown: int) -> int:
        if shown <= self._kept or shown <= 0 or shown >= 2 * FIRST:
            return shown
        if shown < FIRST:
            return -shown
        left, right = (shown - FIRST) >> HALF, (shown - FIRST) & _MASK
        for each in reversed(range(ROUNDS)):
            left, right = right ^ self._turn(each, left), left
        number = left << HALF | right
        return number if number > self._kept else -shown

    def _turn(self, each: int, half: int) -> int:
        """Return what one round makes of a half."""
        drawn = blake2b(half.to_bytes(3, "big") + bytes((each,)), key=self._key, digest_size=3).digest()
        return int.from_bytes(drawn, "big") & _MASK


class ShownIds(dict[str, Numbering]):
    """The shown ids of one database, by table: its `key`, and the last numbers from before there was a key."""

    def __init__(self, key: bytes, kept: Mapping[str, int]) -> None:
        super().__init__()
        self._key, self._kept = key, kept

    def __missing__(self, table: str) -> Numbering:
        self[table] = Numbering(table, self._key, self._kept.get(table, 0))
        return self[table]


_known: WeakKeyDictionary[sa.Dialect, ShownIds] = WeakKeyDictionary()
_COMPARED = {operators.eq, operators.ne, operators.lt, operators.le, operators.gt, operators.ge}
_COMPARED |= {operators.in_op, operators.not_in_op, operators.is_, operators.is_not}


class Id(sa.types.TypeDecorator[int]):
    """An id of a row of that table: shown in Python, counted in the database."""

    impl = COUNTED
    cache_ok = True

    def __init__(self, table: str) -> None:
        super().__init__()
        self.table = table

    @property
    def python_type(self) -> type[int]:
        return int

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[int]:
        return COUNTED.dialect_impl(dialect)

    def process_bind_param(self, value: int | None, dialect: sa.Dialect) -> int | None:
        return value if value is None else count(dialect, self.table, value)

    def process_result_value(self, value: int | None, dialect: sa.Dialect) -> int | None:
        return value if value is None else show(dialect, self.table, value)

    def coerce_compared_value(self, op: Any, value: Any) -> sa.types.TypeEngine[Any]:
        """An id is compared with ids; what is reckoned with it is a number."""
        return self if op in _COMPARED else COUNTED


def show(dialect: sa.Dialect, table: str, number: int) -> int:
    """Return the shown id of a counted row."""
    known = _known.get(dialect)
    return known[table].show(number) if known is not None else number


def count(dialect: sa.Dialect, table: str, shown: int) -> int:
    """Return the number of the row with a shown id."""
    known = _known.get(dialect)
    return known[table].count(shown) if known is not None else shown


_EXISTS = {
    "sqlite": f"SELECT name FROM sqlite_master WHERE name = '{TABLE}'",
    "postgresql": f"SELECT to_regclass('{TABLE}')",
}


@event.listens_for(sa.Engine, "engine_connect")
def load(connection: sa.Connection) -> None:
    """Read the key of a database when it is first connected to; until it is migrated it has none, and ids are plain."""
    if connection.dialect in _known:
        return
    there = connection.exec_driver_sql(_EXISTS[connection.dialect.name]).scalar()
    if there and (row := connection.exec_driver_sql(f"SELECT key, kept FROM {TABLE}").first()):
        kept = json.loads(row.kept) if isinstance(row.kept, str) else row.kept
        _known[connection.dialect] = ShownIds(bytes(row.key), kept)
    connection.rollback()
