"""Every revision one by one, forward and back, and what the newest one does with rows that are there."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from alembic.script import ScriptDirectory

import app.models
import app.providers.sandbox.store  # noqa: F401  the tables
from app.core import migrations
from app.core.db import Base
from tests.support import processes
from tests.upgrade.conftest import load

ROOT = Path(__file__).parents[2]


def tables(url: str) -> set[str]:
    """Every table there is, but for those behind a database's full-text search."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    return {name for name in sa.inspect(engine).get_table_names() if migrations.described(name, "table", {})}


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


def test_the_first_user_stays_the_only_server_admin(empty: str) -> None:
    """It was the place of the row that made one; now it is written down."""
    migrations.upgrade(empty, "0058")
    engine = sa.create_engine(empty, poolclass=sa.NullPool)
    columns = "email, name, password_hash, session_epoch, created_at"
    add = sa.text(f"INSERT INTO user_account ({columns}) VALUES (:email, '', '', 0, :at)")
    with engine.begin() as connection:
        for name in ("ada", "rob"):
            connection.execute(add, {"email": f"{name}@x.example", "at": datetime(2026, 3, 2, tzinfo=UTC)})
    migrations.upgrade(empty, "0059")
    with engine.connect() as connection:
        query = sa.text("SELECT email, server_admin, email_confirmed_at FROM user_account ORDER BY id")
        now = [tuple(row) for row in connection.execute(query)]
    assert now == [("ada@x.example", True, None), ("rob@x.example", False, None)]


def test_texts_rest_on_the_profile_before_a_correction_that_was_not_followed(kind: str, empty: str) -> None:
    """So the play is marked as older; the job that would have followed is gone."""
    load(kind, empty)
    migrations.upgrade(empty, "0060")
    engine = sa.create_engine(empty, poolclass=sa.NullPool)
    play, job, made = (
        sa.Table(name, sa.MetaData(), autoload_with=engine) for name in ("play", "job", "profile_correction")
    )
    at = datetime(2026, 3, 2, tzinfo=UTC)
    with engine.begin() as connection:
        theirs = connection.scalar(sa.select(play.c.workspace_id).limit(1))
        of = {"workspace_id": theirs, "number": 1, "at": at, "by": "ada", "fields": [], "is_open": True}
        connection.execute(sa.insert(made).values(**of, before={"profile": {"pitch": "We build boats."}}))
        waits = {"kind": "autopilot_follow", "state": "open", "created_at": at, "payload": {}, "due_at": at}
        connection.execute(sa.insert(job).values(workspace_id=theirs, attempts=0, error="", request_id="", **waits))
    migrations.upgrade(empty, "0061")
    play = sa.Table("play", sa.MetaData(), autoload_with=engine)
    with engine.connect() as connection:
        found = connection.scalars(sa.select(play.c.written_from).where(play.c.workspace_id == theirs)).all()
        left = connection.scalar(sa.select(sa.func.count()).where(job.c.kind == "autopilot_follow"))
    assert {(rests_on["pitch"], rests_on["name"]) for rests_on in found} == {("We build boats.", "")}
    assert left == 0


def test_what_was_seen_before_a_contact_moves_to_its_action(kind: str, empty: str) -> None:
    """Of two tries the last one counts; what was erased stays so."""
    load(kind, empty)
    migrations.upgrade(empty, "0063")
    engine = sa.create_engine(empty, poolclass=sa.NullPool)
    action, proof = (sa.Table(name, sa.MetaData(), autoload_with=engine) for name in ("action", "contact_proof"))
    with engine.begin() as connection:
        first, second, other = connection.execute(sa.select(action).order_by(action.c.id).limit(3)).all()
        tries = [(first, 1, {"rules": {"a": 1}}), (first, 2, {"rules": {"b": 2}}), (second, 1, None)]
        for number, (row, place, asked) in enumerate(tries, 1):
            of = {"workspace_id": row.workspace_id, "person_id": row.person_id, "action_id": row.id, "at": row.at}
            made = {"id": number, "number": place + 10 * number, "asked": asked, "digest": "", "mark": ""}
            connection.execute(sa.insert(proof).values(**of, **{k: v for k, v in made.items() if v is not None}))
    migrations.upgrade(empty, "0064")
    action = sa.Table("action", sa.MetaData(), autoload_with=engine)
    with engine.connect() as connection:
        found = dict(connection.execute(sa.select(action.c.id, action.c.asked)).all())
    assert (found[first.id], found[second.id], found[other.id]) == ({"rules": {"b": 2}}, None, None)
