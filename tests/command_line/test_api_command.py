"""`overture api`: the API for shells, against a running server."""

import json
from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from app.api_command import Server, address
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


def test_a_thing_is_made_read_changed_and_deleted(command: Command) -> None:
    """Each answer is one line of JSON; a delete prints nothing."""
    made = json.loads(command("post", "/v1/lists", "--data", '{"name": "Gründer"}').stdout)
    path = f"/v1/lists/{made['id']}"
    assert "Gründer" in command("get", path).stdout
    assert json.loads(command("patch", path, "-d", '{"name": "Founders"}').stdout)["name"] == "Founders"
    deleted = command("delete", path)
    assert (deleted.exit_code, deleted.stdout) == (0, "")


def test_all_prints_every_page_one_thing_per_line(command: Command) -> None:
    """In the order of the pages, with any filters."""
    for number in range(5):
        command("post", "lists", "-d", json.dumps({"name": f"List {number}"}))
    lines = command("get", "/v1/lists", "--all", "--query", "limit=2").stdout.splitlines()
    assert [json.loads(line)["name"] for line in lines] == [f"List {number}" for number in (4, 3, 2, 1, 0)]
    assert len(json.loads(command("get", "lists?limit=2").stdout)["data"]) == 2


def test_a_body_comes_from_a_file_or_stdin(command: Command, tmp_path_factory: pytest.TempPathFactory) -> None:
    """`@FILE` and `@-`; what can't be read or is no JSON is a sentence."""
    file = tmp_path_factory.mktemp("bodies") / "list.json"
    file.write_text('{"name": "From a file"}')
    assert "From a file" in command("post", "lists", "-d", f"@{file}").stdout
    assert "From stdin" in command("post", "lists", "-d", "@-", stdin='{"name": "From stdin"}').stdout
    missing = command("post", "lists", "-d", f"@{file}.gone")
    assert (missing.exit_code, "can't be read" in missing.stderr) == (2, True)
    broken = command("post", "lists", "-d", "{name}")
    assert (broken.exit_code, "is not JSON" in broken.stderr) == (2, True)


def test_a_file_is_printed_as_it_is(command: Command) -> None:
    """Such as people as CSV."""
    made = json.loads(command("post", "lists", "-d", '{"name": "Founders"}').stdout)
    assert command("get", f"lists/{made['id']}/leads.csv").stdout.startswith("\ufeffprofileUrl,")


def test_a_key_of_ones_own_repeats_a_post(command: Command) -> None:
    """With one effect."""
    for _ in range(2):
        command("post", "lists", "-d", '{"name": "Once"}', "--idempotency-key", "once")
    assert len(command("get", "lists", "--all").stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["get", f"/v1/lists/{MAX_ID}"], "(not_found, req_"),
        (["post", "lists", "-d", '{"name": " "}'], "name: "),
        (["get", "/v1/me", "--all"], "Leave out --all."),
        (["get", "lists", "-q", "limit"], "NAME=VALUE"),
        (["get", "lists", "--key", "ovt_live_wrong"], "(unauthorized, req_"),
    ],
)
def test_what_is_refused_ends_with_status_2_and_a_sentence(command: Command, arguments: list[str], said: str) -> None:
    refused = command(*arguments)
    assert (refused.exit_code, refused.stdout, len(refused.stderr.splitlines())) == (2, "", 1)
    assert said in refused.stderr


def test_no_answer_ends_with_status_3(command: Command) -> None:
    """The same command may work later."""
    silent = command("get", "lists", "--url", "http://127.0.0.1:1")
    assert (silent.exit_code, "No answer from http://127.0.0.1:1" in silent.stderr) == (3, True)


def test_a_busy_server_is_asked_again_with_the_same_key(httpserver: HTTPServer) -> None:
    """And a change by PATCH is not, when its answer was lost."""
    keys = []

    def busy_once(request: Request) -> Response:
        keys.append(request.headers["Idempotency-Key"])
        later = {"Retry-After": "0"}
        return Response("{}", 201 if len(keys) > 1 else 429, later, content_type="application/json")

    httpserver.expect_request("/v1/lists").respond_with_handler(busy_once)
    assert Server(httpserver.url_for(""), "key").call("POST", "lists", body={}).status_code == 201
    assert len(keys) == 2
    assert len({*keys}) == 1


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("campaigns", "/v1/campaigns"),
        ("/campaigns?status=running", "/v1/campaigns?status=running"),
        ("v1/lists/7", "/v1/lists/7"),
        ("openapi.json", "/v1/openapi.json"),
    ],
)
def test_a_path_may_leave_out_v1(given: str, meant: str) -> None:
    assert address(given) == meant
