"""What tests of Unipile's adapter share: the server, an account, and the network's clock at the moment of asking."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask

from app.core.clock import Movable
from app.ports import AccountRef, Inbound, PersonRef, Receipt, SenderAction
from app.providers.http import HttpClient
from app.providers.unipile import UnipileNetwork
from tests.providers.unipile.unipile_server import UnipileServer
from tests.providers.unipile.unipile_world import World

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ADA = PersonRef("accepts-ada", "https://www.linkedin.com/in/accepts-ada", "Ada", "Lovelace")
At = Callable[..., AccountRef]
ONCE = pytest.mark.parametrize("generation", ["v2"])  # what does not depend on the interface


class InTime(UnipileNetwork):
    """The adapter, and the network's clock stands at the moment at which it is asked."""

    def __init__(self, world: World) -> None:
        super().__init__(HttpClient(allow_private=True, any_port=True), whole_call=30)
        self._world = world

    def act(self, account: AccountRef, action: SenderAction) -> Receipt:
        """At that moment."""
        self._world.now = lambda: account.at
        return super().act(account, action)

    def find(self, account: AccountRef, action: SenderAction) -> Receipt | None:
        """At that moment."""
        self._world.now = lambda: account.at
        return super().find(account, action)

    def inbound(self, account: AccountRef, cursor: str) -> Inbound:
        """At that moment."""
        self._world.now = lambda: account.at
        return super().inbound(account, cursor)


@pytest.fixture(params=["v2", "v1"])
def generation(request: pytest.FixtureRequest) -> str:
    """Which interface."""
    return str(request.param)


@pytest.fixture
def server(clock: Movable) -> Iterator[UnipileServer]:
    """The contract, with one account."""
    running = UnipileServer(World(lambda: AT))
    running.world.account()
    yield running
    running.stop()


@pytest.fixture
def world(server: UnipileServer) -> World:
    """What the server knows."""
    return server.world


@pytest.fixture
def network(app: Flask, world: World) -> InTime:
    """The adapter."""
    return InTime(world)


@pytest.fixture
def account(server: UnipileServer, generation: str) -> AccountRef:
    """Ines, on a Monday morning."""
    return AccountRef(1, 1, "acc_ines", "Ines Duarte", AT, settings=server.values(generation))


@pytest.fixture
def at(account: AccountRef) -> At:
    """The account later: `at(hours=2)`."""
    return lambda **delta: replace(account, at=AT + timedelta(**delta))


def person(public_id: str) -> PersonRef:
    """Someone with that public id."""
    return PersonRef(public_id, f"https://www.linkedin.com/in/{public_id}")


def action(kind: str, public_id: str = "accepts-ada", **more: Any) -> SenderAction:
    """Something done to them."""
    return SenderAction(kind, person(public_id), more.pop("token", f"{kind} {public_id}"), **more)
