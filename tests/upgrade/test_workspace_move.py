"""A workspace with something in every table moves to another server, and is the same there but for its ids.

Of ids it is asked what they name: the first lead of the file is the first lead here. What the columns say of that is
checked once more from outside, in the answers of the API.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from jinja2 import FileSystemBytecodeCache

from app.core.db import Base
from tests.conftest import build, close
from tests.moved import content
from tests.upgrade.conftest import Installation

OTHER_SECRET = "the key of quite another server, made for it"
WORDS = "many words that only two people know"


@pytest.fixture
def server(new: str, compiled: FileSystemBytecodeCache, tmp_path: Path, old: Installation) -> Iterator[Installation]:
    """Another server, with a key and workspaces of its own."""
    folder = tmp_path / "server"
    folder.mkdir()
    app = build(new, folder, compiled, SECRET_KEY=OTHER_SECRET)
    with app.app_context():
        made = Installation(
            app,
            old.env | {"DATABASE_URL": new, "SECRET_KEY": OTHER_SECRET, "OVERTURE_INSTANCE": str(folder)},
            old.known,
        )
        password = "four unrelated quiet words"
        create = ("workspace", "create", "--name", "Host", "--email", "eve@host.example", "--password", password)
        assert made.command(*create, "--sandbox").exit_code == 0
        yield made
    close(app)


@pytest.fixture
def old(old: Installation) -> Installation:
    """The old installation, once what waits there for a service that is gone was given up."""
    engine = sa.create_engine(old.env["DATABASE_URL"], poolclass=sa.NullPool)
    job = Base.metadata.tables["job"]
    with engine.begin() as connection:
        connection.execute(sa.update(job).where(job.c.kind == "enrichment").values(open_key=None, state="failed"))
    return old


def export(old: Installation, name: str, file: Path, *more: object) -> Any:
    """`overture workspace export`."""
    done = old.command("workspace", "export", "--workspace", old.known[name]["workspaceId"], "--to", file, *more)
    assert done.exit_code == 0, done.output
    return done


def take_in(server: Installation, file: Path, *more: object) -> int:
    """`overture workspace import`, when it has ended well: the id of the new workspace."""
    done = server.command("workspace", "import", file, *more)
    assert done.exit_code == 0, done.output
    return int(json.loads(done.stdout.splitlines()[-1])["workspaceId"])


@pytest.mark.parametrize("name", ["harbour", "lighthouse"])
def test_a_moved_workspace_has_the_same_content(
    old: Installation, server: Installation, tmp_path: Path, name: str
) -> None:
    words = tmp_path / "words"
    words.write_text(WORDS + "\n")
    export(old, name, tmp_path / "w", "--passphrase-file", words)
    number = take_in(server, tmp_path / "w", "--passphrase-file", words)
    before = content(old.env["DATABASE_URL"], old.known[name]["workspaceId"])
    after = content(server.env["DATABASE_URL"], number)
    log = [row["kind"] for row in after["audit_entry"]]
    assert log.pop() == "workspace.imported"
    after["audit_entry"].pop()
    for table, rows in before.items():
        assert after[table] == rows, table
