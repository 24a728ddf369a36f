"""Data subjects: every row about one person, on any list. Erasure and export start here."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote

import sqlalchemy as sa

from app.core import text
from app.core.db import in_list, session
from app.domain.people import identities
from app.domain.people.identities import Identity
from app.models.leads import Lead
from app.models.people import IdentityKind as K
from app.models.people import Person, PersonMerge
from app.models.workspaces import Workspace

SHARED = 3  # an address of more people than this is a company's and identifies no one
_NAMES = {"publicId": text.public_id, "profileUrl": text.public_id, "email": text.email, "address": text.email}


@dataclass(frozen=True)
class Subject:
    """A human being: the people they are here, their leads, and the public ids and addresses that name them."""

    workspace: Workspace
    people: Sequence[Person]
    leads: Sequence[Lead]
    persons: frozenset[str]
    addresses: frozenset[str]

    @cached_property
    def person_ids(self) -> list[int]:
        """Return the ids of the `Person` rows of this human being."""
        return [person.id for person in self.people]

    @cached_property
    def lead_ids(self) -> list[int]:
        """Return the ids of the person's leads."""
        return [lead.id for lead in self.leads]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        links = "|".join(re.escape(person) for person in sorted(self.persons))
        places = [rf"(?:^|[/,;\t|\"'])(?:{links})(?![\w-])"]
        places += [rf"(?<![\w.+-]){re.escape(address)}(?![\w-])" for address in sorted(self.addresses)]
        return re.compile("|".join(places), re.IGNORECASE | re.MULTILINE)

    def named_in(self, written: str) -> bool:
        """Return whether the text has the person's address, or a link or cell with their public id."""
        whole = unquote(written) if "%" in written else written
        lowered = whole.casefold()
        near = any(name in lowered for name in self.persons | self.addresses)
        return near and self._pattern.search(whole) is not None

    def is_meant(self, thing: dict[str, Any]) -> bool:
        """Return whether a JSON object is about the person."""
        for name, normal in _NAMES.items():
            value = thing.get(name)
            if isinstance(value, str) and value and normal(value) in self.persons | self.addresses:
                return True
        return "publicId" in thing and thing.get("id") in self.lead_ids

    def without(self, value: Any, about_them: bool = False) -> Any:
        """Return a JSON value of the same shape without anything that names them."""
        if isinstance(value, dict):
            about_them = about_them or self.is_meant(value)
            return {name: self.without(each, about_them) for name, each in value.items()}
        if isinstance(value, list):
            return [self.without(each, about_them) for each in value]
        if isinstance(value, str) and (about_them or self.named_in(value)):
            return ""
        return value

    def mentioned(self, column: Any) -> sa.ColumnElement[bool]:
        """Return the condition that a text column may name them; the caller checks the matches."""
        names = self.persons | self.addresses
        spellings = {json.dumps(name, ensure_ascii=ascii)[1:-1] for name in names for ascii in (True, False)}
        spellings |= {quote(name) for name in names}
        return sa.or_(*(column.icontains(spelling, autoescape=True) for spelling in sorted(spellings)))


def find(workspace: Workspace, person_id: int, *, lock: bool = False) -> Subject:
    """Return the person, and other people with an address that is theirs alone."""
    found, addresses = {person_id}, set[str]()
    found |= set(session().scalars(sa.select(PersonMerge.person_id).where(PersonMerge.into_id == person_id)))
    for _ in range(2):  # finds people with their addresses, then people with the addresses of those
        addresses = _own(_addresses(found), workspace)
        found |= _people_with(workspace, addresses)
    return _made(workspace, found, addresses, lock=lock)


def find_again(workspace: Workspace, person_ids: Sequence[int], shared: Sequence[str]) -> Subject:
    """Find the person again when their leads are in no list; `shared` addresses belong to other people too."""
    return _made(workspace, person_ids, _addresses(person_ids) - set(shared), lock=True)


def _made(workspace: Workspace, person_ids: Collection[int], addresses: set[str], *, lock: bool) -> Subject:
    theirs = sa.select(Person).where(Person.workspace_id == workspace.id, in_list(Person.id, list(person_ids)))
    query = theirs.where(Person.erased_at.is_(None)).order_by(Person.id)
    found = session().scalars(query.with_for_update() if lock else query).all()
    ids = [person.id for person in found]
    leads = session().scalars(sa.select(Lead).where(in_list(Lead.person_id, ids)).order_by(Lead.id)).all()
    names = {one.value for known in identities.of_people(ids).values() for one in known if one.kind != K.EMAIL}
    return Subject(workspace, found, leads, frozenset(names), frozenset(addresses))


def _addresses(person_ids: Collection[int]) -> set[str]:
    """Return every address of these people."""
    shown = sa.select(Person.email).where(in_list(Person.id, list(person_ids)), Person.email != "")
    known = identities.of_people(list(person_ids)).values()
    return {one.value for theirs in known for one in theirs if one.kind == K.EMAIL} | set(session().scalars(shown))


def _people_with(workspace: Workspace, addresses: Collection[str]) -> set[int]:
    """Return the people who have one of these addresses."""
    shown = sa.select(Person.id).where(Person.workspace_id == workspace.id, in_list(Person.email, list(addresses)))
    owners = identities.owners(workspace.id, {Identity(K.EMAIL, address) for address in addresses})
    return set(session().scalars(shown)) | set(owners.values())


def _own(addresses: set[str], workspace: Workspace) -> set[str]:
    """Return the addresses that at most SHARED people have."""
    many = (
        sa.select(Person.email)
        .where(Person.workspace_id == workspace.id, in_list(Person.email, list(addresses)))
        .group_by(Person.email)
        .having(sa.func.count() > SHARED)
    )
    return addresses - set(session().scalars(many))
