"""Write `docs/settings.md` and `docs/command-line.md` from the code; with `--check`, only say if they differ."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from app.cli import overture
from app.config import SETTINGS

DOCS = Path(__file__).resolve().parent.parent / "docs"
SETTINGS_PAGE = """# Settings

Configure your server with environment variables. **Settings → Server** shows server admins the main ones in effect.

![The server's version, database, last backup and main settings](pictures/settings.png)

Each setting may also be given as `NAME_FILE`, the path of a file that holds the value.
Overture refuses to start with an unsafe value and says why.

| Setting | Default | Meaning |
|---|---|---|
"""
COMMANDS_PAGE = """# Command line

After `make run`, `.venv/bin/overture` does for scripts what the pages do for people; `--help` lists options.
Commands print JSON or a single value where scripts need it, and exit with status 2 and one sentence when they refuse.

| Command | What it does |
|---|---|
"""


def settings() -> str:
    """Return the page of all settings."""
    return SETTINGS_PAGE + "".join(
        f"| `{setting.name}` | {f'`{setting.default}`' if setting.default else '–'} | {setting.meaning} |\n"
        for setting in SETTINGS
    )


def command_line() -> str:
    """Return the page of all commands."""
    return COMMANDS_PAGE + "".join(f"{row}\n" for row in _commands(overture, "overture"))


def _commands(group: click.Group, name: str) -> Iterator[str]:
    for word, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from _commands(command, f"{name} {word}")
        else:
            needed = [part for each in command.params if each.required and not each.envvar for part in _written(each)]
            yield f"| `{' '.join([name, word, *needed])}` | {command.get_short_help_str(limit=200)} |"


def _written(parameter: click.Parameter) -> list[str]:
    if isinstance(parameter, click.Argument):
        return [parameter.human_readable_name]
    return [parameter.opts[0], parameter.opts[0].removeprefix("--").upper()]


PAGES = {"settings.md": settings, "command-line.md": command_line}


def main(words: list[str]) -> int:
    """Write the pages, or with `--check` return 1 if one is out of date."""
    stale = [name for name, page in PAGES.items() if not (DOCS / name).exists() or (DOCS / name).read_text() != page()]
    for name in stale:
        if "--check" in words:
            print(f"docs/{name} is out of date. Run `make docs`.")
        else:
            (DOCS / name).write_text(PAGES[name]())
    return 1 if stale and "--check" in words else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
