"""A filled database of revision 0063, brought up by the migrations, and the application running on it.

`overture-0063.db.xz` is an SQLite file and `overture-0063.sql.gz` a Postgres dump, each of an installation that began
with version 0.1.0, was filled with one of everything and upgraded; then two workspaces, Quay and Jetty, were made.
`installation.json` says what is in them, on which clock they stand, and what opens them. They are kept as they are, and
every migration has to bring them up.
"""

import contextvars
import gzip
import json
import lzma
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from flask import Flask

from app.cli import overture
from app.core import migrations
from app.engines import once
from app.engines.units import BY_NAME
from tests.conftest import build, close
from tests.databases import KINDS, empty_postgres
from tests.pages.conftest import Web
from tests.postgres import create_database, drop_database
from tests.support.clients import Api

HERE = Path(__file__).parent
REVISION = "0063"
KNOWN = json.loads((HERE / "installation.json").read_text())


def load(kind: str, url: str) -> None:
    """The empty database is the old installation."""
    if kind == "sqlite":
        file = HERE / f"overture-{REVISION}.db.xz"
        Path(url.removeprefix("sqlite:///")).write_bytes(lzma.decompress(file.read_bytes()))
        return
    dump = gzip.decompress((HERE / f"overture-{REVISION}.sql.gz").read_bytes()).decode()
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute(dump.encode())  # without parameters it may be many statements


@pytest.fixture(scope="session", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@contextmanager
def an_empty(kind: str, folder: Path) -> Iterator[str]:
    """The URL of a database in which nothing is."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / uuid.uuid4().hex}.db"
    else:
        with empty_postgres() as url:
            yield url


@pytest.fixture
def empty(kind: str, tmp_path: Path) -> Iterator[str]:
    """The URL of a database in which nothing is."""
    with an_empty(kind, tmp_path) as url:
        yield url


@pytest.fixture(scope="session")
def upgraded(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the old installation after `overture db upgrade`; tests get copies of it."""
    folder = tmp_path_factory.mktemp("upgraded")
    with an_empty(kind, folder) as url:
        load(kind, url)
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("SECRET_KEY", KNOWN[kind]["secret_key"])
            environment.setenv("OVERTURE_INSTANCE", str(folder))
            migrations.upgrade(url)
        yield url


@dataclass
class Installation:
    """The old installation, upgraded and running on its own clock; `known` is what is known of it."""

    app: Flask
    env: dict[str, str]
    known: dict[str, Any]

    def api(self, key: str = "harbour") -> Api:
        """A script with the key of that name."""
        return Api(self.app.test_client(), self.known["keys"][key])  # type: ignore[arg-type]

    def visitor(self) -> Web:
        """A browser in which no user is signed in."""
        return Web(self.app.test_client())  # type: ignore[arg-type]

    def web(self, email: str = "ada@harbour.example") -> Web:
        """The browser of that user, signed in with the old password."""
        web = self.visitor()
        assert web.sign_in(email, self.known["password"]).status_code == 303
        return web

    def command(self, *arguments: object, **settings: str) -> Any:
        """`overture …`, when it has ended."""
        words = [str(argument) for argument in arguments]
        return contextvars.Context().run(CliRunner().invoke, overture, words, env=self.env | settings)

    def advance(self, days: float) -> None:
        """The sandbox workspace is so much later."""
        done = self.command(
            "sandbox", "advance", "--workspace", self.known["harbour"]["workspaceId"], "--hours", 24 * days
        )
        assert done.exit_code == 0, done.output

    def look(self, *kinds: str) -> None:
        """What is due of these kinds is done; nothing else is looked at, since the old mail servers are gone."""
        for kind in kinds:
            once.run_due(self.app, BY_NAME[kind])


Open = Callable[..., Installation]


@pytest.fixture
def open_installation(kind: str, upgraded: str, clock: Any, tmp_path: Path) -> Iterator[Open]:
    """Starts the upgraded installation, with the key it was made with or with other settings."""
    known = KNOWN[kind]
    clock.to(known["at"])
    if kind == "postgres":
        url = create_database(upgraded, sa.make_url(upgraded).database)
    else:
        file = shutil.copyfile(upgraded.removeprefix("sqlite:///"), tmp_path / "overture.db")
        file.chmod(0o600)
        url = f"sqlite:///{file}"
    running: list[tuple[Flask, Any]] = []

    def run(**settings: str) -> Installation:
        app = build(url, tmp_path, **({"SECRET_KEY": known["secret_key"]} | settings))
        running.append((app, app.app_context()))
        running[-1][1].push()
        env = {
            "DATABASE_URL": url,
            "SECRET_KEY": known["secret_key"],
            "BASE_URL": "http://localhost",
            "OVERTURE_INSTANCE": str(tmp_path),
            "OVERTURE_ALLOW_PRIVATE_NETWORK": "1",
            "OVERTURE_LOG_LEVEL": "error",
        }
        return Installation(app, env | settings, known)

    yield run
    for app, context in reversed(running):
        context.pop()
        close(app)
    if kind == "postgres":
        drop_database(url)


@pytest.fixture
def old(open_installation: Open) -> Installation:
    """The upgraded installation, running."""
    return open_installation()


def in_database(url: str, look: Callable[[sa.Connection], Any]) -> Any:
    """What is seen there."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        return look(connection)


@pytest.fixture
def new(kind: str, tmp_path: Path) -> Iterator[str]:
    """The URL of a new installation of this version."""
    with an_empty(kind, tmp_path) as url:
        migrations.upgrade(url)
        yield url


def every(api: Api, path: str) -> list[dict[str, Any]]:
    """Everything on all pages of that path."""
    found, cursor = [], {}
    while True:
        page = api.get(path, limit=100, **cursor).json
        found += page["data"]
        if not page["nextCursor"]:
            return found
        cursor = {"cursor": page["nextCursor"]}
