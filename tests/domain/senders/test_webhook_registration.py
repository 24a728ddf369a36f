"""Our webhook at a provider: registered once, anew with a new key, and removed with the service."""

import pytest

from app.domain.platform import services
from app.domain.senders import webhook_registration
from app.models.workspaces import Workspace
from tests.domain.engine.test_hosted_accounts import hook
from tests.providers.unipile.unipile_server import UnipileServer
from tests.providers.unipile.unipile_world import World
from tests.support import networked
from tests.support.networked import BASE_URL, live

__all__ = ["live"]


@pytest.fixture
def world(there: UnipileServer) -> World:
    return there.world


def test_the_network_calls_about_everything_until_the_service_is_disconnected(
    live: Workspace, there: UnipileServer, world: World
) -> None:
    """Registered once, with the names that this version knows; anew when the key is replaced.

    The hook goes with the service, also when Unipile cannot be told; connected again there is another.
    """
    world.refused_events.add("account.locked")
    networked.ines(live, hooked=True)
    webhook_registration.ensure(live, "unipile", BASE_URL)
    assert [one["url"] for one in world.hooks.values()] == [webhook_registration.address(live, "unipile", BASE_URL)]
    services.connect(live, "unipile", there.values())
    webhook_registration.ensure(live, "unipile", BASE_URL)
    assert len(world.hooks) == 1
    assert hook(live).sealed
    assert b"secret-of" not in bytes(hook(live).sealed or b"")
    services.disconnect(live, "unipile")
    assert world.hooks == {}
    assert (hook(live).refs, hook(live).sealed) == ([], None)
    services.connect(live, "unipile", there.values())
    webhook_registration.ensure(live, "unipile", BASE_URL)
    assert len(world.hooks) == 1
    there.stop()
    services.disconnect(live, "unipile")
    assert hook(live).refs == []


def test_what_is_registered_is_not_registered_again_until_the_server_moves(
    live: Workspace, there: UnipileServer, world: World
) -> None:
    """Each workspace has an address of its own; without one, or while the network refuses, news comes later."""
    webhook_registration.ensure(live, "unipile", "")
    assert world.hooks == {}
    webhook_registration.ensure(live, "unipile", BASE_URL)
    before = dict(world.hooks)
    webhook_registration.ensure(live, "unipile", BASE_URL)
    assert world.hooks == before
    webhook_registration.ensure(live, "unipile", "https://new.example/")
    (one,) = world.hooks.values()
    assert one["url"] == webhook_registration.address(live, "unipile", "https://new.example")
    assert one["url"].startswith("https://new.example/hooks/unipile/")
    other = networked.workspace(there, name="Other")
    addresses = {webhook_registration.address(one, "unipile", BASE_URL) for one in (live, other, live)}
    assert len(addresses) == 2
    there.stop()
    webhook_registration.ensure(other, "unipile", BASE_URL)
    assert (hook(other).belongs_to, hook(other).refs) == ("", [])
