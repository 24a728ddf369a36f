"""JSON Schemas of the published contract, and examples that match them."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from app.api.framework import openapi_codes
from app.api.framework.declarations import Endpoint
from app.api.framework.openapi_examples import Examples
from app.api.framework.schema_notes import in_words
from app.resources import ErrorEnvelope, Resource
from app.resources.base import CODES, Page
from app.resources.field_docs import FieldDocs, docs_of

Json = dict[str, Any]
REF = "#/components/schemas/"
Model = type[BaseModel]
_FOLDED = re.compile(r"(?<!\n)\n(?!\n)")  # within a paragraph
_OF_IDS = re.compile(r"^ids?$|Ids?$|^handOverTo$")  # names of fields


class Schemas:
    """Every shape that the endpoints take and give, and `further` ones that we send, under short names."""

    def __init__(self, endpoints: Sequence[Endpoint], further: Iterable[Model] = ()) -> None:
        shapes: list[Model] = [*(one.answer for one in endpoints if one.answer is not None), *further]
        bodies: list[Model] = [one.body for one in endpoints if one.body is not None]
        shapes.append(ErrorEnvelope)
        wanted: list[Model] = list(dict.fromkeys([*shapes, *bodies]))
        mode: JsonSchemaMode = "validation"
        pairs = [(model, mode) for model in wanted]
        found, whole = models_json_schema(pairs, ref_template=REF + "{model}", schema_generator=FieldDocs)
        short = _short_names(list(whole["$defs"]))
        self._names = {model: short[schema["$ref"].removeprefix(REF)] for (model, _), schema in found.items()}
        answered = {short[name] for name in _reached(whole["$defs"], [found[model, mode] for model in shapes])}
        self.published: Json = {
            short[name]: in_words(_tidy(schema, short, open_ended=short[name] in answered))
            for name, schema in whole["$defs"].items()
        }
        for model in dict.fromkeys(one.page_of for one in endpoints if one.page_of):
            self.published[self._names[model] + "Page"] = _page_of(self.ref(model))
        self.published |= openapi_codes.published()
        self._examples = Examples(self.published)

    def ref(self, model: Model) -> Json:
        """Return a reference to its schema."""
        return {"$ref": REF + self._names[model]}

    def page(self, model: type[Resource]) -> Json:
        """Return a reference to the schema of its page."""
        return {"$ref": f"{REF}{self._names[model]}Page"}

    def example(self, model: Model) -> Any:
        """Return an example of the model."""
        return self._examples.of(self.ref(model))


def _page_of(item: Json) -> Json:
    about = docs_of(Page)
    return {
        "type": "object",
        "description": Page.__doc__,
        "properties": {
            "data": {"type": "array", "items": item, "description": about["data"]},
            "nextCursor": {"type": "string", "description": about["next_cursor"]},
        },
        "required": ["data", "nextCursor"],
    }


def _short_names(names: Sequence[str]) -> dict[str, str]:
    """Return short names; of two equal ones, the answer keeps it and the other gets its module's prefix."""
    found: dict[str, str] = {}
    for name in names:
        *modules, own = name.split("__")
        short = own if not modules or "resources" in modules else f"Given{own}"
        if short in found.values():
            short = "".join(word.capitalize() for word in modules[-1].split("_")) + own
        found[name] = short
    return found


def _reached(definitions: Json, roots: Sequence[Any]) -> set[str]:
    """Return the names of all definitions that the roots refer to, over any number of steps."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            name = str(part.get("$ref", "")).removeprefix(REF)
            if name in definitions and name not in found:
                found.add(name)
                waiting.append(definitions[name])
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return found


def _tidy(schema: Any, short: dict[str, str], *, open_ended: bool) -> Any:
    """Drop titles that only repeat names. Answers may grow within v1; a field left out of them is never null."""
    if isinstance(schema, list):
        return [_tidy(part, short, open_ended=open_ended) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if CODES in schema:
        return openapi_codes.refer(schema, REF)
    found: Json = {}
    for name, value in schema.items():
        if name == "title" and isinstance(value, str):
            continue
        if name == "$ref":
            found[name] = REF + short[value.removeprefix(REF)]
        elif name == "properties":
            tidy = {key: _tidy(part, short, open_ended=open_ended) for key, part in value.items()}
            found[name] = {key: _wide(part) if _OF_IDS.search(key) else part for key, part in tidy.items()}
        elif name == "description":
            found[name] = _FOLDED.sub(" ", value)
        elif name not in ("default", "examples", "enum", "const"):
            found[name] = _tidy(value, short, open_ended=open_ended)
        else:
            found[name] = value
    if open_ended:
        if found.get("additionalProperties") is False:
            del found["additionalProperties"]
        if "default" in found and found["default"] is None and "anyOf" in found:
            del found["default"]
            kept = [one for one in found.pop("anyOf") if one != {"type": "null"}]
            found |= kept[0] if len(kept) == 1 else {"anyOf": kept}
    elif "default" in found:
        _tell_default(found)
    return found


def _wide(schema: Any) -> Any:
    """Say that ids have more than 32 bits: generators of clients would give them too small a type."""
    if isinstance(schema, list):
        return [_wide(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    wide = {"format": "int64"} if schema.get("type") == "integer" else {}
    return {name: _wide(part) if name in ("items", "anyOf") else part for name, part in schema.items()} | wide


def _tell_default(schema: Json) -> None:
    """Say in words what a field left out means: of a schema's `default`, generators make a field that must be sent."""
    default = schema.pop("default")
    if default not in (None, "", [], {}):
        schema["x-default"] = default
        about = schema.get("description", "")
        schema["description"] = f"{about} Default: {json.dumps(default)}.".strip()
