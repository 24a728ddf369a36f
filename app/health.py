"""Health check: GET /healthz. It needs no key, so it tells whether this process is ready, its version, and no more."""

import logging

from flask import Blueprint, Flask, current_app
from flask.typing import ResponseReturnValue
from sqlalchemy.exc import SQLAlchemyError

from app.core.installation import VERSION
from app.domain.operations import doctor
from app.domain.platform import restore_hold

log = logging.getLogger("app.health")
bp = Blueprint("health", __name__)


def register(app: Flask) -> None:
    """Register the health endpoint."""
    app.register_blueprint(bp)


@bp.get("/healthz")
def healthz() -> ResponseReturnValue:
    """Answer 200 when the database has the newest schema and the engine looks for work; 503 otherwise.

    `engine` says whether this process runs the campaigns (active), stands by, or serves requests only (none).
    `held` stands in the answer of a restored copy that was not released.
    """
    headers = {"Cache-Control": "no-store"}
    engine = current_app.extensions.get("engine")
    answer = {"version": VERSION, "engine": engine.state if engine else "none"}
    if ready():
        held = {"held": True} if restore_hold.is_held() else {}
        return {"status": "ok", **answer, **held}, 200, headers
    return {"status": "unavailable", **answer}, 503, headers | {"Retry-After": "5"}


def ready() -> bool:
    """Return whether everything this process needs is there."""
    engine = current_app.extensions.get("engine")
    if engine is not None and not engine.alive:
        log.error("The engine stands still")
        return False
    try:
        return doctor.migrated()
    except SQLAlchemyError:
        log.exception("The database does not answer")
        return False
