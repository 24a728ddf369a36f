"""Shared parts of the published contract: parameters, headers, and errors with examples."""

import inspect
import tomllib
from pathlib import Path
from typing import Any

from app.api.framework.declarations import Endpoint
from app.api.framework.responses import REFUSED
from app.core.errors import ERROR_CODES
from app.core.paging import DEFAULT_LIMIT, MAX_LIMIT
from app.domain.platform.idempotency import LONGEST_KEY

Json = dict[str, Any]
ENVELOPE = {"$ref": "#/components/schemas/ErrorEnvelope"}
REQUEST_ID = "req_0f1e2d3c4b5a6978695a4b"

PARAMETERS: Json = {
    "Limit": {
        "name": "limit",
        "in": "query",
        "description": f"The number of items per page, from 1 to {MAX_LIMIT}; higher values count as {MAX_LIMIT}.",
        "schema": {"type": "integer", "minimum": 1, "default": DEFAULT_LIMIT},
    },
    "Cursor": {
        "name": "cursor",
        "in": "query",
        "description": "`nextCursor` of the previous page, with the same filters. Omit `cursor` for the first page.",
        "schema": {"type": "string"},
    },
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": (
            "A unique key that you choose for this request. For 7 days, repeating the request with the same key"
            " changes nothing and returns the stored response, with its secret. A request with another method,"
            " path, query or body and the same key returns 409, and so does a repeat while the first request is"
            " running; in that case, try again after `Retry-After`. Errors and dry runs are not stored: the same key"
            " works again."
        ),
        "schema": {"type": "string", "pattern": f'^(?!""$)[!-~]{{1,{LONGEST_KEY}}}$', "examples": ["3f6c1e0a-2b7d"]},
    },
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "description": "The version you last read, as the operation describes, with or without quotes. If there is a"
        " newer version, you get an error and nothing is changed. A repeat with the same `Idempotency-Key` returns the"
        " stored response, whatever the version.",
        "schema": {"type": "string", "maxLength": 255},
    },
}


def _header(description: str, example: Any, kind: str = "string") -> Json:
    return {"description": description, "schema": {"type": kind}, "example": example}


HEADERS: Json = {
    "X-Request-Id": _header("The id of this request, the same as `error.requestId`.", REQUEST_ID),
    "RateLimit-Policy": _header("The rate limits of this key: `q` requests in `w` seconds.", '"default";q=200;w=10'),
    "RateLimit": _header(
        "`r` requests are left; if that is 0, the next one is allowed in `t` seconds.", '"default";r=137;t=1'
    ),
    "Retry-After": _header("Seconds to wait before you retry.", 1, "integer"),
    "Idempotent-Replayed": _header("`true` when this is the stored response to an earlier request.", "true"),
    "WWW-Authenticate": _header("Why the API key was rejected.", 'Bearer realm="api", error="invalid_token"'),
    "Content-Disposition": _header("The name of the file.", 'attachment; filename="founders.csv"'),
}
ALWAYS, LIMITS = ("X-Request-Id",), ("RateLimit-Policy", "RateLimit")

SAID = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def _refusal(status: int, told: Json) -> Json:
    examples: Json = {}
    early = [] if "codes" in told else [REFUSED[status]]  # said before an operation is reached
    for code, sentence, own in early or [(*one, None) for one in told["codes"].items()]:
        recovery = (told.get("recovery") or ERROR_CODES[code].recovery) if own is None else own
        error: Json = {"code": code, "message": sentence, "requestId": REQUEST_ID, "recovery": recovery}
        if (status, code) == (400, "invalid_request"):
            error["fields"] = [{"path": "profiles[3].profileUrl", "message": "Use a string."}]
        examples[code] = {"value": {"error": error}}
    return {
        "description": told["means"],
        "headers": _refs((*ALWAYS, *told["headers"])),
        "content": {"application/json": {"schema": ENVELOPE, "examples": examples}},
    }


def _refs(names: tuple[str, ...]) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


NAMES: dict[int, str] = {int(status): told["name"] for status, told in SAID["refusals"].items()}
RESPONSES: Json = {told["name"]: _refusal(int(status), told) for status, told in SAID["refusals"].items()}
SAME_KEY = "KeyConflict"  # where nothing but the Idempotency-Key can conflict
RESPONSES[SAME_KEY] = _refusal(409, SAID["key"])


def refusals_of(one: Endpoint) -> Json:
    """Return every error that the endpoint declares, and those of its body's size and type."""
    statuses = {*one.statuses[1:], *((413, 415) if one.body is not None or one.csv else ())}
    names = NAMES if "409" in (one.view.__doc__ or "") else NAMES | {409: SAME_KEY}
    return {str(status): {"$ref": f"#/components/responses/{names[status]}"} for status in sorted(statuses)}


def headers_of(one: Endpoint) -> Json:
    """Return the headers of a successful answer."""
    replayed = ("Idempotent-Replayed",) if one.method != "GET" else ()
    return _refs((*ALWAYS, *LIMITS, *replayed, *(("Content-Disposition",) if one.answers_file else ())))


def described(doc: str | None) -> list[str]:
    """Split a docstring into paragraphs."""
    return [part.replace("\n", " ") for part in inspect.cleandoc(doc or "").split("\n\n") if part]
