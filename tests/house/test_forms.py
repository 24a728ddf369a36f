"""What a page is sent in more than one field is read by a form, which also shows it again with what is wrong."""

import ast

from tests.house.ours import at, files, functions, text


def fields_read(function: ast.AST) -> set[str]:
    """The names that a function reads from `request.form` itself."""
    found = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("request.form.get", "request.form.getlist"):
            found.add(ast.unparse(node.args[0]))
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "request.form":
            found.add(ast.unparse(node.slice))
        elif isinstance(node, ast.Compare) and "request.form" in [ast.unparse(one) for one in node.comparators]:
            found.add(ast.unparse(node.left))
    return found


def test_no_view_reads_two_fields_without_a_form() -> None:
    """A single field may be read directly."""
    pages = [path for path in files("app/pages") if "request.form" in text(path)]
    many = [
        f"{at(path, function)} {function.name}"
        for path in pages
        for function in functions(path)
        if len(fields_read(function)) > 1
    ]
    assert pages
    assert many == []
