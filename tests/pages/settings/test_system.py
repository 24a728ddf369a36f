"""Settings → System: how the whole installation does, for its server admins and no others."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app.core.installation import VERSION
from app.domain.installation import engine_processes
from app.domain.webhooks import endpoints
from app.domain.workspace import server_admins
from app.models.platform.jobs import Job, JobState
from app.models.platform.services import ServiceLogin
from app.models.webhooks import Delivery, DeliveryState
from app.models.workspaces import Workspace
from app.pages.framework.words import in_bytes
from app.pages.settings.system import duration
from tests.domain.installation.test_engine_status import add
from tests.pages.conftest import Web, must_have
from tests.support.members import owner
from tests.support.movable import Movable
from tests.support.taken_away import without_table

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
PATH = "/settings/system"


@pytest.fixture(autouse=True)
def at(clock: Movable) -> None:
    clock.to(NOW)


def ended(of: Workspace, **columns: Any) -> Job:
    about: dict[str, Any] = {"kind": "lead_import", "open_key": None, "state": JobState.FAILED, "created_at": NOW}
    return Job(workspace_id=of.id, done_at=NOW - timedelta(minutes=5), **about | columns)


def test_the_first_user_sees_the_server(web: Web, acme: Workspace) -> None:
    page = web.get(PATH)
    assert page.status_code == 200
    for words in ("No engine process has checked in", "Nothing failed", "None found", VERSION, "Sender turns"):
        assert words in page.text
    assert f'href="{PATH}"' in web.get("/settings").text
    waits: dict[str, Any] = {"workspace_id": acme.id, "kind": "test", "created_at": NOW}
    add(Job(open_key="a", due_at=NOW - timedelta(minutes=12), **waits), Job(open_key="b", due_at=NOW, **waits))
    page = web.get(PATH).text
    assert '<td role="cell" class="n late" data-label="Late">1</td>' in page
    assert '<td role="cell" class="n nowrap" data-label="Oldest waiting">12 min</td>' in page


def test_other_owners_are_refused_and_see_no_way_there(stranger: Web) -> None:
    must_have(stranger.get(PATH), 403, "Only server admins")
    assert PATH not in stranger.get("/settings").text


def test_the_settings_name_the_admins(web: Web, acme: Workspace) -> None:
    """Then being the first user means nothing."""
    server_admins.use({"ada@acme.example"})
    must_have(web.get(PATH), 403, "Confirm your email in Settings")
    for email, status in [("ada@acme.example", 200), ("ops@example.com", 403)]:
        server_admins.appoint(owner(acme))
        server_admins.use({email})
        assert web.get(PATH).status_code == status


def test_engine_processes_are_shown_while_they_report(web: Web, acme: Workspace, clock: Movable) -> None:
    """The one that holds the seat is active; one that was not seen for a lease does not respond."""
    first, second = (engine_processes.join(command, "embedded") for command in ("serve", "worker"))
    engine_processes.beat(first)
    engine_processes.beat(second)
    page = web.get(PATH).text
    assert f"overture serve, process {os.getpid()}" in page
    assert page.index("Active") < page.index("Standing by")
    clock.forward(minutes=5)
    engine_processes.beat(second)
    page = web.get(PATH).text
    assert page.index("Active") < page.index("Not responding")


def test_failures_of_all_workspaces_are_told_without_secrets(web: Web, acme: Workspace, rival: Workspace) -> None:
    """Of a webhook the host alone: its path may be a secret."""
    url = "https://hooks.example/services/T0/very-secret"
    hook, _ = endpoints.create(acme, name="Hook", url=url, event="every_reply", campaign_ids=[])
    login: dict[str, Any] = {
        "workspace_id": acme.id,
        "service": "hunter",
        "position": 1,
        "shown": {},
        "created_at": NOW,
    }
    done: dict[str, Any] = {"state": DeliveryState.FAILED, "created_at": NOW}
    add(
        ended(rival, error="The file has no rows."),
        Delivery(workspace_id=acme.id, webhook_id=hook.id, done_at=NOW, last_status=500, **done),
        ServiceLogin(failed_at=NOW, failure="The key was revoked.", **login),
    )
    page = web.get(PATH).text
    must_have(
        page,
        "Lead import",
        "The file has no rows.",
        rival.name,
        "hooks.example",
        "The endpoint responded with 500.",
        "revoked",
    )
    assert "very-secret" not in page
    add(ended(acme, error="<script>alert(1)</script>" + "x" * 5000))
    must_have(web.get(PATH), "&lt;script&gt;alert(1)", without="<script>alert(1)")


def test_only_what_changed_is_sent_again(web: Web, acme: Workspace) -> None:
    first = web.get(PATH, htmx=True)
    must_have(first, 'hx-trigger="every 10s"', without="<html")
    tag = first.headers["ETag"]
    assert web.get(PATH, htmx=True, if_none_match=tag).status_code == 304
    add(ended(acme))
    assert web.get(PATH, htmx=True, if_none_match=tag).status_code == 200


def test_a_part_that_cannot_be_read_does_not_take_the_others_away(web: Web, acme: Workspace) -> None:
    with without_table("delivery_attempt"), without_table("service_login"):
        must_have(web.get(PATH), 200, "read the failures", "Sender turns")


def test_settings_are_shown_without_secrets(
    web: Web, app: Flask, acme: Workspace, monkeypatch: Any, tmp_path: Path
) -> None:
    monkeypatch.setitem(app.config, "OVERTURE_METRICS_TOKEN", "a-secret-metrics-token")
    monkeypatch.setitem(app.config, "SENTRY_DSN", "https://secret-key@sentry.example/1")
    page = web.get(PATH).text
    assert "On, by token" in page
    assert "secret" not in page.replace("secret_key", "")
    monkeypatch.setitem(app.config, "OVERTURE_INSTANCE", str(tmp_path))
    (tmp_path / "backups").mkdir()
    newest = "overture-20260302-000000.zip"
    for name in ("overture-20260301-000000.zip", newest, ".lock"):  # a lock is no backup
        (tmp_path / "backups" / name).write_bytes(b"x" * 2048)
    assert f"2026-03-02 00:00 UTC, 2.0 kB ({newest})" in web.get(PATH).text


def test_lengths_of_time_and_sizes_have_one_unit() -> None:
    for seconds, shown in [(0, "0 s"), (59.9, "59 s"), (60, "1 min"), (7300, "2 h"), (90_000, "1 d"), (-5, "0 s")]:
        assert duration(seconds) == shown
    for size, shown in [(0, "0 B"), (1500, "1.5 kB"), (3_100_000, "3.1 MB"), (12_000_000_000, "12.0 GB")]:
        assert in_bytes(size) == shown
