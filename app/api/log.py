"""Every request that a valid key made is noted for the request log; of what was refused also what was sent."""

import logging
import time
from typing import Any

from flask import Flask, Response, current_app, g, request
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock
from app.core.logs import request_id
from app.domain import requests
from app.domain.requests import Line

log = logging.getLogger("app.api")
TAKES_SECRETS = ("/v1/autopilot/sources", "/v1/autopilot/alerts", "/v1/services")  # bodies sent there are never kept


def register(app: Flask) -> None:
    """Requests are noted when they end."""
    app.after_request(_note)


def _note(response: Response) -> Response:
    caller = g.get("caller")
    if caller is None or not request.path.startswith("/v1/"):
        return response
    status = response.status_code
    more: dict[str, Any] = _refusal(response) if status >= 400 else {}
    requests.note(
        Line(
            workspace_id=caller.workspace.id,
            key_id=caller.key_id,
            ref=request_id.get(),
            method=request.method,
            path=requests.shown_path(request.path, request.query_string.decode("ascii", "replace")),
            status=status,
            milliseconds=round((time.perf_counter() - g.began) * 1000),
            created_at=clock.now(),
            **more,
        )
    )
    if requests.is_overdue():
        response.call_on_close(_write_in(current_app._get_current_object()))  # type: ignore[attr-defined]
    return response


def _refusal(response: Response) -> dict[str, Any]:
    """Its code, what was sent and what was answered."""
    answered = response.get_json(silent=True) or {}
    sent = b"" if request.path.startswith(TAKES_SECRETS) else g.get("sent", b"")
    return {
        "code": str(answered.get("error", {}).get("code", "")),
        "sent": requests.shown_body(sent),
        "answered": requests.shown_body(response.get_data()),
    }


def _write_in(app: Flask) -> Any:
    """Writes what waits, once the answer is out."""

    def write() -> None:
        with app.app_context():
            try:
                requests.flush()
            except SQLAlchemyError:
                log.warning("The request log could not be written", exc_info=True)

    return write
