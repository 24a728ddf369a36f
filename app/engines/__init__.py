"""The engines run the units that are due. What is due is stored in the tables; an engine only queries and runs it."""

from typing import TYPE_CHECKING, Any

from app.core.errors import Unavailable

if TYPE_CHECKING:
    from flask import Flask

    from app.engines.embedded import EmbeddedEngine
    from app.engines.procrastinate_engine import ProcrastinateEngine

EMBEDDED, PROCRASTINATE = "embedded", "procrastinate"
QUEUES = ("turns", "jobs", "deliveries")  # the parts of the work that a worker can be given alone


def connect(settings: dict[str, Any]) -> None:
    """With a distributed engine, let this process queue the units it makes due; raise Unavailable if it can't."""
    from app.core import wakes

    wakes.use(None)
    if settings["OVERTURE_ENGINE"] != PROCRASTINATE:
        return
    if not settings["DATABASE_URL"].startswith("postgresql"):
        raise Unavailable(
            "OVERTURE_ENGINE=procrastinate needs Postgres.",
            "Set DATABASE_URL to a Postgres database, or unset OVERTURE_ENGINE.",
        )
    try:
        from app.engines.procrastinate_engine import Deferrer
    except ImportError:
        raise Unavailable(
            "OVERTURE_ENGINE=procrastinate needs procrastinate, which is not installed.",
            "Install Overture with its extra: `pip install overture[scale]`.",
        ) from None
    wakes.use(Deferrer(settings["DATABASE_URL"]))


def for_web(app: "Flask") -> "EmbeddedEngine | None":
    """Return the engine that runs beside the web server; None where workers or another process run it."""
    from app.engines.embedded import EmbeddedEngine

    if app.config["OVERTURE_ENGINE"] != EMBEDDED or not app.config["OVERTURE_SCHEDULER"]:
        return None
    return EmbeddedEngine(app)


def for_worker(app: "Flask", queues: tuple[str, ...], concurrency: int) -> "EmbeddedEngine | ProcrastinateEngine":
    """Return the engine of a worker process; `queues` and `concurrency` are those of a distributed one."""
    if app.config["OVERTURE_ENGINE"] == EMBEDDED:
        from app.engines.embedded import EmbeddedEngine

        return EmbeddedEngine(app, "worker")
    from app.engines.procrastinate_engine import ProcrastinateEngine

    return ProcrastinateEngine(app, queues, concurrency)
