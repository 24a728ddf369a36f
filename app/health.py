"""Health check: GET /healthz. It needs no key, so it tells whether this process is ready, its version, and no more."""

import logging

from flask import Blueprint, Flask, current_app
from flask.typing import ResponseReturnValue
from sqlalchemy.exc import SQLAlchemyError

from app.core.installation import VERSION
from app.domain.operations import doctor

log = logging.getLogger("app.health")
bp = Blueprint("health", __name__)


def register(app: Flask) -> None:
    """Register the health endpoint."""
    app.register_blueprint(bp)


@bp.get("/healthz")
def healthz() -> ResponseReturnValue:
    """200 when the database answers with the newest schema and the ticks run; 503 otherwise."""
    headers = {"Cache-Control": "no-store"}
    if ready():
        return {"status": "ok", "version": VERSION}, 200, headers
    return {"status": "unavailable", "version": VERSION}, 503, headers | {"Retry-After": "5"}


def ready() -> bool:
    """Return whether everything this process needs is there."""
    scheduler = current_app.extensions.get("scheduler")
    if scheduler is not None and not scheduler.alive:
        log.error("The scheduler stands still")
        return False
    try:
        return doctor.migrated()
    except SQLAlchemyError:
        log.exception("The database does not answer")
        return False
