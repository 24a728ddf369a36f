"""`POST /mcp`: MCP over streamable HTTP, without sessions. One request is one answer in JSON, given by any web thread.

The package speaks ASGI; each request runs in an event loop of its own, in the thread and the context that took it.
There is nothing to listen to and no session to end, so GET and DELETE are refused, as the protocol allows.
"""

from urllib.parse import urlsplit

from flask import Blueprint, Response, current_app, g, request
from werkzeug.exceptions import RequestEntityTooLarge

from app.api.framework import authorization, responses
from app.api.framework.responses import Answer, finished
from app.core.errors import Forbidden
from app.core.text import url_parts
from app.domain.workspace.api_keys import Caller

PATH = "/mcp"
MOST_BYTES = 1_000_000
bp = Blueprint("mcp", __name__)


@bp.post(PATH)
def answer() -> Response:
    """Answer one message of an assistant."""
    g.api_headers = {}
    if (request.content_length or 0) > MOST_BYTES:
        raise RequestEntityTooLarge
    request.max_content_length = MOST_BYTES
    _refuse_other_sites()
    caller = authorization.authorize(None, costly=False)
    return _answered(caller)


@bp.after_request
def note(response: Response) -> Response:
    """Log what was refused before a tool was called; calls are logged one by one."""
    if response.status_code >= 400:
        return responses.log_request(response)
    return responses.flush_after(response)


def _refuse_other_sites() -> None:
    """Refuse a page of another site that a browser shows: an assistant is no page, or is one of ours."""
    origin = request.headers.get("Origin")
    if origin and url_parts(origin).netloc not in (request.host, urlsplit(current_app.config["BASE_URL"]).netloc):
        raise Forbidden("Web pages on other sites can't use /mcp.", recovery="Connect from an assistant instead.")


def _answered(caller: Caller) -> Response:
    from app.mcp import asgi

    status, headers, body = asgi.answer(lambda: caller, request.headers.items(), request.get_data(cache=False))
    return finished(Answer(body, status, headers))
