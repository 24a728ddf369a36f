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

from app.core.db import Base, transaction
from app.domain.installation import engine_processes
from app.models.platform.installation import Restore
from tests.conftest import build, close
from tests.upgrade.conftest import Installation, an_empty, in_database
from tests.upgrade.test_what_opens import assert_what_waited_arrives_signed

Rows = dict[str, list[tuple[Any, ...]]]


def everything(url: str) -> Rows:
    """Every row of every table, as the database gives it to a program that knows nothing of this one."""

    def look(connection: sa.Connection) -> Rows:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(sa.select(table))), key=repr)
            for table in Base.metadata.sorted_tables
        }

    return in_database(url, look)


TAKEN = {"email": "x@x.example", "name": "X", "password_hash": "", "created_at": datetime(2026, 3, 2, tzinfo=UTC)}


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
def other(kind: str, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database of the other kind."""
    with an_empty("sqlite" if kind == "postgres" else "postgres", tmp_path) as url:
        yield url


@pytest.fixture
def moved(old: Installation, other: str, tmp_path: Path) -> Iterator[Installation]:
    """The installation on the other kind of database, after `overture db copy`."""
    done = old.command("db", "copy", "--to", other)
    assert done.exit_code == 0, done.output
    app: Flask = build(other, tmp_path, SECRET_KEY=old.known["secret_key"])
    with app.app_context():
        yield Installation(app, old.env | {"DATABASE_URL": other}, old.known)
    close(app)


SINCE = {  # tables without old rows
    *("address_check", "attachment", "campaign_list", "campaign_revision", "campaign_template"),
    *("company_hold", "listed_company", "marked_answer", "monitor", "monitor_person"),
    *("not_same_person", "person_merge", "person_value", "referral", "search_import", "search_read", "task"),
    *("model_choice", "model_use", "reply_action", "unreadable_message", "variant_choice", "kept_forecast"),
    *("calendar_forecast", "company_reading"),
    *("conversation_note", "copied_row", "drafted_reply", "go_live", "mention", "snippet"),
    *("bulk_change", "saved_view", "meeting", "oauth_client"),
    *("crm_connection", "crm_flow", "crm_list", "crm_member", "crm_contact", "crm_company", "crm_activity"),
}


def test_every_row_and_id_is_equal_there_and_back(old: Installation, other: str, empty: str) -> None:
    before = everything(old.env["DATABASE_URL"])
    there = old.command("db", "copy", "--to", other)
    assert there.exit_code == 0, there.output
    total = sum(len(rows) for rows in before.values())
    assert f"{total} rows were copied and are identical in both databases." in there.stdout
    assert f"lead: {len(before['lead'])} rows\n" in there.stdout
    assert everything(other) == before
    returned = old.command("db", "copy", "--to", empty, DATABASE_URL=other)
    assert returned.exit_code == 0, returned.output
    assert everything(empty) == before
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
    assert_what_waited_arrives_signed(moved, clock)


def test_the_copy_is_searched_and_goes_on_with_new_numbers(old: Installation, moved: Installation) -> None:
    """The index of conversations is there, and no new row gets the number of one that is or was there."""
    known = old.api().get("conversations", query="a").json["data"]
    assert known
    assert moved.api().get("conversations", query="a").json["data"] == known
    made = [each.api().post("lists", {"name": "New"}).json["id"] for each in (old, moved)]
    assert made[0] == made[1]
    moved.advance(days=5)
    assert moved.command("doctor", "--offline").exit_code == old.command("doctor", "--offline").exit_code


def test_only_an_empty_database_that_can_be_reached_is_filled(old: Installation, new: str, other: str) -> None:
    """Neither one of ours with rows, nor one of another program, nor the database itself, nor one of another kind."""

    def refused(to: str) -> str:
        done = old.command("db", "copy", "--to", to)
        assert done.exit_code == 2, to
        return str(done.stderr)

    occupied = "The other database is not empty. Nothing was copied. Choose an empty database.\n"
    with sa.create_engine(new, poolclass=sa.NullPool).begin() as connection:
        connection.execute(sa.insert(Base.metadata.tables["user_account"]).values(TAKEN))
    before = everything(new)
    assert refused(new) == occupied
    assert everything(new) == before
    engine = sa.create_engine(other, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE theirs (id INTEGER)"))
    assert "not empty" in refused(other)
    assert sa.inspect(engine).get_table_names() == ["theirs"]
    assert refused(old.env["DATABASE_URL"]) == "This is the database you are copying. Choose an empty database.\n"
    gone = refused("postgresql://ada@127.0.0.1:1/none")
    assert gone.startswith("The other database is not reachable: ")
    assert refused("mysql://ada@localhost/none") == "--to must begin with sqlite:/// or postgresql://.\n"


def test_a_database_at_work_is_not_copied_and_an_interrupted_copy_leaves_nothing(old: Installation, other: str) -> None:
    """A heartbeat or a running lease says that a process is alive; a row that is refused takes all others with it."""
    process = engine_processes.join("serve", "embedded")
    alive = old.command("db", "copy", "--to", other)
    assert (alive.exit_code, f", process {os.getpid()})." in alive.stderr) == (2, True)
    engine_processes.leave(process)
    account = Base.metadata.tables["account"]
    working = sa.create_engine(old.env["DATABASE_URL"], poolclass=sa.NullPool)
    with working.begin() as connection:
        leased = dict(map(tuple, connection.execute(sa.select(account.c.id, account.c.claimed_until))))
        connection.execute(sa.update(account).values(claimed_until=datetime(2999, 1, 1, tzinfo=UTC)))
    refused = old.command("db", "copy", "--to", other)
    assert refused.exit_code == 2
    assert refused.stderr.startswith("A process is using this database (account). Stop every `overture serve`")
    assert not any(everything(other).values())
    with working.begin() as connection:
        assert not any(leased.values())
        connection.execute(sa.update(account).values(claimed_until=None))
    engine = sa.create_engine(other, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE UNIQUE INDEX harsh ON message (direction)"))
    refused = old.command("db", "copy", "--to", other)
    assert refused.exit_code == 2
    assert refused.stderr.splitlines()[-1].startswith("The other database refused a row: ")
    assert not any(everything(other).values())
    with engine.begin() as connection:
        connection.execute(sa.text("DROP INDEX harsh"))
    assert old.command("db", "copy", "--to", other).exit_code == 0
