"""Personal rows: every table whose model says that its rows are about a person, for the export and the erasure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from app.core.db import Base, change_rows, in_list, models, session
from app.core.row_rules import Erase, Personal
from app.domain.leads.subjects import Subject
from app.domain.people import sources
from app.models.conversations import Conversation, Message
from app.models.signals import Signal


def tables() -> Iterator[tuple[type[Base], Personal]]:
    """Yield the models with rows about people, each before those that it refers to, and what they say of them."""
    known = models()
    for table in reversed(Base.metadata.sorted_tables):
        if table in known and (personal := known[table].__personal__):
            yield known[table], personal


def theirs(model: Any, personal: Personal, subject: Subject) -> sa.ColumnElement[bool]:
    """Return the condition for the rows about the person."""
    found = sa.or_(*(_NAMED[name](getattr(model, name), subject) for name in personal.by))
    return sa.and_(model.workspace_id == subject.workspace.id, found) if hasattr(model, "workspace_id") else found


def _person(column: Any, subject: Subject) -> sa.ColumnElement[bool]:
    return in_list(column, subject.person_ids)


def _address(column: Any, subject: Subject) -> sa.ColumnElement[bool]:
    return in_list(column, sorted(subject.addresses))


def _handle(column: Any, subject: Subject) -> sa.ColumnElement[bool]:
    return in_list(column, sorted(subject.persons | subject.addresses))


def _lead(column: Any, subject: Subject) -> sa.ColumnElement[bool]:
    return in_list(column, subject.lead_ids)


def _conversation(column: Any, subject: Subject) -> sa.ColumnElement[bool]:
    here = (Conversation.workspace_id == subject.workspace.id, in_list(Conversation.person_id, subject.person_ids))
    found: sa.ColumnElement[bool] = column.in_(sa.select(Conversation.id).where(*here))
    return found


def _message(column: Any, subject: Subject) -> sa.ColumnElement[bool]:
    said = sa.select(Message.id).where(_conversation(Message.conversation_id, subject))
    found: sa.ColumnElement[bool] = column.in_(said)
    return found


def _signal(column: Any, subject: Subject) -> sa.ColumnElement[bool]:
    """Return the condition for lookups by the person's name and company, ignoring case."""
    named = {f"{one.first_name} {one.last_name}".strip().casefold() for one in subject.people} - {""}
    firms = {one.company_name.strip().casefold() for one in subject.people}
    query = sa.select(Signal.id, Signal.full_name, Signal.company_name).where(
        Signal.workspace_id == subject.workspace.id, Signal.full_name != ""
    )
    ids = [
        row.id
        for row in (session().execute(query) if named else ())
        if row.full_name.strip().casefold() in named and row.company_name.strip().casefold() in firms
    ]
    return in_list(Signal.id, ids)


# How a column that a model names in `by` tells whose row it is.
_NAMED: dict[str, Callable[[Any, Subject], sa.ColumnElement[bool]]] = {
    **dict.fromkeys(("person_id", "named_id", "other_id"), _person),
    **dict.fromkeys(("email", "value", "address"), _address),
    **dict.fromkeys(("handle", "person"), _handle),
    "lead_id": _lead,
    "conversation_id": _conversation,
    "message_id": _message,
    "full_name": _signal,
}


def erase(subject: Subject) -> None:
    """Delete or blank all rows whose model says so. Inside a transaction, before the person's own row is blanked."""
    for model, personal in tables():
        if personal.erase is Erase.BY_RULE:
            continue
        where = theirs(model, personal, subject)
        change: Any = sa.delete(model).where(where)
        if not isinstance(personal.erase, Erase):
            change = sa.update(model).where(where).values(personal.erase)
        change_rows(change)


@dataclass(frozen=True)
class Stored:
    """The rows of one table about a person, each with where it came from."""

    table: str
    rows: Sequence[dict[str, Any]]


def stored(subject: Subject) -> list[Stored]:
    """Return every row about the person, parents first."""
    found = [Stored(model.__tablename__, _rows(model, personal, subject)) for model, personal in tables()]
    return [one for one in reversed(found) if one.rows]


def _rows(model: type[Base], personal: Personal, subject: Subject) -> list[dict[str, Any]]:
    names = dict.fromkeys((*personal.shown, *((personal.source,) if personal.source else ())))
    query = sa.select(*(getattr(model, name) for name in names)).where(theirs(model, personal, subject))
    found = session().execute(query.order_by(*sa.inspect(model).primary_key)).all()
    known = sources.by_id([row.source_id for row in found]) if personal.source == "source_id" else {}
    rows = []
    for row in found:
        at = getattr(row, personal.source) if personal.source else ""
        named = f"{known[at].kind} {known[at].name}".strip() if at in known else at if isinstance(at, str) else ""
        origin = f"{personal.origin} ({named})" if named else personal.origin
        rows.append({"origin": origin} | {name: getattr(row, name) for name in personal.shown})
    return rows
