"""The schema moves forward and back on both databases, and is the one the models describe."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, registry

import app.models
import app.providers.sandbox.store  # noqa: F401  the tables
from app.core import migrations, shown_ids
from app.core.db import Base, Numbered
from app.core.shown_ids import Id
from app.models.accounts import Account
from app.models.conversations import Conversation, Message
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.databases import empty_postgres, fresh
from tests.support import processes
from tests.support.templates import Templates

ROOT = Path(__file__).parents[1]


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


def test_a_new_installation_gets_every_table_and_knows_its_revision(url: str) -> None:
    migrations.upgrade(url)
    assert tables(url) == {*Base.metadata.tables, "alembic_version"}
    assert migrations.current(url) == ScriptDirectory(str(migrations.SCRIPTS)).get_current_head()


def test_only_its_owner_can_read_a_new_file(tmp_path: Path) -> None:
    """Whatever the umask allows."""
    file = tmp_path / "new.db"
    migrations.upgrade(f"sqlite:///{file}")
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_newest_revision_is_the_one_that_alembic_finds() -> None:
    """It is read from the names of the scripts, so that a start need not load Alembic."""
    assert migrations.newest() == ScriptDirectory(str(migrations.SCRIPTS)).get_current_head()


def test_starting_does_not_load_alembic(migrated: str, tmp_path: Path) -> None:
    script = "import sys\nfrom app.cli import opened\nwith opened():\n    sys.exit('alembic' in sys.modules)"
    env = processes.environment(migrated, tmp_path)
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=env, timeout=300).returncode == 0


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


def differences(url: str) -> Any:
    """What the models describe otherwise than the schema of the database."""
    with sa.create_engine(url, poolclass=sa.NullPool).connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_server_default": True, "include_name": migrations.described}
        )
        return compare_metadata(context, Base.metadata)


def test_models_and_schema_are_equal(url: str) -> None:
    """A change to a model comes with its revision."""
    migrations.upgrade(url)
    assert differences(url) == []


@pytest.fixture
def new_model() -> Iterator[None]:
    """A model that no revision knows, apart from those of the program, so that it can be taken away again."""

    class Apart(DeclarativeBase):
        registry = registry(metadata=Base.metadata, type_annotation_map=Base.registry.type_annotation_map)

    class Sample(Numbered, Apart):
        __tablename__ = "sample"
        workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
        person_id: Mapped[int | None] = mapped_column(Id("person"))
        name: Mapped[str]
        size: Mapped[int]
        settings: Mapped[dict[str, Any]]
        is_open: Mapped[bool] = mapped_column(server_default=sa.false())
        created_at: Mapped[datetime]

    yield
    Base.metadata.remove(Base.metadata.tables["sample"])


@pytest.fixture(params=["sqlite", "postgres"])
def current_url(request: pytest.FixtureRequest, templates: Templates) -> Iterator[str]:
    """A database at the newest revision."""
    database = fresh(request.param, templates)
    yield database.url
    database.drop()


@pytest.mark.usefixtures("new_model")
def test_the_revision_written_for_a_new_model_can_be_applied_as_it_is(
    migrated: str, current_url: str, tmp_path: Path
) -> None:
    """Written on SQLite, as `make revision` does, it makes the same table on both databases."""
    config = Config()
    config.set_main_option("script_location", str(shutil.copytree(migrations.SCRIPTS, tmp_path / "migrations")))
    config.attributes["database_url"] = migrated
    command.revision(config, "sample", autogenerate=True)
    config.attributes["database_url"] = current_url
    command.upgrade(config, "head")
    assert differences(current_url) == []
    command.downgrade(config, "-1")
    assert "sample" not in tables(current_url)


def test_no_table_gives_the_number_of_a_deleted_row_to_a_new_one(tmp_path: Path) -> None:
    """A link or a key to what is gone never leads to something else. On SQLite a table has to say so."""
    url = f"sqlite:///{tmp_path / 'numbered.db'}"
    migrations.upgrade(url)
    numbered = {
        name for name, table in Base.metadata.tables.items() if table.dialect_options["sqlite"]["autoincrement"]
    }
    with sa.create_engine(url, poolclass=sa.NullPool).connect() as connection:
        made = connection.execute(sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'table'")).all()
    assert numbered <= {name for name, sql in made if "AUTOINCREMENT" in (sql or "")}


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


def test_upgrading_again_changes_nothing(url: str) -> None:
    """Every start of the program upgrades."""
    migrations.upgrade(url)
    before = tables(url), migrations.current(url)
    migrations.upgrade(url)
    assert (tables(url), migrations.current(url)) == before


def test_a_failing_revision_leaves_nothing_behind(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it or nothing, on SQLite too."""
    scripts = tmp_path / "scripts"
    (scripts / "versions").mkdir(parents=True)
    for name in ("env.py", "script.py.mako"):
        (scripts / name).write_text((migrations.SCRIPTS / name).read_text())
    (scripts / "versions" / "1.py").write_text(
        "from alembic import op\nrevision = '1'\ndown_revision = None\n\n"
        "def upgrade():\n    op.execute('CREATE TABLE half (id INTEGER)')\n    op.execute('CREATE nonsense')\n"
    )
    monkeypatch.setattr(migrations, "SCRIPTS", scripts)
    with pytest.raises(sa.exc.DBAPIError):
        migrations.upgrade(url)
    assert "half" not in tables(url)
