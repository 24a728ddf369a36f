"""What can be read in one sitting, and fails aloud."""

import ast
import re

from tests.house.ours import ROOT, at, files, functions

MOST_LINES, MOST_LINES_OF_A_FUNCTION = 600, 60
PLAIN_OBJECT = re.compile(r"= ?\{\}[;,)]|Object\.assign\([^)]*JSON\.parse")
CATCHES_ALL = re.compile(r"except\s*(:|[(\s]*(Base)?Exception\b)")  # files with nothing like it need not be parsed


def test_no_module_is_too_long() -> None:
    """A generous bound: a long module is split by meaning, into the package of its feature."""
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in files("app")}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_no_function_is_too_long() -> None:
    """Tests are functions too."""
    long = [
        at(path, node)
        for path in files()
        for node in functions(path)
        if (node.end_lineno or 0) - node.lineno >= MOST_LINES_OF_A_FUNCTION
    ]
    assert long == []


def test_no_failure_is_swallowed() -> None:
    """An `except` that catches everything does something with it."""
    swallowed = [
        at(path, node)
        for path in files()
        if CATCHES_ALL.search(text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
        and all(isinstance(statement, ast.Pass | ast.Continue) for statement in node.body)
    ]
    assert swallowed == []


def test_no_script_keeps_names_in_a_plain_object() -> None:
    """A name such as `__proto__` would change every object: a Map, or an object without a prototype, holds names."""
    scripts = sorted((ROOT / "static/js").glob("*.js"))
    assert scripts
    assert [path.name for path in scripts if PLAIN_OBJECT.search(path.read_text())] == []


def test_every_class_of_a_page_is_known_to_a_style_a_script_or_a_test() -> None:
    """A class that nothing knows is a slip, such as a distance that nobody sees."""
    styles, scripts = (_all_of("static", kind) for kind in ("*.css", "*.js"))
    known = {*re.findall(r"\.([A-Za-z][\w-]*)", styles), *re.findall(r"[\w-]+", scripts + _all_of("tests", "*.py"))}
    told = re.findall(r'class="([^"{}]+)"', _all_of("templates", "*.html"))
    written = {name for names in told for name in names.split()}
    assert len(written) > 100
    assert written - known == set()


def _all_of(folder: str, kind: str) -> str:
    return "\n".join(path.read_text() for path in sorted((ROOT / folder).rglob(kind)))
