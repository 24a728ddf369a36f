"""The schema is the one the models describe, on both databases; tests/upgrade takes every step forward and back."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, registry

import app.models
import app.providers.sandbox.store  # noqa: F401  the tables
from app.core import migrations
from app.core.db import Base, Numbered
from tests.databases import empty_postgres, fresh
from tests.support import processes

ROOT = Path(__file__).parents[1]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database that nothing was created in."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
    else:
        with empty_postgres() as url:
            yield url


def tables(url: str) -> set[str]:
    """Every table there is, but for those behind a database's full-text search."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    return {name for name in sa.inspect(engine).get_table_names() if migrations.described(name, "table", {})}


def test_an_empty_database_becomes_the_one_that_the_models_describe(url: str, tmp_path: Path) -> None:
    """A change to a model comes with its revision. Upgrading again, as every start does, changes nothing."""
    for _ in range(2):
        migrations.upgrade(url)
        assert tables(url) == {*Base.metadata.tables, "alembic_version"}
        # It is read from the names of the scripts, so that a start need not load Alembic.
        newest = ScriptDirectory(str(migrations.SCRIPTS)).get_current_head()
        assert migrations.current(url) == migrations.newest() == newest
    assert differences(url) == []
    if url.startswith("sqlite"):
        assert (tmp_path / "empty.db").stat().st_mode & 0o777 == 0o600  # whatever the umask allows
        hold_numbers_of_deleted_rows(url)


def hold_numbers_of_deleted_rows(url: str) -> None:
    """A link or a key to what is gone never leads to something else. On SQLite a table has to say so."""
    numbered = {
        name for name, table in Base.metadata.tables.items() if table.dialect_options["sqlite"]["autoincrement"]
    }
    with sa.create_engine(url, poolclass=sa.NullPool).connect() as connection:
        made = connection.execute(sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'table'")).all()
    assert numbered <= {name for name, sql in made if "AUTOINCREMENT" in (sql or "")}


def test_starting_does_not_load_alembic(migrated: str, tmp_path: Path) -> None:
    script = "import sys\nfrom app.cli import opened\nwith opened():\n    sys.exit('alembic' in sys.modules)"
    env = processes.environment(migrated, tmp_path)
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=env, timeout=300).returncode == 0


def differences(url: str) -> Any:
    """What the models describe otherwise than the schema of the database."""
    with sa.create_engine(url, poolclass=sa.NullPool).connect() as connection:
        return migrations.differences(connection)


@pytest.fixture
def new_model() -> Iterator[None]:
    """A model that no revision knows, apart from those of the program, so that it can be taken away again."""

    class Apart(DeclarativeBase):
        registry = registry(metadata=Base.metadata, type_annotation_map=Base.registry.type_annotation_map)

    class Sample(Numbered, Apart):
        __tablename__ = "sample"
        workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
        person_id: Mapped[int | None]
        name: Mapped[str]
        size: Mapped[int]
        settings: Mapped[dict[str, Any]]
        is_open: Mapped[bool] = mapped_column(server_default=sa.false())
        created_at: Mapped[datetime]

    yield
    Base.metadata.remove(Base.metadata.tables["sample"])


@pytest.fixture(params=["sqlite", "postgres"])
def current_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A database at the newest revision."""
    database = fresh(request.param)
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
