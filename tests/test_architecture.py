"""The house rules that a machine can check: directions of imports, sizes, docstrings, and nothing swallowed."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = {
    "app": "*.py",
    "tests": "*.py",
    "tools": "*.py",
    "templates": "*.html",
    "static/css": "*.css",
    "static/js": "*.js",
}
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
NOT_USED = ("service", "manager", "helper", "util", "utils", "helpers", "handler", "data", "info", "process")
MOST_LINES, MOST_LINES_OF_A_FUNCTION = 400, 60
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
CATCHES_ALL = re.compile(r"except\s*(:|[(\s]*(Base)?Exception\b)")  # files with nothing like it need not be parsed


def files(*folders: str) -> list[Path]:
    """Our own files of those folders, of all of them by default."""
    return sorted(path for folder in folders or OURS for path in (ROOT / folder).rglob(OURS[folder]))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a file. Only what holds statements is looked into: the rest is most of a tree."""
    waiting: list[ast.AST] = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        waiting += [each for name in BLOCKS for each in getattr(node, name, ())]


def at(path: Path, node: ast.stmt | ast.ExceptHandler) -> str:
    """Where it is, as editors write it."""
    return f"{path.relative_to(ROOT)}:{node.lineno}"


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    """The modules that an import names."""
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]


def public(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The classes, functions and methods that others may use."""
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body)


def test_there_is_something_to_check() -> None:
    """The rules look at something."""
    assert len(files("app")) > 10
    assert all(path.stat().st_size for path in files("app"))


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


@pytest.mark.parametrize("folder", OURS)
def test_no_file_is_too_long(folder: str) -> None:
    """A file that cannot be read in one sitting is split by meaning."""
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in files(folder)}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_no_function_is_too_long() -> None:
    """Tests are functions too."""
    long = [
        at(path, node)
        for path in files("app", "tests", "tools")
        for node in functions(path)
        if (node.end_lineno or 0) - node.lineno >= MOST_LINES_OF_A_FUNCTION
    ]
    assert long == []


def test_every_module_and_public_name_says_what_it_is() -> None:
    """The first line of a docstring is the documentation."""
    silent = []
    for path in files("app"):
        tree = ast.parse(path.read_text())
        if not ast.get_docstring(tree):
            silent.append(str(path.relative_to(ROOT)))
        silent += [at(path, node) for node in public(tree.body) if not ast.get_docstring(node)]
    assert silent == []


def test_no_failure_is_swallowed() -> None:
    """An `except` that catches everything does something with it."""
    swallowed = [
        at(path, node)
        for path in files("app", "tests", "tools")
        if CATCHES_ALL.search(text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
        and all(isinstance(statement, ast.Pass | ast.Continue) for statement in node.body)
    ]
    assert swallowed == []


def test_modules_are_named_after_things_of_the_specification() -> None:
    """Words that fit anything say nothing."""
    vague = [str(path.relative_to(ROOT)) for path in files("app") if path.stem in NOT_USED]
    assert vague == []


def test_tests_never_wait_for_time_to_pass_nor_replace_our_own_parts() -> None:
    """A clock that can be moved and fakes that ship with the product make both needless."""
    waiting = []
    for path in files("tests"):
        on_request = {"bench", "chaos", "mail"} & {*path.relative_to(ROOT).parts}
        if on_request or path in (Path(__file__), ROOT / "tests" / "postgres.py"):
            continue
        text = path.read_text()
        waiting += [str(path.relative_to(ROOT)) for word in ("sleep(", 'patch("app', "patch('app") if word in text]
    assert waiting == []
