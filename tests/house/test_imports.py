"""The web framework stays at the edges, and no module is left behind. The directions are `make lint`'s."""

import ast
import re
from pathlib import Path

from tests.house.ours import ROOT, at, files, nodes, text

EDGES = {
    *("api", "engines", "mcp", "pages"),
    *("__init__.py", "cli.py", "commands.py", "health.py", "load_shedding.py", "metrics.py"),
    *("provider_webhooks.py", "request_ids.py", "serve.py"),
}
FRAMEWORK = re.compile(r"\b(flask|flask_\w+|htmx_flask|werkzeug|wtforms)\b")
# The session is Flask-SQLAlchemy's, and belongs to a context that one of its users may be without.
USE_THE_FRAMEWORK = [
    ROOT / "app/core/db.py",
    ROOT / "app/core/migrations.py",
    ROOT / "app/core/parallel.py",
    ROOT / "app/providers/outbound.py",
]

FOUND_BY_FOLDER = ("app.api.", "app.pages.")
STARTED = ["app.cli"]


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the modules that an import names."""
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]


def test_the_web_framework_stays_at_the_edges() -> None:
    """A verb can be called by anything, so it knows neither requests nor sessions of a browser."""
    inside = [
        at(path, node)
        for path in files("app")
        if path.relative_to(ROOT / "app").parts[0] not in EDGES and path not in USE_THE_FRAMEWORK
        if FRAMEWORK.search(text(path))
        for node in nodes(path)
        if isinstance(node, ast.Import | ast.ImportFrom) and any(FRAMEWORK.match(name) for name in imported(node))
    ]
    assert inside == []


def test_no_module_is_left_behind() -> None:
    """Each is imported by another, started by a program, or found by its folder as pages and endpoints are."""
    found = {path: module_of(path) for path in files("app")}
    reached = {
        name
        for path in found
        for node in nodes(path)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for module in imported(node)
        for name in (module, *(f"{module}.{alias.name}" for alias in node.names))
    }
    modules = [name for path, name in found.items() if path.stem != "__init__"]
    left = [name for name in modules if name not in reached and not name.startswith(FOUND_BY_FOLDER)]
    assert sorted(left) == sorted(STARTED)


def module_of(path: Path) -> str:
    """Return the name under which a file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
