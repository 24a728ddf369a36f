"""The OpenAPI document: the published contract, generated from declarations, bodies and resources."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic.alias_generators import to_camel

from app.api.framework import openapi_events
from app.api.framework.csv_bodies import BINARY, CSV, EXCEL
from app.api.framework.declarations import PLACES, Endpoint
from app.api.framework.openapi_groups import GROUPS, group_of, place_of
from app.api.framework.openapi_parts import HEADERS, PARAMETERS, RESPONSES, described, headers_of, refusals_of
from app.api.framework.openapi_schemas import Schemas
from app.core.db import MAX_ID
from app.core.installation import VERSION
from app.domain.workspace import api_keys

Json = dict[str, Any]
ID = {"type": "integer", "format": "int64", "minimum": 1, "maximum": MAX_ID}
IN_PATH = {  # parameters that are no ids
    "crm": "The `name` of the CRM, from `GET /v1/services`.",
    "crm_list_id": "The `id` of the synced list, from `lists` of `GET /v1/crm/{crm}`.",
    "kind": "The kind of document, such as `icp` (ideal customers) or `style` (writing style), or of data source.",
    "name": "The `name` of the service, from `GET /v1/services`.",
    "number": "The number of the revision.",
    "sign_in_id": "The id of the hosted sign-in.",
    "version": "The number of the version.",
}
ABOUT = """\
Automated outreach on LinkedIn and by email.

Send your API key with every call as `Authorization: Bearer <API_KEY>`; each operation names the scope the key needs.
Bodies are JSON in UTF-8. A response other than 2xx means that nothing was changed. Its error object says what went
wrong and what to do next and, for invalid input, lists every invalid field. Unknown query parameters get 400.
In a request, null means the same as leaving the field out where its schema allows null; elsewhere null is refused.

A POST, PUT, PATCH or DELETE that is repeated with the same `Idempotency-Key` within 7 days has no further effect
and returns the same response.
Lists are paged: send `nextCursor` as `cursor` to get the next page, until it is `""`.
Times are ISO 8601, in UTC unless they name another offset. In a sandbox they follow the workspace's own clock, which
`GET /v1/me` shows as `now`; only the times of webhooks, deliveries, API keys, idempotency keys and undos are real.
Within v1, we only add to the API: ignore fields you don't know.
"""
INFO = {
    "title": "Overture",
    "version": VERSION,
    "summary": "Outreach on LinkedIn and by email, through one API.",
    "description": ABOUT,
    "license": {"name": "MIT", "identifier": "MIT"},
}


def document(endpoints: Sequence[Endpoint], base: str) -> Json:
    """Return the OpenAPI 3.1 document of these endpoints."""
    schemas = Schemas(endpoints, openapi_events.models().values())
    paths: dict[str, Json] = {}
    for one in sorted(endpoints, key=place_of):
        path = "/v1" + PLACES.sub(lambda found: "{" + to_camel(found[1]) + "}", one.path)
        paths.setdefault(path, {})[one.method.lower()] = _operation(one, schemas)
    return {
        "openapi": "3.1.0",
        "info": INFO | {"contact": {"name": "Overture", "url": base.rstrip("/")}},
        "servers": [{"url": base.rstrip("/")}],
        "security": [{"apiKey": []}],
        "tags": [*({"name": group.name, "description": group.about} for group in GROUPS), openapi_events.TAG],
        "paths": paths,
        "webhooks": openapi_events.webhooks(schemas),
        "components": {
            "schemas": schemas.published,
            "parameters": PARAMETERS,
            "headers": HEADERS,
            "responses": RESPONSES,
            "securitySchemes": {
                "apiKey": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "ovt_live_…",
                    "description": "Create a key under Developers → API keys, where it is shown only once. Scopes:\n\n"
                    + "\n".join(f"- `{name}`: {scope.sentence}" for name, scope in api_keys.SCOPES.items()),
                }
            },
        },
    }


def _operation(one: Endpoint, schemas: Schemas) -> Json:
    scopes = api_keys.opening(one.scope) if one.scope else []
    request = (one.example or schemas.example(one.body)) if one.body is not None else {}
    named = " or ".join(f"`{scope}`" for scope in scopes)
    needs = f"Requires the scope {named}." if scopes else "Requires any valid key."
    found: Json = {
        "operationId": one.name,
        "summary": one.summary,
        "description": "\n\n".join([*described(one.view.__doc__), needs]),
        "tags": [group_of(one).name],
        "x-scopes": scopes,  # any of them is enough; a bearer scheme can't list them
        "parameters": _parameters(one),
        "responses": {str(one.status): _success(one, schemas, request), **refusals_of(one)},
    }
    content: Json = {}
    if one.body is not None:
        content["application/json"] = {"schema": schemas.ref(one.body), "example": request}
    if one.csv:
        content[BINARY] = {
            "schema": {
                "type": "string",
                "format": "binary",
                "description": f"A CSV or Excel file of at most {one.csv // 1_000_000} MB; `text/csv` also works.",
            },
            "example": "profileUrl,firstName\nhttps://network.example/in/ada,Ada\n",
        }
    if content:
        found["requestBody"] = {"required": True, "content": content}
    return found


def _parameters(one: Endpoint) -> list[Json]:
    found: list[Json] = []
    for name in one.places:
        found.append({"name": to_camel(name), "in": "path", "required": True, **_in_path(name, one.words.get(name))})
    for name, wanted in one.filters.items():
        given = {"name": name, "in": "query", "required": False, "schema": dict(wanted.schema)}
        found.append(given | ({"description": wanted.description} if wanted.description else {}))
    shared = ["Limit", "Cursor"] if one.page_of else []
    shared += ["IdempotencyKey"] if one.method != "GET" else []
    shared += ["IfMatch"] if one.if_match else []
    return found + [{"$ref": f"#/components/parameters/{name}"} for name in shared]


def _in_path(name: str, words: tuple[str, ...] | None) -> Json:
    """Return description and schema of a path parameter: an id, one of these words, or any word."""
    about = IN_PATH.get(name) or f"The id of the {name.removesuffix('_id').replace('_', ' ')}."
    if words is None:
        return {"description": about, "schema": ID, "example": 42}
    if not words:
        return {"description": about, "schema": {"type": "string"}, "example": "hunter"}
    return {"description": about, "schema": {"type": "string", "enum": list(words)}, "example": words[0]}


def _success(one: Endpoint, schemas: Schemas, request: Mapping[str, Any]) -> Json:
    found: Json = {"description": one.summary, "headers": headers_of(one)}
    if one.page_of is not None:
        example = {"data": [schemas.example(one.page_of)], "nextCursor": ""}
        found["content"] = {"application/json": {"schema": schemas.page(one.page_of), "example": example}}
    elif one.answers_file:
        found["content"] = {
            CSV: {"schema": {"type": "string"}},
            EXCEL: {"schema": {"type": "string", "format": "binary"}},
        }
    elif one.answer is not None:
        example = _following(schemas.example(one.answer), request)
        found["content"] = {"application/json": {"schema": schemas.ref(one.answer), "example": example}}
    return found


def _following(answer: Json, request: Mapping[str, Any]) -> Json:
    """Return the example of an answer with what the example of the request says under the same names."""
    told = {name: value for name, value in request.items() if type(answer.get(name)) is type(value)}
    return {**answer, **{name: value for name, value in told.items() if not _has_objects(value)}}


def _has_objects(value: Any) -> bool:
    """Return whether the value has objects, whose fields differ between requests and answers."""
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_has_objects, value)))
