"""Actions whose outcome nobody knows: after a quarantine the provider is asked, and nothing is repeated blindly."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import in_batches, session, transaction
from app.core.statements import rows
from app.domain import approved, choosing, hold, inbox, intents, settling, texts
from app.domain.intents import Intent
from app.domain.settling import Outcome
from app.domain.steps import STEPS
from app.models.accounts import Account, AccountStatus
from app.models.leads import Lead
from app.models.ledger import BY_HAND_STEP, WITHDRAWAL_STEP, Action, ActionState
from app.models.workspaces import Workspace
from app.ports import Deed, LoggedOut, ProviderError, Receipt, Unknown

LOG = logging.getLogger("app.domain.reconcile")
ASK_AGAIN = timedelta(minutes=5)
_ACTIONS: Any = Action.__table__
_ACCOUNTS: Any = Account.__table__


_REAL = sa.bindparam("real", type_=_ACTIONS.c.check_at.type)
_UNSETTLED = (
    sa.select(_ACTIONS, Workspace.__table__.c.clock_offset)
    .join(_ACCOUNTS, _ACCOUNTS.c.id == _ACTIONS.c.sender_id)
    .join(Workspace.__table__, Workspace.__table__.c.id == _ACTIONS.c.workspace_id)
    .where(_ACTIONS.c.step != BY_HAND_STEP)  # `outgoing` asks after those
    .where(_ACTIONS.c.check_at <= _REAL, _ACTIONS.c.state.in_([ActionState.SENDING, ActionState.UNKNOWN]))
    .where(sa.or_(_ACCOUNTS.c.claimed_until.is_(None), _ACCOUNTS.c.claimed_until <= _REAL))
    .where(_ACCOUNTS.c.status == AccountStatus.CONNECTED)
    .order_by(_ACTIONS.c.check_at)
    .limit(sa.bindparam("most", type_=sa.Integer()))
)


def run_due(limit: int = 100) -> int:
    """Every action that was begun and not settled has been asked after, once its turn is surely over; the settled."""
    found = rows(_UNSETTLED, real=clock.now(), most=limit)
    asked = _intents(found)
    known = {row.id for row, _ in asked}
    settled = _count_as_done([row for row in found if row.id not in known])
    return settled + sum(_ask(row, intent) for row, intent in asked)


def _intents(found: Sequence[Any]) -> list[tuple[Any, Intent]]:
    """The rows of the ledger as the turns wrote them; without those whose campaign is gone."""
    accounts = _by_id(_ACCOUNTS, {row.sender_id for row in found})
    leads = _by_id(Lead.__table__, {row.lead_id for row in found})
    campaigns = choosing.campaigns_by_id({row.campaign_id for row in found if row.campaign_id})
    return [
        (row, _intent(row, accounts[row.sender_id], campaigns[row.campaign_id], leads[row.lead_id]))
        for row in found
        if row.lead_id in leads and row.campaign_id in campaigns and row.campaign_lead_id is not None
    ]


def _count_as_done(orphans: Sequence[Any]) -> int:
    """Nobody waits for the outcome of what a deleted campaign did; it may have taken effect, so it counts."""
    if orphans:
        values = {"state": ActionState.UNKNOWN, "check_at": None}
        with transaction() as current:
            mine = _ACTIONS.c.id.in_([row.id for row in orphans])
            current.execute(sa.update(_ACTIONS).where(mine).values(values))
    return len(orphans)


def _intent(row: Any, account: Any, campaign: Any, lead: Any) -> Intent:
    text = "" if row.step == WITHDRAWAL_STEP else campaign.sequence[row.step].get("message", "")
    parts = max(1, len(texts.split(text))) if row.kind == "message" else 1
    draft = approved.of_action(row.campaign_lead_id, row.step) if row.kind in approved.MESSAGES else None
    if draft:
        parts = max(1, len(draft.parts))
    deed = Deed(row.kind, intents.person_ref(lead), row.token, row.text, row.subject, row.at)
    place, approval_id = (row.step, row.part, parts), draft.id if draft else None
    return Intent(
        row.id,
        account,
        campaign,
        row.campaign_lead_id,
        lead,
        *place,
        deed,
        row.at,
        row.attempts,
        approval_id=approval_id,
    )


def _by_id(table: Any, ids: set[int]) -> dict[int, Any]:
    found = {}
    for batch in in_batches([row_id for row_id in ids if row_id]):
        found.update({row.id: row for row in session().execute(sa.select(table).where(table.c.id.in_(batch)))})
    return found


def _ask(row: Any, intent: Intent) -> bool:
    """Ask the provider, and settle what it says; whether it is settled."""
    try:
        receipt, known = _find(row, intent)
    except LoggedOut as problem:
        inbox.logged_out(intent.account, problem, _at(row))
        return False
    except ProviderError as problem:
        LOG.info("A lost answer could not be asked after", extra={"fields": {"why": problem.sentence}})
        return _later(row)
    except Exception:
        LOG.exception("An adapter failed", extra={"fields": {"provider": intent.account.provider, "action": row.id}})
        return _later(row)
    with transaction() as current:
        hold.workspaces([row.workspace_id])
        still = current.execute(sa.select(_ACTIONS.c.id).where(*_unsettled(row)).with_for_update()).first()
        if still is None:
            return False
        if receipt:
            settling.record([Outcome(intent, receipt=receipt)])
        elif known:
            settling.was_not_done(intent)
        else:
            settling.give_up_knowing(intent)
        return True


def _find(row: Any, intent: Intent) -> tuple[Receipt | None, bool]:
    """The receipt of an action that took effect, and whether the provider can tell. Harmless ones are not asked for."""
    kind = STEPS.get(intent.deed.kind)
    if kind and kind.repeatable:
        return None, True
    try:
        return ports.sender(intent.account.provider).find(inbox.reference(intent.account, _at(row)), intent.deed), True
    except Unknown:
        return None, False


def _at(row: Any) -> datetime:
    """The present moment on the clock of the action's workspace."""
    return clock.now() + timedelta(seconds=row.clock_offset)


def _unsettled(row: Any) -> tuple[Any, ...]:
    return (_ACTIONS.c.id == row.id, _ACTIONS.c.check_at.is_not(None), _ACTIONS.c.attempts == row.attempts)


def _later(row: Any) -> bool:
    """The provider is asked again in some minutes; others are asked meanwhile."""
    with transaction() as current:
        current.execute(sa.update(_ACTIONS).where(*_unsettled(row)).values(check_at=clock.now() + ASK_AGAIN))
    return False
