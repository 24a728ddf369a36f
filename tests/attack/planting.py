"""A script in every text that the database holds, as if whoever may write there meant harm.

What is a text is told by what stands there: words have spaces, capitals or an @; what the product made of its own has
none, and would no longer be understood.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from app.core.db import Base, end_read, transaction

MARK = "data-planted"
NAMED = re.compile(rf'{MARK}="([a-z_.]+)"')
# Made by the product, though it looks like words.
MADE = {
    *("password_hash", "mark", "digest", "token", "lookup", "last4", "fingerprint", "shape", "code", "body"),
    *("timezone", "cursor", "inbound_cursor", "command", "open_key", "request_id", "site_key", "place"),
}
# Written by others, though it looks like the product's own; and often empty.
WRITTEN = {"tags", "phone", "handle", "domain", "company_domain", "public_id"}
EMPTY = {
    *("error", "note", "problem", "subject", "status_reason", "off_reason", "last_error", "remind_text", "failure"),
    *("by", "done_by", "decided_by", "remind_by", "image_url", "lawful_basis", "response", "alerts_problem"),
}
LINKS = re.compile(r"(^|_)(url|website|address|link)$")
SEARCHES = {"monitor.address", "search_import.address"}  # shown by what they search for
_PROSE = re.compile(r"\s|^[A-Z\u00c0-\uffff]|@")
_MADE_LIKE = re.compile(r"https?://|[A-Z]\w+/[A-Z]|\d{4}-\d\d-\d\d")


def sown(place: str) -> str:
    """Ends a text, a title, a field, a script and an attribute in any quotes, and leaves its mark in each."""
    mark = f'{MARK}="{place}"'
    ends = "</title></textarea></script></style>"
    runs = f"<img src=x onerror=\"planted('{place}')\"><script>planted()</script>"
    return f"\" {mark} ' {mark} >{ends}<b {mark}></b>{runs}"


def sow() -> set[str]:
    """Every text of people ends in a script now, every link is one; return the columns, as table.column."""
    end_read()
    done: set[str] = set()
    with transaction() as current:
        for table in Base.metadata.sorted_tables:
            keys = list(table.primary_key.columns)
            for column in table.columns:
                if column.name in MADE or column.foreign_keys or column.primary_key:
                    continue
                rows = current.execute(sa.select(*keys, column)).all()
                for row in changed(column, rows):
                    where = [key == value for key, value in zip(keys, row[:-1], strict=True)]
                    current.execute(sa.update(table).where(*where).values({column.name: row[-1]}))
                    done.add(f"{table.name}.{column.name}")
    return done


def changed(column: sa.Column[Any], rows: Any) -> Iterator[list[Any]]:
    """The keys and the new value of the rows in which someone wrote."""
    place = f"{column.table.name}.{column.name}"
    prose = _has_prose(column, rows)
    for *key, value in rows:
        if (new := _sown(column, value, place, prose=prose)) != value:
            yield [*key, new]


def _has_prose(column: sa.Column[Any], rows: Any) -> bool:
    if column.name in WRITTEN:
        return True
    return isinstance(column.type, sa.Text) and any(_PROSE.search(row[-1]) for row in rows if row[-1])


def _sown(column: sa.Column[Any], value: Any, place: str, *, prose: bool) -> Any:
    if isinstance(column.type, sa.JSON):
        return _within(value, place, every=prose)
    if not isinstance(column.type, sa.Text):
        return value
    if not value:
        return sown(place) if column.name in EMPTY else value
    if place in SEARCHES:
        return value + quote(sown(place))
    if LINKS.search(column.name):
        return f"javascript:planted('{place}')//{value}"
    return value + sown(place) if prose else value


def _within(value: Any, place: str, *, every: bool) -> Any:
    if isinstance(value, dict):
        return {key: one if key in MADE else _within(one, place, every=every) for key, one in value.items()}
    if isinstance(value, list):
        return [_within(one, place, every=every) for one in value]
    if isinstance(value, str) and (every or (_PROSE.search(value) and not _MADE_LIKE.match(value))):
        return value + sown(place)
    return value
