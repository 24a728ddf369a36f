"""Responses of `/v1`: JSON only, errors in one shape."""

import logging
from typing import TYPE_CHECKING, Any

from flask import Response, g, request
from pydantic_core import to_json
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge

from app.core import db_faults
from app.core.errors import ERROR_CODES, AppError
from app.core.logs import request_id

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

log = logging.getLogger("app.api")
MOST_BYTES = 5_000_000  # of a body of JSON
# What the web server itself refuses: code, sentence, what to do.
REFUSED = {
    404: ("not_found", "Unknown path.", "Check the path; it begins with /v1."),
    405: ("not_supported", "This path does not support this method.", "Use a method from the Allow header."),
    413: (
        "invalid_request",
        "The request is too large.",
        "Send at most 5 MB of JSON; CSV files may be larger.",
    ),
    415: (
        "invalid_request",
        "The body has the wrong content type.",
        "Send JSON in UTF-8 as application/json, or a file as text/csv or application/octet-stream.",
    ),
}


class Answer(Response):
    """A response sent unchanged, with its length from its body and without a Location."""

    default_mimetype = None

    def get_wsgi_headers(self, environ: "WSGIEnvironment") -> Headers:
        return self.headers


def answer(body: bytes, status: int = 200) -> Response:
    """Return the JSON text as a response."""
    return finished(Answer(body, status, content_type="application/json") if body else Answer(None, status))


def finished(response: Response) -> Response:
    """Add the headers of every `/v1` response: no caching, and those of this one."""
    headers = response.headers
    headers.add("Cache-Control", "no-store")
    for name, value in g.get("api_headers", {}).items():
        headers.add(name, value)
    return response


def json_text(value: Any) -> bytes:
    """Return `value` as JSON in UTF-8."""
    return to_json(value)


def error_answer(error: Exception) -> Response:
    """Build the response of any failure; unexpected ones are logged and reveal nothing."""
    if isinstance(error, AppError):
        return _of(error)
    if isinstance(error, NotFound | MethodNotAllowed) and (request.content_length or 0) > MOST_BYTES:
        error = RequestEntityTooLarge()  # the size of a request is looked at before its address
    if isinstance(error, HTTPException) and error.code is not None and error.code < 500:
        code, message, recovery = REFUSED.get(error.code, ("invalid_request", "The request is not valid.", ""))
        recovery = recovery or ERROR_CODES[code].recovery
        response = answer(_envelope(code, message, recovery), error.code)
        for name, value in error.get_headers():
            if name == "Allow":
                response.headers[name] = value
        return response
    log.error("A request broke", exc_info=error)
    if refusal := db_faults.refusal(error):
        return _of(refusal)
    return answer(_envelope("internal", "Something went wrong on our side.", ERROR_CODES["internal"].recovery), 503)


def _of(error: AppError) -> Response:
    fields = [{"path": field.path, "message": field.message} for field in error.fields]
    response = answer(_envelope(error.code, error.message, error.recovery, fields), error.status)
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(max(1, error.retry_after))
    return response


def _envelope(code: str, message: str, recovery: str, fields: list[dict[str, str]] | None = None) -> bytes:
    error: dict[str, Any] = {"code": code, "message": message, "requestId": request_id.get(), "recovery": recovery}
    if fields:
        error["fields"] = fields
    return json_text({"error": error})
