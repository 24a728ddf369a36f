"""Large databases, filled with the driver alone: building them must not take longer than measuring."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from flask import Flask

from app import create_app
from app.core import migrations
from app.core.db import Base, db
from app.domain.people import companies
from app.models.people import Person
from tests.support.processes import SECRET

AT = "2026-03-02 09:00:00.000000"
PASSWORD = "four unrelated quiet words"
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=15000", "foreign_keys=ON")
AGAIN = 0.29  # of the people are in a third list too: a million people are 1,300,000 leads
COLUMNS = {  # of a person: the name in `/v1`
    "public_id": "publicId",
    "profile_url": "profileUrl",
    "first_name": "firstName",
    "last_name": "lastName",
    "headline": "headline",
    "position": "position",
    "company_name": "companyName",
    "company_url": "companyUrl",
    "location": "location",
    "email": "email",
    "custom_fields": "customFields",
}
Row = dict[str, Any]


def application(file: Path, **settings: Any) -> Flask:
    """The application on that file, without a limit of requests and silent."""
    usual: dict[str, Any] = {
        "DATABASE_URL": f"sqlite:///{file}",
        "SECRET_KEY": SECRET,
        "OVERTURE_INSTANCE": str(file.parent),
        "OVERTURE_ALLOW_PRIVATE_NETWORK": True,
        "OVERTURE_RATE_LIMIT": "off",
        "OVERTURE_LOG_LEVEL": "error",
    }
    return create_app(**usual | settings)


def empty(file: Path) -> Flask:
    """The application on a migrated file."""
    migrations.upgrade(f"sqlite:///{file}")
    return application(file)


@contextmanager
def at_work(app: Flask) -> Iterator[Flask]:
    """The application with its context entered; at the end none of its connections is left."""
    with app.app_context():
        yield app
        db.session.remove()
        db.engine.dispose()


def let_go(*apps: Flask) -> None:
    """None of their connections is left."""
    for app in apps:
        with at_work(app):
            pass


def connect(file: Path, *pragmas: str) -> sqlite3.Connection:
    """The driver alone, under the settings that the application gives SQLite, and others on top of them."""
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    settings(connection, None, *pragmas)
    return connection


def settings(connection: sqlite3.Connection, _: object, *more: str) -> None:
    """The settings of SQLite, also for an engine that begins to `connect`."""
    for pragma in (*PRAGMAS, *more):
        connection.execute("PRAGMA " + pragma)


@contextmanager
def in_bulk(file: Path) -> Iterator[sqlite3.Connection]:
    """One transaction of the driver alone, quick and without a look at what refers to what."""
    with closing(connect(file, "synchronous=OFF", "cache_size=-400000", "foreign_keys=OFF")) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def whole(model: type[Base], rows: Iterable[Row]) -> tuple[list[str], Iterator[list[Any]]]:
    """The columns that rows of a model fill, and the values; what a row leaves out gets the default of the model."""
    every = iter(rows)
    first = next(every)
    columns = [
        column
        for column in model.__table__.columns
        if column.name in first or (column.name != "id" and (column.default is not None or not column.server_default))
    ]
    defaults = {column.name: _default(column) for column in columns}
    structured = {column.name for column in columns if isinstance(column.type, sa.JSON)}

    def values() -> Iterator[list[Any]]:
        for row in chain([first], every):
            given = defaults | row
            yield [json.dumps(v) if k in structured and v is not None else v for k, v in given.items()]

    return list(defaults), values()


def _default(column: sa.Column[Any]) -> Any:
    given: Any = column.default
    return None if given is None else given.arg(None) if given.is_callable else given.arg


sqlite3.register_adapter(datetime, lambda at: at.replace(tzinfo=None).isoformat(" ", "microseconds"))


def put(connection: sqlite3.Connection, model: type[Base], rows: Iterable[Row]) -> None:
    names, values = whole(model, rows)
    marks = ", ".join("?" * len(names))
    connection.executemany(f"INSERT INTO {table_of(model)} ({', '.join(names)}) VALUES ({marks})", values)


def table_of(model: type[Base]) -> str:
    return str(model.__table__.name)  # type: ignore[attr-defined]


def profile(number: int) -> Row:
    """A person as `POST /v1/lists/{id}/leads` takes one."""
    return {
        "profileUrl": f"https://network.example/in/person-{number}",
        "publicId": f"person-{number}",
        "firstName": f"First{number % 977}",
        "lastName": f"Last{number % 7919}",
        "headline": "Head of Operations at a company of some size",
        "position": "Head of Operations",
        "companyName": f"Company {number % 5003}",
        "companyUrl": f"https://company-{number % 5003}.example",
        "location": "Lisbon, Portugal",
        "email": f"person-{number}@company-{number % 5003}.example",
        "customFields": {"tier": "A", "team": number % 40},
    }


def person(number: int, workspace: int) -> Row:
    """The same person as a row of the table."""
    given = profile(number)
    return {"workspace_id": workspace, **{column: given[name] for column, name in COLUMNS.items()}, "created_at": AT}


def put_people(connection: sqlite3.Connection, size: int, workspace: int) -> int:
    """The first `size` people are known in the workspace; return the id before the first of them."""
    (first,) = connection.execute("SELECT coalesce(max(id), 0) FROM person").fetchone()
    (source,) = connection.execute(
        "INSERT INTO data_source (workspace_id, kind, name, lawful_basis, created_at) VALUES (?, 'api', 'Stock', '', ?)"
        " RETURNING id",
        (workspace, AT),
    ).fetchone()

    def known(number: int) -> Row:
        row = person(number, workspace) | {"source_id": source}
        return row | companies.columns({name: row[name] for name in ("company_name", "company_url")} | {"email": ""})

    put(connection, Person, map(known, range(size)))
    for statement in identify(int(first)):
        connection.execute(statement)
    return int(first)


def identify(first: int = 0) -> list[str]:
    """The statements by which people are found by their address and profile, those after that id."""
    return [
        "INSERT INTO person_identity (workspace_id, kind, value, person_id)"
        f" SELECT workspace_id, '{kind}', {column}, id FROM person WHERE id > {first}"
        for kind, column in (("email", "email"), ("profile", "public_id"))
    ]


def put_in_list(connection: sqlite3.Connection, list_id: int, first: int, size: int) -> None:
    """The first `size` people are in the list."""
    connection.execute(
        "INSERT INTO lead (workspace_id, list_id, person_id, created_at)"
        " SELECT workspace_id, ?, id, created_at FROM person WHERE id > ? AND id <= ? ORDER BY id",
        (list_id, first, first + size),
    )
    connection.execute("UPDATE lead_list SET lead_count = ? WHERE id = ?", (size, list_id))
