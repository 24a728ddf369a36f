"""The inbox: what came in from the networks is taken in once, whoever reads it and however often."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import rows, session, transaction
from app.domain import answers, parallel
from app.models.accounts import ACCOUNT, Account, AccountStatus
from app.models.workspaces import Workspace
from app.ports import AccountRef, Inbound, LoggedOut, ProviderError

LOG = logging.getLogger("app.domain.inbox")
EVERY = timedelta(minutes=5)  # of real time, between two looks at a network that sends no webhooks
_ACCOUNTS: Any = Account.__table__


def poll_due(limit: int = 50) -> int:
    """Every connected sender that was not looked at for some minutes has been read; the number of senders."""
    before = clock.now() - EVERY
    query = (
        sa.select(_ACCOUNTS, Workspace.clock_offset)
        .join(Workspace, Workspace.id == _ACCOUNTS.c.workspace_id)
        .where(_ACCOUNTS.c.status == AccountStatus.CONNECTED)
        .where(sa.or_(_ACCOUNTS.c.polled_at.is_(None), _ACCOUNTS.c.polled_at <= before))
        .order_by(_ACCOUNTS.c.polled_at.is_not(None), _ACCOUNTS.c.polled_at)
        .limit(limit)
    )
    by_offset = defaultdict(list)
    for row in session().execute(query):
        by_offset[row.clock_offset].append(row)
    for offset, accounts in by_offset.items():
        read(accounts, clock.now() + timedelta(seconds=offset), keep_cursor=True)
        _polled([account.id for account in accounts])
    return sum(len(accounts) for accounts in by_offset.values())


def _polled(account_ids: list[int]) -> None:
    with transaction() as current:
        current.execute(sa.update(_ACCOUNTS).where(_ACCOUNTS.c.id.in_(account_ids)).values(polled_at=clock.now()))


def read(accounts: Sequence[Any], at: datetime, *, keep_cursor: bool = False) -> None:
    """Whatever came in for these senders by `at` has been taken in.

    A cursor that merely moved past nothing is stored only with `keep_cursor`: it costs a transaction.
    """
    by_provider = defaultdict(list)
    for account in accounts:
        by_provider[account.provider].append(account)
    for provider, mine in by_provider.items():
        sender = ports.sender(provider)
        looked = parallel.each(sender.parallel, partial(_look, sender, at), mine)
        for account, inbound in looked:
            if isinstance(inbound, LoggedOut):
                _logged_out(account, inbound, at)
            elif inbound is not None and (inbound.items or (keep_cursor and inbound.cursor != account.inbound_cursor)):
                take_in(account, inbound, at)


def _look(sender: ports.Sender, at: datetime, account: Any) -> tuple[Any, Inbound | LoggedOut | None]:
    """What a network has for a sender. When it cannot be reached, the next look will find it."""
    try:
        return account, sender.inbound(reference(account, at), account.inbound_cursor)
    except LoggedOut as problem:
        return account, problem
    except ProviderError as problem:
        LOG.info("A network could not be read", extra={"fields": {"account": account.id, "why": problem.sentence}})
        return account, None


def reference(account: Any, at: datetime) -> AccountRef:
    """A sender as providers know it."""
    return AccountRef(
        account.id, account.workspace_id, account.provider_ref, account.name, at, account.address, seed_of(account)
    )


def seed_of(account: Any) -> int:
    """The seed of the workspace's sandbox network."""
    return int(rows(_SEED, workspace=account.workspace_id)[0][0]) if account.provider == "sandbox" else 0


_SEED = sa.select(Workspace.__table__.c.sandbox_seed).where(Workspace.__table__.c.id == sa.bindparam("workspace"))


def take_in(account: Any, inbound: Inbound, at: datetime) -> None:
    """Every item has had its effect, and the cursor stands behind them; nothing when somebody was faster."""
    with transaction() as current:
        fresh = current.get_one(Account, account.id, populate_existing=True, with_for_update=True)
        if fresh.inbound_cursor != account.inbound_cursor:
            return
        fresh.inbound_cursor = inbound.cursor
        answers.apply(fresh, inbound.items, at)


def _logged_out(account: Any, problem: LoggedOut, at: datetime) -> None:
    with transaction() as current:
        fresh = current.get_one(Account, account.id, populate_existing=True, with_for_update=True)
        move = "challenge" if problem.challenged else "disconnect"
        if ACCOUNT.allows(fresh, move):
            ACCOUNT.move(fresh, move)
            fresh.status_reason, fresh.status_at = problem.sentence, at
