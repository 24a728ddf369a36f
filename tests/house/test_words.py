"""Words: texts for people use plain words, on pages, in errors, on the command line and in the API description."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RIDDLES = re.compile(r"\b(whoever|whom|somebody|nobody|everybody)\b", re.IGNORECASE)
# Messages to leads, replies of sandbox people and prompts: prose of its own, in the words of ordinary letters.
LETTERS = (ROOT / "app/providers/writer", ROOT / "app/providers/sandbox/texts.py")
CODE = sorted(path for path in (ROOT / "app").rglob("*.py") if not any(path.is_relative_to(one) for one in LETTERS))
TEMPLATES = sorted(path for path in (ROOT / "templates").rglob("*") if path.is_file())
# Their docstrings are read by callers: the OpenAPI document and the help of commands are made from them.
PUBLISHED = re.compile(r"app/(api/\w+|resources/\w+|cli)\.py")

JINJA_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
JINJA = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
QUOTED = re.compile(r'"([^"]*)"|\'([^\']*)\'')
READ_ATTRIBUTE = re.compile(r'\b(?:aria-label|aria-description|title|alt|placeholder)="([^"]*)"')
TAG = re.compile(r"<[^>]*>")


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def texts_of_code(source: str, published: bool) -> Iterator[tuple[int, str]]:
    """Yield the line and text of every phrase in Python source, with docstrings where they are published."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            continue
        if (published or id(node) not in docstrings) and " " in node.value:
            yield node.lineno, node.value


def texts_of_template(source: str) -> Iterator[str]:
    """Yield the text of a template: between tags, in read attributes, and phrases in Jinja expressions."""
    source = JINJA_COMMENT.sub(" ", source)
    for block in JINJA.findall(source):
        yield from (text for pair in QUOTED.findall(block) for text in pair if " " in text)
    plain = JINJA.sub(" ", source)
    yield from READ_ATTRIBUTE.findall(plain)
    yield TAG.sub(" ", plain)


@pytest.mark.parametrize("path", CODE, ids=_name)
def test_texts_in_code_have_no_riddles_of_pronouns(path: Path) -> None:
    published = PUBLISHED.fullmatch(_name(path)) is not None
    found = texts_of_code(path.read_text(encoding="utf-8"), published)
    assert [f"{_name(path)}:{line}: {text}" for line, text in found if RIDDLES.search(text)] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=_name)
def test_templates_have_no_riddles_of_pronouns(path: Path) -> None:
    found = texts_of_template(path.read_text(encoding="utf-8"))
    assert [text.strip() for text in found if RIDDLES.search(text)] == []


def test_the_lint_sees_errors_phrases_and_published_docstrings() -> None:
    source = '"""Whoever calls."""\nraise NotFound(f"{name}: nobody is here.", recovery="Ask somebody else.")\n'
    hidden = [text for _, text in texts_of_code(source, published=False) if RIDDLES.search(text)]
    assert hidden == [": nobody is here.", "Ask somebody else."]
    assert "Whoever calls." in [text for _, text in texts_of_code(source, published=True)]


def test_the_lint_sees_what_a_template_shows() -> None:
    source = '{# whom #}<p id="whom" title="For whom">Nobody {{ empty("Ask everybody here", nobody) }}</p>'
    found = [text.strip() for text in texts_of_template(source) if RIDDLES.search(text)]
    assert found == ["Ask everybody here", "For whom", "Nobody"]
