"""Every dependency is imported by the application, or loaded by name by a library, and every import is declared."""

import ast
import re
import sys
import tomllib
from importlib import metadata

from tests.house.ours import ROOT, files, nodes

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
    "jinja2": "flask",
    "markupsafe": "flask",
    "pydantic-core": "pydantic",
    "werkzeug": "flask",
    "wtforms": "flask-wtf",
}


def distribution(requirement: str) -> str:
    """The name in a requirement, in its normal form."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0]).lower()


def imported() -> set[str]:
    """Distributions whose packages `app` and the migrations import."""
    found: set[str] = set()
    for path in [*files("app"), *(ROOT / "migrations").rglob("*.py"), ROOT / "wsgi.py"]:
        for node in nodes(path):
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


def test_what_is_declared_is_imported_and_what_is_imported_is_declared() -> None:
    """By us, by a library that loads it by name, or by the library whose public interface it is a part of."""
    found = imported()
    assert [name for name in DECLARED if (name in found) == (name in LOADED_BY_NAME)] == []
    assert set(LOADED_BY_NAME) <= set(DECLARED)
    assert sorted(found - {*DECLARED, *OPTIONAL, *PART_OF}) == []
    for part, whole in PART_OF.items():
        required = [distribution(each) for each in metadata.requires(whole) or []]
        assert (part in found, whole in DECLARED, part in required) == (True, True, True), part
