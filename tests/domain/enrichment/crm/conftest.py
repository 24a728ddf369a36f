"""A workspace that reaches the outside, and the CRM that it connects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from flask import Flask

    from app.core.clock import Movable
    from app.models.workspaces import Workspace
    from tests.providers.crm.hubspot_server import HubSpotServer


@pytest.fixture
def live(app: Flask, clock: Movable) -> Workspace:
    """A workspace that reaches the outside."""
    from app.domain.workspace import workspaces
    from tests.conftest import PASSWORD

    return workspaces.create("Live", "ada@live.example", PASSWORD)


@pytest.fixture
def hubspot(app: Flask, clock: Movable) -> Iterator[HubSpotServer]:
    """An account at HubSpot, which can be connected."""
    from tests.providers.crm.hubspot_server import HubSpotServer
    from tests.support.crms import hubspot_at

    server = HubSpotServer(clock=clock)
    hubspot_at(server)
    yield server
    server.stop()
