"""Health check: GET /healthz. It needs no key: it tells whether this process can work, its version, and little more.

A worker, which serves no requests, answers it on a port of its own.
"""

import logging
from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from flask import Blueprint, Flask, current_app
from flask.typing import ResponseReturnValue
from sqlalchemy.exc import SQLAlchemyError

from app.core import db_faults, installation, migrations
from app.core.errors import Unavailable
from app.core.installation import VERSION
from app.domain.installation import engine_processes
from app.domain.installation.write_check import WriteCheck
from app.domain.platform import restore_hold

log = logging.getLogger("app.health")
bp = Blueprint("health", __name__)
WRITES = "write check"


def register(app: Flask) -> None:
    """Register the health endpoint."""
    app.extensions[WRITES] = WriteCheck()
    app.register_blueprint(bp)


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    timeout = 10  # seconds for a request to arrive

    def log_message(self, *_: Any) -> None:
        """Log nothing: the application logs what matters."""


def serve(app: Flask) -> _Server | None:
    """Answer health checks on the port of the settings, if there is one; all else is not there."""
    host, port = app.config["OVERTURE_HOST"], app.config["OVERTURE_HEALTH_PORT"]
    if not port:
        return None

    def only_health(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/healthz":
            return app(environ, start)
        start("404 Not Found", [("Content-Length", "0")])
        return []

    try:
        server = make_server(host, port, only_health, _Server, _Quiet)
    except OSError as problem:
        raise Unavailable(
            f"Cannot listen on {host}:{port} for health checks: {problem.strerror}.",
            "Choose another OVERTURE_HEALTH_PORT for this worker.",
        ) from None
    Thread(target=server.serve_forever, name="health", daemon=True).start()
    return server


@bp.get("/healthz")
def healthz() -> ResponseReturnValue:
    """Answer 200 when the database has the newest schema and can be written, and the engine looks for work; else 503.

    `engine` says whether this process runs the campaigns (active), stands by, or serves requests only (none).
    `idle` says since when no worker runs, where campaigns run in workers; this process can work all the same.
    `held` stands in the answer of a restored copy that was not released, `problem` says what is wrong with the disk
    or the database where that is known.
    """
    headers = {"Cache-Control": "no-store"}
    engine = current_app.extensions.get("engine")
    answer = {"version": VERSION, "engine": engine.state if engine else "none"}
    ready, problem = _state()
    if ready:
        held = {"held": True} if restore_hold.is_held() else {}
        idle = engine_processes.idle() if installation.needs_worker() else ""
        return {"status": "ok", **answer, **held, **({"idle": idle} if idle else {})}, 200, headers
    known = {"problem": problem} if problem else {}
    return {"status": "unavailable", **answer, **known}, 503, headers | {"Retry-After": "5"}


def _state() -> tuple[bool, str]:
    """Return whether everything this process needs is there, and what is wrong where that has a name."""
    engine = current_app.extensions.get("engine")
    if engine is not None and not engine.alive:
        log.error("The engine stands still")
        return False, ""
    try:
        if not migrations.is_newest():
            return False, ""
        fault = current_app.extensions[WRITES].fault()
    except SQLAlchemyError as error:
        log.exception("The database is not responding")
        fault = db_faults.find(error)
        return False, fault.sentence if fault else ""
    return fault is None, fault.sentence if fault else ""
