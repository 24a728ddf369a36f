"""Look first: ask the provider for what the original of a restored copy did, and take it over into the ledger."""

from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa

from app import ports
from app.core import text
from app.core.db import session
from app.domain.engine.outbound.doubt import Unproven
from app.domain.ledger import invite_health
from app.domain.rules.step_kinds import STEPS
from app.models.conversations import Conversation, Direction, Message
from app.models.ledger import Action
from app.ports import AccountRef, Receipt, SenderAction, Unknown


def find(sender: ports.Sender, account: AccountRef, deed: SenderAction, since: datetime) -> Receipt | None:
    """Return the receipt of a step that was done since then; None if it was not. Unproven: the provider can't tell."""
    kind = STEPS.get(deed.kind)
    if kind and kind.repeatable:
        return None
    try:
        return sender.find(account, replace(deed, intended_at=since))
    except Unknown as problem:
        raise Unproven(problem.sentence) from problem


def enter(action_id: int, deed: SenderAction, receipt: Receipt, at: datetime) -> None:
    """Make the ledger say when it was done, and forget what the network told of it as done by the owner's hand.

    Inside a transaction, before the outcome is recorded.
    """
    action = session().get_one(Action, action_id, populate_existing=True)
    action.at = at
    known = sa.select(Message).join(Conversation, Conversation.id == Message.conversation_id)
    query = known.where(
        Conversation.sender_id == action.sender_id,
        Conversation.person_id == action.person_id,
        Message.direction == Direction.OUT,
        Message.action_id.is_(None),
    )
    said = text.squeeze(deed.text)  # the note of an invitation becomes the first message once it is accepted
    twins = [
        one for one in session().scalars(query) if one.provider_id == receipt.ref or text.squeeze(one.text) == said
    ]
    refs = {receipt.ref, *(one.provider_id for one in twins)}
    for twin in twins:
        session().delete(twin)
    by_hand = sa.select(Action).where(
        Action.workspace_id == action.workspace_id,
        Action.sender_id == action.sender_id,
        Action.person_id == action.person_id,
        Action.token.like(invite_health.BY_HAND + "%"),
    )
    for one in session().scalars(by_hand):
        if one.provider_ref in refs or one.kind == deed.kind == "connection_request":
            session().delete(one)
    session().flush()
