"""What every test may ask for: a database, the application on it, a clock, two workspaces, clients, a live server.

Modules are imported where a fixture needs them, so that the tests of one rule load one rule.
"""

from __future__ import annotations

import gc
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.config import SETTINGS
from tests import databases
from tests.support.movable import Movable
from tests.support.times import pytest_terminal_summary  # noqa: F401 pytest finds it here

if TYPE_CHECKING:
    from flask import Flask

    from app.models.workspaces import Workspace
    from tests.databases import Database
    from tests.providers.unipile.unipile_server import UnipileServer
    from tests.support.clients import Api, Client

HERE = Path(__file__).parent
ON_REQUEST = ("attack", "bench", "chaos", "deploy", "integrators", "kills", "mail", "simulation", "upgrade")
PASSWORD = "four unrelated quiet words"

# As the server has it (app/serve.py): to look for garbage after every 700 objects takes an eighth of all tests' time.
gc.set_threshold(20_000, 10, 10)

# Hypothesis reads this when it is imported: it then makes up the same input in every run.
if "FUZZ_EXAMPLES" not in os.environ:
    os.environ.setdefault("CI", "true")

# A developer's own settings must not change what the tests see.
for setting in SETTINGS:
    for spelling in (setting.name, setting.name.lower(), setting.name + "_FILE"):
        os.environ.pop(spelling, None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Without `--db` every test runs on SQLite."""
    words = "both: SQLite, and Postgres for files marked `pytest.mark.postgres`; postgres: all on Postgres"
    parser.addoption("--db", choices=(*databases.KINDS, "both"), default="sqlite", help=words)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What `make verify` runs is left out unless a folder or file of it is named."""
    if collection_path.parent == HERE and collection_path.name in ON_REQUEST:
        return not any(collection_path.name in Path(argument).parts for argument in config.args)
    return None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that uses the database runs on SQLite, on Postgres, or once on each."""
    if "database_kind" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--db")
        both = databases.KINDS if metafunc.definition.get_closest_marker("postgres") else ["sqlite"]
        metafunc.parametrize("database_kind", both if chosen == "both" else [chosen], scope="session")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in a browser take longest and begin first, so that no worker waits for one at the end."""
    items.sort(key=lambda item: ("e2e" not in item.path.parts, item.path.stem != "test_every_page"))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Workers copy the databases that the process which starts them has made."""
    chosen = node.config.getoption("--db")
    for kind in databases.KINDS if chosen == "both" else {"sqlite", chosen}:
        databases.template(kind)
    node.workerinput["templates"] = databases.templates


def pytest_configure(config: pytest.Config) -> None:
    databases.templates |= getattr(config, "workerinput", {}).get("templates", {})


@pytest.fixture
def migrated(tmp_path: Path) -> str:
    """The URL of a migrated SQLite file for processes of this test's own."""
    file = shutil.copyfile(databases.template("sqlite"), tmp_path / "overture.db")
    file.chmod(0o600)
    return f"sqlite:///{file}"


@pytest.fixture(scope="session")
def worker_database(database_kind: str) -> Iterator[Database]:
    database = databases.fresh(database_kind)
    yield database
    database.drop()


@pytest.fixture
def database(worker_database: Database) -> Database:
    """A database without a row."""
    worker_database.clean()
    return worker_database


def build(url: str, folder: Path, **settings: Any) -> Flask:
    """The application on that database, with the settings of tests."""
    from argon2 import PasswordHasher

    import tests.support.unruled  # noqa: F401 it lets senders act at once
    from app import create_app
    from app.core import crypto
    from tests.support import templates
    from tests.support.clients import Client

    crypto._passwords = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)  # a strong hash is slow

    usual = {
        "DATABASE_URL": url,
        "SECRET_KEY": "a key for tests, as long as a key must be",
        "BASE_URL": "http://localhost",
        "OVERTURE_INSTANCE": str(folder),
        "OVERTURE_ALLOW_PRIVATE_NETWORK": True,
        "OVERTURE_RATE_LIMIT": "off",
        "OVERTURE_THREADS": 64,  # room enough for every test of a worker; how requests wait has tests of its own
        "OVERTURE_LOG_LEVEL": "error",
        "OVERTURE_SCHEDULER": False,
    }
    app = create_app(**(usual | settings))
    app.testing = True
    app.test_client_class = Client
    templates.prepare(app)
    _reset(app)
    return app


def _reset(app: Flask) -> None:
    """What a process has once follows this application, and forgets the tests before."""
    from app import follow, ports
    from app.core.actor import SYSTEM, actor
    from app.domain.platform import audit_heads, rate_limits, request_log
    from tests.support.names import EveryDomain

    actor.set(SYSTEM)
    follow(app.config)
    ports.domain_records.connect(EveryDomain())
    audit_heads.use(None)  # another database stands at the same address, which lacks what the one before had
    request_log.reset()
    rate_limits.reset()


@pytest.fixture(scope="session")
def worker_app(worker_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The application of this worker, because making one takes longer than most tests."""
    app = build(worker_database.url, tmp_path_factory.mktemp("instance"))
    yield app
    close(app)


@pytest.fixture(scope="module")
def build_app(worker_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Flask]]:
    """Makes an application for all tests of a file, which has views or settings of its own."""
    made: list[Flask] = []

    def make(**settings: Any) -> Flask:
        made.append(build(worker_database.url, tmp_path_factory.mktemp("instance"), **settings))
        return made[-1]

    yield make
    for app in made:
        close(app)


@pytest.fixture
def make_app(database: Database, build_app: Callable[..., Flask]) -> Callable[..., Flask]:
    """Makes the application with other settings: `make_app(OVERTURE_RATE_LIMIT="on")`."""
    return build_app


@pytest.fixture
def app(worker_app: Flask, database: Database) -> Iterator[Flask]:
    """The application, with its context entered, so that verbs can be called. Whoever changes it asks for `make_app`.

    A file whose application differs has a `worker_app` of its own. What tests before did to it is undone.
    """
    folder = Path(worker_app.config["OVERTURE_INSTANCE"])
    if any(folder.iterdir()):
        shutil.rmtree(folder)
        folder.mkdir()
    _reset(worker_app)
    with worker_app.app_context():
        yield worker_app


def close(app: Flask) -> None:
    """Nothing of it is connected any more, so that the database can be put back."""
    from app.core.db import db

    with app.app_context():
        db.engine.dispose()


@pytest.fixture
def client(app: Flask) -> Client:
    """A browser without a screen, signed out."""
    from tests.support.clients import Client

    client = app.test_client()
    assert isinstance(client, Client)
    return client


@pytest.fixture
def clock() -> Iterator[Movable]:
    """A clock that stands at Monday 2 March 2026, 09:00 UTC, until `clock.to(…)` or `clock.forward(hours=1)`."""
    from app.core import clock as time

    movable = Movable(datetime(2026, 3, 2, 9, tzinfo=UTC))
    time.use(movable)
    yield movable
    time.use(None)


@pytest.fixture
def servers(post: Any, clock: Movable) -> Iterator[Any]:
    """The running servers of the mailbox that a file's `post` describes."""
    from tests.providers.mail.mailservers import Servers

    running = Servers(post)
    yield running
    running.close()


def _entering(name: str, email: str) -> Workspace:
    from app.domain.workspace import workspaces
    from tests.support.unruled import unruled

    return unruled(workspaces.create(name, email, PASSWORD, sandbox=True))


@pytest.fixture
def acme(app: Flask) -> Workspace:
    """Us: a sandbox workspace with two social accounts and a mailbox."""
    return _entering("Acme", "ada@acme.example")


@pytest.fixture
def rival(acme: Workspace) -> Workspace:
    """A stranger with the same things, who must never see or touch ours."""
    return _entering("Rival", "rob@rival.example")


def _script(client: Any, workspace: Workspace) -> Api:
    from app.domain.workspace import api_keys
    from tests.support.clients import Api
    from tests.support.members import owner

    return Api(client, api_keys.create(workspace, "Tests", ["all"], created_by=owner(workspace))[1])


@pytest.fixture
def api(client: Client, acme: Workspace) -> Api:
    """A script of acme's owner, whose key may do everything."""
    return _script(client, acme)


@pytest.fixture
def rival_api(app: Flask, rival: Workspace) -> Api:
    """A script of the stranger's."""
    return _script(app.test_client(), rival)


@pytest.fixture
def there(app: Flask, clock: Movable, request: pytest.FixtureRequest) -> Iterator[UnipileServer]:
    """Unipile, where Ines has an account; a test may choose the generation."""
    from tests.support import networked

    running = networked.server()
    running.generation = getattr(request, "param", "v2")
    yield running
    running.stop()


@pytest.fixture
def live_server(app: Flask) -> Iterator[str]:
    """The address under which the web server of the product serves the application."""
    import waitress

    from app.core.db import end_read

    end_read()
    server = waitress.create_server(app, host="127.0.0.1", port=0, threads=8)
    threading.Thread(target=server.run, daemon=True).start()
    yield f"http://127.0.0.1:{server.effective_port}"
    server.task_dispatcher.shutdown(timeout=120)  # what still runs ends first: it uses the database
    with suppress(OSError):  # a server which closed by itself, out of file descriptors say, has no pipe to be woken by
        server.trigger.pull_trigger(server.close)
