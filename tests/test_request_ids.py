"""Requests have names, by which their lines in the log are found."""

import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest
from flask import Flask

from app import request_ids
from app.core.actor import SYSTEM, actor, spender
from app.core.logs import request_id
from app.domain.workspace import api_keys
from app.models.workspaces import Workspace
from tests.support.clients import Api, Client
from tests.support.members import owner

ROOT = Path(__file__).parents[1]
FORKS = """
import os
from tests.test_request_ids import name
for _ in range(2):
    if os.fork() == 0:
        print(name(), flush=True)
        os._exit(0)
    os.wait()
"""


def name() -> str:
    asked = Flask("asked")
    request_ids.register(asked)
    return asked.test_client().get("/").headers["X-Request-Id"]


def test_no_two_requests_have_the_same_id() -> None:
    """Work that no request asked for has none, also in a thread that answered before."""
    names = {name() for _ in range(100)}
    assert len(names) == 100
    assert all(re.fullmatch(r"req_[0-9a-f]{22}", one) for one in names)
    assert request_id.get() == ""


def test_no_one_keeps_the_rights_of_a_request_that_is_over(client: Client, acme: Workspace) -> None:
    """Work that follows in the same thread acts as the system, whatever the key of the request may not."""
    _, key = api_keys.create(acme, "Reader", ["lists:read"], created_by=owner(acme))
    assert Api(client, key).get("lists").status_code == 200
    assert actor.get() == SYSTEM
    assert spender.get() == 0


def test_processes_that_were_forked_name_their_requests_apart() -> None:
    """Even of one parent, whose names would go on in the same order."""
    one, other = subprocess.check_output([sys.executable, "-c", FORKS], cwd=ROOT, text=True).split()
    assert one.startswith("req_")
    assert one != other


def test_no_log_line_has_the_secret_of_an_address(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "app.request_ids")
    paths = ("/reset/{}", "/invite/{}", "/u/{}", "/hooks/unipile/{}", "/u/{}/undo", "/reset/{}/x")
    for path in paths:
        client.get(path.format("geheim"))
        client.post(path.format("geheim"))
    shown = [str(record.fields["path"]) for record in caplog.records if record.message == "Answered"]  # type: ignore[attr-defined]
    assert [one.split("/")[1] for one in shown] == [path.split("/")[1] for path in paths for _ in range(2)]
    assert [one for one in shown if "geheim" in one] == []
