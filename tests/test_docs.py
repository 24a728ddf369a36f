"""README and docs say what is true: two commands, every setting and command, links and examples that work."""

import base64
import itertools
import json
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook

from app.domain.installation.sandbox import sandbox_clock
from app.domain.webhooks.events import EVENTS
from app.models.workspaces import Workspace
from tests.support.clients import Api
from tools import pictures, reference

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = {path: path.read_text() for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])}
FILES = re.compile(r"`((?:app|static|templates|tests|tools|migrations)/[\w./-]+)`")
LINKS = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def section(title: str) -> str:
    """Return the text of README under that heading."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)
    assert found, f"README has no section {title}"
    return found[1]


def test_readme_is_read_in_one_sitting() -> None:
    assert len(README.splitlines()) <= 120


def test_two_commands_set_everything_up() -> None:
    assert re.findall(r"^```sh\n(.*?)^```", section("Two commands"), re.MULTILINE | re.DOTALL) == [
        "make run\nmake test\n"
    ]
    for command in ("pip install", "apt", "brew", "playwright install", "git clone", "uv sync", "npm"):
        assert not re.search(rf"^\s*(sudo )?{command}", README, re.MULTILINE), f"README asks for {command}"


def test_every_setting_and_command_is_documented_and_no_other() -> None:
    for name, made in reference.PAGES.items():
        assert (ROOT / "docs" / name).read_text() == made(), "Run `make docs`."


def test_files_links_and_make_targets_that_docs_name_exist() -> None:
    """And every page of docs is linked from the README."""
    assert [name for text in PAGES.values() for name in FILES.findall(text) if not (ROOT / name).exists()] == []
    links = [(path, link) for path, text in PAGES.items() for link in LINKS.findall(text)]
    assert [f"{path.name}: {link}" for path, link in links if not (path.parent / link).exists()] == []
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {target for text in PAGES.values() for target in re.findall(r"`make ([a-z]+)", text)} <= targets
    linked = set(re.findall(r"\]\((docs/[\w-]+\.md)\)", README))
    assert linked == {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}


def test_every_picture_is_taken_by_the_tool_small_and_shown_on_one_page() -> None:
    shown = sorted(Path(link).stem for text in PAGES.values() for link in LINKS.findall(text) if link.endswith(".png"))
    files = [*pictures.TARGET.iterdir()]
    assert shown == sorted(file.stem for file in files) == sorted(pictures.PICTURES)
    assert [file.name for file in files if file.stat().st_size > 150_000] == []


def test_the_taste_of_the_api_works_as_written(api: Api, acme: Workspace) -> None:
    example = re.search(r"^```sh\n(.*?)^```", section("A taste of the API"), re.MULTILINE | re.DOTALL)
    assert example
    calls = re.split(r"^(?=curl |\w+=\$\(curl |\.venv)", example[1], flags=re.MULTILINE)[1:]
    assert len(calls) > 3
    ids: dict[str, str] = {}
    for line in calls:
        kept = re.fullmatch(r"(?:(\w+)=\$\()?(.+?)(?: \| id\))?\n", line, re.DOTALL)
        assert kept
        call = shlex.split(re.sub(r"'?\$([A-Z]+)\b'?", lambda name: ids.get(name[1], f"${name[1]}"), kept[2]))
        if call[0] == ".venv/bin/overture":
            sandbox_clock.advance(acme, int(call[call.index("--hours") + 1]))
            continue
        options = {flag: value for flag, value in itertools.pairwise(call) if flag in ("-d", "-X")}
        address = next(part for part in call if part.startswith("$URL/")).removeprefix("$URL/")
        method = options.get("-X", "POST" if "-d" in options else "GET")
        answer = api.call(method, address, json=json.loads(options.get("-d", "null")))
        assert answer.status_code < 300, f"{method} {address}: {answer.get_data(as_text=True)}"
        if kept[1]:
            found = re.search(r'"id": ?(\d+)', answer.text)
            assert found
            ids[kept[1]] = found[1]
    assert answer.json
    assert [one["lead"]["publicId"] for one in answer.json["data"]] == ["ada-lovelace"]


def test_the_calls_of_the_recipes_work_as_written(api: Api, acme: Workspace) -> None:
    """A person comes into a list, and is never written to again; a running campaign would take in the list."""
    recipes = (ROOT / "docs/recipes.md").read_text()
    person, whole_list, never = (
        json.loads(body) for body in re.findall(r"^```json\n(.*?)^```", recipes, re.MULTILINE | re.DOTALL)
    )
    people = api.post("lists", {"name": "From a form"}).json["id"]
    assert whole_list == {"listId": 12}
    assert api.post(f"lists/{people}/leads", person).json["added"] == 1
    assert api.post("never-contact", never).json["added"] == 1


def test_the_recipe_believes_what_overture_sent_and_nothing_else() -> None:
    code = re.search(r"^```python\n(.*?)^```", (ROOT / "docs/recipes.md").read_text(), re.MULTILINE | re.DOTALL)
    assert code
    secret, at, body = base64.b64encode(b"k" * 32).decode(), datetime.now(UTC), '{"type": "message_reply"}'
    sent = {"id": "evt_1", "time": str(int(at.timestamp())), "body": body, "secret": secret}
    right = Webhook(f"whsec_{secret}").sign("evt_1", at, body)
    space: dict[str, Any] = {"input_data": {**sent, "signature": f"v1,{'A' * 43}= {right}"}}
    exec(code[1], space)
    assert space["output"] == {"type": "message_reply"}
    with pytest.raises(ValueError, match="not sent by Overture"):
        exec(code[1], {"input_data": {**sent, "signature": right, "body": "{}"}})


def test_the_table_of_events_has_every_event_once() -> None:
    (table,) = re.findall(r"^\| Event \|.*\n\|[-|]+\n((?:\|.*\n)+)", (ROOT / "docs/api.md").read_text(), re.MULTILINE)
    named = [name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(named) == sorted(EVENTS)
