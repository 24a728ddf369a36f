"""A sender as its provider needs to know it."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.platform import services
from app.domain.senders import accounts, provider_credentials
from app.models.accounts import Account
from app.models.platform.services import ServiceLogin
from app.models.workspaces import Workspace
from tests.providers.unipile.unipile_server import UnipileServer
from tests.support import networked


@pytest.fixture
def ines(there: UnipileServer) -> Account:
    return networked.ines(networked.workspace(there))


def settings_of(account: Any) -> dict[str, str]:
    return dict(provider_credentials.to_account_ref(account, account.created_at).settings)


def test_a_sandbox_sender_has_the_seed_of_its_workspace_and_no_credentials(acme: Workspace) -> None:
    with transaction() as current:
        current.get_one(Workspace, acme.id).sandbox_seed = 7
    for sender in accounts.every(acme):
        at = acme.now()
        ref = provider_credentials.to_account_ref(sender, at)
        assert (ref.seed, ref.settings, ref.keep) == (7, {}, None)
        assert (ref.id, ref.workspace_id, ref.name, ref.at) == (sender.id, acme.id, sender.name, at)


def test_a_hosted_account_has_the_key_of_its_service(there: UnipileServer, ines: Account) -> None:
    """It is not shown when it is printed; a lost secret or service leaves none, and the sender is signed out."""
    assert settings_of(ines).items() >= there.values().items()
    assert there.values()["api_key"] not in repr(provider_credentials.to_account_ref(ines, ines.created_at))
    for has in (True, False):
        with transaction() as current:
            current.get_one(Account, ines.id).has_sales_navigator = has
        assert ("sales_navigator" in settings_of(ines)) == has
    with transaction() as current:
        current.execute(sa.update(ServiceLogin).values(sealed=b"of another key"))
    assert settings_of(ines) == {}
    services.disconnect(session().get_one(Workspace, ines.workspace_id), "unipile")
    assert settings_of(ines) == {}
