"""Actions whose outcome nobody knows: after a quarantine the provider is asked, and nothing is repeated blindly."""

import logging
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import in_batches, session, transaction
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


def run_due(limit: int = 100) -> int:
    """Every action that was begun and not settled has been asked after, once its turn is surely over."""
    real = clock.now()
    query = (
        sa.select(_ACTIONS, Workspace.clock_offset)
        .join(_ACCOUNTS, _ACCOUNTS.c.id == _ACTIONS.c.sender_id)
        .join(Workspace, Workspace.id == _ACTIONS.c.workspace_id)
        .where(_ACTIONS.c.check_at <= real, _ACTIONS.c.state.in_([ActionState.SENDING, ActionState.UNKNOWN]))
        .where(sa.or_(_ACCOUNTS.c.claimed_until.is_(None), _ACCOUNTS.c.claimed_until <= real))
        .where(_ACCOUNTS.c.status == AccountStatus.CONNECTED)
        .order_by(_ACTIONS.c.check_at)
        .limit(limit)
    )
    rows = session().execute(query).all()
    for row, intent in _intents(rows):
        _ask(row, intent)
    return len(rows)


def _intents(rows: Any) -> list[tuple[Any, Intent]]:
    """The rows of the ledger as the turns wrote them."""
    accounts, leads = (
        _by_id(_ACCOUNTS, {row.sender_id for row in rows}),
        _by_id(Lead.__table__, {r.lead_id for r in rows}),
    )
    campaigns = choosing.campaigns_by_id({row.campaign_id for row in rows if row.campaign_id})
    found = []
    for row in rows:
        lead = leads.get(row.lead_id)
        if lead is None or row.campaign_lead_id is None:
            continue
        campaign = campaigns[row.campaign_id]
        text = "" if row.step == WITHDRAWAL_STEP else campaign.sequence[row.step].get("message", "")
        parts = max(1, len(texts.split(text))) if row.kind == "message" else 1
        deed = Deed(row.kind, intents.person_ref(lead), row.token, row.text, row.subject, row.at)
        account = accounts[row.sender_id]
        found.append(
            (
                row,
                Intent(row.id, account, campaign, row.campaign_lead_id, lead, row.step, row.part, parts, deed, row.at),
            )
        )
    return found


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
