"""Usage of senders, counted from the action ledger: limits have no other memory."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch, in_batches, session
from app.domain.rules.limits import DAY, WEEK, Usage, WindowUsage
from app.domain.rules.planner import SenderView
from app.models.accounts import Account, Budget
from app.models.ledger import Action, ActionState

# Written in the statement, so that SQLite knows before it runs that the index of invitations fits.
INVITES = sa.literal(Budget.INVITE, literal_execute=True)
COUNTED = [ActionState.SENDING, ActionState.SENT, ActionState.UNKNOWN]  # what may have taken effect counts as done


_A: Any = Action.__table__
_MINE = (_A.c.sender_id.in_(sa.bindparam("senders", expanding=True)), _A.c.state.in_(COUNTED))
_SINCE = sa.bindparam("since", type_=_A.c.at.type)
_BY_DAY = (
    sa.select(
        _A.c.sender_id,
        _A.c.budget,
        sa.func.count(),
        sa.func.sum(sa.case((_A.c.step > 0, 1), else_=0)),
        sa.func.min(_A.c.at),
    )
    .where(*_MINE, _A.c.at > _SINCE)
    .group_by(_A.c.sender_id, _A.c.budget)
)
_BY_WEEK = (
    sa.select(_A.c.sender_id, sa.func.count(), sa.func.min(_A.c.at))
    .where(*_MINE, _A.c.at > _SINCE, _A.c.budget == INVITES)
    .group_by(_A.c.sender_id)
)


def usage_of(account_ids: Sequence[int], at: datetime) -> dict[int, Usage]:
    """Return each sender's usage in the 24 hours and 7 days before `at`."""
    days: defaultdict[int, dict[str, WindowUsage]] = defaultdict(dict)
    weeks: dict[int, WindowUsage] = {}
    for batch in in_batches(list(account_ids)):
        for sender_id, budget, count, later, first_at in fetch(_BY_DAY, senders=batch, since=at - DAY):
            days[sender_id][budget] = WindowUsage(count, int(later or 0), first_at)
        for sender_id, count, first_at in fetch(_BY_WEEK, senders=batch, since=at - WEEK):
            weeks[sender_id] = WindowUsage(count, 0, first_at)
    return {account_id: Usage(days[account_id], weeks.get(account_id, WindowUsage())) for account_id in account_ids}


def views(accounts: Iterable[Any], at: datetime) -> dict[int, SenderView]:
    """Return the planner's view of each account row at `at`."""
    known = list(accounts)
    used = usage_of([row.id for row in known], at)
    return {row.id: SenderView.of(row, used[row.id], row.free_at) for row in known}


def views_by_id(workspace_id: int, account_ids: Iterable[int | None], at: datetime) -> dict[int, SenderView]:
    """Return the planner's views by sender id."""
    wanted = sorted({account_id for account_id in account_ids if account_id})
    query = sa.select(Account).where(Account.workspace_id == workspace_id, Account.id.in_(wanted))
    return views(session().scalars(query), at)
