"""Credentials of hosted networks: the key of the service of the same name."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.core.errors import NotSupported
from app.domain.platform import services
from app.models.platform.services import ServiceLogin
from app.models.workspaces import Workspace
from app.ports import Credentials

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
        raise NotSupported(f"{title} is not connected.", recovery="Connect it in Settings → Services.")
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
