"""Every dependency is imported by the application, or loaded by name by a library, and every import is declared."""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOADED_BY_NAME = {
    "psycopg": "SQLAlchemy loads it for postgresql+psycopg://",
    "tzdata": "zoneinfo reads time zones from it where the system has none",
}
# Libraries that are a part of another's public interface, which says what fits.
PART_OF = {
    "alembic": "flask-migrate",
    "anyio": "mcp",
    "click": "flask",
    "markupsafe": "flask",
    "pydantic-core": "pydantic",
    "werkzeug": "flask",
    "wtforms": "flask-wtf",
}


def distribution(requirement: str) -> str:
    """The name in a requirement, in its normal form."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0]).lower()


@cache
def imported() -> set[str]:
    """Distributions whose packages `app` and the migrations import."""
    found: set[str] = set()
    for path in [*(ROOT / "app").rglob("*.py"), *(ROOT / "migrations").rglob("*.py"), ROOT / "wsgi.py"]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    packages = metadata.packages_distributions()
    libraries = found - sys.stdlib_module_names - {"app", "_typeshed"}  # the last is known to type checkers alone
    return {distribution(name) for library in libraries for name in packages.get(library, [library])}


DECLARED = [distribution(each) for each in PROJECT["dependencies"]]
# What an installation asks for, imported only where it is used.
OPTIONAL = [
    distribution(each)
    for extra, each_of in PROJECT["optional-dependencies"].items()
    if extra != "dev"
    for each in each_of
]


@pytest.mark.parametrize("name", DECLARED)
def test_a_dependency_is_imported_or_loaded_by_name(name: str) -> None:
    assert (name in imported()) != (name in LOADED_BY_NAME)


@pytest.mark.parametrize("name", sorted(imported()))
def test_what_is_imported_is_declared(name: str) -> None:
    if name in PART_OF:
        required = [distribution(each) for each in metadata.requires(PART_OF[name]) or []]
        assert PART_OF[name] in DECLARED
        assert name in required
    else:
        assert name in [*DECLARED, *OPTIONAL]


def test_the_tables_of_this_test_hold_nothing_else() -> None:
    assert set(LOADED_BY_NAME) <= set(DECLARED)
    assert set(PART_OF) <= imported()
