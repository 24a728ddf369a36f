"""Events of accounts: a sender was connected, or was signed out."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from app.core.db import in_list, session
from app.domain.webhooks import events
from app.models.accounts import STUCK, Account


def connected(account: Account, at: datetime) -> None:
    """Record that the account was connected, or connected again. Inside a transaction."""
    events.record(account.workspace_id, [events.new("account_connected", at, {"account": account})])


def disconnected(account_ids: Sequence[int], at: datetime) -> None:
    """Record which of these accounts were signed out at that moment. Inside a transaction."""
    query = sa.select(Account).where(
        in_list(Account.id, account_ids), Account.status.in_(STUCK), Account.status_at == at
    )
    found = session().scalars(query.order_by(Account.id).execution_options(populate_existing=True)).all()
    for account in found:
        about = {"account": account, "reason": account.status_reason}
        events.record(account.workspace_id, [events.new("account_disconnected", at, about)])
