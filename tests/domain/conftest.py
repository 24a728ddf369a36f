"""An endpoint, a webhook to it, and nobody there."""

from collections.abc import Iterator

import pytest
from flask import Flask

from app import ports
from app.core.clock import Movable
from app.domain.webhooks import endpoints
from app.models.webhooks import Webhook
from app.models.workspaces import Workspace
from tests.domain.hooks import Switch
from tests.published import check_events
from tests.receivers import Receiver

MADE_UP = (  # files whose events have no parts
    "alerts",
    "delivery_log",
    "retries",
    "doctor",
    "events",
    "dispatcher",
    "endpoints",
)


@pytest.fixture(autouse=True)
def as_published(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever the test made happen was told in the shapes that the contract publishes."""
    tells = "app" in request.fixturenames and request.path.stem.removeprefix("test_") not in MADE_UP
    if tells:
        request.getfixturevalue("app")
    yield
    if tells:
        check_events()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """An endpoint on this machine."""
    receiver = Receiver()
    yield receiver
    receiver.stop()


@pytest.fixture
def webhook(acme: Workspace, receiver: Receiver, clock: Movable) -> Webhook:
    """Our webhook to the receiver."""
    return endpoints.create(acme, name="CRM", url=receiver.url, event="message_sent")[0]


@pytest.fixture
def dead(app: Flask) -> Iterator[Switch]:
    """The courier finds nobody, until `there`."""
    before, switch = ports.webhook_client(), Switch("")
    ports.webhook_client.connect(switch)
    yield switch
    ports.webhook_client.connect(before)
