"""A command starts soon, because it loads only what it runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import processes

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
from app.cli import overture
overture(sys.argv[1:], standalone_mode=False)
print(*sys.modules)
"""
WEB, ENGINE, TABLES = "app.pages", "app.engines.units", "app.models.accounts"


@pytest.mark.parametrize(
    ("command", "never"),
    [
        (["--help"], {WEB, ENGINE, TABLES}),
        (["sandbox", "advance", "--help"], {WEB, ENGINE, TABLES}),
        (["db", "current"], {WEB, ENGINE, TABLES}),
        (["workspace", "list"], {WEB, "app.api"}),
    ],
    ids=lambda words: "-".join(words) if isinstance(words, list) else "",
)
def test_a_command_loads_only_what_it_runs(command: list[str], never: set[str], migrated: str, tmp_path: Path) -> None:
    env = processes.environment(migrated, tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *command], cwd=ROOT, env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    loaded = {*done.stdout.splitlines()[-1].split()}
    assert "app.commands" in loaded
    assert loaded & never == set()
