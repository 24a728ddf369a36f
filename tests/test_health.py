"""GET /healthz says whether this process can work, and nothing more. Every request has a line in the log."""

import io
import json
import sys

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core import clock
from app.core.db import transaction
from app.core.installation import VERSION
from app.core.logs import configure_logs
from app.domain.platform import restore_hold
from app.engines.embedded import EmbeddedEngine
from app.models.platform.installation import Restore
from tests.support.clients import Client
from tests.support.taken_away import without_table


def test_health_tells_the_version_without_a_sign_in(client: Client) -> None:
    """Without a key or a session."""
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json) == (200, {"status": "ok", "version": VERSION, "engine": "none"})
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_held_copy_is_ready_and_sends_nothing(client: Client) -> None:
    now = clock.now()
    with transaction() as current:
        current.execute(sa.insert(Restore).values(**restore_hold.enter(now, now)))
    answer = client.get("/healthz")
    assert (answer.status_code, answer.get_json()["status"], answer.get_json()["held"]) == (200, "ok", True)
    restore_hold.release("a test")
    assert "held" not in client.get("/healthz").get_json()


def test_another_schema_or_a_database_that_does_not_answer_is_not_ready(client: Client) -> None:
    """The load balancer sends people elsewhere; what went wrong is in the log alone."""
    with without_table("alembic_version"):
        answer = client.get("/healthz")
    unavailable = {"status": "unavailable", "version": VERSION, "engine": "none"}
    assert (answer.status_code, answer.json) == (503, unavailable)
    assert int(answer.headers["Retry-After"]) > 0
    newest = sa.text("SELECT version_num FROM alembic_version")
    with transaction() as current:
        revision = current.scalar(newest)
        current.execute(sa.text("UPDATE alembic_version SET version_num = '0000'"))
    try:
        answer = client.get("/healthz")
    finally:
        with transaction() as current:
            current.execute(sa.text(f"UPDATE alembic_version SET version_num = '{revision}'"))
    assert (answer.status_code, answer.json) == (503, unavailable)


def test_an_engine_that_stopped_is_not_ready(app: Flask, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process answers, but nothing would ever be sent."""
    monkeypatch.setitem(app.extensions, "engine", EmbeddedEngine(app, kinds=[], upkeep=[]))
    assert client.get("/healthz").status_code == 503


def test_every_request_has_one_line_with_its_id(app: Flask, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Method, path, status and time; the query is left out, for it may hold what someone typed."""
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    configure_logs(app.config | {"OVERTURE_LOG": "json", "OVERTURE_LOG_LEVEL": "info"})
    answer = client.get("/nowhere?email=ada@example.com")
    (line,) = log.getvalue().splitlines()
    entry = json.loads(line)
    assert (entry["method"], entry["path"], entry["status"]) == ("GET", "/nowhere", answer.status_code)
    assert entry["requestId"] == answer.headers["X-Request-Id"]
    assert entry["milliseconds"] >= 0
    assert "ada@" not in line
    client.get("/healthz")  # is asked too often to be logged, unless it fails
    client.get("/x%0a%7b%22level%22%3a%22error%22%7d")  # cannot forge a line
    client.get("/ovt_live_abcd1234_TopSecretPartOfTheKey")
    assert len(log.getvalue().splitlines()) == 3
    assert "TopSecret" not in log.getvalue()
