"""Register our webhook at a provider of hosted accounts: its address, its secret, and its removal."""

import logging

import sqlalchemy as sa

from app import ports
from app.core import clock, crypto
from app.core.db import end_read, session, transaction
from app.domain.platform import locks, secret_rotation, services
from app.domain.senders import provider_credentials
from app.models.hosted_sign_ins import NetworkHook
from app.models.workspaces import Workspace
from app.ports import ProviderError

LOG = logging.getLogger(__name__)
TOKEN_LETTERS = 40
PATH = "/hooks/{provider}/{token}"


def address(workspace: Workspace, provider: str, base_url: str) -> str:
    """Return the address where the network calls us about this workspace; create it when first needed."""
    return base_url.rstrip("/") + PATH.format(provider=provider, token=_hook(workspace, provider).token)


def ensure(workspace: Workspace, provider: str, base_url: str) -> None:
    """Register our webhook at the network if it is missing; without it, news arrives later. Calls out.

    `base_url` is '' when this server cannot be reached from outside.
    """
    if not base_url:
        return
    opened, where = provider_credentials.credentials(workspace, provider), address(workspace, provider, base_url)
    hook, mark = _hook(workspace, provider), provider_credentials.fingerprint(workspace, provider, base_url)
    if hook.belongs_to == mark:
        return
    former = list(hook.refs)
    end_read()
    try:
        if former:
            ports.hosted().unsubscribe(opened, former)
        made = ports.hosted().subscribe(opened, where, opened.values.get("webhook_secret", ""))
    except ProviderError as problem:
        LOG.warning("A network will not call us", extra={"fields": {"provider": provider, "why": problem.sentence}})
        return
    with transaction() as current:
        fresh = current.get_one(NetworkHook, hook.id, populate_existing=True, with_for_update=True)
        secret_rotation.seal(fresh, NetworkHook.sealed, made.secret)
        fresh.refs, fresh.belongs_to, fresh.made_at = list(made.refs), mark, clock.now()


@services.before_leaving
def release(workspace: Workspace, provider: str) -> None:
    """Remove our webhook for this workspace from the network, if it can still be reached. Calls out."""
    hook = session().scalars(_of(workspace, provider)).one_or_none()
    if hook is None or not hook.refs or not provider_credentials.connected(workspace, provider):
        return
    opened, refs = provider_credentials.credentials(workspace, provider), list(hook.refs)
    end_read()
    try:
        ports.hosted().unsubscribe(opened, refs)
    except ProviderError as problem:  # its further calls are refused, because their secret is deleted
        LOG.warning(
            "A network will go on calling us", extra={"fields": {"provider": provider, "why": problem.sentence}}
        )
    with transaction() as current:
        fresh = current.get_one(NetworkHook, hook.id, populate_existing=True, with_for_update=True)
        fresh.sealed, fresh.refs, fresh.belongs_to, fresh.made_at = None, [], "", None


def _of(workspace: Workspace, provider: str) -> sa.Select[NetworkHook]:
    return sa.select(NetworkHook).where(NetworkHook.workspace_id == workspace.id, NetworkHook.provider == provider)


def _hook(workspace: Workspace, provider: str) -> NetworkHook:
    query = _of(workspace, provider)
    found = session().scalars(query).one_or_none()
    if found is None:
        with locks.changing(workspace.id) as current:
            found = session().scalars(query.with_for_update()).one_or_none()
            if found is None:
                token = crypto.random_base62(TOKEN_LETTERS)
                found = NetworkHook(workspace_id=workspace.id, provider=provider, token=token, refs=[])
                current.add(found)
                current.flush()
    return found
