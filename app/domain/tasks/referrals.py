"""Referrals: contacts that people name in their answers, offered as new people. Nothing is sent to them by itself."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from app.core import text
from app.core.actor import actor
from app.core.db import by_id, change_rows, get_owned, in_list, session
from app.core.errors import Conflict, InvalidRequest
from app.domain.leads import full_names, leads, lists, profiles
from app.domain.leads.profiles import InvalidProfile
from app.domain.people import company_identity, identities, people
from app.domain.people.people import Merge
from app.domain.people.sources import Source
from app.domain.platform import locks
from app.domain.replies.referral import Referral as Named
from app.models.leads import Lead
from app.models.people import Person, SourceKind
from app.models.tasks import Referral, Task, TaskKind
from app.models.workspaces import Workspace

SOURCE = Source(SourceKind.NETWORK, "referral")
FIELDS = ("firstName", "lastName", "position", "companyName", "email", "phone", "profileUrl")


class Known(NamedTuple):
    """A referral with the two people it is about, as far as they are known, and their pages; 0 without one."""

    referral: Referral
    by: Person | None
    named: Person | None
    by_lead_id: int
    named_lead_id: int


def note(workspace: Workspace, person_id: int, conversation_id: int | None, named: Named) -> Referral | None:
    """Keep the contact that a person named, as a task; None for what is known already. Inside a transaction."""
    email = text.email(named.email)
    if (email or named.name) and _is_known(person_id, email, named.name):
        return None
    at = workspace.now()
    referral = Referral(
        workspace_id=workspace.id,
        person_id=person_id,
        conversation_id=conversation_id,
        name=named.name,
        email=email,
        phone=named.phone,
        position=named.position,
        said=named.said,
        at=at,
    )
    session().add(referral)
    session().flush()
    session().add(
        Task(
            workspace_id=workspace.id,
            person_id=person_id,
            conversation_id=conversation_id,
            referral_id=referral.id,
            kind=TaskKind.REFERRAL,
            text=named.said,
            due_at=at,
            created_at=at,
        )
    )
    session().flush()
    return referral


def _is_known(person_id: int, email: str, name: str) -> bool:
    """Return whether the person named this contact before, or named themselves."""
    person = session().get_one(Person, person_id)
    own = {one.value for one in identities.of_people([person_id])[person_id]}
    if email in own or (name and name.casefold() == f"{person.first_name} {person.last_name}".casefold()):
        return True
    same = Referral.email == email if email else Referral.name == name
    return session().scalar(sa.select(Referral.id).where(Referral.person_id == person_id, same).limit(1)) is not None


def suggested(referral: Referral) -> dict[str, str]:
    """Return the fields of the new person, as far as the referral says; a colleague is at the same company."""
    first_name, last_name = full_names.split(referral.name) if referral.name else ("", "")
    by = session().get(Person, referral.person_id or 0)
    host = company_identity.domain_of(referral.email)
    colleague = by is not None and (not host or host == by.company_domain)
    return {
        "firstName": first_name,
        "lastName": last_name,
        "position": referral.position,
        "companyName": by.company_name if by is not None and colleague else "",
        "email": referral.email,
        "phone": referral.phone,
        "profileUrl": "",
    }


def get(workspace: Workspace, referral_id: int) -> Referral:
    """Return the referral, or raise NotFound."""
    return get_owned(Referral, workspace, referral_id)


def named_by(referral: Referral) -> str:
    """Return the name of the person who named the contact, "" once they were erased."""
    person = session().get(Person, referral.person_id) if referral.person_id else None
    return person.name if person else ""


def add(workspace: Workspace, referral_id: int, list_id: int, given: Mapping[str, str]) -> Person:
    """Add the contact to a list as a person who keeps who named them; no campaign is joined.

    Raise InvalidRequest when neither address nor profile names them, Conflict when they must not be contacted.
    """
    fields = {name: given[name].strip() for name in FIELDS if given.get(name, "").strip()}
    try:
        read = profiles.read(fields, by_email=True)
    except InvalidProfile:
        raise InvalidRequest.of(("email", "Enter an email address or a profile link.")) from None
    if read.problems:
        raise InvalidRequest.of(*read.problems)
    with locks.changing(workspace.id):
        referral = get_owned(Referral, workspace, referral_id, lock=True)
        lists.people_list(workspace, list_id)
        leads.add(workspace, list_id, [fields], SOURCE, Merge.FILL, by_email=True)
        named = people.match(workspace, [read.fields]).person_of(0)["id"]
        if named is None or not _is_in(list_id, named):
            raise Conflict("This person is on your do-not-contact list.", recovery="Don't add this person.")
        if named == referral.person_id:
            raise InvalidRequest.of(("email", "This is the person who made the referral."))
        referral.named_id = named
        _finish(workspace, referral)
        return people.get(workspace, named)


def _is_in(list_id: int, person_id: int) -> bool:
    query = sa.select(Lead.id).where(Lead.list_id == list_id, Lead.person_id == person_id)
    return session().scalar(query.limit(1)) is not None


def _finish(workspace: Workspace, referral: Referral) -> None:
    query = sa.select(Task).where(Task.referral_id == referral.id, Task.done_at.is_(None))
    for task in session().scalars(query):
        task.done_at, task.done_by = workspace.now(), actor.get().name


def of_person(workspace: Workspace, person_id: int) -> list[Known]:
    """Return the referrals that the person gave, and those that named them, oldest first."""
    query = sa.select(Referral).where(
        Referral.workspace_id == workspace.id,
        sa.or_(
            Referral.named_id == person_id, sa.and_(Referral.person_id == person_id, Referral.named_id.is_not(None))
        ),
    )
    found = session().scalars(query.order_by(Referral.id)).all()
    about = {one for each in found for one in (each.person_id, each.named_id) if one}
    known = by_id(Person, about)
    newest = sa.select(Lead.person_id, sa.func.max(Lead.id)).group_by(Lead.person_id)
    there = newest.where(in_list(Lead.person_id, about), Lead.deleted_at.is_(None))
    places = dict(session().execute(there).all())
    return [
        Known(
            each,
            known.get(each.person_id or 0),
            known.get(each.named_id or 0),
            places.get(each.person_id or 0, 0),
            places.get(each.named_id or 0, 0),
        )
        for each in found
    ]


def erase(workspace: Workspace, person_ids: Sequence[int], addresses: Collection[str]) -> None:
    """Delete what names these people, and their words; that they named others stays. Inside a transaction."""
    ours = Referral.workspace_id == workspace.id
    theirs = in_list(Referral.person_id, person_ids)
    about_them = sa.or_(in_list(Referral.named_id, person_ids), in_list(Referral.email, addresses))
    not_added = sa.and_(theirs, Referral.named_id.is_(None))
    change_rows(sa.delete(Referral).where(ours, sa.or_(about_them, not_added)))
    change_rows(sa.update(Referral).where(ours, theirs).values(said=""))
