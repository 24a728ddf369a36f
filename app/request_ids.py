"""Request ids, and one log line per request."""

import logging
import os
import random
import re
import secrets
import time

from flask import Flask, Response, g, request

from app.core.actor import SYSTEM, Actor, actor, spender
from app.core.logs import request_id

log = logging.getLogger(__name__)
ANONYMOUS = "An anonymous visitor"
SECRET = {"token"}  # of a route: it opens the page to anyone who has it
SECRET_PATHS = re.compile(r"^(/(?:reset|invite|u|hooks)/).*", re.DOTALL)
QUIET = ("/static/", "/healthz")  # requested all the time: logged only when they fail
# Ids must be unique but not secret; `secrets` for each would take a tenth of the time of a small read.
_ids = random.Random(secrets.token_bytes(32))
os.register_at_fork(after_in_child=lambda: _ids.seed(secrets.token_bytes(32)))


def register(app: Flask) -> None:
    """Give each request an id, and log it at its end."""
    app.before_request(_begin)
    app.after_request(_end)
    app.teardown_request(_forget)


def new_request_id() -> str:
    """Return an id for a request."""
    return f"req_{_ids.getrandbits(88):022x}"


def _begin() -> None:
    g.began = time.perf_counter()
    request_id.set(new_request_id())
    actor.set(Actor(ANONYMOUS, None, request.remote_addr or ""))


def _end(response: Response) -> Response:
    response.headers.add("X-Request-Id", request_id.get())
    if not log.isEnabledFor(logging.INFO):
        return response
    method, path, status = request.method, _shown_path(), response.status_code
    if status < 400 and path.startswith(QUIET):
        return response
    took = round((time.perf_counter() - g.began) * 1000, 1)
    fields = {"method": method, "path": path, "status": status, "milliseconds": took}
    workspace = g.get("workspace")
    if workspace is not None:
        fields["workspace"] = workspace.id
    log.info("Answered", extra={"fields": fields})
    return response


def _shown_path() -> str:
    """Return the path for the log: the rule where the address itself is a secret, as in links to reset a password."""
    path = request.path
    if request.url_rule is not None:
        return request.url_rule.rule if SECRET & {*(request.view_args or {})} else path
    return SECRET_PATHS.sub(r"\1…", path)  # no route matches, but a mistyped link may still contain its secret


def _forget(error: BaseException | None) -> None:
    """Clear the request's id and actor, so that later work in this thread does not use them."""
    request_id.set("")
    actor.set(SYSTEM)
    spender.set(0)
