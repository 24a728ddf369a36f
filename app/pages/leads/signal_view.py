"""Signal results as table rows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from app.core.text import url_parts
from app.pages.framework import words

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z0-9])")
NAMES = {
    "amountUsd": "Amount, US$",
    "growth6m": "Growth in 6 months",
    "growth12m": "Growth in 12 months",
    "byMonth": "By month",
    "url": "Link",
    "profileUrl": "Profile",
}
MOST_ROWS = 50


@dataclass(frozen=True)
class Cell:
    """A value as text, and its link, if it is one."""

    text: str
    href: str = ""


@dataclass
class Block:
    """Pairs of label and value, or a table with a title, columns and rows."""

    title: str = ""
    pairs: list[tuple[str, Cell]] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)


def blocks(answer: Mapping[str, Any]) -> list[Block]:
    """Return the parts of a result: single values first, then each list."""
    first, others = Block(), []
    for name, value in answer.items():
        if isinstance(value, Mapping):
            first.pairs += [
                (f"{label(name)}: {label(inner).lower()}", cell(inner, one)) for inner, one in value.items()
            ]
        elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            others.append(_table(name, value))
        else:
            first.pairs.append((label(name), cell(name, value)))
    first.pairs = [(name, value) for name, value in first.pairs if value.text]
    return ([first] if first.pairs else []) + others


def summary(found: list[Block]) -> str:
    """Return a result in one line: its first values, or how many things of each kind."""
    values = [f"{name}: {value.text}" for block in found for name, value in block.pairs if name != "Total"]
    tables = [f"{block.title}: {len(block.rows)}" for block in found if block.rows]
    return " · ".join((values or tables)[:2])


def _table(name: str, things: list[Mapping[str, Any]]) -> Block:
    columns = list(dict.fromkeys(key for one in things for key in one))
    rows = [[cell(column, one.get(column)) for column in columns] for one in things[:MOST_ROWS]]
    return Block(label(name), columns=[label(column) for column in columns], rows=rows)


def label(name: str) -> str:
    """Return `postedAt` as `Posted`."""
    return NAMES.get(name) or _HUMP.sub(" ", name).replace("_", " ").capitalize().removesuffix(" at")


def cell(name: str, value: Any) -> Cell:
    """Return a value as readable text."""
    if value is None or value == "" or value == []:
        return Cell("")
    if isinstance(value, bool):
        return Cell("Yes" if value else "No")
    if isinstance(value, int | float):
        return Cell(f"{100 * value:+.1f}%" if name.startswith("growth") else words.number(value))
    if isinstance(value, list):
        return Cell(", ".join(str(one) for one in value))
    written = str(value)
    there = url_parts(written)
    if there.scheme in ("http", "https"):
        return Cell(there.hostname or written, written)
    return Cell(_day(written) if name.endswith("At") else written)


def _day(written: str) -> str:
    try:
        moment = datetime.fromisoformat(written)
        return words.day(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return written
