"""A sender as its provider knows it, with its credentials: hosted networks have the key of their service."""

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch, session
from app.core.errors import NotSupported
from app.domain.platform import services
from app.domain.senders import mailbox_logins
from app.models.platform.services import ServiceLogin
from app.models.workspaces import Workspace
from app.ports import AccountRef, Credentials

HOSTED = ("unipile",)


def credentials_for_account(account: Any) -> Mapping[str, str]:
    """Return a social account's credentials; {} when its service is disconnected or cannot be decrypted."""
    found = _opened(account.workspace_id, account.provider)
    if found is None:
        return {}
    known = {"sales_navigator": "1"} if account.has_sales_navigator else {}
    return {**found.values, **known}


def credentials(workspace: Workspace, provider: str) -> Credentials:
    """Return the key, or raise NotSupported that says where to enter it."""
    found = _opened(workspace.id, provider)
    if found is None:
        title = services.catalogue(provider).service.title
        raise NotSupported(f"{title} is not connected.", recovery="Connect the service in Settings → Services.")
    return found


def connected(workspace: Workspace, provider: str) -> bool:
    """Return whether accounts can be connected."""
    return not workspace.sandbox and _opened(workspace.id, provider) is not None


def fingerprint(workspace: Workspace, provider: str, *about: str) -> str:
    """Return a value that changes when the service is reconnected or its `about` changes."""
    login = _login(workspace.id, provider)
    return sha256(b"|".join([(login and login.sealed) or b"", *(one.encode() for one in about)])).hexdigest()


def _login(workspace_id: int, provider: str) -> ServiceLogin | None:
    query = sa.select(ServiceLogin).where(ServiceLogin.workspace_id == workspace_id, ServiceLogin.service == provider)
    return session().scalars(query).one_or_none()


def _opened(workspace_id: int, provider: str) -> Credentials | None:
    login = _login(workspace_id, provider)
    try:
        return services.credentials(login) if login else None
    except ValueError:
        return None


_SEED = sa.select(Workspace.__table__.c.sandbox_seed).where(Workspace.__table__.c.id == sa.bindparam("workspace"))


def to_account_ref(account: Any, at: datetime) -> AccountRef:
    """Return a sender as providers know it."""
    known = (account.provider_ref, account.name, at, account.address, sandbox_seed(account), _settings(account))
    keep = mailbox_logins.token_store(account.id) if account.provider == "smtp" else None
    own = {"signature": account.signature, "reply_to": account.reply_to}
    return AccountRef(account.id, account.workspace_id, *known, keep=keep, **own)


def _settings(account: Any) -> Mapping[str, str]:
    """Return the credentials: a mailbox has its own login, other senders share their service's."""
    if account.provider == "smtp":
        return mailbox_logins.credentials_for(account.id)
    return credentials_for_account(account) if account.provider in HOSTED else {}


def sandbox_seed(account: Any) -> int:
    """Return the seed of the workspace's sandbox network; a turn loads its sender with it."""
    if account.provider != "sandbox":
        return 0
    known = getattr(account, "sandbox_seed", None)
    return int(fetch(_SEED, workspace=account.workspace_id)[0][0] if known is None else known)
