"""Requests have names, by which their lines in the log are found."""

import logging
import re
from pathlib import Path

import pytest
from flask import Flask

from app import request_ids
from app.core.logs import request_id
from tests.support.clients import Client
from tests.support.processes import Running, environment

ASK = "from tests.test_request_ids import name; print(name())"


def name() -> str:
    """The name of a request."""
    asked = Flask("asked")
    request_ids.register(asked)
    return asked.test_client().get("/").headers["X-Request-Id"]


def test_no_two_requests_have_the_same_id() -> None:
    """No two have the same name."""
    names = {name() for _ in range(100)}
    assert len(names) == 100
    assert all(re.fullmatch(r"req_[0-9a-f]{22}", one) for one in names)


def test_processes_that_were_forked_name_their_requests_apart(tmp_path: Path) -> None:
    """Even of one parent, whose names would go on in the same order."""
    script = tmp_path / "ask.py"
    script.write_text(ASK)
    names = []
    for _ in range(2):
        with Running(environment("", tmp_path), str(script), quick=True) as forked:
            names.append(forked.ready)
    assert names[0].startswith("req_")
    assert names[0] != names[1]


def test_work_that_no_request_asked_for_has_the_id_of_none() -> None:
    """A thread that answered goes on without it."""
    assert name()
    assert request_id.get() == ""


@pytest.mark.parametrize("path", ["/reset/{}", "/invite/{}", "/u/{}", "/hooks/unipile/{}", "/u/{}/undo", "/reset/{}/x"])
def test_no_log_line_has_the_secret_of_an_address(client: Client, caplog: pytest.LogCaptureFixture, path: str) -> None:
    caplog.set_level(logging.INFO, "app.request_ids")
    client.get(path.format("geheim"))
    client.post(path.format("geheim"))
    shown = [str(record.fields["path"]) for record in caplog.records if record.message == "Answered"]  # type: ignore[attr-defined]
    assert len(shown) == 2
    assert all(one.startswith("/" + path.split("/")[1]) and "geheim" not in one for one in shown)
