"""A Java client by openapi-generator: nothing of the document is missing, and it drives a campaign.

`make clients` generates and compiles it where there is a JDK; elsewhere these tests are left out.
"""

import re
import subprocess

import pytest
from standardwebhooks import Webhook

from app.core.db import end_read
from app.domain.webhooks import dispatcher
from app.models.workspaces import Workspace
from tests.domain.outreach import forward
from tests.support.receivers import Receiver
from tools import clients

CLASSES = clients.JAVA / "classes"
pytestmark = [
    pytest.mark.skipif(not clients.java_is_made(), reason="`make clients` makes it, where there is a JDK"),
]
# They leave nothing out: the first is about 3.1 itself, the others about examples, and about files that are no JSON.
HARMLESS = ("OpenAPI 3.1 support is still in beta", "Ignoring complex example", "Response examples can", "name: null")


def test_every_operation_and_shape_is_in_the_client() -> None:
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


@pytest.mark.usefixtures("now")
def test_a_whole_campaign(live_server: str, acme: Workspace, key: str, receiver: Receiver) -> None:
    """A list, its people, a preview, a start, and the first event at the integrator's endpoint."""
    command = ["java", "-cp", f"{CLASSES}:{clients.java_archive()}", "Campaign", live_server, key, receiver.url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin
        assert program.stdout
        secret, _, said = program.stdout.readline().strip().partition(" ")
        assert said == "running Hello Ada"
        end_read()
        forward(acme, days=3)
        while dispatcher.deliver_due():
            pass
        request = receiver.requests[0]
        assert Webhook(secret).verify(request.body, request.headers)["type"] == "invite_sent"
        program.stdin.write("\n")
        program.stdin.flush()
        assert program.stdout.read() == "1 invite_sent\n"
    assert program.returncode == 0
