"""OAuth clients: what this server is registered as at Google and Microsoft, entered once by its admin.

A client of the environment's settings comes before an entered one. Every process reads them at each use.
"""

from collections.abc import Mapping

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.actor import actor
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound, Unavailable
from app.domain.platform import audit_log, secret_rotation
from app.models.platform.installation import OAuthClient
from app.models.workspaces import Workspace
from app.ports import ClientLogin, ProviderError

TITLES = {"google": "Google", "microsoft": "Microsoft"}
LONGEST = 500


class Entered:
    """The `ports.OAuthClients` that reads the entered clients from the database."""

    def entered(self) -> Mapping[str, ClientLogin]:
        """Return the clients whose secrets can be opened."""
        found = {one.way: login for one in _every() if (login := _opened(one))}
        end_read()
        return found


def _every() -> list[OAuthClient]:
    query = sa.select(OAuthClient).execution_options(populate_existing=True)
    return list(session().scalars(query))


def find(way: str) -> OAuthClient | None:
    """Return the entered client of a provider."""
    return next((one for one in _every() if one.way == way), None)


def _opened(client: OAuthClient) -> ClientLogin | None:
    """Return the client with its secret; None when no known SECRET_KEY opens it."""
    secret = secret_rotation.opened(client, OAuthClient.sealed)
    return ClientLogin(client.client_id, secret, client.tenant) if secret else None


def save(workspace: Workspace, way: str, client_id: str, client_secret: str, tenant: str = "") -> OAuthClient:
    """Check the client at its provider and keep it. Calls out. Without a secret, that of the same client id stays."""
    refuse_if_fixed(way)
    login = _chosen(way, client_id.strip(), client_secret.strip(), tenant.strip())
    end_read()
    try:
        ports.mail_consent().check(way, login)
    except ports.Refused as refusal:
        raise InvalidRequest.of(("clientSecret", refusal.sentence)) from None
    except ProviderError as failure:
        raise Unavailable(failure.sentence, recovery="Nothing was changed. Try again in a few minutes.") from None
    with transaction() as current:
        kept = current.get(OAuthClient, way, with_for_update=True, populate_existing=True)
        if kept is None:
            kept = OAuthClient(way=way)
            current.add(kept)
        kept.client_id, kept.tenant = login.client_id, login.tenant
        secret_rotation.seal(kept, OAuthClient.sealed, login.client_secret)
        kept.chosen_by, kept.chosen_at = actor.get().name, clock.now()
        audit_log.record(workspace, "oauth_client.set_up", TITLES[way])
        return kept


def _chosen(way: str, client_id: str, secret: str, tenant: str) -> ClientLogin:
    """Return the client as it was entered; InvalidRequest says all that is wrong."""
    before = find(way)
    known = _opened(before) if before and not secret and before.client_id == client_id else None
    secret = secret or (known.client_secret if known else "")
    problems = []
    if not _is_plain(client_id):
        problems.append(("clientId", "Paste the client ID as it is shown."))
    if not _is_plain(secret):
        problems.append(("clientSecret", "Paste the client secret as it is shown."))
    if tenant and not (tenant.replace("-", "").replace(".", "").isalnum() and tenant.isascii() and len(tenant) <= 100):
        problems.append(("tenant", "Enter the tenant's ID or domain, or leave it blank."))
    InvalidRequest.raise_for(problems)
    return ClientLogin(client_id, secret, tenant)


def _is_plain(value: str) -> bool:
    return 1 <= len(value) <= LONGEST and value.isascii() and value.isprintable() and " " not in value


def remove(workspace: Workspace, way: str) -> None:
    """Delete the client; mailboxes that signed in with it stop until they sign in again."""
    refuse_if_fixed(way)
    with transaction() as current:
        found = current.get(OAuthClient, way, with_for_update=True)
        if found is None:
            raise NotFound(f"Sign-in with {TITLES[way]} is not set up.")
        current.delete(found)
        audit_log.record(workspace, "oauth_client.removed", TITLES[way])


def refuse_if_fixed(way: str) -> None:
    """Raise Conflict while the settings of the environment name a client of this provider."""
    if way in ports.mail_consent().fixed():
        names = f"OVERTURE_{way.upper()}_CLIENT_ID and _SECRET"
        raise Conflict(f"{names} are set.", recovery="Clear both settings and restart Overture to enter a client here.")
