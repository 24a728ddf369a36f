"""Every revision one by one: forward, back and forward again, with rows of older installations in it."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory
from sqlalchemy.orm import Session

import app.models
import app.providers.sandbox.store  # noqa: F401  the tables
from app.core import migrations, shown_ids
from app.core.db import Base
from app.models.accounts import Account
from app.models.conversations import Conversation, Message
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.databases import empty_postgres
from tests.support import processes
from tests.support.templates import Templates

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path, templates: Templates) -> Iterator[str]:
    """A database that nothing was created in."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
    else:
        with empty_postgres(templates) as url:
            yield url


def tables(url: str) -> set[str]:
    """Every table there is, but for those behind a database's full-text search."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    return {name for name in sa.inspect(engine).get_table_names() if migrations.described(name, "table", {})}


def test_every_revision_can_be_taken_back_and_done_again(url: str) -> None:
    """One by one to nothing, and up again."""
    migrations.upgrade(url)
    for _ in ScriptDirectory(str(migrations.SCRIPTS)).walk_revisions():
        migrations.downgrade(url, "-1")
    assert tables(url) == {"alembic_version"}
    assert migrations.current(url) is None
    migrations.upgrade(url)
    assert tables(url) == {*Base.metadata.tables, "alembic_version"}


def test_what_was_said_before_can_be_found_afterwards(url: str) -> None:
    """Also where it has no word, such as a thumb, or no one knows a name."""
    migrations.upgrade(url)
    at, engine = datetime(2026, 3, 2, 9, tzinfo=UTC), sa.create_engine(url, poolclass=sa.NullPool)
    with Session(engine) as session, session.begin():
        workspace = Workspace(name="Acme", created_at=at)
        session.add(workspace)
        session.flush()
        known = {"channel": "social", "provider": "sandbox", "provider_ref": "ines"}
        account = Account(workspace_id=workspace.id, name="Ines", limits={}, **known, created_at=at)
        session.add(account)
        session.flush()
        for name, text in (("ada", "Sounds good, tell me more."), ("bob", "\N{THUMBS UP SIGN}")):
            person = Person(workspace_id=workspace.id, public_id=name, tags=[], custom_fields={}, created_at=at)
            session.add(person)
            session.flush()
            ours = {"workspace_id": workspace.id, "sender_id": account.id, "person_id": person.id, "channel": "social"}
            talk = Conversation(**ours, last_message_at=at, last_direction="in", created_at=at, updated_at=at)
            session.add(talk)
            session.flush()
            said = {
                "conversation_id": talk.id,
                "direction": "in",
                "kind": "message",
                "provider_id": name,
                "text": text,
            }
            session.add(Message(workspace_id=workspace.id, **said, at=at))
    migrations.downgrade(url, "0002")
    migrations.upgrade(url)
    with engine.connect() as connection:
        words = connection.execute(sa.text("SELECT said FROM conversation_words ORDER BY conversation_id")).scalars()
        assert list(words) == ["sounds good tell me more", "-"]


def test_rows_that_exist_keep_their_ids_and_new_ones_tell_nothing(url: str) -> None:
    """Also the id of a row that is gone is never another row's."""
    migrations.upgrade(url, "0057")
    at, engine = datetime(2026, 3, 2, 9, tzinfo=UTC), sa.create_engine(url, poolclass=sa.NullPool)
    with Session(engine) as session, session.begin():
        made = [Workspace(name=f"Number {number}", created_at=at) for number in range(3)]
        session.add_all(made)
        session.flush()
        session.delete(made[2])
    migrations.upgrade(url)
    with Session(engine) as session, session.begin():
        session.add(Workspace(name="New", created_at=at))
        session.flush()
        first, second, new = session.scalars(sa.select(Workspace.id).order_by(Workspace.id))
        assert (first, second, shown_ids.count(engine.dialect, "workspace", new)) == (1, 2, 4)
        assert int(new) >= shown_ids.FIRST
        assert session.get(Workspace, 3) is None


def flask(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """`flask --app wsgi db` with these arguments, when it has ended."""
    command = [sys.executable, "-m", "flask", "--app", "wsgi", "db", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)


def test_flask_and_overture_migrate_alike_and_wait_for_each_other(url: str, tmp_path: Path) -> None:
    """The same scripts on the same database, both at once."""
    env = processes.environment(url, tmp_path)
    with ThreadPoolExecutor() as pool:
        both = [pool.submit(flask, env, "upgrade"), pool.submit(processes.run, env, "db", "upgrade")]
    assert [each.result().returncode for each in both] == [0, 0]
    assert tables(url) == {*Base.metadata.tables, "alembic_version"}
    assert migrations.current(url) == migrations.newest()
    assert f"{migrations.newest()} (head)" in flask(env, "current").stdout
    assert "No new upgrade operations" in flask(env, "check").stdout


def test_flask_refuses_to_write_revisions_out_as_sql(tmp_path: Path) -> None:
    """They read the database."""
    refused = flask(processes.environment(f"sqlite:///{tmp_path / 'empty.db'}", tmp_path), "upgrade", "--sql")
    assert refused.returncode == 1
    assert "cannot be written out as SQL" in refused.stderr
