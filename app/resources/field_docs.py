"""JSON Schemas that describe each field with the docstring below it.

The source is read when a schema is made. Pydantic could read it when a class is made, but each start would wait for it.
"""

import ast
import inspect
import sys
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

Docs = dict[str, str]


class FieldDocs(GenerateJsonSchema):
    """Add the docstrings of fields to the schemas of models."""

    def model_schema(self, schema: Any) -> dict[str, Any]:
        """Return the schema of a model; a description given with `Field` is kept."""
        found = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        for name, text in docs_of(model).items():
            field = model.model_fields[name]
            found["properties"][field.alias or name].setdefault("description", text)
        return found


def docs_of(model: type[BaseModel]) -> Docs:
    """Return the docstrings of a model's fields, those of its base classes as well."""
    bases = [base for base in reversed(model.__mro__) if issubclass(base, BaseModel) and base is not BaseModel]
    found = {name: text for base in bases for name, text in _classes(base.__module__).get(base.__name__, {}).items()}
    return {name: text for name, text in found.items() if name in model.model_fields}


@cache
def _classes(module: str) -> dict[str, Docs]:
    """Return the docstrings of each class of a module."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: _docs(node.body) for node in tree.body if isinstance(node, ast.ClassDef)}


def _docs(body: list[ast.stmt]) -> Docs:
    """Return the strings that follow an annotated name."""
    return {
        field.target.id: inspect.cleandoc(below.value.value)
        for field, below in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)
    }
