"""Delivery proof: inbound activity shows that an unknown action was done."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from app.core.db import in_list, session
from app.domain.engine.manual import ledger_entry
from app.domain.engine.outbound import settle
from app.domain.engine.outbound.open_intents import intents_of
from app.domain.engine.outbound.settle import Outcome
from app.models.accounts import Account
from app.models.ledger import BY_HAND_STEP, Action
from app.ports import Bounced, Incoming, Receipt, Received

_ACTIONS: Any = Action.__table__


def prove(account: Account, items: Sequence[Incoming]) -> None:
    """Mark unknown actions as done when an inbound item answers them. Inside a transaction."""
    proofs = {one.token: one.proof for one in items if isinstance(one, Received | Bounced) and one.token and one.proof}
    if not proofs:
        return
    query = sa.select(_ACTIONS).where(
        _ACTIONS.c.sender_id == account.id, in_list(_ACTIONS.c.token, proofs), _ACTIONS.c.check_at.is_not(None)
    )
    found = session().execute(query).all()
    by_campaigns = intents_of([row for row in found if row.step != BY_HAND_STEP])
    settle.record_results([Outcome(intent, receipt=Receipt(proofs[row.token], row.at)) for row, intent in by_campaigns])
    for row in found:
        letter = ledger_entry.load(session().get_one(Action, row.id), row.at) if row.step == BY_HAND_STEP else None
        if letter:
            ledger_entry.settle(letter, Receipt(proofs[row.token], row.at))
