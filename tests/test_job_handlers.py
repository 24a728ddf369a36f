"""Every kind of job that is queued has a handler, and every handler a kind that is queued."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from app.core.installation import ROOT
from app.job_handlers import HANDLERS


def queued(path: Path) -> Iterator[str]:
    """The kinds of the calls `jobs.add(workspace, kind, …)` and `Undoable(kind, …)` in that file."""
    for node in ast.walk(ast.parse(path.read_text())):
        place = {"jobs.add": 1, "Undoable": 0}.get(ast.unparse(node.func)) if isinstance(node, ast.Call) else None
        if place is not None and ast.unparse(node.args[place]) != "self.kind":
            module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
            yield kind(module, node.args[place])


def kind(module: ModuleType, said: ast.expr) -> str:
    """The kind that an argument says: as a string, or as a constant of this module or of one that it imports."""
    if isinstance(said, ast.Constant):
        return str(said.value)
    place: object = module
    for name in ast.unparse(said).split("."):
        place = getattr(place, name)
    return str(place)


def test_each_kind_that_is_queued_has_a_handler_and_each_handler_is_needed() -> None:
    """So a job never waits for a function that no table names."""
    kinds = {one for path in sorted((ROOT / "app").rglob("*.py")) for one in queued(path)}
    assert kinds == set(HANDLERS)
