"""Examples of the published contract: the same person, company and campaign everywhere."""

import re
import tomllib
from pathlib import Path
from typing import Any

Json = dict[str, Any]
REF = "#/components/schemas/"
MOMENT, MOMENTS = "2026-03-02T09:00:00Z", ("date-time", "date")

_NULL = (
    *("startDate", "endDate", "startedAt", "finishedAt", "lastActionAt", "sendAt", "nextAttemptAt", "remindAt"),
    *("meetingAt", "author"),
)
_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
VALUES: Json = _TABLES["values"] | dict.fromkeys(_NULL)
FIELDS: Json = _TABLES["fields"]
_KINDS = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


class Examples:
    """Values that fit the schemas of one document."""

    def __init__(self, schemas: Json) -> None:
        self._schemas = schemas

    def of(self, schema: Json, name: str = "", depth: int = 0, within: str = "") -> Any:
        """Return one valid example value of a field called `name`; `within` is the name of the schema itself."""
        if "$ref" in schema:
            named = schema["$ref"].removeprefix(REF)
            if named in FIELDS:
                return FIELDS[named]
            return self.of(self._schemas[named], name, depth + 1, named)
        for known in (schema.get("examples"), [schema["const"]] if "const" in schema else None, schema.get("enum")):
            if known:
                return VALUES[name] if VALUES.get(name, ...) in known else known[0]
        if "x-default" in schema:
            return schema["x-default"]
        for several in ("anyOf", "oneOf", "allOf"):
            if several in schema and "type" not in schema:
                return self._first(schema[several], name, depth)
        return self._plain(schema, name, depth, within)

    def _first(self, choices: list[Json], name: str, depth: int) -> Any:
        if name in VALUES and VALUES[name] is None and {"type": "null"} in choices:
            return None
        real = [choice for choice in choices if choice != {"type": "null"}]
        return self.of(real[0], name, depth) if real and depth < 12 else None

    def _plain(self, schema: Json, name: str, depth: int, within: str) -> Any:
        if "type" not in schema and name in VALUES:
            return VALUES[name]
        kind = schema.get("type", "object")
        if name in VALUES and _fits(VALUES[name], kind, schema):
            return VALUES[name]
        if kind == "object":
            fields = schema.get("properties", {})
            own = {field: FIELDS.get(f"{within}.{field}") for field in fields}
            return {
                field: self.of(part, field, depth + 1) if own[field] is None else own[field]
                for field, part in fields.items()
            }
        if kind == "array":
            return [self.of(schema["items"], name, depth + 1)] if schema.get("items") and depth < 12 else []
        if kind in ("integer", "number"):
            return max(int(schema.get("minimum", 1)), 42 if name == "id" else 1)
        return {"boolean": True, "null": None}.get(kind, self._text(schema))

    def _text(self, schema: Json) -> Any:
        if schema.get("format") in MOMENTS:
            return MOMENT if schema["format"] == "date-time" else MOMENT[:10]
        if schema.get("format") in ("uri", "url"):
            return VALUES["url"]
        return "x" * max(schema.get("minLength", 0), 1) if schema.get("minLength", 0) > 4 else "text"


def _fits(value: Any, kind: str, schema: Json) -> bool:
    """Return whether the table's value fits this field; a list of things must have things of that kind."""
    wanted: Any = _KINDS.get(kind, ())
    if isinstance(value, bool) != (kind == "boolean") or not isinstance(value, wanted):
        return False
    if kind == "string":
        return schema.get("format") not in MOMENTS and re.search(schema.get("pattern", ""), value) is not None
    if kind == "array" and value:
        items = schema.get("items", {})
        return "$ref" not in items and _fits(value[0], items.get("type", ""), items)
    return not (kind == "object" and schema.get("properties"))
