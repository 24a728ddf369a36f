"""Every revision one by one, forward and back, and what a database gets that is too old for them."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory

import app.models
import app.providers.sandbox.store  # noqa: F401  the tables
from app.core import migrations
from app.core.db import Base
from tests.support import processes
from tests.test_migrations import tables
from tests.upgrade.conftest import KNOWN, load

ROOT = Path(__file__).parents[2]


def test_every_revision_can_be_taken_back_and_done_again(empty: str) -> None:
    """One by one to nothing, and up again."""
    migrations.upgrade(empty)
    for _ in ScriptDirectory(str(migrations.SCRIPTS)).walk_revisions():
        migrations.downgrade(empty, "-1")
    assert tables(empty) == {"alembic_version"}
    assert migrations.current(empty) is None
    migrations.upgrade(empty)
    assert tables(empty) == {*Base.metadata.tables, "alembic_version"}


def flask(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """`flask --app wsgi db` with these arguments, when it has ended."""
    command = [sys.executable, "-m", "flask", "--app", "wsgi", "db", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)


def test_flask_and_overture_migrate_alike_and_wait_for_each_other(empty: str, tmp_path: Path) -> None:
    """The same scripts on the same database, both at once; they cannot be written out as SQL, as they read it."""
    env = processes.environment(empty, tmp_path)
    refused = flask(env, "upgrade", "--sql")
    assert (refused.returncode, "cannot be written out as SQL" in refused.stderr) == (1, True)
    with ThreadPoolExecutor() as pool:
        both = [pool.submit(flask, env, "upgrade"), pool.submit(processes.run, env, "db", "upgrade")]
    assert [each.result().returncode for each in both] == [0, 0]
    assert tables(empty) == {*Base.metadata.tables, "alembic_version"}
    assert migrations.current(empty) == migrations.newest()
    assert f"{migrations.newest()} (head)" in flask(env, "current").stdout
    assert "No new upgrade operations" in flask(env, "check").stdout


def test_an_older_database_is_told_what_to_go_through_first(empty: str, tmp_path: Path) -> None:
    """The steps from before the oldest revision are gone; nothing is changed."""
    migrations.upgrade(empty)
    engine = sa.create_engine(empty, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.execute(sa.update(migrations.VERSIONS).values(version_num="0058"))
    refused = processes.run(processes.environment(empty, tmp_path), "db", "upgrade")
    assert (refused.returncode, refused.stderr) == (
        2,
        "The database is at revision 0058; this version can only upgrade from 0063 or later. First upgrade with the"
        " last commit that contains migrations/versions/0063_choices.py; see Upgrade in docs/operations.md.\n",
    )
    assert migrations.current(empty) == "0058"


@pytest.fixture
def loaded(kind: str, empty: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> sa.Engine:
    """An old installation, with its key, before it is upgraded."""
    load(kind, empty)
    monkeypatch.setenv("SECRET_KEY", KNOWN[kind]["secret_key"])
    monkeypatch.setenv("OVERTURE_INSTANCE", str(tmp_path / "instance"))
    return sa.create_engine(empty, poolclass=sa.NullPool)


def test_what_was_seen_before_a_contact_moves_to_its_action(empty: str, loaded: sa.Engine) -> None:
    """Of two tries the last one counts; what was erased stays so."""
    migrations.upgrade(empty, "0064")
    action, proof = (sa.Table(name, sa.MetaData(), autoload_with=loaded) for name in ("action", "contact_proof"))
    with loaded.begin() as connection:
        first, second, other = connection.execute(sa.select(action).order_by(action.c.id).limit(3)).all()
        tries = [(first, 1, {"rules": {"a": 1}}), (first, 2, {"rules": {"b": 2}}), (second, 1, None)]
        for number, (row, place, asked) in enumerate(tries, 1):
            of = {"workspace_id": row.workspace_id, "person_id": row.person_id, "action_id": row.id, "at": row.at}
            made = {"id": 9000 + number, "number": place + 10 * number, "asked": asked, "digest": "", "mark": ""}
            connection.execute(sa.insert(proof).values(**of, **{k: v for k, v in made.items() if v is not None}))
    migrations.upgrade(empty, "0065")
    action = sa.Table("action", sa.MetaData(), autoload_with=loaded)
    with loaded.connect() as connection:
        found = dict(connection.execute(sa.select(action.c.id, action.c.asked)).all())
    assert (found[first.id], found[second.id], found[other.id]) == ({"rules": {"b": 2}}, None, None)


def test_do_not_contact_entries_get_the_one_spelling_of_their_mailbox(empty: str, loaded: sa.Engine) -> None:
    """Where it stands there already, the other spelling stays: it blocks as before."""
    migrations.upgrade(empty, "0066")
    entry = sa.Table("never_contact", sa.MetaData(), autoload_with=loaded)
    addresses = ("ann.lee+x@googlemail.com", "b.o@gmail.com", "bo@gmail.com", "c.d@firm.example")
    with loaded.begin() as connection:
        connection.execute(sa.delete(entry))
        theirs = connection.scalar(sa.text("SELECT min(id) FROM workspace"))
        at = datetime(2026, 3, 2, tzinfo=UTC)
        row = {"workspace_id": theirs, "kind": "email", "reason": "", "created_at": at}
        connection.execute(sa.insert(entry), [{**row, "value": one, "label": one} for one in addresses])
    migrations.upgrade(empty, "0067")
    with loaded.connect() as connection:
        found = connection.execute(sa.select(entry.c.label, entry.c.value).order_by(entry.c.id)).all()
    now = ("annlee@gmail.com", "b.o@gmail.com", "bo@gmail.com", "c.d@firm.example")
    assert [tuple(row) for row in found] == list(zip(addresses, now, strict=True))
