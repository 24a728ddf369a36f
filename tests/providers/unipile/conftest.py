"""An account at Unipile, in both generations of its interface, and the server that keeps its contract."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask

from app.ports import AccountRef
from tests.providers.unipile.unipile_cases import AT, At, InTime
from tests.providers.unipile.unipile_server import UnipileServer
from tests.providers.unipile.unipile_world import World
from tests.support.movable import Movable


@pytest.fixture(params=["v2", "v1"])
def generation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(clock: Movable, running: Callable[[UnipileServer], UnipileServer]) -> UnipileServer:
    server = running(UnipileServer(World(lambda: AT)))
    server.world.account()
    return server


@pytest.fixture
def world(server: UnipileServer) -> World:
    return server.world


@pytest.fixture
def network(app: Flask, world: World) -> InTime:
    return InTime(world)


@pytest.fixture
def account(server: UnipileServer, generation: str) -> AccountRef:
    return AccountRef(1, 1, "acc_ines", "Ines Duarte", AT, settings=server.values(generation))


@pytest.fixture
def at(account: AccountRef) -> At:
    """The account later: `at(hours=2)`."""
    return lambda **delta: replace(account, at=AT + timedelta(**delta))
