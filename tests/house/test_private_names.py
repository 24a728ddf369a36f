"""No module of the application uses a name that a library marks private with an underscore."""

import ast
import inspect
import pkgutil
from collections.abc import Iterator, Set
from importlib import import_module

import app
from tests.house.ours import ROOT, files, name, nodes

SOURCES = [*files("app"), *sorted((ROOT / "migrations").rglob("*.py")), ROOT / "wsgi.py"]
OURSELVES = ("self", "cls", "super")
# Names that are documented although they begin with an underscore: of named tuples, rows, url_for and type checkers.
DOCUMENTED = {
    *("_asdict", "_fields", "_make", "_replace", "_mapping"),
    *("_anchor", "_external", "_method", "_scheme", "_typeshed"),
}


def private(name: str) -> bool:
    """One underscore or two; special methods and the name that is thrown away are not meant."""
    return name.startswith("_") and name.strip("_") != "" and not name.endswith("_") and name not in DOCUMENTED


def defined(module: list[ast.AST]) -> set[str]:
    """Private names that a module gives itself: functions, classes, variables and attributes of its objects."""
    found = set()
    for node in module:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and root(node) in OURSELVES:
            found.add(node.attr)
    return set(filter(private, found))


def root(node: ast.expr) -> str:
    """The name that a chain of attributes, calls and indexes begins with."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def uses(module: list[ast.AST], inherited: Set[str] = frozenset()) -> Iterator[str]:
    """Every private name that neither this module nor, for `self`, one that it may inherit from defines."""
    own, ours = defined(module), set[str]()
    for node in module:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if any(map(private, alias.name.split("."))))
        elif isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").partition(".")[0] == "app"):
            ours |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            yield from (name for name in names if private(name))
        elif isinstance(node, ast.Call):
            yield from (word.arg for word in node.keywords if word.arg and private(word.arg) and word.arg not in own)
    for node in module:
        if isinstance(node, ast.Attribute) and private(node.attr) and node.attr not in own:
            of_ours = root(node) in ours or (root(node) in OURSELVES and node.attr in inherited)
            if not of_ours:
                yield node.attr


def overridden(kind: type) -> Iterator[str]:
    """Private names of a library's class that this one of ours defines anew."""
    libraries = [base for base in kind.__mro__[1:] if not base.__module__.startswith("app.")]
    found = {each for each in vars(kind) if private(each) and any(each in vars(base) for base in libraries)}
    if found:  # a library may also have put it there
        yield from found & defined(list(ast.walk(ast.parse(inspect.cleandoc(f"\n{inspect.getsource(kind)}")))))


def test_no_private_name_of_a_library_is_used() -> None:
    modules = {path: nodes(path) for path in SOURCES}
    inherited = {each for found in modules.values() for each in defined(found)}
    used = [f"{name(path)}: {each}" for path, found in modules.items() for each in uses(found, inherited)]
    assert used == []


def test_no_private_method_of_a_library_is_overridden() -> None:
    found = []
    for module in pkgutil.walk_packages(app.__path__, "app."):
        for _, kind in inspect.getmembers(import_module(module.name), inspect.isclass):
            if kind.__module__ == module.name and kind.__qualname__ == kind.__name__:
                found += [f"{module.name}.{kind.__name__}: {each}" for each in overridden(kind)]
    assert found == []


def test_every_way_to_use_one_is_seen_and_our_own_and_documented_names_are_free() -> None:
    for source in [
        "import logging\nlogging._srcfile = None",
        "from flask import current_app\ncurrent_app._get_current_object()",
        "import sqlalchemy as sa\nsa.select(1).subquery()._anything",
        "from sqlalchemy.engine import _py_row",
        "import sqlalchemy._private",
        "def of(statement):\n    return statement._compiled_cache",
        "from waitress import create_server\ncreate_server(1, _dispatcher=2)",
        "from smtplib import SMTP\nclass Client(SMTP):\n    def of(self):\n        return self._host",
    ]:
        assert list(uses(list(ast.walk(ast.parse(source))))), source
    for source in [
        "from app.core import db\ndb._engine()",
        "class Own:\n    def of(self, two):\n        self._one = two._one",
        "def of(row):\n    return row._mapping['id']",
        "from flask import Flask\nFlask.__name__",
    ]:
        assert not list(uses(list(ast.walk(ast.parse(source))))), source
