"""Responses of `/v1`: JSON only, errors in one shape; each request with a valid key is logged."""

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from flask import Response, current_app, g, request
from flask.ctx import AppContext
from pydantic_core import to_json
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge

from app.core import clock, db_faults
from app.core.errors import ERROR_CODES, AppError
from app.core.logs import request_id
from app.domain.platform import request_log

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

log = logging.getLogger("app.api")
MOST_BYTES = 5_000_000  # of a body of JSON
# What the web server itself refuses: code, sentence, what to do.
REFUSED = {
    404: ("not_found", "Unknown path.", "Check the path. See /v1/openapi.json for all paths."),
    405: ("not_supported", "This method is not allowed for this path.", "Use a method from the Allow header."),
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
        error = RequestEntityTooLarge()  # the size of a request is checked before its path
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


NOTHING = "", "", ""  # for requests without an error
# Bodies sent there are never kept.
TAKES_SECRETS = ("/v1/autopilot/sources", "/v1/autopilot/alerts", "/v1/services", "/v1/mailboxes")


def log_request(response: Response) -> Response:
    """Queue the request for the log if a valid key made it."""
    caller = g.get("caller")
    if caller is None:
        return response
    status = response.status_code
    code, sent, answered = _refusal(response) if status >= 400 else NOTHING
    request_log.log(
        {
            "workspace_id": caller.workspace_id,
            "key_id": caller.key_id,
            "ref": request_id.get(),
            "method": request.method,
            "path": request_log.shown_path(request.path, request.query_string.decode("ascii", "replace")),
            "status": status,
            "refused": status >= 400,
            "code": code,
            "sent": sent,
            "answered": answered,
            "milliseconds": round((time.perf_counter() - g.began) * 1000),
            "created_at": clock.now(),
        }
    )
    return flush_after(response)


def flush_after(response: Response) -> Response:
    """Have the log lines that wait for long written once the response is sent."""
    if request_log.needs_flush():
        response.call_on_close(partial(_flush, current_app.app_context))
    return response


def _refusal(response: Response) -> tuple[str, str, str]:
    """Return the error's code, what was sent and what was answered."""
    answered = response.get_json(silent=True) or {}
    sent = b"" if request.path.startswith(TAKES_SECRETS) else g.get("sent", b"")
    code = str(answered.get("error", {}).get("code", ""))
    return code, request_log.shown_body(sent), request_log.shown_body(response.get_data())


def _flush(make_context: Callable[[], AppContext]) -> None:
    """Write the waiting log lines after the answer is sent."""
    with make_context():
        try:
            request_log.flush()
        except SQLAlchemyError:
            log.warning("The request log could not be written", exc_info=True)
