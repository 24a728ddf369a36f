"""Our own files, for the rules of the house."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = {
    "app": "*.py",
    "tests": "*.py",
    "clients/python": "*.py",
    "tools": "*.py",
}
GENERATED = ROOT / "clients" / "python" / "overture_client" / "core"
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def files(*folders: str) -> list[Path]:
    """Return our own files of those folders, of all of them by default."""
    held = (path for folder in folders or OURS for path in (ROOT / folder).rglob(OURS[folder]))
    found = sorted(path for path in held if not path.is_relative_to(GENERATED))
    assert len(found) > 10, "There must be something to check."
    return found


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function and method of a file; only what holds statements is looked into."""
    waiting: list[ast.AST] = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        waiting += [each for name in BLOCKS for each in getattr(node, name, ())]


def at(path: Path, node: ast.stmt | ast.ExceptHandler) -> str:
    """Return where it is, as editors write it."""
    return f"{path.relative_to(ROOT)}:{node.lineno}"
