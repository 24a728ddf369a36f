"""Workspace rows: which rows of a workspace move to another server, and how their ids change.

Rules that the schema does not show are declared on the models, see `core.row_rules`. A test fails for a table or column
without a rule.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from pydantic_core import to_json

from app.core.db import Base, models
from app.core.row_rules import Body
from app.domain.installation import table_rows

Find = Callable[[str, int], int | None]


def tables() -> list[sa.Table]:
    """Return the tables that move, each behind those that it refers to."""
    known = models()
    return [table for table in table_rows.tables() if not known[table].__stays__]


def of_workspace(table: sa.Table, workspace_id: int) -> sa.ColumnElement[bool]:
    """Return the condition that a row belongs to that workspace; it works for every table."""
    if table.name == "workspace":
        return table.c.id == workspace_id
    if table.name == "user_account":
        member = Base.metadata.tables["membership"]
        return table.c.id.in_(sa.select(member.c.user_id).where(member.c.workspace_id == workspace_id))
    return table.c.workspace_id == workspace_id


def leave_behind(table: sa.Table, row: table_rows.Row) -> None:
    """Blank the columns whose values belong to this server, not to the workspace."""
    row |= {column.name: column.info["blank"] for column in table.columns if "blank" in column.info}


def without_billing(table: sa.Table, row: table_rows.Row) -> table_rows.Row | None:
    """Return the row without plan and credits; None for a table that holds only billing data."""
    if models()[table].__billing__:
        return None
    bought = (column for column in table.columns if "billing" in column.info)
    return row | {column.name: getattr(column.default, "arg", None) for column in bought}


def named_table(column: sa.Column[Any]) -> str:
    """Return the table whose ids this column holds; '' for a column without ids of one table."""
    named = column.info.get("ids")
    return next((key.column.table.name for key in column.foreign_keys), named if isinstance(named, str) else "")


def renumber(column: sa.Column[Any], value: Any, find: Find) -> Any:
    """Return the value with each id in it replaced by the one that `find` returns."""
    if value is None or value == "":
        return value
    if named := named_table(column):
        return [find(named, one) for one in value] if isinstance(value, list) else find(named, value)
    ids = column.info.get("ids")
    if isinstance(ids, Body):
        return _renumber_body(ids.ways, value, find)
    if isinstance(ids, Mapping):
        return _renumber_object(ids, value, find)
    return _renumber_text(ids, value, find) if ids else value


def _renumber_object(names: Mapping[str, str], value: Any, find: Find) -> Any:
    def renumbered(key: str, one: Any) -> Any:
        if key not in names or one is None:
            return _renumber_object(names, one, find)
        return [find(names[key], each) for each in one] if isinstance(one, list) else find(names[key], one)

    if isinstance(value, list):
        return [_renumber_object(names, one, find) for one in value]
    return {key: renumbered(key, one) for key, one in value.items()} if isinstance(value, dict) else value


def _renumber_text(patterns: Sequence[tuple[str, tuple[str, ...]]], text: str, find: Find) -> str:
    for pattern, named in patterns:
        if found := re.fullmatch(pattern, text):
            for group, table in reversed([*enumerate(named, 1)]):
                begin, end = found.span(group)
                text = f"{text[:begin]}{find(table, int(found[group]))}{text[end:]}"
            return text
    return text


def _renumber_body(ways: Mapping[tuple[str, ...], Any], text: str, find: Find) -> str:
    body = json.loads(text)
    for way, table in ways.items():
        part = body
        for name in way[:-1]:
            part = (part or {}).get(name)
        if not part or part.get(way[-1]) is None:
            continue
        value = part[way[-1]]
        if isinstance(table, tuple):
            part[way[-1]] = _renumber_text([table], value, find)
        else:
            part[way[-1]] = find(table if isinstance(table, str) else table[part["kind"]], value)
    return to_json(body).decode()
