"""A workspace that reaches a real network: Unipile is connected to it, and Ines is signed in there."""

from collections.abc import Callable
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa

from app.core import clock
from app.core.clock import now
from app.core.db import end_read, session
from app.domain.engine import lifecycle, manual_send, turns
from app.domain.engine.inbound import poll
from app.domain.engine.outbound import reconcile
from app.domain.platform import jobs, services
from app.domain.senders import accounts, hosted_sign_in, webhook_registration
from app.domain.workspace import workspaces
from app.models.accounts import Account
from app.models.ledger import Action
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.domain.outreach import the_account
from tests.providers.unipile.unipile_server import UnipileServer
from tests.providers.unipile.unipile_world import World
from tests.support.clients import Client
from tests.support.movable import Movable
from tests.support.unruled import unruled

BASE_URL = "http://localhost"


@pytest.fixture
def there(there: UnipileServer, clock: Movable) -> UnipileServer:
    """Unipile, where Ines signed in an hour ago; a file that imports this has it in place of the usual one."""
    clock.forward(hours=1)
    return there


@pytest.fixture
def live(there: UnipileServer) -> Workspace:
    """A live workspace that has connected it."""
    return workspace(there)


def server() -> UnipileServer:
    """The contract, on the clock of the test, with one account."""
    running = UnipileServer(World(clock.now))
    running.world.account()
    return running


def workspace(there: UnipileServer, generation: str = "v2", name: str = "Live") -> Workspace:
    made = unruled(workspaces.create(name, f"lena@{name.lower()}.example", PASSWORD, sandbox=False))
    services.connect(made, "unipile", there.values(generation))
    return made


def ines(of: Workspace, *, hooked: bool = False) -> Account:
    """Ines' account is connected; Unipile calls us about it when `hooked`. She is no beginner."""
    made = accounts.connect_hosted(of, provider="unipile", ref="acc_ines")
    if hooked:
        webhook_registration.ensure(of, "unipile", BASE_URL)
    made.ramp_from = None
    session().commit()
    end_read()
    return made


def deliver(there: UnipileServer, client: Client) -> list[int]:
    """Everything that Unipile has to tell has been told; the statuses."""
    told, there.world.told[:] = list(there.world.told), []
    end_read()
    return [client.post(urlsplit(url).path, data=body, headers=headers).status_code for url, headers, body in told]


def work() -> None:
    """Everything that is due at this moment is done, as the ticks do it."""
    while turns.run_due() + manual_send.run_due() + poll.poll_due() + reconcile.run_due() + jobs.run_due():
        pass


def pass_time(
    clock: Movable, workspace: Workspace, hours: float, meanwhile: Callable[[], object] = lambda: None
) -> None:
    """So much later, with everything done on the way at its own moment, at the latest every two hours.

    `meanwhile` is what others do before time goes on.
    """
    goal = now() + timedelta(hours=hours)
    while now() < goal:
        lifecycle.run_due()
        work()
        meanwhile()
        due = [account.turn_at for account in accounts.every(workspace) if account.turn_at]
        checks = session().scalars(sa.select(Action.check_at).where(Action.check_at.is_not(None)))
        later = [moment for moment in (*due, *checks) if moment > now()]
        end_read()
        clock.to(min([*later, now() + timedelta(hours=2), goal]))
    work()


def sign_in_again(workspace: Workspace, there: UnipileServer) -> None:
    """A human does what the network asks for, at Unipile's page."""
    made = hosted_sign_in.begin(workspace, "unipile", BASE_URL, account_id=the_account(workspace).id)
    there.world.sign_in(hosted_sign_in.page(made).rpartition("/")[2])
    assert hosted_sign_in.look(workspace, made.id).status == "done"
