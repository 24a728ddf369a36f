"""Error reports: sent to SENTRY_DSN as the package does it, with the request's id and nothing about people."""

import gzip
import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.core import error_reports
from app.core.logs import request_id
from tests.support.processes import environment
from tests.support.receivers import Receiver

SECRET = "ovt_live_abcdefgh_0123456789abcdefghij"
BREAKS = """
import logging, sys
import sentry_sdk
from app import create_app

app = create_app(SENTRY_DSN=sys.argv[1])

@app.post("/break/<token>")
def broken(token):
    kept = "kept@private.example"
    raise RuntimeError("No answer for bob@private.example with OVT")

client = app.test_client()
client.post("/break/private-token?q=private-query", data={"text": "private-body"},
            headers={"Cookie": "session=private-cookie", "X-Header": "private-header"},
            environ_base={"REMOTE_ADDR": "198.51.100.7"})
sentry_sdk.flush(10)
"""


def events(receiver: Receiver) -> list[dict[str, Any]]:
    """What was reported: each envelope holds lines of JSON, and the event is one of them."""
    lines = []
    for request in receiver.requests:
        body = gzip.decompress(request.body) if request.headers.get("content-encoding") == "gzip" else request.body
        lines += [json.loads(line) for line in body.splitlines() if line.startswith(b"{")]
    return [line for line in lines if "exception" in line]


def test_an_error_is_reported_without_anything_about_people(tmp_path: Path) -> None:
    """The stack, the route and the request's id; no address, body, cookie, header, variable or email address."""
    receiver = Receiver()
    dsn = receiver.url.replace("http://", "http://key@").replace("/hook", "/1")
    script = BREAKS.replace("OVT", SECRET)
    env, command = environment("", tmp_path) | {"OVERTURE_LOG": "json"}, [sys.executable, "-c", script, dsn]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    receiver.stop()
    assert done.returncode == 0, done.stderr
    (event,) = events(receiver)
    told = json.dumps(event)
    (error,) = event["exception"]["values"]
    assert (error["type"], error["value"]) == ("RuntimeError", "No answer for …@… with ovt_live_abcdefgh_…")
    assert error["stacktrace"]["frames"][-1]["function"] == "broken"
    assert event["tags"]["request_id"].startswith("req_")
    assert f'"requestId": "{event["tags"]["request_id"]}"' in done.stderr
    assert "private" not in told
    assert "198.51.100.7" not in told


def test_what_is_reported_is_chosen_by_name() -> None:
    """Whatever else an integration adds is left out."""
    event = {"event_id": "1", "user": {"email": "a@b.example"}, "request": {"url": "/reset/token"}, "extra": {"a": 1}}
    event |= {"contexts": {"runtime": {"name": "CPython"}, "other": {"name": "x"}}, "breadcrumbs": {}, "modules": {}}
    token = request_id.set("req_1")
    told = error_reports.scrub(
        event | {"logentry": {"message": "Broke for a@b.example", "params": ["a@b.example"]}}, {}
    )
    request_id.reset(token)
    assert told == {
        "event_id": "1",
        "contexts": {"runtime": {"name": "CPython"}},
        "logentry": {"message": "Broke for …@…"},
        "tags": {"request_id": "req_1"},
    }


@pytest.mark.parametrize("dsn", ["", "https://key@errors.example/1"])
def test_a_missing_package_is_said_where_reports_are_wanted(
    dsn: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """In the log and to the doctor; Overture runs all the same."""
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    with caplog.at_level(logging.ERROR, error_reports.log.name):
        error_reports.start({"SENTRY_DSN": dsn})
    assert error_reports.missing() is bool(dsn)
    assert ("sentry-sdk is not installed" in caplog.text) is bool(dsn)
    error_reports.start({"SENTRY_DSN": ""})
    assert not error_reports.missing()
