"""Log every request with a valid key; of errors also the bodies."""

import logging
import time
from collections.abc import Callable
from functools import partial

from flask import Response, current_app, g, request
from flask.ctx import AppContext
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock
from app.core.logs import request_id
from app.domain.platform import request_log

log = logging.getLogger("app.api")
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
