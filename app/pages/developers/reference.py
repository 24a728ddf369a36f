"""The API reference, generated from the OpenAPI document."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, current_app

from app.core.errors import ERROR_CODES, NotFound
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import render

area = Blueprint("reference", __name__)

Json = Mapping[str, Any]
DEEPEST = 6
LIMITS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minItems": "not fewer than {}",
    "maxItems": "not more than {}",
    "default": "{} if omitted",
}
EVENTS_ABOUT = (
    "Webhooks receive a POST. Respond with 2xx within 15 seconds; anything else is retried for three days, and 410 "
    "switches the webhook off."
)


@dataclass(frozen=True)
class Field:
    """A field of a body or a response, or a parameter."""

    path: str
    type: str
    required: bool
    notes: str


@dataclass(frozen=True)
class Call:
    """An operation of the API."""

    id: str
    method: str
    path: str
    summary: str
    scopes: list[str]  # each of them opens it
    parameters: list[Field]
    about: list[str]
    body: list[Field]
    status: str
    success: str
    answer: list[Field]
    example: str
    errors: list[tuple[str, str]]
    curl: str

    @property
    def short(self) -> str:
        """Return the path as contents have room for it: /campaigns/…/leads."""
        return re.sub(r"\{[^{}]+\}", "…", self.path.removeprefix("/v1"))


@dataclass(frozen=True)
class Told:
    """A type of event."""

    id: str
    kind: str
    summary: str
    body: list[Field]
    example: str


@dataclass(frozen=True)
class Part:
    """Calls of one kind, or the events."""

    slug: str
    name: str
    about: str
    calls: list[Call]
    told: list[Told]

    @property
    def ids(self) -> set[str]:
        """The names of what it lists."""
        return {one.id for one in self.calls} | {one.id for one in self.told}


_known: dict[int, list[Part]] = {}


@area.get("/developers/reference")
def index(workspace: Workspace) -> Response:
    """Show the basics, and which calls there are."""
    return _page("")


@area.get("/developers/reference/<slug>")
def part(workspace: Workspace, slug: str) -> Response:
    """Show one call, one event, or all of one kind."""
    return _page(slug)


def _page(slug: str) -> Response:
    document = current_app.extensions["openapi"]()
    parts = _read(document)
    opened = next((one for one in parts if slug == one.slug or slug in one.ids), None)
    if slug and opened is None:
        raise NotFound("That part of the reference doesn't exist.")
    return render(
        "reference/index.html",
        parts=parts,
        opened=opened,
        call=next((one for one in opened.calls if one.id == slug), None) if opened else None,
        event=next((one for one in opened.told if one.id == slug), None) if opened else None,
        codes=[(code, about.status, about.recovery) for code, about in ERROR_CODES.items()],
        headers=[_parameter(one) for one in next(iter(document["webhooks"].values()))["post"]["parameters"]],
        base=document["servers"][0]["url"],
    )


def _read(document: Json) -> list[Part]:
    """Read the document once: it is the same for every user."""
    if id(document) not in _known:
        _known.clear()
        _known[id(document)] = list(_parts(document))
    return _known[id(document)]


def _parts(document: Json) -> Iterator[Part]:
    for tag in document["tags"]:
        if calls := list(_of_group(document, tag["name"])):
            yield Part(tag["name"].lower().replace(" ", "-"), tag["name"], tag["description"], calls, [])
    told = [_documented(document, kind, one["post"]) for kind, one in document["webhooks"].items()]
    yield Part("events-we-send", "Events we send", EVENTS_ABOUT, [], told)


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
    body = sent.get("application/json") or {}
    answer = content.get(kind, {})
    return Call(
        id=operation["operationId"],
        method=method,
        path=path,
        summary=operation["summary"],
        scopes=operation["x-scopes"],
        parameters=[_parameter(_whole(document, one)) for one in operation["parameters"]],
        about=_about(_whole(document, body["schema"])) if "application/json" in sent else [],
        body=list(_fields(document, body["schema"])) if "application/json" in sent else [],
        status=status,
        success={"204": "No body.", "202": "Accepted; processing continues in the background."}.get(status, ""),
        answer=list(_fields(document, answer["schema"])) if kind == "application/json" and answer else [],
        example=_json(answer["example"]) if "example" in answer else "",
        errors=[
            (number, _whole(document, one)["description"])
            for number, one in operation["responses"].items()
            if number >= "400"
        ],
        curl=_curl(document, path, method, operation, sent),
    )


def _documented(document: Json, kind: str, operation: Json) -> Told:
    content = operation["requestBody"]["content"]["application/json"]
    fields = list(_fields(document, content["schema"]))
    return Told(operation["operationId"], kind, operation["summary"], fields, _json(content["example"]))


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _about(schema: Json) -> list[str]:
    """Return what an object is, and how its fields can be combined."""
    return [" ".join(schema["description"].replace("`", "").split())]


def _curl(document: Json, path: str, method: str, operation: Json, sent: Json) -> str:
    """Return the call as a command line."""
    for one in operation["parameters"]:
        if one.get("in") == "path":
            path = path.replace("{" + one["name"] + "}", str(one["example"]))
    lines = [f"curl {document['servers'][0]['url']}{path}", '-H "Authorization: Bearer $OVERTURE_KEY"']
    if method != "GET":
        lines[0] = lines[0].replace("curl ", f"curl -X {method} ")
    if method == "POST":
        lines.append('-H "Idempotency-Key: $(uuidgen)"')
    if "application/json" in sent:
        text = _json(sent["application/json"]["example"]).replace("'", "'\\''")
        lines += ["-H 'Content-Type: application/json'", f"-d '{text}'"]
    elif sent:
        lines += ["-H 'Content-Type: text/csv'", "--data-binary @people.csv"]
    return " \\\n  ".join(lines)


def _whole(document: Json, part: Json) -> Json:
    """Resolve a reference."""
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
    """Return all fields of a schema, each with the path that errors name."""
    schema = _plain(document, schema)
    if schema.get("type") == "array":
        yield from _fields(document, schema.get("items", {}), f"{path}[]", depth + 1)
        return
    for name, part in schema.get("properties", {}).items():
        at = f"{path}.{name}" if path else name
        found = _plain(document, part)
        notes = _notes({**found, **part}, _description(document, part, found))
        yield Field(at, _type(document, part), name in schema.get("required", ()), notes)
        if depth < DEEPEST:
            yield from _fields(document, part, at, depth + 1)


def _description(document: Json, part: Json, found: Json) -> str:
    """Return the description of a field, or of the objects in it."""
    inner = _plain(document, found.get("items", found))
    if "x-any-of" in inner:
        return " ".join([part["description"]] if "description" in part else _about(inner))
    about: str = part.get("description", "")
    own = "" if found.get("properties") or "$ref" in part else found.get("description", "")
    return (about or own).replace("`", "")


def _plain(document: Json, schema: Json) -> Json:
    """Return the schema behind references, without null."""
    schema = _whole(document, schema)
    for one in () if "type" in schema else schema.get("anyOf", ()):
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
    """Return the constraints of a value in words."""
    said = [about.rstrip(".")] if about else []
    said += _facts(schema)
    item = schema.get("items", {})
    if "properties" not in item:
        words = item.get("description", "").rstrip(".")
        said += [f"each {fact}" for fact in [*([words[:1].lower() + words[1:]] if words else []), *_facts(item)]]
    text = "; ".join(said)
    return text[:1].upper() + text[1:] + "." if text else ""


def _facts(schema: Json) -> list[str]:
    said = []
    if "enum" in schema:
        said.append("one of " + ", ".join(str(one) or '""' for one in schema["enum"]))
    if "const" in schema:
        said.append(f"always {json.dumps(schema['const'])}".replace('"', ""))
    for name, words in LIMITS.items():
        if name in schema and not (name in ("minimum", "maximum") and schema.get("maximum", 0) > 2**60):
            said.append(words.format(json.dumps(schema[name], ensure_ascii=False)))
    if schema.get("uniqueItems"):
        said.append("each only once")
    return said
