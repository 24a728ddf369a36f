"""What still names an erased person where no row is about them: notes of what was paid, jobs, requests, searches.

Tables whose rows are about a person are erased by their own rules first; the words that other people wrote to you in
their own messages are theirs and stay.
"""

import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import change_rows, models, session
from app.core.row_rules import Leftovers
from app.domain.leads.subjects import Subject
from app.models.conversations import Message
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace

SHORTEST_NUMBER = 6  # digits that a phone number has at least


class Names(NamedTuple):
    """What names a person and no one else, and their full names, which a namesake has too."""

    sure: frozenset[str]
    full: frozenset[str]


def names_of(subject: Subject) -> Names:
    """Return what names them: profiles, addresses, phone numbers, and full names."""
    phones = {person.phone.strip() for person in subject.people}
    numbers = {phone for phone in phones if len(re.sub(r"\D", "", phone)) >= SHORTEST_NUMBER}
    full = {f"{one.first_name} {one.last_name}" for one in subject.people if one.first_name and one.last_name}
    return Names(frozenset(name for name in subject.persons | subject.addresses | numbers if name), frozenset(full))


def forget(workspace: Workspace, names: Names) -> int:
    """Take them out of every text and JSON value that is left; return how many rows changed. Inside a transaction."""
    copied = _forget_in(Message.__table__, workspace, names.sure | names.full, ("letter",))  # in Cc of what others said
    texts = {Leftovers.IDENTIFIERS: names.sure, Leftovers.NAMES: names.sure | names.full}
    return copied + sum(
        _forget_in(table, workspace, texts[model.__leftovers__])
        for table, model in models().items()
        if model.__leftovers__ in texts and "workspace_id" in table.c
    )


def _forget_in(table: Any, workspace: Workspace, named: frozenset[str], only: Collection[str] = ()) -> int:
    columns = [
        column
        for column in table.c
        if isinstance(column.type, sa.Text | sa.String | sa.JSON)
        and not column.foreign_keys
        and (not only or column.name in only)
    ]
    if not columns or not named:
        return 0
    keys = list(table.primary_key.columns)
    spelled = {spelling for name in named for spelling in _spellings(name)}
    found = sa.or_(
        *(sa.cast(one, sa.Text).icontains(name, autoescape=True) for one in columns for name in sorted(spelled))
    )
    query = sa.select(*keys, *(one for one in columns if one not in keys)).where(
        table.c.workspace_id == workspace.id, found
    )
    pattern = re.compile("|".join(_bounded(name) for name in sorted(spelled, key=len, reverse=True)), re.IGNORECASE)
    changed = 0
    if table is Job.__table__:  # finished jobs need not be kept
        done = sa.update(Job).where(Job.workspace_id == workspace.id, Job.done_at.is_not(None), found)
        change_rows(done.values(payload={}, error=""))
    for row in session().execute(query).all():
        before = {one.name: getattr(row, one.name) for one in columns}
        after = {name: _without(value, pattern) for name, value in before.items()}
        new = {name: value for name, value in after.items() if value != before[name]}
        if new:
            same = [key == getattr(row, key.name) for key in keys]
            change_rows(sa.update(table).where(*same).values(new))
            changed += 1
    return changed


def _spellings(name: str) -> Iterator[str]:
    """Yield the name as it stands in text, and as JSON writes its letters."""
    yield name
    ascii_only = "".join(one if ord(one) < 128 else f"\\u{ord(one):04x}" for one in name)
    if ascii_only != name:
        yield ascii_only


def _bounded(name: str) -> str:
    return rf"(?<![\w.+-]){re.escape(name)}(?![\w-])"


def _without(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return pattern.sub("", value)
    if isinstance(value, dict):
        return {_without(name, pattern): _without(each, pattern) for name, each in value.items()}
    if isinstance(value, list):
        return [_without(each, pattern) for each in value]
    return value
