"""A sender's account reference for its provider, with its credentials."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch
from app.domain.senders import mailbox_logins, provider_credentials
from app.models.workspaces import Workspace
from app.ports import AccountRef

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
    return (
        provider_credentials.credentials_for_account(account) if account.provider in provider_credentials.HOSTED else {}
    )


def sandbox_seed(account: Any) -> int:
    """Return the seed of the workspace's sandbox network; the sender of a turn comes with it."""
    if account.provider != "sandbox":
        return 0
    known = getattr(account, "sandbox_seed", None)
    return int(fetch(_SEED, workspace=account.workspace_id)[0][0] if known is None else known)
