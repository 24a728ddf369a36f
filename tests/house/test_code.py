"""What can be read in one sitting: modules, functions, scripts and style sheets; and every module says its purpose."""

import ast
import re

from tests.house.ours import ROOT, at, files, functions, name, text

MOST_LINES, MOST_LINES_OF_A_FUNCTION, LONGEST_LINE = 600, 60, 160
PLAIN_OBJECT = re.compile(r"= ?\{\}[;,)]|Object\.assign\([^)]*JSON\.parse")
STYLES, TEMPLATES = sorted((ROOT / "static/css").rglob("*.css")), sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static/js").glob("*.js"))


def test_no_module_is_too_long_and_each_says_what_it_is_about() -> None:
    """A generous bound: a long module is split by meaning, into the package of its feature."""
    lengths = {name(path): len(text(path).splitlines()) for path in files("app")}
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}
    silent = [name(path) for path in files("app") if not ast.get_docstring(ast.parse(text(path)))]
    assert silent == []


def test_no_function_is_too_long() -> None:
    lengths = {
        at(path, node): (node.end_lineno or 0) - node.lineno for path in files("app") for node in functions(path)
    }
    assert [place for place, length in lengths.items() if length >= MOST_LINES_OF_A_FUNCTION] == []


def test_lines_of_templates_and_style_sheets_are_short_enough_to_read_in_a_diff() -> None:
    """A line of a style sheet holds one rule; the media query around a rule may share its line."""
    sheets = [*TEMPLATES, *STYLES]
    lines = [(path, number, line) for path in sheets for number, line in enumerate(text(path).splitlines(), 1)]
    assert [f"{name(path)}:{number}" for path, number, line in lines if len(line) > LONGEST_LINE] == []
    styles = [(path, number, line) for path, number, line in lines if path in STYLES]
    assert styles
    assert [
        f"{name(path)}:{number}" for path, number, line in styles if line.count("}") > 1 + line.lstrip().startswith("@")
    ] == []


def test_every_template_that_is_named_is_there() -> None:
    """A page that only htmx asks for in parts is seldom opened whole, so nobody would see that its template is gone."""
    named = {one for path in files("app") for one in re.findall(r'"([a-z_]+/[\w/]+\.html)"', text(path))}
    named |= {
        one for path in TEMPLATES for one in re.findall(r'\{%-? *(?:include|import|extends|from) "([^"]+)"', text(path))
    }
    there = {str(path.relative_to(ROOT / "templates")) for path in TEMPLATES}
    assert len(named) > 100
    assert named - there == set()


def test_no_script_keeps_names_in_a_plain_object() -> None:
    """A name such as `__proto__` would change every object: a Map, or an object without a prototype, holds names."""
    assert SCRIPTS
    assert [path.name for path in SCRIPTS if PLAIN_OBJECT.search(text(path))] == []


def test_every_class_of_a_page_is_known_to_a_style_a_script_or_a_test() -> None:
    """A class that nothing knows is a slip, such as a distance that nobody sees."""
    styles, scripts = (_all_of("static", kind) for kind in ("*.css", "*.js"))
    known = {*re.findall(r"\.([A-Za-z][\w-]*)", styles), *re.findall(r"[\w-]+", scripts + _all_of("tests", "*.py"))}
    told = re.findall(r'class="([^"{}]+)"', _all_of("templates", "*.html"))
    written = {name for names in told for name in names.split()}
    assert len(written) > 100
    assert written - known == set()


def _all_of(folder: str, kind: str) -> str:
    return "\n".join(text(path) for path in sorted((ROOT / folder).rglob(kind)))
