"""Metrics for Prometheus: GET /metrics with a token, or a port of their own. Without either there are none.

Counts of rows come from the database and are the same in every process; times, deliveries and failures are those of
the process that answers. No metric names a workspace.
"""

import hmac
import time
from collections.abc import Iterator
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIServer

from flask import Blueprint, Flask, Response, abort, current_app, g, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock
from app.core.errors import Unavailable
from app.core.installation import VERSION
from app.core.metrics import REGISTRY, REQUESTS
from app.domain.installation import engine_status

bp = Blueprint("metrics", __name__)


def register(app: Flask) -> None:
    """Count requests and answer with the metrics, if the settings name a token or a port."""
    if app.config["OVERTURE_METRICS_TOKEN"] or app.config["OVERTURE_METRICS_PORT"]:
        app.before_request(_begin)
        app.after_request(_count)
    app.register_blueprint(bp)


@bp.get("/metrics")
def metrics() -> Response:
    """Answer to the bearer of the token; to all others there is no such page."""
    token = current_app.config["OVERTURE_METRICS_TOKEN"]
    given = request.headers.get("Authorization", "")
    if not token or not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        abort(404)
    response = Response(generate_latest(of_this_process(current_app)), content_type=CONTENT_TYPE_LATEST)
    response.headers["Cache-Control"] = "no-store"
    return response


def serve(app: Flask) -> tuple[WSGIServer, Thread] | None:
    """Answer on the port of the settings, if there is one, to all who reach it."""
    host, port = app.config["OVERTURE_HOST"], app.config["OVERTURE_METRICS_PORT"]
    if not port:
        return None
    try:
        return start_http_server(port, host, of_this_process(app))
    except OSError as problem:
        raise Unavailable(
            f"Cannot listen on {host}:{port} for metrics: {problem.strerror}.",
            "Choose another OVERTURE_METRICS_PORT for this process.",
        ) from None


def of_this_process(app: Any) -> CollectorRegistry:
    """Return the registry with all metrics."""
    registry = CollectorRegistry()
    registry.register(REGISTRY)
    registry.register(RowCounts(app))
    return registry


class RowCounts(Collector):
    """Counts of rows, queried when they are asked for. While the database does not answer, only that is reported."""

    def __init__(self, app: Flask) -> None:
        self._app = app

    def collect(self) -> Iterator[Metric]:
        info = GaugeMetricFamily("overture_info", "The version of this process.", labels=("version",))
        info.add_metric((VERSION,), 1)
        yield info
        answers = GaugeMetricFamily("overture_database_up", "Whether the database responds.")
        with self._app.app_context():
            try:
                found = list(_of_rows())
            except SQLAlchemyError:
                found = []
        answers.add_metric((), bool(found))
        yield answers
        yield from found


def _of_rows() -> Iterator[Metric]:
    now = clock.now()
    units = GaugeMetricFamily(
        "overture_units", f"Units by kind and state; counts stop at {engine_status.MOST}.", labels=("kind", "state")
    )
    lag = GaugeMetricFamily("overture_unit_lag_seconds", "How long the oldest due work has waited.", labels=("kind",))
    for queue in engine_status.queues(now):
        for state in ("due", "late", "running", "failed"):
            units.add_metric((queue.kind, state), getattr(queue, state))
        waited = (now - queue.oldest_due_at).total_seconds() if queue.oldest_due_at else 0
        lag.add_metric((queue.kind,), max(waited, 0))
    yield units
    yield lag
    intents = GaugeMetricFamily("overture_open_intents", "Actions that were started and have no known outcome.")
    intents.add_metric((), engine_status.open_intents())
    yield intents


def _begin() -> None:
    g.counted_from = time.perf_counter()


def _count(response: Response) -> Response:
    route = request.url_rule.rule if request.url_rule else "unknown"
    status = f"{response.status_code // 100}xx"
    REQUESTS.labels(route, status).observe(time.perf_counter() - g.get("counted_from", time.perf_counter()))
    return response
