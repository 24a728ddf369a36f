"""The TypeScript client: it compiles strictly, and drives a campaign against a running server.

Its packages come from npm. `make clients` installs them; where they are missing, these tests are left out.
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
    pytest.mark.skipif(
        not (clients.TYPESCRIPT / "node_modules").exists(), reason="`make clients` installs the npm packages"
    ),
]
NODE = str(clients.NODE / "node")


@pytest.fixture(scope="module")
def dist() -> str:
    """The folder of the built client."""
    clients.typescript(clients.published())
    return str(clients.TYPESCRIPT / "dist" / "tests")


@pytest.mark.usefixtures("now")
def test_a_whole_campaign(live_server: str, acme: Workspace, key: str, receiver: Receiver, dist: str) -> None:
    """A list, its people page by page, a preview, a start, and the first event at the integrator's endpoint."""
    command = [NODE, os.path.join(dist, "campaign.js"), live_server, key, receiver.url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin
        assert program.stdout
        line = program.stdout.readline()
        assert line, "The program ended."
        end_read()
        forward(acme, days=3)
        while dispatcher.deliver_due():
            pass
        request = receiver.requests[0]
        event = {"body": request.body.decode(), "headers": request.headers, **json.loads(line)}
        program.stdin.write(json.dumps(event) + "\n")
        program.stdin.flush()
        assert program.stdout.read() == "done\n"
    assert program.returncode == 0


def test_its_own_tests_pass(dist: str) -> None:
    """Retries, pages, errors and webhooks, with Node's test runner."""
    files = [os.path.join(dist, name) for name in ("client.test.js", "webhooks.test.js")]
    done = subprocess.run([NODE, "--test", *files], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "fail 0" in done.stdout
