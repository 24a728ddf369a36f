"""What README says is true: two commands, every setting, and nothing named that does not exist."""

import itertools
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from app.cli import overture
from app.config import SETTINGS
from tests.clients import Api

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PATHS = sorted(set(re.findall(r"(?:`|\]\()((?:app|static|templates|tests|tools|migrations)/[\w./-]+)", README)))


def section(title: str) -> str:
    """The text under that heading."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)
    assert found, f"README has no section {title}"
    return found[1]


def rows(text: str) -> list[str]:
    """The rows of the first table, without its head."""
    return [line for line in text.splitlines() if line.startswith("|")][2:]


def test_it_works() -> None:
    """There is something to check."""
    assert README.startswith("# Overture\n")
    assert len(PATHS) > 5


def test_two_commands_set_everything_up() -> None:
    """No third one, anywhere."""
    assert re.findall(r"^```sh\n(.*?)^```", section("Two commands"), re.MULTILINE | re.DOTALL) == [
        "make run\nmake test\n"
    ]
    for command in ("pip install", "apt", "brew", "playwright install", "git clone", "uv sync", "npm"):
        assert not re.search(rf"^\s*(sudo )?{command}", README, re.MULTILINE), f"README asks for {command}"


def test_every_setting_is_documented_and_no_other() -> None:
    """The table is the one of app/config.py."""
    documented = "\n".join(rows(section("Settings")))
    assert documented == "\n".join(
        f"| `{setting.name}` | {f'`{setting.default}`' if setting.default else '–'} | {setting.meaning} |"
        for setting in SETTINGS
    )


def commands(group: click.Group, name: str) -> Iterator[str]:
    """A row for every command, with the options it cannot do without."""
    for word, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {word}")
        else:
            needed = [part for each in command.params if each.required for part in written(each)]
            yield f"| `{' '.join([name, word, *needed])}` | {command.get_short_help_str(limit=200)} |"


def written(parameter: click.Parameter) -> list[str]:
    """How a parameter is typed."""
    if isinstance(parameter, click.Argument):
        return [parameter.human_readable_name]
    return [parameter.opts[0], parameter.opts[0].removeprefix("--").upper()]


def test_every_command_is_documented_and_no_other() -> None:
    """The table is the one of app/cli.py."""
    assert "\n".join(rows(section("Command line"))) == "\n".join(commands(overture, "overture"))


@pytest.mark.parametrize("path", PATHS)
def test_named_files_exist(path: str) -> None:
    """A reader can open what README names."""
    assert (ROOT / path).exists()


def test_the_first_steps_with_the_api_work(api: Api) -> None:
    """Every command of the example, in its order, in a new sandbox workspace."""
    example = re.search(r"^```sh\n(.*?)^```", section("API"), re.MULTILINE | re.DOTALL)
    assert example
    calls = [shlex.split(line) for line in re.split(r"^curl ", example[1], flags=re.MULTILINE)[1:]]
    assert len(calls) > 3
    for call in calls:
        options = {flag: value for flag, value in itertools.pairwise(call) if flag in ("-d", "-X")}
        address = next(part for part in call if part.startswith("$URL/")).removeprefix("$URL/")
        method = options.get("-X", "POST" if "-d" in options else "GET")
        answer = api.call(method, address, json=json.loads(options.get("-d", "null")))
        assert answer.status_code < 300, f"{method} {address}: {answer.get_data(as_text=True)}"


def test_named_make_targets_exist() -> None:
    """As above, for make."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z]+)", README)) <= targets
