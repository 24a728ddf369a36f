"""Actions whose outcome nobody knows: after a quarantine the provider is asked, and nothing is repeated blindly."""

import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import in_batches, rows, session, transaction
from app.domain import choosing, inbox, intents, settling, texts
from app.domain.intents import WITHDRAWAL_STEP, Intent
from app.domain.settling import Batch, Outcome
from app.domain.steps import STEPS
from app.models.accounts import Account, AccountStatus
from app.models.leads import Lead
from app.models.ledger import Action, ActionState
from app.models.workspaces import Workspace
from app.ports import Deed, ProviderError, Receipt, Unknown

LOG = logging.getLogger("app.domain.reconcile")
_ACTIONS: Any = Action.__table__
_ACCOUNTS: Any = Account.__table__


_REAL = sa.bindparam("real", type_=_ACTIONS.c.check_at.type)
_UNSETTLED = (
    sa.select(_ACTIONS, Workspace.__table__.c.clock_offset)
    .join(_ACCOUNTS, _ACCOUNTS.c.id == _ACTIONS.c.sender_id)
    .join(Workspace.__table__, Workspace.__table__.c.id == _ACTIONS.c.workspace_id)
    .where(_ACTIONS.c.check_at <= _REAL, _ACTIONS.c.state.in_([ActionState.SENDING, ActionState.UNKNOWN]))
    .where(sa.or_(_ACCOUNTS.c.claimed_until.is_(None), _ACCOUNTS.c.claimed_until <= _REAL))
    .where(_ACCOUNTS.c.status == AccountStatus.CONNECTED)
    .order_by(_ACTIONS.c.check_at)
    .limit(sa.bindparam("most", type_=sa.Integer()))
)


def run_due(limit: int = 100) -> int:
    """Every action that was begun and not settled has been asked after, once its turn is surely over."""
    found = rows(_UNSETTLED, real=clock.now(), most=limit)
    for row, intent in _intents(found):
        _ask(row, intent)
    return len(found)


def _intents(found: Sequence[Any]) -> list[tuple[Any, Intent]]:
    """The rows of the ledger as the turns wrote them."""
    accounts = _by_id(_ACCOUNTS, {row.sender_id for row in found})
    leads = _by_id(Lead.__table__, {row.lead_id for row in found})
    campaigns = choosing.campaigns_by_id({row.campaign_id for row in found if row.campaign_id})
    return [
        (row, _intent(row, accounts[row.sender_id], campaigns[row.campaign_id], leads[row.lead_id]))
        for row in found
        if row.lead_id in leads and row.campaign_lead_id is not None
    ]


def _intent(row: Any, account: Any, campaign: Any, lead: Any) -> Intent:
    text = "" if row.step == WITHDRAWAL_STEP else campaign.sequence[row.step].get("message", "")
    parts = max(1, len(texts.split(text))) if row.kind == "message" else 1
    deed = Deed(row.kind, intents.person_ref(lead), row.token, row.text, row.subject, row.at)
    return Intent(row.id, account, campaign, row.campaign_lead_id, lead, row.step, row.part, parts, deed, row.at)


def _by_id(table: Any, ids: set[int]) -> dict[int, Any]:
    found = {}
    for batch in in_batches([row_id for row_id in ids if row_id]):
        found.update({row.id: row for row in session().execute(sa.select(table).where(table.c.id.in_(batch)))})
    return found


def _ask(row: Any, intent: Intent) -> None:
    """Ask the provider, and settle what it says."""
    sender = ports.sender(intent.account.provider)
    receipt: Receipt | None = None
    known = True
    if not (intent.deed.kind in STEPS and STEPS[intent.deed.kind].repeatable):
        try:
            at = clock.now() + timedelta(seconds=row.clock_offset)
            receipt = sender.find(inbox.reference(intent.account, at), intent.deed)
        except Unknown:
            known = False
        except ProviderError as problem:
            LOG.info("A lost answer could not be asked after", extra={"fields": {"why": problem.sentence}})
            return
    with transaction() as current:
        still = current.execute(
            sa.select(_ACTIONS.c.id)
            .where(_ACTIONS.c.id == row.id, _ACTIONS.c.check_at.is_not(None), _ACTIONS.c.attempts == row.attempts)
            .with_for_update()
        ).first()
        if still is None:
            return
        if receipt:
            settling.record([Outcome(intent, receipt=receipt)])
        elif known:
            batch = Batch()
            settling.again(batch, intent, "", settling.fresh([intent.person_id])[intent.person_id])
            batch.write()
        else:
            settling.give_up_knowing(intent)
