"""Clients in TypeScript and Java and the nodes for n8n: each drives a campaign against a running server.

`make clients` brings and builds what they need; where npm's packages or a JDK are missing, their tests are left out.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from standardwebhooks import Webhook

from app.core.db import end_read
from app.domain.webhooks import dispatcher
from app.models.workspaces import Workspace
from tests.domain.outreach import forward
from tests.support.receivers import Receiver
from tools import clients

NODE = str(clients.NODE / "node")
typescript = pytest.mark.skipif(
    not (clients.TYPESCRIPT / "node_modules").exists(), reason="`make clients` installs the npm packages"
)
n8n = pytest.mark.skipif(not (clients.N8N / "node_modules").exists(), reason="`make clients` installs the npm packages")
java = pytest.mark.skipif(not clients.java_is_made(), reason="`make clients` makes it, where there is a JDK")
# They leave nothing out: the first is about 3.1 itself, the others about examples, and about files that are no JSON.
HARMLESS = ("OpenAPI 3.1 support is still in beta", "Ignoring complex example", "Response examples can", "name: null")


@pytest.fixture(scope="module")
def typescript_dist() -> Path:
    """The folder of the built client's tests."""
    clients.typescript(clients.published())
    return clients.TYPESCRIPT / "dist" / "tests"


@pytest.fixture(scope="module")
def n8n_dist() -> Path:
    """The folder of the built nodes' tests."""
    clients.n8n()
    return clients.N8N / "dist" / "tests"


@contextmanager
def started(command: list[str], acme: Workspace) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The program and its first line, once its campaign has run for three days and its events were delivered."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        line = program.stdout.readline()
        assert line, "The program ended."
        end_read()
        forward(acme, days=3)
        while dispatcher.deliver_due():
            pass
        yield program, line.strip()
    assert program.returncode == 0


def answered(program: "subprocess.Popen[str]", text: str) -> str:
    """What the program says to that line, and nothing more."""
    assert program.stdin
    assert program.stdout
    program.stdin.write(text + "\n")
    program.stdin.flush()
    return program.stdout.read().strip()


@typescript
@pytest.mark.usefixtures("now")
def test_typescript_drives_a_campaign_and_its_own_tests_pass(
    typescript_dist: Path, live_server: str, acme: Workspace, key: str, receiver: Receiver
) -> None:
    """A list, its people page by page, a preview, a start, and the first event at the integrator's endpoint."""
    with started([NODE, str(typescript_dist / "campaign.js"), live_server, key, receiver.url], acme) as (program, line):
        request = receiver.requests[0]
        event = {"body": request.body.decode(), "headers": request.headers, **json.loads(line)}
        assert answered(program, json.dumps(event)) == "done"
    own_tests_pass(*(str(typescript_dist / name) for name in ("client.test.js", "webhooks.test.js")))


@n8n
@pytest.mark.usefixtures("now")
def test_nodes_for_n8n_drive_a_campaign_and_their_own_tests_pass(
    n8n_dist: Path, live_server: str, acme: Workspace, key: str, receiver: Receiver
) -> None:
    """A list, its people, a preview and a start by the node; the first event by the trigger, and no forged one."""
    with started([NODE, str(n8n_dist / "campaign.js"), live_server, key, receiver.url], acme) as (program, line):
        assert line == "started"
        request = receiver.requests[0]
        assert answered(program, json.dumps({"body": request.body.decode(), "headers": request.headers})) == "done"
    own_tests_pass(str(n8n_dist / "nodes.test.js"))


def own_tests_pass(*files: str) -> None:
    """With Node's test runner."""
    done = subprocess.run([NODE, "--test", *files], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "fail 0" in done.stdout


@java
@pytest.mark.usefixtures("now")
def test_java_drives_a_campaign(live_server: str, acme: Workspace, key: str, receiver: Receiver) -> None:
    """A list, its people, a preview, a start, and the first event at the integrator's endpoint."""
    classes = f"{clients.JAVA / 'classes'}:{clients.java_archive()}"
    with started(["java", "-cp", classes, "Campaign", live_server, key, receiver.url], acme) as (program, line):
        secret, _, said = line.partition(" ")
        assert said == "running Hello Ada"
        request = receiver.requests[0]
        assert Webhook(secret).verify(request.body, request.headers)["type"] == "invite_sent"
        assert answered(program, "") == "1 invite_sent"


@java
def test_every_operation_and_shape_is_in_the_java_client() -> None:
    """And its generator warns of nothing that is lost."""
    document, sources = clients.published(), clients.JAVA / "src/main/java/org/openapitools/client"
    methods = set(
        re.findall(r"^  public \S+ (\w+)\(", "".join(p.read_text() for p in sources.glob("api/*.java")), re.M)
    )
    operations = [one["operationId"] for path in document["paths"].values() for one in path.values()]
    assert len(operations) > 200
    assert {re.sub("[._](.)", lambda found: found[1].upper(), name) for name in operations} <= methods
    shapes = {name for name, one in document["components"]["schemas"].items() if one.get("properties")}
    models = {path.stem.lower(): path.read_text() for path in sources.glob("model/*.java")}
    assert {name.lower() for name in shapes} <= models.keys()
    missing = {
        f"{name}.{field}"
        for name in shapes
        for field in document["components"]["schemas"][name]["properties"]
        if f' = "{field}";' not in models[name.lower()]
    }
    assert missing == set()
    warnings = re.findall(r"^.*(?:WARN|ERROR).*$", (clients.JAVA / "said.txt").read_text(), re.M)
    assert [line for line in warnings if not any(words in line for words in HARMLESS)] == []
