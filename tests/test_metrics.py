"""GET /metrics: for the bearer of the token or on a port of its own, in the format that Prometheus reads."""

import urllib.request
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from prometheus_client.parser import text_string_to_metric_families

from app import metrics
from app.core import clock
from app.core.db import transaction
from app.core.errors import Unavailable
from app.domain.installation import engine_status
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import Port, Refused, Unreachable
from tests.support import processes
from tests.support.clients import Client
from tests.support.taken_away import without_table

TOKEN = "a token of more than sixteen"
Number = Callable[..., float | None]


@pytest.fixture
def watched(app: Flask, make_app: Callable[..., Flask]) -> Flask:
    """The application as it is with a token in its settings."""
    return make_app(OVERTURE_METRICS_TOKEN=TOKEN)


@pytest.fixture
def scrape(watched: Flask) -> Number:
    """One number of what a scrape answers; None when there is no such sample."""

    def number(name: str, /, **labels: str) -> float | None:
        answer = watched.test_client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert answer.status_code == 200
        families = text_string_to_metric_families(answer.text)
        samples = [one for family in families for one in family.samples if one.name == name and one.labels == labels]
        return samples[0].value if samples else None

    return number


def test_without_the_token_of_the_settings_there_is_no_such_page(client: Client, watched: Flask) -> None:
    """Nor a port, unless it is named."""
    for given in ("", "Bearer ", f"Bearer {TOKEN}x", "Bearer wrong", f"Basic {TOKEN}", "Bearer tökén"):
        for asked in (client, watched.test_client()):
            assert asked.get("/metrics", headers={"Authorization": given}).status_code == 404, given
    assert client.get("/metrics").status_code == 404
    assert metrics.serve(watched) is None


def test_requests_are_timed_by_route_and_class_of_status(watched: Flask, scrape: Number) -> None:
    """By the rule of the address, never the address: there are as many of those as there are leads."""
    labels = {"route": "/people/<int:lead_id>", "status": "3xx"}
    before = scrape("overture_request_seconds_count", **labels) or 0
    unknown = scrape("overture_request_seconds_count", route="unknown", status="4xx") or 0
    for number in range(3):
        watched.test_client().get(f"/people/{number + 1}")
        watched.test_client().get(f"/no-such-page-{number}")
    assert scrape("overture_request_seconds_count", **labels) == before + 3
    assert scrape("overture_request_seconds_count", route="unknown", status="4xx") == unknown + 3


def test_units_come_from_the_rows_and_nothing_is_told_by_workspace(
    watched: Flask, scrape: Number, acme: Workspace
) -> None:
    """Names and ids of workspaces, senders and people are in no label."""
    now = clock.now()
    with transaction() as current:
        due: dict[str, Any] = {"workspace_id": acme.id, "kind": "test", "created_at": now}
        current.add(Job(open_key="late", due_at=now - timedelta(minutes=10), **due))
        current.add(Job(open_key="runs", due_at=now, claimed_until=now + timedelta(minutes=1), **due))
    states = {
        state: scrape("overture_units", kind="job", state=state) for state in ("due", "late", "running", "failed")
    }
    assert states == {"due": 1, "late": 1, "running": 1, "failed": 0}
    lag = scrape("overture_unit_lag_seconds", kind="job")
    assert lag is not None
    assert lag >= 600
    assert scrape("overture_open_intents") == 0
    assert all(scrape("overture_units", kind=kind, state="late") is not None for kind in engine_status.KINDS)
    text = watched.test_client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    labels = {name for family in text_string_to_metric_families(text) for one in family.samples for name in one.labels}
    assert labels <= {"route", "status", "kind", "state", "outcome", "provider", "le", "version"}
    assert acme.name not in text
    assert TOKEN not in text


def test_failures_of_providers_are_counted_by_kind(scrape: Number) -> None:
    """Whatever is called through a port; a failure that is no provider's is not counted."""

    class Adapter:
        name = "one"

        def act(self, failure: Exception | None) -> str:
            if failure:
                raise failure
            return "done"

    port = Port[Adapter]("test port")
    port.connect(Adapter())
    assert (port().name, port().act(None)) == ("one", "done")
    for failure in (Unreachable("No."), Unreachable("No."), Refused("Never."), ValueError("ours")):
        with suppress(Unreachable, Refused, ValueError):
            port().act(failure)
    assert scrape("overture_provider_failures_total", provider="test port", kind="Unreachable") == 2
    assert scrape("overture_provider_failures_total", provider="test port", kind="Refused") == 1
    assert scrape("overture_provider_failures_total", provider="test port", kind="ValueError") is None


def test_a_database_that_does_not_answer_is_told(watched: Flask, scrape: Number) -> None:
    """The numbers of the process are there all the same."""
    assert scrape("overture_database_up") == 1
    with watched.app_context(), without_table("delivery"):
        assert scrape("overture_database_up") == 0
        assert scrape("overture_units", kind="job", state="due") is None
        assert scrape("process_start_time_seconds") is not None


def test_a_port_of_its_own_answers_without_a_token(app: Flask, make_app: Callable[..., Flask]) -> None:
    """Whoever reaches it may read it; the main address keeps silent."""
    free_port = processes.free_port()
    watched = make_app(OVERTURE_METRICS_PORT=free_port)
    assert watched.test_client().get("/metrics").status_code == 404
    started = metrics.serve(watched)
    assert started is not None
    server, thread = started
    with urllib.request.urlopen(f"http://127.0.0.1:{free_port}/metrics", timeout=120) as answer:
        assert b"overture_units{" in answer.read()
    with pytest.raises(Unavailable, match="Cannot listen on"):
        metrics.serve(watched)
    server.shutdown()
    server.server_close()
    thread.join()
