"""Reconcile unknown actions: ask the provider after a quarantine; never repeat one blindly."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import claims, clock
from app.core.db import fetch, transaction
from app.domain.engine.outbound import open_intents, settle
from app.domain.engine.outbound.begin import Intent
from app.domain.engine.outbound.settle import Outcome
from app.domain.platform import locks
from app.domain.rules.step_kinds import STEPS
from app.domain.senders import accounts, provider_credentials
from app.models.accounts import Account, AccountStatus
from app.models.ledger import BY_HAND_STEP, Action, ActionState
from app.models.workspaces import Workspace
from app.ports import LoggedOut, ProviderError, Receipt, SenderAction, Unknown

LOG = logging.getLogger(__name__)
ASK_AGAIN = timedelta(minutes=5)
_ACTIONS: Any = Action.__table__
_ACCOUNTS: Any = Account.__table__


_REAL = sa.bindparam("real", type_=_ACTIONS.c.check_at.type)
_UNSETTLED = (
    sa.select(_ACTIONS, Workspace.__table__.c.clock_offset)
    .join(_ACCOUNTS, _ACCOUNTS.c.id == _ACTIONS.c.sender_id)
    .join(Workspace.__table__, Workspace.__table__.c.id == _ACTIONS.c.workspace_id)
    .where(_ACTIONS.c.step != BY_HAND_STEP)  # `manual_send` reconciles manual messages
    .where(_ACTIONS.c.check_at <= _REAL, _ACTIONS.c.state.in_([ActionState.SENDING, ActionState.UNKNOWN]))
    .where(claims.is_free(_ACCOUNTS.c.claimed_until, _REAL))
    .where(_ACCOUNTS.c.status == AccountStatus.CONNECTED)
    .order_by(_ACTIONS.c.check_at)
    .limit(sa.bindparam("most", type_=sa.Integer()))
)


_SENDERS = claims.share_fairly(
    _ACTIONS.c.sender_id,
    _ACTIONS.c.workspace_id,
    sa.func.min(_ACTIONS.c.check_at),
    _ACTIONS.c.check_at <= _REAL,
    _ACTIONS.c.state.in_([ActionState.SENDING, ActionState.UNKNOWN]),
    _ACTIONS.c.sender_id.in_(
        sa.select(_ACCOUNTS.c.id).where(
            claims.is_free(_ACCOUNTS.c.claimed_until, _REAL),
            _ACCOUNTS.c.status == AccountStatus.CONNECTED,
        )
    ),
    group_by=(_ACTIONS.c.sender_id, _ACTIONS.c.workspace_id),
)


def due(most: int, busy: claims.Busy = claims.NONE_BUSY) -> list[claims.Due]:
    """Return the senders that have unknown outcomes to look up, of campaign actions or manual messages."""
    return claims.due_units(_SENDERS, most, busy, real=clock.now())


def run(sender_id: int, limit: int = 100) -> int:
    """Look up the unknown outcomes of one sender's campaign actions; return how many were settled."""
    mine = _UNSETTLED.where(_ACTIONS.c.sender_id == sender_id)
    return _settle(fetch(mine, real=clock.now(), most=limit))


def run_due(limit: int = 100) -> int:
    """Reconcile actions without an outcome once their turn is surely over; return the number settled."""
    return _settle(fetch(_UNSETTLED, real=clock.now(), most=limit))


def _settle(found: Sequence[Any]) -> int:
    asked = open_intents.intents_of(found)
    known = {row.id for row, _ in asked}
    settled = _count_as_done([row for row in found if row.id not in known])
    return settled + sum(_settle_by_asking(row, intent) for row, intent in asked)


def _count_as_done(orphans: Sequence[Any]) -> int:
    """Settle actions of deleted campaigns as possibly done, so that they count."""
    if orphans:
        values = {"state": ActionState.UNKNOWN, "check_at": None}
        with transaction() as current:
            mine = _ACTIONS.c.id.in_([row.id for row in orphans])
            current.execute(sa.update(_ACTIONS).where(mine).values(values))
    return len(orphans)


def _settle_by_asking(row: Any, intent: Intent) -> bool:
    """Ask the provider for the outcome and record it; return whether the action is settled."""
    try:
        receipt, known = find(intent.account, intent.action, _at(row))
        if receipt is None and known and (wait := _may_come(row, intent)) > timedelta(0):
            return _later(row, wait)
    except LoggedOut as problem:
        accounts.logged_out(intent.account, problem, _at(row))
        return False
    except ProviderError as problem:
        LOG.info("A lost answer could not be asked after", extra={"fields": {"why": problem.sentence}})
        return _later(row)
    except Exception:
        LOG.exception("An adapter failed", extra={"fields": {"provider": intent.account.provider, "action": row.id}})
        return _later(row)
    with locks.changing(row.workspace_id) as current:
        still = current.execute(sa.select(_ACTIONS.c.id).where(*_same(row)).with_for_update()).first()
        if still is None:
            return False
        if receipt:
            settle.record_results([Outcome(intent, receipt=receipt)])
        elif known:
            settle.mark_not_sent(intent)
        else:
            settle.mark_unknown(intent)
        return True


def find(account: Any, deed: SenderAction, at: datetime) -> tuple[Receipt | None, bool]:
    """Return an action's receipt if it took effect, and whether the provider can tell; repeatable ones aren't asked."""
    kind = STEPS.get(deed.kind)
    if kind and kind.repeatable:
        return None, True
    try:
        return ports.sender(account.provider).find(provider_credentials.to_account_ref(account, at), deed), True
    except Unknown:
        return None, False


def _at(row: Any) -> datetime:
    """Return the current time on the clock of the action's workspace."""
    return clock.now() + timedelta(seconds=row.clock_offset)


def _same(row: Any) -> tuple[Any, ...]:
    return (_ACTIONS.c.id == row.id, _ACTIONS.c.check_at.is_not(None), _ACTIONS.c.attempts == row.attempts)


def _may_come(row: Any, intent: Intent) -> timedelta:
    """Return for how long a slow provider may still carry out an action that the lookup did not find."""
    kind = STEPS.get(intent.action.kind)
    if kind and kind.repeatable:
        return timedelta(0)
    lateness = timedelta(seconds=ports.sender(intent.account.provider).lateness)
    begun_at: datetime = row.at
    return lateness - (_at(row) - begun_at)


def _later(row: Any, wait: timedelta = ASK_AGAIN) -> bool:
    """Postpone the lookup, so that other actions get their turn; return False: nothing was settled."""
    with transaction() as current:
        current.execute(sa.update(_ACTIONS).where(*_same(row)).values(check_at=clock.now() + wait))
    return False
