"""An endpoint, a webhook to it, and nobody there."""

from collections.abc import Iterator

import pytest
from flask import Flask

from app import ports
from app.core.clock import Movable
from app.domain import webhooks
from app.models.webhooks import Webhook
from app.models.workspaces import Workspace
from tests.domain.hooks import Switch
from tests.receivers import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """An endpoint on this machine."""
    receiver = Receiver()
    yield receiver
    receiver.stop()


@pytest.fixture
def webhook(acme: Workspace, receiver: Receiver, clock: Movable) -> Webhook:
    """Our webhook to the receiver."""
    return webhooks.create(acme, name="CRM", url=receiver.url, event="message_sent")[0]


@pytest.fixture
def dead(app: Flask) -> Iterator[Switch]:
    """The courier finds nobody, until `there`."""
    before, switch = ports.courier(), Switch("")
    ports.courier.connect(switch)
    yield switch
    ports.courier.connect(before)
