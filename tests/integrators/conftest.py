"""What every client is tried with: a sandbox with a key, a server that answers, an endpoint for events."""

from collections.abc import Iterator

import pytest

from app.models.workspaces import Workspace
from tests.support.movable import Movable
from tests.support.receivers import Receiver
from tools import clients

clients.python(clients.published())


@pytest.fixture
def key(acme: Workspace) -> str:
    """Of acme, for everything."""
    from app.domain.workspace import api_keys

    return api_keys.create(acme, "Client", ["all"])[1]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """The integrator's endpoint."""
    listening = Receiver()
    yield listening
    listening.stop()


@pytest.fixture
def now(clock: Movable) -> None:
    """Real time: signatures are verified against it."""
    from datetime import UTC, datetime

    clock.to(datetime.now(UTC))
