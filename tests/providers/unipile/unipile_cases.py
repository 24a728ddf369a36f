"""What tests of Unipile's adapter share: people, actions, and the network's clock at the moment of asking."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from app.ports import AccountRef, Inbound, PersonRef, Receipt, SenderAction
from app.providers.http import HttpClient
from app.providers.unipile import UnipileNetwork
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
        self._world.now = lambda: account.at
        return super().act(account, action)

    def find(self, account: AccountRef, action: SenderAction) -> Receipt | None:
        self._world.now = lambda: account.at
        return super().find(account, action)

    def inbound(self, account: AccountRef, cursor: str) -> Inbound:
        self._world.now = lambda: account.at
        return super().inbound(account, cursor)


def person(public_id: str) -> PersonRef:
    return PersonRef(public_id, f"https://www.linkedin.com/in/{public_id}")


def action(kind: str, public_id: str = "accepts-ada", **more: Any) -> SenderAction:
    return SenderAction(kind, person(public_id), more.pop("token", f"{kind} {public_id}"), **more)
