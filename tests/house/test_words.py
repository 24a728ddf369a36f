"""Words: texts for people use plain words, on pages, in errors, on the command line and in the API description."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.ours import ROOT, files, name, nodes, text

RIDDLES = re.compile(r"\b(whoever|whom|somebody|nobody|everybody)\b", re.IGNORECASE)
# Messages to leads, replies of sandbox people and prompts: prose of its own, in the words of ordinary letters.
LETTERS = (ROOT / "app/providers/writer", ROOT / "app/providers/sandbox/texts.py")
# Their docstrings are read by callers: the OpenAPI document and the help of commands are made from them.
PUBLISHED = re.compile(r"app/(api/\w+|resources/\w+|cli)\.py")
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

JINJA_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
JINJA = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
QUOTED = re.compile(r'"([^"]*)"|\'([^\']*)\'')
READ_ATTRIBUTE = re.compile(r'\b(?:aria-label|aria-description|title|alt|placeholder)="([^"]*)"')
TAG = re.compile(r"<[^>]*>")


def texts_of_code(path: Path) -> Iterator[str]:
    """Yield every phrase in a Python file, with docstrings where they are published."""
    published, found = PUBLISHED.fullmatch(name(path)), nodes(path)
    first = [node.body[0] for node in found if isinstance(node, DOCUMENTED) and node.body]
    docstrings = {id(statement.value) for statement in first if isinstance(statement, ast.Expr)}
    for node in found:
        read = published or id(node) not in docstrings
        if read and isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value


def texts_of_template(source: str) -> Iterator[str]:
    """Yield the text of a template: between tags, in read attributes, and phrases in Jinja expressions."""
    source = JINJA_COMMENT.sub(" ", source)
    for block in JINJA.findall(source):
        yield from (phrase for pair in QUOTED.findall(block) for phrase in pair if " " in phrase)
    plain = JINJA.sub(" ", source)
    yield from READ_ATTRIBUTE.findall(plain)
    yield TAG.sub(" ", plain)


def test_texts_for_people_have_no_riddles_of_pronouns() -> None:
    """Say who: you, people, members."""
    code = [path for path in files("app") if not any(path.is_relative_to(one) for one in LETTERS)]
    templates = sorted(path for path in (ROOT / "templates").rglob("*") if path.is_file())
    found = [(path, phrase) for path in code if RIDDLES.search(text(path)) for phrase in texts_of_code(path)]
    found += [(path, phrase) for path in templates for phrase in texts_of_template(text(path))]
    assert len(templates) > 100
    assert [f"{name(path)}: {phrase.strip()}" for path, phrase in found if RIDDLES.search(phrase)] == []
