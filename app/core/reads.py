"""Selects compiled once and run on the bare driver: for the few reads that scripts make all the time.

They see what is committed, outside the session and its transaction, and cost a tenth of a query built each time.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import sqlalchemy as sa

from app.core.paging import Page, Window
from app.core.statements import committed, prepare

T = TypeVar("T")


class Read:
    """A select with named parameters. Its rows are named tuples; plain lists unless they are `named`."""

    def __init__(self, query: sa.Select[Any], *, named: bool = True) -> None:
        self._query, self._named = query, named

    def all(self, **given: Any) -> list[Any]:
        """Every row."""
        prepared = prepare(self._query)
        found = committed(prepared, prepared.parameters(given))
        return prepared.named(found) if self._named else prepared.plain(found)

    def one(self, **given: Any) -> Any:
        """The only row, or None."""
        rows = self.all(**given)
        return rows[0] if rows else None


class Made(Generic[T]):
    """What `make` makes of the only row of a select; of the same row it is made once, and shared. `most` are kept."""

    def __init__(self, query: sa.Select[Any], make: Callable[[Any], T], *, most: int = 1000) -> None:
        self._query, self._make, self._most = query, make, most
        self._known: dict[tuple[Any, ...], tuple[Any, T]] = {}

    def one(self, **given: Any) -> T | None:
        """What is made of the row, or None."""
        prepared, which = prepare(self._query), tuple(given.values())
        rows = committed(prepared, prepared.parameters(given))
        if not rows:
            return None
        known = self._known.get(which)
        if known is None or known[0] != rows[0]:
            if len(self._known) >= self._most:
                self._known.clear()
            known = self._known[which] = rows[0], self._make(prepared.named(rows)[0])
        return known[1]


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
