"""Look first: ask the provider for what the original of a restored copy did, and take it over into the ledger."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import session
from app.domain.engine.outbound.doubt import Unproven
from app.domain.engine.outbound.settle import Outcome
from app.domain.ledger import invite_health
from app.domain.rules.step_kinds import STEPS
from app.models.conversations import Conversation, Direction, Message
from app.models.ledger import Action
from app.ports import AccountRef, Receipt, SenderAction, Unknown

_ACTIONS: Any = Action.__table__
_MESSAGES: Any = Message.__table__


def find(sender: ports.Sender, account: AccountRef, deed: SenderAction, since: datetime) -> Receipt | None:
    """Return the receipt of a step that was done since then; None if it was not. Unproven: the provider can't tell."""
    kind = STEPS.get(deed.kind)
    if kind and kind.repeatable:
        return None
    try:
        return sender.find(account, replace(deed, intended_at=since))
    except Unknown as problem:
        raise Unproven(problem.sentence) from problem


def take_over(found: Sequence[Outcome]) -> None:
    """Enter what was found at its own moment. Inside a transaction, before the outcomes are recorded."""
    for outcome in found:
        if outcome.receipt:
            enter(outcome.intent.action_id, outcome.intent.account.id, outcome.receipt, outcome.intent.at)


def enter(action_id: int, sender_id: int, receipt: Receipt, at: datetime) -> None:
    """Make the ledger say when it was done, and forget what the network told of it as done by hand."""
    current = session().connection()
    current.execute(sa.update(_ACTIONS).where(_ACTIONS.c.id == action_id).values(at=at))
    token = invite_health.BY_HAND + receipt.ref
    current.execute(sa.delete(_ACTIONS).where(_ACTIONS.c.sender_id == sender_id, _ACTIONS.c.token == token))
    threads = sa.select(Conversation.id).where(Conversation.sender_id == sender_id)
    twin = (_MESSAGES.c.provider_id == receipt.ref, _MESSAGES.c.action_id.is_(None))
    ours = (_MESSAGES.c.direction == Direction.OUT, _MESSAGES.c.conversation_id.in_(threads))
    current.execute(sa.delete(_MESSAGES).where(*twin, *ours))
