"""Match inbound items to people, by profile, by address or by the ids of our messages."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from app.core.db import in_list, session
from app.domain.people import identities, people
from app.domain.people.identities import Identity
from app.models.accounts import Account, Channel
from app.models.campaigns import CampaignLead
from app.models.conversations import Conversation
from app.models.leads import Lead
from app.models.ledger import Action
from app.models.people import IdentityKind, Person, PersonIdentity
from app.models.workspaces import Workspace
from app.ports import Bounced, Incoming, Received


class Matched(NamedTuple):
    """An inbound item and the person it is about; None for people who are unknown here."""

    item: Incoming
    person_id: int | None


def match(account: Account, items: Sequence[Incoming]) -> list[Matched]:
    """Match inbound items to the people they are about.

    Drop emails that neither reply to us nor come from a person this mailbox writes to: they are private.
    """
    if account.channel != Channel.EMAIL or account.provider == "sandbox":
        return _by_handle(account, items)
    mails = [item for item in items if isinstance(item, Received | Bounced)]
    by_token = _by_token(account, {item.token for item in mails if item.token})
    by_address = _by_address(account, {item.person for item in mails if item.person})
    found = [Matched(item, by_token.get(item.token) or by_address.get(item.person)) for item in mails]
    return [one for one in found if one.person_id]


def person_of(workspace: Workspace, matched: Matched) -> int:
    """Return the person the item is about, made with every name they have when unknown. Inside a transaction."""
    if matched.person_id:
        return matched.person_id
    first, *others = _names(matched.item)
    person_id = people.ensure(workspace, first.value)
    identities.give(workspace.id, [(one, person_id) for one in others])
    return person_id


def _by_handle(account: Account, items: Sequence[Incoming]) -> list[Matched]:
    """Match by either of the names a network has for a person; a name that is new becomes theirs.

    Drop items that name no one.
    """
    names = [(item, _names(item)) for item in items]
    owners = identities.owners(account.workspace_id, {one for _, known in names for one in known})
    matched, learned = [], []
    for item, known in names:
        person_id = _one_of({owners[one]: None for one in known if one in owners})
        if known:
            matched.append(Matched(item, person_id))
        if person_id:
            learned += [(one, person_id) for one in known if one not in owners]
    identities.give(account.workspace_id, learned)
    return matched


def _one_of(people_: Collection[int]) -> int | None:
    """Return the person; of several whom the network says are one, the one who is a lead."""
    if len(people_) < 2:
        return next(iter(people_), None)
    leads = set(session().scalars(sa.select(Lead.person_id).where(Lead.person_id.in_(people_))))
    return next((one for one in people_ if one in leads), next(iter(people_)))


def _names(item: Incoming) -> list[Identity]:
    handles = [item.person] if isinstance(item, Bounced) else [item.person, item.alias]
    known = [identities.of_handle(handle) for handle in handles if handle]
    return [one for one in known if one]


def _by_token(account: Account, tokens: set[str]) -> dict[str, int]:
    query = (
        sa.select(Action.token, Action.person_id)
        .join(Action.person)
        .where(Action.sender_id == account.id, in_list(Action.token, tokens), Person.erased_at.is_(None))
    )
    found = session().execute(query) if tokens else ()
    return {row.token: row.person_id for row in found}


def _by_address(account: Account, addresses: Collection[str]) -> dict[str, int]:
    """Map each address to the person this mailbox writes to; the latest when several people share it."""
    if not addresses:
        return {}
    ours = sa.or_(
        sa.exists().where(CampaignLead.person_id == Person.id, CampaignLead.mailbox_id == account.id),
        sa.exists().where(Conversation.sender_id == account.id, Conversation.person_id == Person.id),
    )
    named = sa.select(PersonIdentity.value, Person.id).where(
        PersonIdentity.workspace_id == account.workspace_id,
        PersonIdentity.kind == IdentityKind.EMAIL,
        in_list(PersonIdentity.value, addresses),
        Person.id == PersonIdentity.person_id,
        ours,
    )
    shared = sa.select(Person.email, Person.id).where(
        Person.workspace_id == account.workspace_id, in_list(Person.email, addresses), ours
    )
    found = [(address, person_id) for address, person_id in session().execute(sa.union(named, shared))]
    return dict(sorted(found, key=lambda one: one[1]))
