"""A workspace with something in every table moves to another server, and is the same there but for its ids.

Of ids it is asked what they name: the first lead of the file is the first lead here.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import Base
from tests.conftest import build, close
from tests.support.clients import Api
from tests.support.moved import content
from tests.upgrade.conftest import Installation, every
from tests.upgrade.test_upgrade import twice

OTHER_SECRET = "the key of quite another server, made for it"
WORDS = "many words that only two people know"


@pytest.fixture
def server(new: str, tmp_path: Path, old: Installation) -> Iterator[Installation]:
    """Another server, with a key and workspaces of its own."""
    folder = tmp_path / "server"
    folder.mkdir()
    app = build(new, folder, SECRET_KEY=OTHER_SECRET)
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


def test_moved_workspaces_have_the_same_content(old: Installation, server: Installation, tmp_path: Path) -> None:
    words = tmp_path / "words"
    words.write_text(WORDS + "\n")
    for name in ("harbour", "lighthouse"):
        export(old, name, tmp_path / name, "--passphrase-file", words)
        number = take_in(server, tmp_path / name, "--passphrase-file", words, "--with-billing")
        before = content(old.env["DATABASE_URL"], old.known[name]["workspaceId"])
        after = content(server.env["DATABASE_URL"], number)
        added = [row["kind"] for row in after["audit_entry"][len(before["audit_entry"]) :]]
        assert added[-1] == "workspace.imported"
        assert {*added[:-1]} <= {"campaign.paused"}
        del after["audit_entry"][-len(added) :]
        paused = after["workspace"][0]["event_sequence"] - before["workspace"][0]["event_sequence"]
        assert [after["event"].pop()["kind"] for _ in range(paused)] == ["campaign_paused"] * paused
        after["workspace"][0]["event_sequence"] -= paused
        assert [table for table, rows in before.items() if after[table] != rows] == []


def test_a_moved_sandbox_sends_nothing_until_a_campaign_is_resumed(
    old: Installation, server: Installation, tmp_path: Path
) -> None:
    """Then it goes on where it was: nothing that was done before is done again."""
    export(old, "harbour", tmp_path / "w")
    number = take_in(server, tmp_path / "w")
    api = key_of(server, number)

    def sent() -> list[Any]:
        return [one for one in every(api, "events") if one["type"].endswith("_sent")]

    assert (before := sent())
    advance = ("sandbox", "advance", "--workspace", number, "--hours")
    assert server.command(*advance, 24 * 10).exit_code == 0
    assert sent() == before
    (running,) = [one["id"] for one in every(api, "campaigns") if one["name"] == "running"]
    assert api.post(f"campaigns/{running}/resume").status_code == 200
    assert server.command(*advance, 24 * 20).exit_code == 0
    after = sent()
    assert len(after) > len(before)
    assert not twice(after, running)
    assert server.command("doctor", "--offline", "--repair").stderr == ""


def key_of(server: Installation, number: int) -> Api:
    """A script of that workspace."""
    made = server.command("key", "create", "--workspace", number, "--name", "Script", "--scopes", "all")
    return Api(server.app.test_client(), made.stdout.split()[-1])  # type: ignore[arg-type]
