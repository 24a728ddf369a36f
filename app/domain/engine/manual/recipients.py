"""Recipients of a reply: the person, with reply-all everyone on their last email, and the Cc that a member adds."""

from collections.abc import Sequence

from app.core import text
from app.core.errors import InvalidRequest
from app.domain.conversations import messages
from app.domain.people import identities
from app.domain.people.exclusions import never_contact
from app.domain.people.exclusions.never_contact import Candidate
from app.domain.replies.referral import Referral
from app.domain.tasks import referrals
from app.models.accounts import Account, Channel
from app.models.conversations import Conversation, Message
from app.models.workspaces import Workspace
from app.ports import Parties, Party

MOST = 20  # in Cc of one reply
MOST_OFFERED = 3  # new people of one email
IN_COPY = "In Cc on a person's reply."


def others(thread: Conversation, account: Account) -> list[Party]:
    """Return the Cc of a reply to all: everyone on the person's last email except the person and this mailbox."""
    if account.channel != Channel.EMAIL:
        return []
    parties = _last(thread)
    told = [*([parties.sender] if parties.sender else []), *parties.to, *parties.cc]
    return _without(told, _both(account, thread.person_id))[:MOST]


def address_of(thread: Conversation) -> str:
    """Return where an email to the person goes: their address from which they last wrote, else the one we know."""
    writer = _last(thread).sender
    theirs = identities.of_people([thread.person_id])[thread.person_id] if writer else []
    return writer.address if writer and identities.of_handle(writer.address) in theirs else thread.person.email


def _last(thread: Conversation) -> Parties:
    """Return who wrote the person's last email, and who got it."""
    return Parties.of(messages.last_letter(thread.id))


def given(account: Account, person_id: int, addresses: Sequence[str]) -> list[Party]:
    """Return the Cc that a member typed, each address once; raise InvalidRequest for an invalid address."""
    if not addresses:
        return []
    if account.channel != Channel.EMAIL:
        raise InvalidRequest.of(("cc", "Only an email can have a Cc."))
    if wrong := next((one for one in addresses if not text.email(one)), ""):
        raise InvalidRequest.of(("cc", f"Invalid email “{wrong[:80]}”. Fix it or remove it."))
    return _without([Party("", text.email(one)) for one in addresses], _both(account, person_id))


def joined(some: Sequence[Party], more: Sequence[Party]) -> list[Party]:
    """Return both lists joined, each address once; raise InvalidRequest when there are too many for one Cc."""
    found = _without([*some, *more], set())
    if len(found) > MOST:
        raise InvalidRequest.of(("cc", f"Use at most {MOST} addresses in Cc."))
    return found


def _both(account: Account, person_id: int) -> set[str]:
    """Return the addresses of the mailbox and of the person, which are never in Cc."""
    return {account.address.lower(), *(one.value for one in identities.of_people([person_id])[person_id])}


def _without(told: Sequence[Party], left_out: set[str]) -> list[Party]:
    known: dict[str, Party] = {}
    for one in told:
        spellings = {one.address.lower(), *(own.value for own in [identities.of_handle(one.address)] if own)}
        if not spellings & left_out:
            known.setdefault(one.address.lower(), one)
    return list(known.values())


def blocked(workspace_id: int, copies: Sequence[Party]) -> str:
    """Return the first address of these that is on the do-not-contact list; '' for none."""
    found = [identities.of_handle(one.address) for one in copies]
    candidates = [
        Candidate(number, identities.of_email(one.value), one.value) for number, one in enumerate(found) if one
    ]
    by_address = never_contact.blocked(workspace_id, candidates)
    if by_address:
        return copies[min(by_address)].address
    owners = identities.owners(workspace_id, {one for one in found if one})
    people = never_contact.blocked_people(workspace_id, set(owners.values()))
    return next((one.value for one in found if one and owners.get(one) in people), "")


def offer(workspace: Workspace, account: Account, message: Message, person_id: int, parties: Parties) -> None:
    """Offer people whom a lead put in Cc as new ones; nothing is sent to them. Inside a transaction."""
    ours = account.address.lower().rpartition("@")[2]
    copied = _without(parties.cc, _both(account, person_id))
    colleagues = [one for one in copied if one.address.lower().rpartition("@")[2] != ours]
    known = identities.owners(workspace.id, {one for each in colleagues if (one := identities.of_handle(each.address))})
    new = [each for each in colleagues if identities.of_handle(each.address) not in known]
    for each in new[:MOST_OFFERED]:
        named = Referral("" if "@" in each.name else each.name, each.address, said=IN_COPY)
        referrals.note(workspace, person_id, message.conversation_id, named)
