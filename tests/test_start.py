"""One file of tests starts soon, because it loads only what it asks for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLUGIN = """
import pathlib, sys

def pytest_unconfigure(config):
    pathlib.Path(config.getoption("--loaded")).write_text("\\n".join(sys.modules))

def pytest_addoption(parser):
    parser.addoption("--loaded")
"""
PURE, WITH_A_DATABASE = "tests/domain/rules/test_limits.py", "tests/domain/leads/test_tags.py"
NEVER = {
    "alembic",
    "anyio",
    "app.api.framework.openapi",
    "hypothesis",
    "lxml",
    "playwright",
    "psycopg",
    "schemathesis",
    "time_machine",
    "trafilatura",
}
WITHOUT_A_DATABASE = {"app.api", "app.domain.webhooks", "app.pages", "app.providers", "pydantic", "requests", "sqlite3"}


def run(file: str, folder: Path) -> set[str]:
    """Run that file as a developer would, and return the modules that were loaded."""
    (folder / "says_what_is_loaded.py").write_text(PLUGIN)
    loaded = folder / "loaded"
    command = [sys.executable, "-m", "pytest", "-q", file, "-p", "says_what_is_loaded", "--loaded", loaded]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [*command, "-o", f"cache_dir={folder / 'cache'}"],
        cwd=ROOT,
        env=env | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return set(loaded.read_text().splitlines())


@pytest.mark.parametrize("file", [PURE, WITH_A_DATABASE])
def test_a_file_of_tests_loads_no_tool_that_it_does_not_ask_for(file: str, tmp_path: Path) -> None:
    """The first run migrates a database; the later ones copy it."""
    if file == WITH_A_DATABASE:
        assert "alembic" in run(file, tmp_path)
    assert run(file, tmp_path) & NEVER == set()


def test_a_rule_is_tested_without_pages_endpoints_and_providers(tmp_path: Path) -> None:
    assert run(PURE, tmp_path) & WITHOUT_A_DATABASE == set()
