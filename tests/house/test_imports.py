"""Imports go one way: down the order of the packages, and the web framework stays at the edges."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from tests.house.ours import ROOT, at, files

EDGES = {
    "__init__.py",
    "api",
    "cli.py",
    "context.py",
    "health.py",
    "pages",
    "provider_webhooks.py",
    "refusals.py",
    "request_ids.py",
    "scheduler.py",
    "serve.py",
}
FRAMEWORK = re.compile(r"(flask|flask_\w+|htmx_flask|werkzeug|wtforms)(\.|$)")
# The session is Flask-SQLAlchemy's, and belongs to a context that one of its users may be without.
USE_THE_FRAMEWORK = [ROOT / "app/core/db.py", ROOT / "app/providers/http.py"]


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the modules that an import names."""
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]


def test_imports_follow_the_directions() -> None:
    """The contracts stand in pyproject.toml."""
    linter = Path(sys.executable).with_name("lint-imports")
    answer = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_the_web_framework_stays_at_the_edges() -> None:
    """A verb can be called by anything, so it knows neither requests nor sessions of a browser."""
    inside = [
        at(path, node)
        for path in files("app")
        if path.relative_to(ROOT / "app").parts[0] not in EDGES and path not in USE_THE_FRAMEWORK
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom) and any(FRAMEWORK.match(name) for name in imported(node))
    ]
    assert inside == []
