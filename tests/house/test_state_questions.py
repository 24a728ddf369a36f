"""Whether something may be done is asked of its state machine: a template shows a button for a move, not for a status.

A comparison with a status may choose a word, a colour or a heading. A button, a link that looks like one or a form
depends on `moves` or on a plainly named property, so that page and verb cannot disagree.
"""

import re
from collections.abc import Iterator

from flask import Flask
from jinja2 import nodes

from tests.house.ours import ROOT

CONTROLS = {"action", "button", "opener", "confirm", "menu"}
MARKUP = re.compile(r"<(button|form)\b|class=\"[^\"]*\bbtn\b")
STATUS = re.compile(r"(^|_)(status|state)$")


def asks_a_status(test: nodes.Node) -> bool:
    """Whether the condition compares a status with words."""
    for comparison in [test, *test.find_all(nodes.Compare)]:
        if isinstance(comparison, nodes.Compare) and comparison.find(nodes.Const):
            sides = [comparison.expr, *(operand.expr for operand in comparison.ops)]
            if any(STATUS.search(side.attr) for side in sides if isinstance(side, nodes.Getattr)):
                return True
    return False


def offers_a_button(branch: nodes.Node) -> bool:
    """Whether the branch shows a control, by a macro or as markup."""
    calls = [call.node for call in [branch, *branch.find_all(nodes.Call)] if isinstance(call, nodes.Call)]
    named = any(isinstance(node, nodes.Getattr) and node.attr in CONTROLS for node in calls)
    return named or any(MARKUP.search(data.data) for data in branch.find_all(nodes.TemplateData))


def decisions(tree: nodes.Template) -> Iterator[int]:
    """The lines at which a status decides whether a control is shown."""
    for one in tree.find_all((nodes.If, nodes.CondExpr)):
        if isinstance(one, nodes.If):
            branches = [*one.body, *one.else_, *(node for other in one.elif_ for node in other.body)]
        else:
            branches = [one.expr1, *([one.expr2] if one.expr2 else [])]
        if asks_a_status(one.test) and any(map(offers_a_button, branches)):
            yield one.lineno


def test_no_template_decides_a_button_by_a_status(app: Flask) -> None:
    """Ask `moves`, which the verb's own machine answers."""
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for line in decisions(app.jinja_env.parse(path.read_text()))
    ]
    assert found == []
