"""Row rules: a model declares here how its rows are moved between servers, encrypted and erased.

A class declares it in attributes of `core.db.Base`: `__stays__`, `__billing__`, `__personal__`, `__leftovers__`. A
column does with the `info=` that a function here returns; a foreign key already tells which ids a column holds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

Patterns = tuple[tuple[str, tuple[str, ...]], ...]
BILLING = {"billing": True}  # info of a column that says what the workspace has paid for


@dataclass(frozen=True)
class Body:
    """A text of JSON that names rows: the way to an id and its table, or that of each `kind`; or to an address."""

    ways: Mapping[tuple[str, ...], str | Mapping[str, str] | tuple[str, tuple[str, ...]]]


def ids(named: str | Mapping[str, str] | Patterns | Body) -> dict[str, Any]:
    """Return the info of a column that holds ids without a foreign key.

    Give a table's name for an id or a list of ids, a mapping (key → table) for JSON with ids under these keys at any
    depth, patterns for a text (with the table of each group), and a Body for a JSON text.
    """
    return {"ids": named}


def left_blank(value: Any = None) -> dict[str, Any]:
    """Return the info of a column that has this value in a workspace that was moved."""
    return {"blank": value}


def sealed_for(bound_to: str) -> dict[str, Any]:
    """Return the info of an encrypted column, bound to these columns: it can't be decrypted in another row."""
    return {"sealed": bound_to}


class Erase(Enum):
    """What an erasure does to a row about the person, unless it sets columns to values."""

    DELETE = "delete"
    BY_RULE = "rule"  # a function of domain.privacy.erasure


class Leftovers(Enum):
    """What an erasure removes from the texts of a table whose rows are not found by the person's id."""

    IDENTIFIERS = "identifiers"  # profiles, addresses and phone numbers, which no one else has
    NAMES = "names"  # full names too, which a namesake may have
    NOTHING = "nothing"  # no text to search: the rows are found by the person's id, or hold nothing about people


@dataclass(frozen=True)
class Personal:
    """How rows are about a person. They are found by any of these columns, and `origin` says where they came from.

    `shown` is what the person gets to see of them; `source` is a column that names the origin of one row.
    """

    by: Sequence[str]
    origin: str
    shown: Sequence[str]
    erase: Erase | Mapping[str, Any] = Erase.DELETE
    source: str = ""
