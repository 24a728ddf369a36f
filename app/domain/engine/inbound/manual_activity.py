"""Manual activity on the network: it counts against the limits, and its messages are saved.

A network reports everything the account did, including our own actions. Ours are recognized by the network's id, by
their text, or by kind and time.
"""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import insert, session
from app.domain.conversations import messages
from app.domain.ledger import invite_health
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Account
from app.models.ledger import Action, ActionState
from app.ports import ByHand

CLOSE = timedelta(days=1)  # how far the network's time of an action may differ from ours


def record_manual_action(account: Account, item: ByHand, person_id: int) -> None:
    """Record a manual action in the ledger and its text in the conversation, unless we did it. Inside a transaction."""
    step = STEPS.get(item.kind)
    if step is None or _ours(account, item, person_id):
        return
    row: dict[str, Any] = {
        "workspace_id": account.workspace_id,
        "sender_id": account.id,
        "person_id": person_id,
        "step": 0,
        "part": 0,
        "kind": item.kind,
        "budget": step.budget,
        "state": ActionState.SENT,
        "token": invite_health.BY_HAND + item.ref,
        "text": "",
        "subject": "",
        "at": item.at,
        "settled_at": item.at,
        "attempts": 1,
        "provider_ref": item.ref,
        "error": "",
    }
    session().execute(insert(Action).on_conflict_do_nothing(), [row])
    if item.text:
        messages.written(account, person_id, kind=item.kind, text=item.text, ref=item.ref, at=item.at)


def _ours(account: Account, item: ByHand, person_id: int) -> bool:
    """Return whether the ledger already holds the item as an action of ours."""
    query = sa.select(Action).where(
        Action.sender_id == account.id,
        Action.person_id == person_id,
        Action.token.not_like(invite_health.BY_HAND + "%"),
    )
    mine = session().scalars(query).all()
    if any(action.provider_ref == item.ref for action in mine):
        return True
    if item.text:  # an accepted invitation's note appears as the first message
        said = text.squeeze(item.text)
        return any(said in _words(action) for action in mine)
    return any(action.kind == item.kind and abs(action.at - item.at) <= CLOSE for action in mine)


def _words(action: Action) -> set[str]:
    return {text.squeeze(action.text), text.squeeze(f"{action.subject} {action.text}")} - {""}
