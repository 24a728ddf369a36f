"""The contact record: why a person was contacted, where their data is from, and the proof of every contact.

It answers a regulator, or the person, on one page. Contacts from before proofs were written are listed without one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from app.core.db import in_list, session
from app.domain.exclusions import never_contact, proof
from app.domain.exclusions.never_contact import NeverContactRow
from app.domain.exclusions.proof import Link
from app.domain.leads import records
from app.domain.leads.records import Record
from app.domain.rules import contact_words
from app.domain.rules.contact_rules import TOUCHES
from app.domain.rules.contact_words import Line
from app.models.accounts import Account
from app.models.campaigns import Campaign
from app.models.conversations import Conversation, Direction, Message
from app.models.exclusions import ContactProof
from app.models.ledger import Action, ActionState
from app.models.people import PersonMerge
from app.models.workspaces import Workspace

_REACHED = [ActionState.SENDING, ActionState.SENT, ActionState.UNKNOWN]


class Contact(NamedTuple):
    """One contact: what reached the person, from whom, and what was asked before; '' where it was deleted."""

    at: datetime
    kind: str
    sender: str
    campaign: str
    proof: ContactProof | None
    verified: bool  # the proof and all before it are as they were written
    asked: Sequence[Line]  # nothing after an erasure


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

    @property
    def intact(self) -> bool:
        """Return whether every proof is as it was written."""
        return all(one.verified for one in self.contacts if one.proof)


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
    """Return every contact of these people, who are one, with its proof; the oldest first."""
    links = [link for person_id in person_ids for link in proof.chain(workspace, person_id)]
    proven = [link.proof.action_id for link in links if link.proof.action_id]
    told = sa.and_(
        in_list(Action.person_id, list(person_ids)),
        Action.kind.in_(TOUCHES),
        Action.part == 0,
        Action.state.in_(_REACHED),
    )
    query = (
        sa.select(Action.id, Action.at, Action.kind, Account.name.label("sender"), Campaign.name.label("campaign"))
        .join(Account, Account.id == Action.sender_id)
        .outerjoin(Campaign, Campaign.id == Action.campaign_id)
        .where(Action.workspace_id == workspace.id, sa.or_(told, in_list(Action.id, proven)))
    )
    actions = {row.id: row for row in session().execute(query)}
    found = [_contact(link, actions.get(link.proof.action_id)) for link in links]
    without = [row for row in actions.values() if row.id not in set(proven)]
    found += [Contact(row.at, row.kind, row.sender, row.campaign or "", None, False, ()) for row in without]
    return sorted(found, key=lambda one: one.at)


def _contact(link: Link, action: sa.Row[*tuple[object, ...]] | None) -> Contact:
    kept = link.proof
    lines = contact_words.lines(kept.asked, kept.at) if kept.asked else ()
    if action is None:
        return Contact(kept.at, "", "", "", kept, link.holds, lines)
    return Contact(kept.at, action.kind, action.sender, action.campaign or "", kept, link.holds, lines)


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
