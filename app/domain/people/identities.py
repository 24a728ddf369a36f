"""Identities: what a person is known by, and whose they are."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from app.core import text
from app.core.db import execute_many, in_list, insert, session
from app.models.people import IdentityKind, PersonIdentity

# The network's own ids, as they stand in links of its paid products; public ids are shorter and never look so.
_MEMBER = re.compile(r"ac[ow]aa[a-z0-9_-]{20,}")


class Identity(NamedTuple):
    """A public id, member id or address, normalized."""

    kind: IdentityKind
    value: str


def of_profile(public_id: str) -> Identity:
    """Return the identity that a public id from a profile link is."""
    kind = IdentityKind.MEMBER if _MEMBER.fullmatch(public_id) else IdentityKind.PROFILE
    return Identity(kind, public_id)


def of_handle(handle: str) -> Identity | None:
    """Return the identity by which a provider names a person: an address, or an id of its network."""
    if "@" in handle:
        address = text.email(handle)
        return Identity(IdentityKind.EMAIL, address) if address else None
    public_id = text.public_id(handle)
    return of_profile(public_id) if public_id else None


def of_email(address: str) -> list[Identity]:
    """Return the identities of a normalized address: as it is written, and its mailbox where several lead to one."""
    return [Identity(IdentityKind.EMAIL, one) for one in dict.fromkeys((address, text.mailbox(address)))]


def owners(workspace_id: int, wanted: Collection[Identity]) -> dict[Identity, int]:
    """Return the person who has each identity, where one is known; an address in another spelling is the same one."""
    others = {one: Identity(one.kind, text.mailbox(one.value)) for one in wanted if one.kind == IdentityKind.EMAIL}
    found = _owners(workspace_id, {*wanted, *others.values()})
    found |= {one: found[other] for one, other in others.items() if one not in found and other in found}
    return {one: person_id for one, person_id in found.items() if one in wanted}


def _owners(workspace_id: int, wanted: Collection[Identity]) -> dict[Identity, int]:
    found: dict[Identity, int] = {}
    for kind in IdentityKind:
        if values := [one.value for one in wanted if one.kind == kind]:
            query = sa.select(PersonIdentity.value, PersonIdentity.person_id).where(
                PersonIdentity.workspace_id == workspace_id,
                PersonIdentity.kind == kind,
                in_list(PersonIdentity.value, values),
            )
            found.update((Identity(kind, value), person_id) for value, person_id in session().execute(query))
    return found


def of_people(person_ids: Sequence[int]) -> dict[int, list[Identity]]:
    """Return the identities of each person."""
    found: dict[int, list[Identity]] = {person_id: [] for person_id in person_ids}
    query = sa.select(PersonIdentity.person_id, PersonIdentity.kind, PersonIdentity.value)
    for row in session().execute(query.where(in_list(PersonIdentity.person_id, person_ids))):
        found[row.person_id].append(Identity(IdentityKind(row.kind), row.value))
    return found


def give(workspace_id: int, given: Iterable[tuple[Identity, int]]) -> None:
    """Give identities to people; one that is taken already stays where it is. Inside a transaction."""
    rows = [
        {"workspace_id": workspace_id, "kind": one.kind, "value": one.value, "person_id": person_id}
        for one, person_id in given
    ]
    execute_many(insert(PersonIdentity).on_conflict_do_nothing(), rows)
