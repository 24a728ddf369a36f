"""Keyset paging: constant cost at any depth, without skipped or repeated rows."""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol, cast

import sqlalchemy as sa

from app.core.crypto import keyring
from app.core.db import in_list, session
from app.core.errors import InvalidRequest

DEFAULT_LIMIT, MAX_LIMIT = 25, 100
FEW = 20_000


@dataclass(frozen=True)
class Page:
    """The rows of one page, and the cursor of the next one ('' on the last)."""

    rows: Sequence[Any]
    next_cursor: str


@dataclass(frozen=True)
class Window:
    """Which page is asked for. `scope` binds its cursors to a workspace, a route and its filters."""

    limit: int = DEFAULT_LIMIT
    cursor: str = ""
    scope: str = ""

    @classmethod
    def of(cls, args: Mapping[str, str], scope: Sequence[object]) -> "Window":
        """Read the page window from a query string; raise InvalidRequest with every problem."""
        bound = hashlib.sha256(json.dumps([str(part) for part in scope]).encode()).hexdigest()[:16]
        limit, problems = DEFAULT_LIMIT, []
        text = args.get("limit")
        if text is not None:
            if text.isascii() and text.isdigit() and int(text[:9] or 0) >= 1:
                limit = min(int(text[:9]), MAX_LIMIT)
            else:
                problems.append(("limit", "Use a whole number of at least 1."))
        window = cls(limit, args.get("cursor", ""), bound)
        if window.cursor and window.last is None:
            problems.append(("cursor", "Unknown cursor. Start again without a cursor."))
        if problems:
            raise InvalidRequest.of(*problems)
        return window

    @property
    def last(self) -> int | None:
        """Return the id after which the page begins; None for the first page or an unknown cursor."""
        place = self.place
        return place[0] if place else None

    @cached_property
    def place(self) -> tuple[int, ...]:
        """Return the numbers after which the page begins, if an id is not enough; empty like `last`."""
        try:
            raw = base64.urlsafe_b64decode(self.cursor + "=" * (-len(self.cursor) % 4))
        except (binascii.Error, ValueError):
            return ()
        body, mark = raw[:-16], raw[-16:]
        if len(body) % 8 or not hmac.compare_digest(self._mark(body), mark) or self._token(body) != self.cursor:
            return ()
        return tuple(int.from_bytes(body[start : start + 8], "big") for start in range(0, len(body), 8))

    def after(self, *place: int) -> str:
        """Return the cursor of the page after the row with this id, or after this place."""
        return self._token(b"".join(number.to_bytes(8, "big") for number in place))

    @cached_property
    def row(self) -> tuple[bool, Any, int] | None:
        """Return the row after which a sorted page begins: whether it has no value, the value, and its id."""
        if self.last is None:
            return None
        try:
            empty, value, number = json.loads(
                base64.urlsafe_b64decode(self.cursor + "=" * (-len(self.cursor) % 4))[:-16]
            )
        except (ValueError, TypeError):
            return None
        return bool(empty), datetime.fromisoformat(value["at"]) if isinstance(value, dict) else value, int(number)

    def after_row(self, empty: bool, value: Any, number: int) -> str:
        """Return the cursor of the page after the row with this value and id."""
        known = {"at": value.isoformat()} if isinstance(value, datetime) else value
        body = json.dumps([empty, known, number]).encode()
        return self._token(body + b" " * (-len(body) % 8))

    def _token(self, body: bytes) -> str:
        return base64.urlsafe_b64encode(body + self._mark(body)).decode().rstrip("=")

    def _mark(self, body: bytes) -> bytes:
        return keyring().sign("cursor", self.scope.encode() + b"|" + body)[:16]


@dataclass(frozen=True)
class Order:
    """The sort key, and the condition of rows without a value: those come last in both directions."""

    key: sa.ColumnElement[Any]
    empty: sa.ColumnElement[bool]
    downward: bool = False


# Name → (the value to sort by, the condition of rows without a value).
Sorts = Mapping[str, tuple[Any, sa.ColumnElement[bool]]]


def sorts_of(query: sa.Select[Any], sorts: Sorts) -> list[str]:
    """Return the names by which the rows can be sorted: none if there are too many rows to sort without an index."""
    some = query.with_only_columns(sa.literal(1), maintain_column_froms=True).limit(FEW + 1).subquery()
    found = session().scalar(sa.select(sa.func.count()).select_from(some)) or 0
    return list(sorts) if found <= FEW else []


def page_by(query: sa.Select[Any], sorts: Sorts, by: str, downward: bool, window: Window) -> Page:
    """Return one page of the records of `query` sorted by that name, or newest first without one."""
    if by not in sorts:
        return page(query, None, window)
    return sorted_page(query, Order(*sorts[by], downward), query.column_descriptions[0]["expr"].id, window)


class Paged(Protocol):
    """A list that is read page by page from several selects."""

    def page(self, window: Window) -> Page:
        """Return the requested page."""


Listed = sa.Select[Any] | Paged


def page(query: sa.Select[Any], key: Any, window: Window, *, newest_first: bool = True) -> Page:
    """Return one page of `query` by the integer column `key`, or with None by the id selected first.

    One extra row is read, so no page after a full one is empty.
    """
    if key is None:
        first = query.column_descriptions[0]["expr"]
        key = getattr(first, "id", first)
    last = window.last if window.cursor else None
    if last is not None:
        query = query.where(key < last if newest_first else key > last)
    query = query.order_by(key.desc() if newest_first else key.asc()).limit(window.limit + 1)
    result = session().execute(query)
    rows = result.scalars().all() if len(result.keys()) == 1 else result.all()
    if len(rows) <= window.limit:
        return Page(rows, "")
    rows = rows[: window.limit]
    return Page(rows, window.after(getattr(rows[-1], key.key)))


def sorted_page(query: sa.Select[Any], order: Order, number: Any, window: Window) -> Page:
    """Return one page of `query` in that order; rows with the same value follow each other by `number`, their id.

    Rows without a value are read by a second query, so that both queries can use an index on the value.
    """
    last = window.row if window.cursor else None
    direction, found = sa.desc if order.downward else sa.asc, list[Any]()

    def later(one: Any, other: Any) -> sa.ColumnElement[bool]:
        return cast(sa.ColumnElement[bool], one < other if order.downward else one > other)

    for empty in (False, True):
        if last and last[0] and not empty:
            continue
        part = query.add_columns(order.key.label("sorted_by"), number.label("sorted_id"))
        part = part.where(order.empty if empty else sa.not_(order.empty))
        if last and last[0] == empty:
            _, value, after = last
            among = sa.and_(order.key == value, later(number, after))
            part = part.where(later(number, after) if empty else sa.or_(later(order.key, value), among))
            if not empty:  # what an index can begin with
                part = part.where(order.key <= value if order.downward else order.key >= value)
        by = [direction(number)] if empty else [direction(order.key), direction(number)]
        found += [(empty, row) for row in session().execute(part.order_by(*by).limit(window.limit + 1 - len(found)))]
        if len(found) > window.limit:
            break
    rows = [row[0] if len(row) == 3 else row[:-2] for _, row in found[: window.limit]]
    if len(found) <= window.limit:
        return Page(rows, "")
    empty, row = found[window.limit - 1]
    return Page(rows, window.after_row(empty, None if empty else row.sorted_by, row.sorted_id))


def few_or_each(ids: sa.Select[int], column: Any, condition: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Return the condition for a page: `column` is one of these ids if they are few, else `condition` for each row.

    Few ids are read from an index first; if there are many, checking row by row soon fills the page.
    """
    found = session().scalars(ids.limit(FEW + 1)).all()
    return in_list(column, sorted(set(found))) if len(found) <= FEW else condition
