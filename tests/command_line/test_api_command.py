"""`overture api`: the API for shells, against a running server."""

import json
from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from app.cli import overture
from app.core.db import MAX_ID
from app.models.workspaces import Workspace

Command = Callable[..., Result]


@pytest.fixture
def command(live_server: str, acme: Workspace) -> Command:
    """Runs `overture api …` with a key of acme's."""
    from app.domain.workspace import api_keys

    env = {"OVERTURE_URL": live_server, "OVERTURE_API_KEY": api_keys.create(acme, "Shell", ["all"])[1]}

    def run(*arguments: object, stdin: str | None = None) -> Result:
        return CliRunner().invoke(overture, ["api", *map(str, arguments)], input=stdin, env=env)

    return run


def test_a_thing_is_made_read_changed_and_deleted(command: Command, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each answer is one line of JSON; what is refused ends with status 2, no answer with status 3."""
    made = json.loads(command("post", "/v1/lists", "--data", '{"name": "Gründer"}').stdout)
    path = f"/v1/lists/{made['id']}"
    assert "Gründer" in command("get", path).stdout
    assert json.loads(command("patch", path, "-d", '{"name": "Founders"}').stdout)["name"] == "Founders"
    assert command("get", f"lists/{made['id']}/leads.csv").stdout.startswith("\ufeffprofileUrl,")
    deleted = command("delete", path)
    assert (deleted.exit_code, deleted.stdout) == (0, "")
    file = tmp_path_factory.mktemp("bodies") / "list.json"
    file.write_text('{"name": "From a file"}')
    for _ in range(2):
        command("post", "lists", "-d", f"@{file}", "--idempotency-key", "once")
    command("post", "lists", "-d", "@-", stdin='{"name": "From stdin"}')
    lines = command("get", "/v1/lists", "--all", "--query", "limit=1").stdout.splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["From stdin", "From a file"]
    for arguments, said in (
        (["get", f"/v1/lists/{MAX_ID}"], "(not_found, req_"),
        (["post", "lists", "-d", '{"name": " "}'], "name: "),
        (["post", "lists", "-d", "{name}"], "is not JSON"),
        (["get", "lists", "-q", "limit"], "NAME=VALUE"),
        (["get", "lists", "--key", "ovt_live_wrong"], "(unauthorized, req_"),
    ):
        refused = command(*arguments)
        assert (refused.exit_code, refused.stdout, len(refused.stderr.splitlines())) == (2, "", 1)
        assert said in refused.stderr
    silent = command("get", "lists", "--url", "http://127.0.0.1:1")
    assert (silent.exit_code, "No answer from http://127.0.0.1:1" in silent.stderr) == (3, True)
