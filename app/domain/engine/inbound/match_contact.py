"""Match inbound items to people, by profile, by address or by the ids of our messages."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

import sqlalchemy as sa

from app.core import text
from app.core.db import in_list, in_new_session, session
from app.domain.people import company_identity, identities, people, role_addresses
from app.domain.people.exclusions import unsubscribe_token
from app.domain.people.identities import Identity
from app.domain.replies import wishes
from app.models.accounts import Account, Channel
from app.models.campaigns import CampaignLead
from app.models.conversations import Conversation
from app.models.leads import Lead
from app.models.ledger import Action
from app.models.people import IdentityKind, Person, PersonIdentity
from app.models.workspaces import Workspace
from app.ports import Bounced, Incoming, Received

_LINK = re.compile(r"\(?#([\w-]{20,600})\)?")  # as the List-Unsubscribe header writes it


class Matched(NamedTuple):
    """An inbound item and the person it is about; None for people who are unknown here."""

    item: Incoming
    person_id: int | None


def match(account: Account, items: Sequence[Incoming]) -> list[Matched]:
    """Match inbound items to the people they are about.

    Drop emails that neither reply to us nor come from a person this mailbox writes to: they are private. An address
    from which a person writes under their own name is theirs from then on.
    """
    if account.channel != Channel.EMAIL or account.provider == "sandbox":
        return _by_handle(account, items)
    mails = [_with_its_subject(item) for item in items if isinstance(item, Received | Bounced)]
    by_token = _by_token(account, {item.token for item in mails if item.token})
    named = {address for item in mails for address in _addresses(item)}
    by_address, anywhere, by_name = _by_address(account, named), _anywhere(account, mails), _by_name(account, mails)
    found = []
    for item in mails:
        whose = [
            by_token.get(item.token),
            *(by_address.get(address) for address in _addresses(item)),
            anywhere.get(item.ref),
            by_name.get(item.ref),
        ]
        found.append(Matched(item, next((one for one in whose if one), None)))
    matched = [one for one in found if one.person_id]
    _learn(account, matched)
    return matched


def _signed(item: Incoming) -> tuple[str, str]:
    """Return an email's sender name, normalized for comparison, and its address."""
    writer = item.parties.sender if isinstance(item, Received) else None
    return (people.name_key(writer.name), text.email(writer.address)) if writer and "@" not in writer.name else ("", "")


def _by_name(account: Account, mails: Sequence[Received | Bounced]) -> dict[str, int]:
    """Return, by email id, the person who wrote under their known name from another address of their company."""
    wrote = {
        item.ref: (company_identity.domain_of(address), name) for item in mails for name, address in [_signed(item)]
    }
    keys = {key for key in wrote.values() if all(key)}
    if not keys:
        return {}
    query = sa.select(Person.company_domain, Person.name_key, Person.id).where(
        Person.workspace_id == account.workspace_id,
        Person.company_domain != sa.literal_column("''"),  # a literal, so that the partial index is used
        in_list(Person.company_domain, sorted({domain for domain, _ in keys})),
        in_list(Person.name_key, sorted({name for _, name in keys})),
        _ours(account),
    )
    found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for domain, name, person_id in session().execute(query):
        found[domain, name].append(person_id)
    return {ref: found[key][0] for ref, key in wrote.items() if len(found[key]) == 1}


def _learn(account: Account, matched: Sequence[Matched]) -> None:
    """Give people the addresses from which they wrote under their own name, unless an address is someone's already."""
    signed = [(*_signed(one.item), one.person_id) for one in matched]
    signed = [one for one in signed if all(one) and not role_addresses.is_role(one[1])]
    if not signed:
        return
    query = sa.select(Person.id, Person.name_key).where(in_list(Person.id, [one[2] for one in signed]))
    names = dict(session().execute(query).all())
    theirs = [
        (identity, person_id)
        for name, address, person_id in signed
        if person_id and names.get(person_id) == name
        for identity in identities.of_email(address)
    ]
    identities.give(account.workspace_id, theirs)


def _addresses(item: Received | Bounced) -> list[str]:
    """Return the addresses that may be the person's: the author's, and where a help desk sends answers."""
    return [one for one in (item.person, item.alias if isinstance(item, Received) else "") if one]


def _anywhere(account: Account, mails: Sequence[Received | Bounced]) -> dict[str, int]:
    """Return, by email id, the people who unsubscribe by email, from any address and to any of our mailboxes.

    The unsubscribe link's token in the subject names the person; without one the address must be known.
    """
    found: dict[str, int] = {}
    asks = [item for item in mails if isinstance(item, Received) and wishes.is_alone(item.subject)]
    for item in asks:
        owners = identities.owners(
            account.workspace_id, {one for address in _addresses(item) if (one := identities.of_handle(address))}
        )
        person_id = _of_link(account, item.link) or next(iter(owners.values()), None)
        if person_id:
            found[item.ref] = person_id
    return found


def _with_its_subject(item: Received | Bounced) -> Received | Bounced:
    """Return the item without our unsubscribe link's token in its subject."""
    link = _LINK.search(item.subject) if isinstance(item, Received) else None
    if link is None or not isinstance(item, Received):
        return item
    return replace(item, subject=item.subject.replace(link[0], "").strip(" :-()[]"), link=link[1])


def _of_link(account: Account, link: str) -> int | None:
    """Return the person of an unsubscribe link's token, even if their campaign is deleted; None if it is not ours."""
    try:
        workspace_id, campaign_lead_id, address = unsubscribe_token.read(link) if link else (0, 0, "")
    except ValueError:
        return None
    if workspace_id != account.workspace_id or campaign_lead_id == unsubscribe_token.OF_TEST:
        return None
    lead = session().get(CampaignLead, campaign_lead_id)
    if lead is not None and lead.workspace_id == workspace_id:
        return lead.person_id
    known = identities.of_handle(address)
    return identities.owners(workspace_id, {known}).get(known) if known else None


def person_of(workspace: Workspace, matched: Matched) -> int:
    """Return the person the item is about; create an unknown one with all their identities. Inside a transaction."""
    if matched.person_id:
        return matched.person_id
    first, *others = _names(matched.item)
    person_id = people.ensure(workspace, first.value)
    identities.give(workspace.id, [(one, person_id) for one in others])
    return person_id


def _by_handle(account: Account, items: Sequence[Incoming]) -> list[Matched]:
    """Match by either of a network's two ids of a person; an id that is new is stored with the person.

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
    """Return the person; if the network says that several are the same, the one who is a lead."""
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


def reader(account: Account) -> Callable[[Collection[str]], bool]:
    """Return a function that tells whether this mailbox writes to one of some addresses in any thread."""
    return in_new_session(lambda addresses: bool(_by_address(account, addresses)))


def _ours(account: Account) -> sa.ColumnElement[bool]:
    """Return the condition that this mailbox writes to the person."""
    return sa.or_(
        sa.exists().where(CampaignLead.person_id == Person.id, CampaignLead.mailbox_id == account.id),
        sa.exists().where(Conversation.sender_id == account.id, Conversation.person_id == Person.id),
    )


def _by_address(account: Account, addresses: Collection[str]) -> dict[str, int]:
    """Map each address to the person this mailbox writes to; the latest when several people share it."""
    if not addresses:
        return {}
    ours = _ours(account)
    spelled: defaultdict[str, set[str]] = defaultdict(set)
    for address in addresses:
        for one in identities.of_handle(address), Identity(IdentityKind.EMAIL, address):
            for spelling in identities.of_email(one.value) if one else ():
                spelled[spelling.value].add(address)
    named = sa.select(PersonIdentity.value, Person.id).where(
        PersonIdentity.workspace_id == account.workspace_id,
        PersonIdentity.kind == IdentityKind.EMAIL,
        in_list(PersonIdentity.value, spelled),
        Person.id == PersonIdentity.person_id,
        ours,
    )
    shared = sa.select(Person.email, Person.id).where(
        Person.workspace_id == account.workspace_id, in_list(Person.email, spelled), ours
    )
    found = [
        (address, person_id)
        for spelling, person_id in session().execute(sa.union(named, shared))
        for address in spelled[spelling]
    ]
    return dict(sorted(found, key=lambda one: one[1]))
