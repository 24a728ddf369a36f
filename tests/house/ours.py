"""Our own files, for the rules of the house."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = ("app", "tests", "clients/python", "tools")
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
GENERATED = ROOT / "clients" / "python" / "overture_client" / "core"


def text(path: Path) -> str:
    """Return what stands in a file."""
    return path.read_text(encoding="utf-8")


def nodes(path: Path) -> list[ast.AST]:
    """Return every node of a file's syntax tree, the module first."""
    return list(ast.walk(ast.parse(text(path))))


def name(path: Path) -> str:
    """Return the path as it is written in the repository."""
    return str(path.relative_to(ROOT))


def files(*folders: str) -> list[Path]:
    """Return our own files of those folders, of all of them by default."""
    held = (path for folder in folders or OURS for path in (ROOT / folder).rglob("*.py"))
    found = sorted(path for path in held if not path.is_relative_to(GENERATED))
    assert len(found) > 10, "There must be something to check."
    return found


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function and method of a file; only what holds statements is looked into."""
    waiting: list[ast.AST] = [ast.parse(text(path))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        waiting += [each for block in BLOCKS for each in getattr(node, block, ())]


def at(path: Path, node: ast.stmt | ast.ExceptHandler) -> str:
    """Return where it is, as editors write it."""
    return f"{name(path)}:{node.lineno}"
