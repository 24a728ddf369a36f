"""Tables: which columns a table has, and which of them, in what order, the address asks for.

A page describes its table once; the address says the rest, so that a view can be linked, kept and gone back to:

    PEOPLE = Table("people", (Column("name", "Person", sort="name"), Column("email", "Email", "opt-m"), …))
    shown = PEOPLE.read(request.args, sorts)

The heads of `shown` go into `data.table`, its columns tell the rows what to show.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import sqlalchemy as sa
from flask import g, request
from werkzeug.datastructures import MultiDict

from app.core import paging
from app.core.text import squeeze
from app.domain.workspace.workspaces import Workspace


@dataclass(frozen=True)
class Column:
    """A column; `sort` is what it is sorted by, `usual` whether it is there unless others are asked for."""

    name: str
    label: str
    cls: str = ""
    sort: str = ""
    usual: bool = True
    fixed: bool = False


@dataclass(frozen=True)
class Shown:
    """What the address asks for: the columns, and what they are sorted by."""

    table: "Table"
    offered: Sequence[Column]
    columns: Sequence[Column]
    sort: str
    downward: bool
    chosen: bool  # whether the user chose the columns; chosen columns are never hidden on a narrow screen
    sorts: Sequence[str]

    @property
    def query(self) -> dict[str, str]:
        """Return this part of the address."""
        parts = {
            "sort": f"{'-' if self.downward else ''}{self.sort}" if self.sort else "",
            "cols": ".".join(column.name for column in self.columns if not column.fixed) if self.chosen else "",
        }
        return {name: value for name, value in parts.items() if value}

    def cls(self, column: Column) -> str:
        """Return the classes of the column's cells; none of chosen columns leaves on a narrow screen."""
        names = column.cls.split()
        return " ".join(name for name in names if not (self.chosen and name.startswith("opt-")))

    @property
    def names(self) -> set[str]:
        """Return the names of the columns."""
        return {column.name for column in self.columns}

    def heads(self, address: Callable[[dict[str, str]], str]) -> list[dict[str, Any]]:
        """Return the heads; each link sorts upward, then downward, then as it was. `address` takes this part of it."""
        rest = {name: value for name, value in self.query.items() if name != "sort"}
        heads = []
        for column in self.columns:
            head: dict[str, Any] = {"label": column.label, "cls": self.cls(column)}
            if column.sort in self.sorts:
                here = column.sort == self.sort
                turned = {} if here and self.downward else {"sort": f"{'-' if here else ''}{column.sort}"}
                head["href"] = address(rest | turned)
                head["sort"] = ("descending" if self.downward else "ascending") if here else ""
            heads.append(head)
        return heads


@dataclass(frozen=True)
class Table:
    """A kind of table: its place, by which views are saved, and every column it can show."""

    place: str
    columns: tuple[Column, ...]

    def read(self, args: "MultiDict[str, str]", sorts: Sequence[str], without: Sequence[str] = ()) -> Shown:
        """Read the address; what it doesn't know is left out. `without` names columns that have nothing to show."""
        known = [column for column in self.columns if column.name not in without]
        names = set(args.getlist("col") or squeeze(args.get("cols", "")).split("."))
        wanted = [column for column in known if column.fixed or column.name in names]
        chosen = any(not column.fixed for column in wanted)
        sort = args.get("sort", "")
        downward, by = sort.startswith("-"), sort.removeprefix("-")
        usual = [column for column in known if column.usual or column.fixed]
        is_known = by in sorts
        return Shown(
            self, known, wanted if chosen else usual, by if is_known else "", downward and is_known, chosen, sorts
        )

    def page(
        self,
        workspace: Workspace,
        url: str,
        found: sa.Select[Any],
        sorts: paging.Sorts,
        filters: dict[str, str],
        without: Sequence[str] = (),
    ) -> tuple[Sequence[Any], dict[str, Any]]:
        """Read one page of what was found by these filters, as the address of the request asks for it.

        Return its rows, and what templates read of a table at `url`: itself, its heads, the address in parts and as
        text, and the way to the next page.
        """
        shown = self.read(request.args, paging.sorts_of(found, sorts), without)
        query = filters | shown.query
        window = paging.Window.of(request.args, (workspace.id, url, filters, shown.sort, shown.downward))
        page = paging.page_by(found, sorts, shown.sort, shown.downward, window)
        return page.rows, {
            "table": shown,
            "heads": shown.heads(lambda part: address(url, filters | part)),
            "url": url,
            "query": query,
            "here": urlencode(query),
            "more": address(url, query | {"cursor": page.next_cursor}) if page.next_cursor else "",
        }


def page_of(listed: paging.Listed, *, newest_first: bool = True, **filters: Any) -> tuple[paging.Page, str]:
    """Return the page of a list that the address asks for, and the address of the next; '' after the last.

    `filters` are what narrows the list, by their names in the address; an empty one is left out.
    """
    kept = {name: value for name, value in filters.items() if value}
    window = paging.Window.of(request.args, (g.workspace.id, request.path, *kept.items()))
    if isinstance(listed, sa.Select):
        page = paging.page(listed, None, window, newest_first=newest_first)
    else:
        page = listed.page(window)
    return page, address(request.path, kept | {"cursor": page.next_cursor}) if page.next_cursor else ""


def address(url: str, query: Mapping[str, str]) -> str:
    """Return the address of a page with this query."""
    return f"{url}?{urlencode(query)}" if query else url


def chips(url: str, query: Mapping[str, str], name: str, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the choices of a filter, "" for all of them; search, order and columns stay."""
    kept = {one: value for one, value in query.items() if one != name}
    return [
        {
            "label": label,
            "href": address(url, kept | ({name: choice} if choice else {})),
            "current": query.get(name, "") == choice,
        }
        for choice, label in labels.items()
    ]
