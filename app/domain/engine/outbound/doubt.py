"""Doubt: in a database restored from a backup, a step that the original server may have done after the backup.

Doubt applies to people who were in a campaign before the copy was released, until the copy itself has contacted them.
The provider is asked first; a step that the original did is recorded in the copy's ledger.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from app import ports
from app.core import text
from app.core.db import fetch, in_batches, session
from app.domain.ledger import invite_health
from app.domain.platform.restore_hold import RestoredCopy
from app.domain.rules.step_kinds import STEPS
from app.models.campaigns import OPEN_STATES, CampaignLead, Connection
from app.models.conversations import Conversation, Direction, Message
from app.models.ledger import Action, ActionState
from app.models.platform.installation import Restore
from app.ports import AccountRef, Receipt, SenderAction, Unknown

JUST_AFTER = timedelta(milliseconds=1)
_ACTIONS: Any = Action.__table__
_REACHED = sa.select(_ACTIONS.c.campaign_lead_id).where(
    _ACTIONS.c.campaign_lead_id.in_(sa.bindparam("ids", expanding=True)),
    _ACTIONS.c.kind.in_([name for name, kind in STEPS.items() if kind.reaches]),
    _ACTIONS.c.state == ActionState.SENT,
    _ACTIONS.c.at > sa.bindparam("since", type_=_ACTIONS.c.at.type),
)
# An accepted invitation may be one that only the original sent: then the copy has no ledger entry for it.
MAYBE_INVITED = sa.and_(
    CampaignLead.connection == Connection.NONE,
    CampaignLead.state.in_(OPEN_STATES),
    sa.exists().where(CampaignLead.enrolled_at <= Restore.released_at, CampaignLead.due_at <= Restore.released_at),
)


class Unproven(Unknown):
    """The original server may have done the step and the provider cannot tell, so a person decides."""


class Doubt(NamedTuple):
    """If the original did the step, it was after `since`; `due_at` is when it was due, if before the copy's release."""

    since: datetime
    due_at: datetime | None = None


def doubts(copy: RestoredCopy, people: Mapping[int, Any]) -> dict[int, Doubt]:
    """Return, by id, the doubt about each person's next step; people whose next step is not in doubt are left out."""
    released = copy.released_at
    if released is None:
        return {}
    old = [row for row in people.values() if row.enrolled_at is None or row.enrolled_at <= released]
    reached = {
        row.campaign_lead_id
        for batch in in_batches([row.id for row in old])
        for row in fetch(_REACHED, ids=batch, since=released)
    }
    found = {}
    for row in old:
        if row.id not in reached:
            accepted = row.accepted_at if row.connection == Connection.ACCEPTED else None
            known = (moment for moment in (row.last_action_at, accepted) if moment)
            since = max([copy.backup_at, *(moment + JUST_AFTER for moment in known)])
            found[row.id] = Doubt(since, max(row.due_at, since) if row.due_at <= released else None)
    return found


def of_message(copy: RestoredCopy | None, written_at: datetime) -> datetime | None:
    """Return since when the original may have sent a message written by hand; None if it cannot have."""
    return copy.backup_at if copy and copy.released_at and written_at <= copy.released_at else None


def look_first(sender: ports.Sender, account: AccountRef, deed: SenderAction, since: datetime) -> Receipt | None:
    """Return the receipt of a step that was done since then; None if it was not. Unproven: the provider can't tell."""
    kind = STEPS.get(deed.kind)
    if kind and kind.repeatable:
        return None
    try:
        return sender.find(account, replace(deed, intended_at=since))
    except Unknown as problem:
        raise Unproven(problem.sentence) from problem


def enter_found(action_id: int, deed: SenderAction, receipt: Receipt, at: datetime) -> None:
    """Record in the ledger when the action was done, and forget what the network reported of it as done by hand.

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
