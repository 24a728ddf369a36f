"""What tests of verbs ask for, such as a live workspace or a receiver of webhooks; imported where it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from flask import Flask

    from app.models.webhooks import Webhook
    from app.models.workspaces import Workspace
    from tests.domain.hooks import Switch
    from tests.support.movable import Movable
    from tests.support.receivers import Receiver

MADE_UP = (  # files whose events have no parts
    "alerts",
    "delivery_log",
    "retries",
    "doctor",
    "events",
    "dispatcher",
    "endpoints",
    "payloads",
)


@pytest.fixture(autouse=True)
def as_published(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever the test made happen was told in the shapes that the contract publishes."""
    tells = "app" in request.fixturenames and request.path.stem.removeprefix("test_") not in MADE_UP
    if tells:
        request.getfixturevalue("app")
    yield
    if tells:
        from tests.support.published import check_events

        check_events()


@pytest.fixture
def live(app: Flask, clock: Movable) -> Workspace:
    """A workspace that reaches the outside."""
    from app.domain.workspace import workspaces
    from tests.conftest import PASSWORD

    return workspaces.create("Live", "ada@live.example", PASSWORD)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """An endpoint on this machine."""
    from tests.support.receivers import Receiver

    receiver = Receiver()
    yield receiver
    receiver.stop()


@pytest.fixture
def webhook(acme: Workspace, receiver: Receiver, clock: Movable) -> Webhook:
    from app.domain.webhooks import endpoints

    return endpoints.create(acme, name="CRM", url=receiver.url, event="message_sent")[0]


@pytest.fixture
def dead(app: Flask) -> Iterator[Switch]:
    """The webhook client reaches nothing, until `there`."""
    from app import ports
    from tests.domain.hooks import Switch

    before, switch = ports.webhook_client(), Switch("")
    ports.webhook_client.connect(switch)
    yield switch
    ports.webhook_client.connect(before)
