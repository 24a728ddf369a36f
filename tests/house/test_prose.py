"""Every module says what it is about; a function says more only where its name does not."""

import ast

from tests.house.ours import ROOT, files


def test_every_module_says_what_it_is_about() -> None:
    """The first line of a docstring is the documentation."""
    silent = [
        str(path.relative_to(ROOT)) for path in files("app") if not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []
