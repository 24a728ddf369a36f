"""A filled installation moves from SQLite to Postgres and back with every row and id, and what opened it still does.

The old installations have something in every table, so that nothing can be forgotten unnoticed.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from jinja2 import FileSystemBytecodeCache

from app.core import migrations
from app.core.db import Base, transaction
from app.domain.operations import engine_processes
from app.models.platform.installation import Restore
from tests.conftest import build, close
from tests.databases import empty_postgres
from tests.support.receivers import Receiver
from tests.support.templates import Templates
from tests.upgrade.conftest import Installation, in_database
from tests.upgrade.test_what_opens import signatures, signed

Rows = dict[str, list[tuple[Any, ...]]]


def everything(url: str) -> Rows:
    """Every row of every table, as the database gives it to a program that knows nothing of this one."""

    def look(connection: sa.Connection) -> Rows:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(sa.select(table))), key=repr)
            for table in Base.metadata.sorted_tables
        }

    return in_database(url, look)


@pytest.fixture
def old(old: Installation, clock: Any) -> Installation:
    """The old installation, once restored from a backup, some time after its processes were stopped or killed."""
    engine_processes.join("serve", "embedded")
    with transaction() as current:
        at = datetime.fromisoformat(old.known["at"]) - timedelta(days=365)
        current.add(Restore(backup_at=at, restored_at=at, released_at=at))
    clock.forward(minutes=2)
    return old


@pytest.fixture
def other(kind: str, templates: Templates, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database of the other kind."""
    if kind == "postgres":
        yield f"sqlite:///{tmp_path / 'other.db'}"
    else:
        with empty_postgres(templates) as url:
            yield url


@pytest.fixture
def back(kind: str, templates: Templates, tmp_path: Path) -> Iterator[str]:
    """The URL of another empty database of the first kind."""
    if kind == "sqlite":
        yield f"sqlite:///{tmp_path / 'back.db'}"
    else:
        with empty_postgres(templates) as url:
            yield url


@pytest.fixture
def moved(old: Installation, other: str, compiled: FileSystemBytecodeCache, tmp_path: Path) -> Iterator[Installation]:
    """The installation on the other kind of database, after `overture db copy`."""
    done = old.command("db", "copy", "--to", other)
    assert done.exit_code == 0, done.output
    app: Flask = build(other, tmp_path, compiled, SECRET_KEY=old.known["secret_key"])
    with app.app_context():
        yield Installation(app, old.env | {"DATABASE_URL": other}, old.known)
    close(app)


SINCE = {  # tables without old rows
    *("campaign_list", "campaign_revision"),
    *("column_choice", "company_hold", "contact_proof", "listed_company", "marked_answer", "monitor", "monitor_person"),
    *("not_same_person", "person_merge", "person_value", "referral", "search_import", "search_read", "task"),
    *("model_choice", "model_use", "reply_action", "unreadable_message", "variant_choice", "kept_forecast"),
    *("calendar_forecast", "company_reading", "corrected_play", "profile_correction", "learnt_rule", "ranking_change"),
    *("conversation_note", "copied_row", "drafted_reply", "go_live", "mention", "snippet"),
    *("bulk_change", "bulk_part", "saved_view", "meeting"),
    *("crm_connection", "crm_flow", "crm_list", "crm_member", "crm_contact", "crm_company", "crm_activity"),
}


def test_every_row_and_id_is_equal_there_and_back(old: Installation, other: str, back: str) -> None:
    before = everything(old.env["DATABASE_URL"])
    there = old.command("db", "copy", "--to", other)
    assert there.exit_code == 0, there.output
    total = sum(len(rows) for rows in before.values())
    assert f"{total} rows were copied, and every one of them is the same in both databases." in there.stdout
    assert f"lead: {len(before['lead'])} rows\n" in there.stdout
    assert everything(other) == before
    returned = old.command("db", "copy", "--to", back, DATABASE_URL=other)
    assert returned.exit_code == 0, returned.output
    assert everything(back) == before
    assert {name for name, rows in before.items() if not rows} <= {"rate_bucket", *SINCE}


def test_old_keys_links_and_webhooks_work_in_the_copy(moved: Installation, clock: Any) -> None:
    assert moved.api("harbour").get("me").json["workspace"]["name"] == "Harbour"
    assert moved.api("revoked").get("me").status_code == 401
    assert "Lighthouse" in moved.web("lea@lighthouse.example").get("/").text
    assert moved.visitor().get(moved.known["links"]["invite"]).status_code == 200
    link = moved.known["links"]["unsubscribe"][0]
    assert moved.app.test_client().post(link["path"], data={"List-Unsubscribe": "One-Click"}).status_code == 200
    entries = moved.api("lighthouse").get("never-contact").json["data"]
    assert [entry["value"] for entry in entries] == [link["address"]]
    hook = moved.known["webhooks"]["waiting"]
    receiver = Receiver()
    try:
        assert moved.api().patch(f"webhooks/{hook['id']}", {"url": receiver.url}).status_code == 200
        clock.forward(hours=12)
        for _ in range(5):  # a host gets so many at a time
            moved.look("delivery")
        assert len(receiver.requests) == hook["pending"]
        for request in receiver.requests:
            assert signatures(request.headers) == [signed(hook["secret"], request)]
    finally:
        receiver.stop()


def test_the_copy_is_searched_and_goes_on_with_new_numbers(old: Installation, moved: Installation) -> None:
    """The index of conversations is there, and no new row gets the number of one that is or was there."""
    known = old.api().get("conversations", q="a").json["data"]
    assert known
    assert moved.api().get("conversations", q="a").json["data"] == known
    made = [each.api().post("lists", {"name": "New"}).json["id"] for each in (old, moved)]
    assert made[0] == made[1]
    moved.advance(days=5)
    assert moved.command("doctor", "--offline").exit_code == old.command("doctor", "--offline").exit_code


def test_a_database_that_is_not_empty_is_left_as_it_is(old: Installation, new: str, moved: Installation) -> None:
    """Also one of another program, and the database itself."""
    before = everything(moved.env["DATABASE_URL"])
    again = old.command("db", "copy", "--to", moved.env["DATABASE_URL"])
    assert (again.exit_code, again.stderr) == (
        2,
        "The other database is not empty. Nothing was copied. Name an empty database.\n",
    )
    assert everything(moved.env["DATABASE_URL"]) == before
    itself = old.command("db", "copy", "--to", old.env["DATABASE_URL"])
    assert (itself.exit_code, itself.stderr) == (2, "That is the database itself. Name another, empty database.\n")


def test_a_database_of_another_program_gets_no_table_of_ours(old: Installation, other: str) -> None:
    engine = sa.create_engine(other, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE theirs (id INTEGER)"))
    refused = old.command("db", "copy", "--to", other)
    assert (refused.exit_code, "not empty" in refused.stderr) == (2, True)
    assert sa.inspect(engine).get_table_names() == ["theirs"]


def test_a_database_at_work_is_not_copied(old: Installation, other: str) -> None:
    """A heartbeat or a running lease says that a process is alive."""
    process = engine_processes.join("serve", "embedded")
    alive = old.command("db", "copy", "--to", other)
    assert (alive.exit_code, f", process {os.getpid()})." in alive.stderr) == (2, True)
    engine_processes.leave(process)
    engine = sa.create_engine(old.env["DATABASE_URL"], poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.execute(
            sa.update(Base.metadata.tables["account"]).values(claimed_until=datetime(2999, 1, 1, tzinfo=UTC))
        )
    refused = old.command("db", "copy", "--to", other)
    assert (refused.exit_code, refused.stderr) == (
        2,
        "A process is working on this database (account). Stop every `overture serve` and `overture worker` of this "
        "database, wait a minute, then try again.\n",
    )
    assert {name for name, rows in everything(other).items() if rows} == {"shown_ids"}  # made by the migrations


def test_an_interrupted_copy_leaves_nothing_and_can_be_repeated(old: Installation, other: str) -> None:
    """A row that the other database refuses takes all the others with it."""
    migrations.upgrade(other)
    engine = sa.create_engine(other, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE UNIQUE INDEX harsh ON message (direction)"))
    refused = old.command("db", "copy", "--to", other)
    assert refused.exit_code == 2
    assert refused.stderr.splitlines()[-1].startswith("The other database refused a row: ")
    assert {name for name, rows in everything(other).items() if rows} == {"shown_ids"}  # made by the migrations
    with engine.begin() as connection:
        connection.execute(sa.text("DROP INDEX harsh"))
    assert old.command("db", "copy", "--to", other).exit_code == 0


def test_an_unreachable_or_unknown_database_is_refused_in_a_sentence(old: Installation) -> None:
    gone = old.command("db", "copy", "--to", "postgresql://ada@127.0.0.1:1/none")
    assert (gone.exit_code, gone.stderr.startswith("The other database is not reachable: ")) == (2, True)
    odd = old.command("db", "copy", "--to", "mysql://ada@localhost/none")
    assert (odd.exit_code, odd.stderr) == (2, "--to must begin with sqlite:/// or postgresql://.\n")
