"""The nodes for n8n: they drive a campaign against a running server and hear its first event.

Their packages come from npm. `make clients` installs them; where they are missing, these tests are left out.
"""

import json
import os
import subprocess

import pytest

from app.core.db import end_read
from app.domain.webhooks import dispatcher
from app.models.workspaces import Workspace
from tests.domain.outreach import forward
from tests.support.receivers import Receiver
from tools import clients

pytestmark = [
    pytest.mark.skipif(not (clients.N8N / "node_modules").exists(), reason="`make clients` installs the npm packages"),
]
NODE = str(clients.NODE / "node")


@pytest.fixture(scope="module")
def dist() -> str:
    """The folder of the built nodes' tests."""
    clients.n8n()
    return str(clients.N8N / "dist" / "tests")


@pytest.mark.usefixtures("now")
def test_a_whole_campaign(live_server: str, acme: Workspace, key: str, receiver: Receiver, dist: str) -> None:
    """A list, its people, a preview and a start by the node; the first event by the trigger, and no forged one."""
    command = [NODE, os.path.join(dist, "campaign.js"), live_server, key, receiver.url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin
        assert program.stdout
        assert program.stdout.readline() == "started\n"
        end_read()
        forward(acme, days=3)
        while dispatcher.deliver_due():
            pass
        request = receiver.requests[0]
        program.stdin.write(json.dumps({"body": request.body.decode(), "headers": request.headers}) + "\n")
        program.stdin.flush()
        assert program.stdout.read() == "done\n"
    assert program.returncode == 0


def test_its_own_tests_pass(dist: str) -> None:
    """Pages, refusals, fields and signatures, with Node's test runner."""
    done = subprocess.run(
        [NODE, "--test", os.path.join(dist, "nodes.test.js")], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert "fail 0" in done.stdout
