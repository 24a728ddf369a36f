"""Every icon that a template or a table names is in the sprite: a missing one shows as nothing at all."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, nodes

from app.pages.approvals.wording import FACTS
from app.pages.home.search import COLOURS
from app.pages.leads.lead import LOOKS
from app.pages.leads.signals import ICONS

ROOT = Path(__file__).parents[3]
SPRITE = set(re.findall(r'<symbol id="([\w-]+)"', (ROOT / "static/icons.svg").read_text()))
MODULES = [(path, ast.parse(path.read_text())) for path in sorted((ROOT / "app").rglob("*.py"))]
TABLES = {
    "facts of a draft": set(FACTS.values()),
    "colours": {icon for _, _, icon in COLOURS},
    "moments of a lead": {icon for icon, _ in LOOKS.values()},
    "signals": set(ICONS.values()),
}


def _places() -> dict[str, int]:
    """Where each dataclass of ours that has an icon takes it."""
    found: dict[str, int] = {}
    for _, tree in MODULES:
        for made in ast.walk(tree):
            if isinstance(made, ast.ClassDef):
                fields = [one.target for one in made.body if isinstance(one, ast.AnnAssign)]
                names = [field.id for field in fields if isinstance(field, ast.Name)]
                if "icon" in names:
                    found[made.name] = names.index("icon")
    return found


def _given(tree: ast.Module, places: dict[str, int]) -> Iterator[ast.expr]:
    """What is given as an icon: by place, by name, or under the key of a dict."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from (one.value for one in node.keywords if one.arg == "icon")
            if isinstance(node.func, ast.Name) and node.func.id in places:
                yield from node.args[places[node.func.id] : places[node.func.id] + 1]
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            yield from (value for key, value in pairs if isinstance(key, ast.Constant) and key.value == "icon")


def _words(given: ast.expr) -> Iterator[str]:
    if isinstance(given, ast.IfExp):
        yield from (*_words(given.body), *_words(given.orelse))
    elif isinstance(given, ast.Constant) and isinstance(given.value, str):
        yield given.value


def in_code() -> set[str]:
    """Every icon named where a module makes something that has one."""
    places = _places()
    return {word for _, tree in MODULES for given in _given(tree, places) for word in _words(given)}


def _shown(given: nodes.Expr | None) -> Iterator[str]:
    """Every string that the expression may be."""
    match given:
        case nodes.Const(value=str(word)):
            yield word
        case nodes.CondExpr():
            yield from (*_shown(given.expr1), *_shown(given.expr2))
        case nodes.Or():
            yield from (*_shown(given.left), *_shown(given.right))
        case nodes.Dict():
            yield from (word for pair in given.items for word in _shown(pair.value))
        case nodes.Getitem():
            yield from _shown(given.node)
        case nodes.Call(node=nodes.Getattr(attr="get", node=table)):
            yield from (*_shown(table), *(word for one in given.args[1:] for word in _shown(one)))


def in_template(source: str) -> set[str]:
    """Every icon named in a template: what `icon(…)` draws, and what macros are given as `icon` or `after`."""
    found: set[str] = set(re.findall(r"icons\.svg'\) }}#([\w-]+)\"", source))
    for call in Environment(autoescape=True, extensions=["jinja2.ext.do"]).parse(source).find_all(nodes.Call):
        name = getattr(call.node, "attr", getattr(call.node, "name", ""))
        if name in ("icon", "_icon", "glyph"):
            found.update(_shown(call.args[0]))
        for keyword in call.kwargs:
            if keyword.key in ("icon", "after"):
                found.update(_shown(keyword.value))
    return found - {""}


def test_every_icon_that_is_named_is_in_the_sprite() -> None:
    templates = {path.name: in_template(path.read_text()) for path in (ROOT / "templates").rglob("*.html")}
    code = in_code()
    assert {"user-plus", "undo-2", "house"} <= code
    named = templates | TABLES | {"code": code}
    assert {place: missing for place, icons in named.items() if (missing := icons - SPRITE)} == {}
