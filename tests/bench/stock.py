"""Large databases, filled with the driver alone: building them must not take longer than measuring."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from flask import Flask

from app import create_app
from app.core import migrations, shown_ids
from app.core.db import Base, db
from app.domain.leads import lists
from app.domain.people import companies
from app.domain.workspace import api_keys, workspaces
from app.models.platform.installation import ShownIdsKey
from tests.support.processes import SECRET

AT = "2026-03-02 09:00:00.000000"
PASSWORD = "four unrelated quiet words"
PERSON_COLUMNS = (
    "workspace_id source_id public_id profile_url first_name last_name headline position company_name company_url"
    " location image_url email phone tags custom_fields origins company_domain company_key created_at"
).split()
INSERT_PERSON = f"INSERT INTO person ({', '.join(PERSON_COLUMNS)}) VALUES ({', '.join('?' * len(PERSON_COLUMNS))})"


AGAIN = 0.29  # of the people are in a third list too: a million people are 1,300,000 leads


@dataclass(frozen=True)
class People:
    """A database with a workspace that has a short and a long list, and one of people who are in the long one."""

    file: Path
    workspace: int
    short: int
    long: int
    short_size: int
    long_size: int
    key: str

    def copy_to(self, file: Path) -> "People":
        """The same, elsewhere, where it may be written to."""
        shutil.copyfile(self.file, file)
        return replace(self, file=file)


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
    keep_ids(f"sqlite:///{file}")
    return application(file)


def keep_ids(url: str) -> None:
    """Rows are shown by the ids that the database counts, as if all came from before there was a key.

    The driver alone, which fills it, knows no others.
    """
    kept = dict.fromkeys(Base.metadata.tables, shown_ids.FIRST - 1)
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.execute(sa.update(ShownIdsKey).values(kept=kept))


def connect(file: Path) -> sqlite3.Connection:
    """The driver alone, under the settings that the application gives SQLite."""
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=15000", "foreign_keys=ON"):
        connection.execute("PRAGMA " + pragma)
    return connection


def profile(number: int) -> dict[str, Any]:
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


def person(number: int, workspace: int, source: int) -> tuple[Any, ...]:
    """The same person as a row of the table."""
    given = profile(number)
    texts = [given[name] for name in ("publicId", "profileUrl", "firstName", "lastName", "headline", "position")]
    texts += [given[name] for name in ("companyName", "companyUrl", "location")]
    named = {"company_name": given["companyName"], "company_url": given["companyUrl"], "email": ""}
    company = companies.columns(named).values()
    known = ("", given["email"], "", "[]", json.dumps(given["customFields"]), "{}")
    return (workspace, source, *texts, *known, *company, AT)


def put_people(connection: sqlite3.Connection, size: int, workspace: int) -> int:
    """The first `size` people are known in the workspace; return the id before the first of them."""
    (first,) = connection.execute("SELECT coalesce(max(id), 0) FROM person").fetchone()
    (source,) = connection.execute(
        "INSERT INTO data_source (workspace_id, kind, name, lawful_basis, created_at) VALUES (?, 'api', 'Stock', '', ?)"
        " RETURNING id",
        (workspace, AT),
    ).fetchone()
    connection.executemany(INSERT_PERSON, (person(number, workspace, source) for number in range(size)))
    for kind, column in (("email", "email"), ("profile", "public_id")):
        connection.execute(
            "INSERT INTO person_identity (workspace_id, kind, value, person_id)"
            f" SELECT workspace_id, ?, {column}, id FROM person WHERE id > ?",
            (kind, first),
        )
    return int(first)


def put_in_list(connection: sqlite3.Connection, list_id: int, first: int, size: int) -> None:
    """The first `size` people are in the list."""
    connection.execute(
        "INSERT INTO lead (workspace_id, list_id, person_id, created_at)"
        " SELECT workspace_id, ?, id, created_at FROM person WHERE id > ? AND id <= ? ORDER BY id",
        (list_id, first, first + size),
    )
    connection.execute("UPDATE lead_list SET lead_count = ? WHERE id = ?", (size, list_id))


def people(folder: Path, *, short: int, long: int) -> People:
    """A workspace with a list of `short` and one of `long` people, and a key that may do anything."""
    file = folder / "people.db"
    app = empty(file)
    with app.app_context():
        workspace = workspaces.create("Bench", "bench@example.com", PASSWORD, sandbox=True)
        ids = [lists.create_list(workspace, name).id for name in ("Short", "Long", "Again")]
        key = api_keys.create(workspace, "Bench", ["all"])[1]
        workspace_id = workspace.id
        db.session.remove()
        db.engine.dispose()
    connection = connect(file)
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("PRAGMA cache_size=-400000")
    connection.execute("BEGIN IMMEDIATE")
    first = put_people(connection, max(short, long), workspace_id)
    for list_id, size in zip(ids, (short, long, int(long * AGAIN)), strict=True):
        put_in_list(connection, list_id, first, size)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return People(file, workspace_id, ids[0], ids[1], short, long, key)


def idle_workspaces(file: Path, count: int) -> None:
    """So many workspaces in which nothing is under way, each as it is on its first day."""
    app = empty(file)
    with app.app_context():
        first = workspaces.create("Bench", "bench@example.com", PASSWORD).id
        db.session.remove()
        db.engine.dispose()
    with closing(connect(file)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for number in range(first + 1, first + count):
            for table in ("workspace", "membership", "wallet", "credit_entry"):
                _copy(connection, table, first, number)
        connection.execute("COMMIT")


def _copy(connection: sqlite3.Connection, table: str, first: int, number: int) -> None:
    """The rows of the first workspace, once more for another."""
    whose = "id" if table == "workspace" else "workspace_id"
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] not in ("id", whose)]
    names = ", ".join(columns)
    copied = f"INSERT INTO {table} ({whose}, {names}) SELECT ?, {names} FROM {table} WHERE {whose} = ?"
    connection.execute(copied, (number, first))
