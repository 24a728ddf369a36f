"""A workspace that reaches a real network: Unipile is connected to it, and Ines is signed in there."""

from urllib.parse import urlsplit

from app.core import clock
from app.core.db import leave_database, session
from app.domain import accounts, network_hooks, services, workspaces
from app.models.accounts import Account
from app.models.workspaces import Workspace
from tests.clients import Client
from tests.conftest import PASSWORD
from tests.providers.unipile_server import UnipileServer
from tests.providers.unipile_world import World

BASE_URL = "http://localhost"


def server() -> UnipileServer:
    """The contract, on the clock of the test, with one account."""
    running = UnipileServer(World(clock.now))
    running.world.account()
    return running


def workspace(there: UnipileServer, generation: str = "v2", name: str = "Live") -> Workspace:
    """A live workspace that has connected Unipile."""
    made = workspaces.create(name, f"lena@{name.lower()}.example", PASSWORD, sandbox=False)
    services.connect(made, "unipile", there.values(generation))
    return made


def ines(of: Workspace, *, hooked: bool = False) -> Account:
    """Ines' account is connected; Unipile calls us about it when `hooked`. She is no beginner."""
    made = accounts.connect_hosted(of, provider="unipile", ref="acc_ines")
    if hooked:
        network_hooks.ensure(of, "unipile", BASE_URL)
    made.ramp_from = None
    session().commit()
    leave_database()
    return made


def deliver(there: UnipileServer, client: Client) -> list[int]:
    """Everything that Unipile has to tell has been told; the statuses."""
    told, there.world.told[:] = list(there.world.told), []
    leave_database()
    return [client.post(urlsplit(url).path, data=body, headers=headers).status_code for url, headers, body in told]
