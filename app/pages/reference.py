"""The reference of the API, made from the document that it publishes: by group, each call with all there is to know."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, current_app, render_template
from markupsafe import Markup

from app.core.errors import ERROR_CODES
from app.domain.workspaces import Workspace
from app.pages.base import render, signed_in

area = Blueprint("reference", __name__)

Json = Mapping[str, Any]
DEEPEST = 6
LIMITS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minItems": "at least {} entries",
    "maxItems": "at most {} entries",
    "default": "{} when absent",
}
_shown: dict[int, Markup] = {}


@dataclass(frozen=True)
class Field:
    """One field of a body or an answer, or one parameter."""

    path: str
    type: str
    required: bool
    notes: str


@dataclass(frozen=True)
class Call:
    """One operation as the page shows it."""

    id: str
    method: str
    path: str
    summary: str
    scope: str
    parameters: list[Field]
    body: list[Field]
    status: str
    success: str
    answer: list[Field]
    example: str
    errors: list[tuple[str, str]]
    curl: str


@area.get("/developers/reference")
@signed_in
def index(workspace: Workspace) -> Response:
    """Every call of the API."""
    return render("reference/index.html", calls=_calls())


def _calls() -> Markup:
    """The long part of the page, which is the same for everybody and therefore made once."""
    document = current_app.extensions["openapi"]()
    if id(document) not in _shown:
        _shown.clear()
        groups = [(tag, list(_of_group(document, tag["name"]))) for tag in document["tags"]]
        codes = [(code, about.status, about.recovery) for code, about in ERROR_CODES.items()]
        _shown[id(document)] = Markup(
            render_template("reference/_calls.html", groups=groups, codes=codes, base=document["servers"][0]["url"])
        )
    return _shown[id(document)]


def _of_group(document: Json, tag: str) -> Iterator[Call]:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if operation["tags"] == [tag]:
                yield _call(document, path, method.upper(), operation)


def _call(document: Json, path: str, method: str, operation: Json) -> Call:
    status, success = next((status, one) for status, one in operation["responses"].items() if status < "3")
    content = success.get("content", {})
    kind = "application/json" if "application/json" in content else "text/csv"
    sent = operation.get("requestBody", {}).get("content", {})
    body = sent.get("application/json") or sent.get("text/csv") or {}
    answer = content.get(kind, {})
    return Call(
        id=operation["operationId"],
        method=method,
        path=path,
        summary=operation["summary"],
        scope=operation["x-scope"] or "",
        parameters=[_parameter(_whole(document, one)) for one in operation["parameters"]],
        body=list(_fields(document, body["schema"])) if "application/json" in sent else [],
        status=status,
        success={"204": "No body.", "202": "Accepted; it goes on in the background."}.get(status, ""),
        answer=list(_fields(document, answer["schema"])) if kind == "application/json" and answer else [],
        example=json.dumps(answer["example"], indent=2, ensure_ascii=False) if "example" in answer else "",
        errors=[
            (number, _whole(document, one)["description"])
            for number, one in operation["responses"].items()
            if number >= "400"
        ],
        curl=_curl(document, path, method, operation, sent),
    )


def _curl(document: Json, path: str, method: str, operation: Json, sent: Json) -> str:
    """The call as a line for a terminal."""
    for one in operation["parameters"]:
        if one.get("in") == "path":
            path = path.replace("{" + one["name"] + "}", str(one["example"]))
    lines = [f"curl {document['servers'][0]['url']}{path}", '-H "Authorization: Bearer $OVERTURE_KEY"']
    if method != "GET":
        lines[0] = lines[0].replace("curl ", f"curl -X {method} ")
    if method == "POST":
        lines.append('-H "Idempotency-Key: $(uuidgen)"')
    if "application/json" in sent:
        text = json.dumps(sent["application/json"]["example"], indent=2, ensure_ascii=False).replace("'", "'\\''")
        lines += ["-H 'Content-Type: application/json'", f"-d '{text}'"]
    elif "text/csv" in sent:
        lines += ["-H 'Content-Type: text/csv'", "--data-binary @people.csv"]
    return " \\\n  ".join(lines)


def _whole(document: Json, part: Json) -> Json:
    """What a reference refers to."""
    while "$ref" in part:
        found: Any = document
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part


def _parameter(one: Json) -> Field:
    where = {"path": "in the path", "query": "in the query", "header": "header"}[one["in"]]
    notes = _notes(one["schema"], one.get("description", ""))
    return Field(one["name"], where, one.get("required", False), notes)


def _fields(document: Json, schema: Json, path: str = "", depth: int = 0) -> Iterator[Field]:
    """Every field below a schema, with its path as refusals name it."""
    schema = _plain(document, schema)
    if schema.get("type") == "array":
        yield from _fields(document, schema.get("items", {}), f"{path}[]", depth + 1)
        return
    for name, part in schema.get("properties", {}).items():
        at = f"{path}.{name}" if path else name
        found = _plain(document, part)
        about = part.get("description", "") or (
            found.get("description", "") if not found.get("properties") and "$ref" not in part else ""
        )
        yield Field(at, _type(document, part), name in schema.get("required", ()), _notes({**found, **part}, about))
        if depth < DEEPEST:
            yield from _fields(document, part, at, depth + 1)


def _plain(document: Json, schema: Json) -> Json:
    """The schema behind references, without the possibility of null."""
    schema = _whole(document, schema)
    for one in schema.get("anyOf", ()):
        if one != {"type": "null"}:
            return _plain(document, one)
    return schema


def _type(document: Json, schema: Json) -> str:
    nullable = {"type": "null"} in schema.get("anyOf", ())
    found = _plain(document, schema)
    name = str(found.get("type", "anything"))
    if name == "array":
        name = f"{_type(document, found.get('items', {}))}[]"
    elif found.get("format") == "date-time":
        name = "date-time"
    return f"{name} or null" if nullable else name


def _notes(schema: Json, about: str) -> str:
    """What else holds for a value, in words."""
    said = [about.rstrip(".")] if about else []
    if "enum" in schema:
        said.append("one of " + ", ".join(str(one) for one in schema["enum"]))
    if "const" in schema:
        said.append(f"always {schema['const']}")
    for name, words in LIMITS.items():
        if name in schema and abs(schema[name] if isinstance(schema[name], int) else 0) < 2**60:
            said.append(words.format(json.dumps(schema[name], ensure_ascii=False)))
    text = "; ".join(said)
    return text[:1].upper() + text[1:] + "." if text else ""
