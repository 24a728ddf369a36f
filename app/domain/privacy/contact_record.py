"""The contact record: why a person was contacted, where their data is from, and what was asked before each contact.

It answers a regulator, or the person, on one page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from app.core.db import in_list, session
from app.domain.leads import records
from app.domain.leads.records import Record
from app.domain.people.exclusions import never_contact
from app.domain.people.exclusions.never_contact import NeverContactRow
from app.domain.privacy import contact_words
from app.domain.privacy.contact_words import Line
from app.domain.rules.contact_rules import TOUCHES
from app.models.accounts import Account
from app.models.campaigns import Campaign
from app.models.conversations import Conversation, Direction, Message
from app.models.ledger import TEST_STEP, Action, ActionState
from app.models.people import PersonMerge
from app.models.workspaces import Workspace

_REACHED = [ActionState.SENDING, ActionState.SENT, ActionState.UNKNOWN]


class Contact(NamedTuple):
    """One contact: what reached the person, from whom, and what was asked before."""

    at: datetime
    kind: str
    sender: str
    campaign: str
    asked: Sequence[Line]  # nothing when they wrote first, and after an erasure


class Answered(NamedTuple):
    """A message from the person."""

    at: datetime
    sender: str
    text: str
    sentiment: str


@dataclass(frozen=True)
class ContactRecord:
    """What answers "why did you write to me, and where from?"."""

    at: datetime
    record: Record
    lawful_basis: str  # of their newest list that names one, else the workspace's
    contacts: Sequence[Contact]
    answers: Sequence[Answered]
    barred: NeverContactRow | None


def of_person(workspace: Workspace, person_id: int) -> ContactRecord:
    """Return the record of the person, or of the one they were merged into; raise NotFound."""
    record = records.of_person(workspace, person_id)
    merged = sa.select(PersonMerge.person_id).where(PersonMerge.into_id == record.person.id)
    ids = [record.person.id, *session().scalars(merged.order_by(PersonMerge.person_id))]
    said = [place.list.lawful_basis for place in record.places if place.list and place.list.lawful_basis]
    return ContactRecord(
        workspace.now(),
        record,
        said[-1] if said else workspace.lawful_basis,
        contacts(workspace, ids),
        _answers(ids),
        never_contact.find(workspace, record.person.id),
    )


def contacts(workspace: Workspace, person_ids: Sequence[int]) -> list[Contact]:
    """Return every contact of these people, who are one, the oldest first."""
    reached = sa.and_(Action.kind.in_(TOUCHES), Action.part == 0, Action.state.in_(_REACHED))
    query = (
        sa.select(Action.at, Action.kind, Account.name, Campaign.name, Action.asked)
        .join(Account, Account.id == Action.sender_id)
        .outerjoin(Campaign, Campaign.id == Action.campaign_id)
        .where(Action.workspace_id == workspace.id, in_list(Action.person_id, list(person_ids)))
        .where(Action.step != TEST_STEP, sa.or_(reached, Action.asked.is_not(None)))
        .order_by(Action.at, Action.id)
    )
    return [
        Contact(at, kind, sender, campaign or "", contact_words.lines(asked, at) if asked else ())
        for at, kind, sender, campaign, asked in session().execute(query)
    ]


def _answers(person_ids: Sequence[int]) -> list[Answered]:
    query = (
        sa.select(Message.at, Account.name, Message.text, Message.sentiment)
        .join(Conversation, Conversation.id == Message.conversation_id)
        .join(Account, Account.id == Conversation.sender_id)
        .where(in_list(Conversation.person_id, list(person_ids)), Message.direction == Direction.IN)
        .where(Message.automatic.is_(False))
        .order_by(Message.at, Message.id)
    )
    return [Answered(*row) for row in session().execute(query)]
