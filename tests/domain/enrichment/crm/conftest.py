"""The CRM that a workspace connects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from flask import Flask

    from tests.providers.crm.hubspot_server import HubSpotServer
    from tests.support.movable import Movable


@pytest.fixture
def hubspot(app: Flask, clock: Movable) -> Iterator[HubSpotServer]:
    """An account at HubSpot, which can be connected."""
    from tests.providers.crm.hubspot_server import HubSpotServer
    from tests.support.crms import hubspot_at

    server = HubSpotServer(clock=clock)
    hubspot_at(server)
    yield server
    server.stop()
