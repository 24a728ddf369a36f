"""Possible duplicates: people with the same address, or with the same name at the same company.

Groups are read from the indexes on `person`, so a page costs the same with a thousand people and with a million.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import get_owned, in_list, session, transaction
from app.core.paging import Page, Window
from app.domain.people import identities, merge
from app.domain.people.identities import Identity
from app.models.people import IdentityKind, NotSamePerson, Person, PersonMerge
from app.models.workspaces import Workspace

# More people than these share an address of a company, or are namesakes; they are not suggested.
MOST_WITH_ADDRESS, MOST_NAMESAKES = 3, 10
MOST_SHOWN = 5  # of one person
_BY = (("email",), ("company_key", "name_key"), ("company_domain", "name_key"))
_NOTHING: Any = sa.literal_column("''")  # as the partial indexes say it; a parameter would not match them
WHY = ("The same email address", "The same name and company", "The same name and company domain")


class Duplicate(NamedTuple):
    """Two people who may be one, the one known longer first, and why."""

    person: Person
    other: Person
    why: str


@dataclass(frozen=True)
class Duplicates:
    """The possible duplicates of a workspace, to be read page by page."""

    workspace: Workspace

    def page(self, window: Window) -> Page:
        """Return one page; its place is the kind of likeness and a person of the last group shown."""
        stage, last = window.place if window.place else (0, 0)
        found: list[Duplicate] = []
        for number in range(stage, len(_BY)):
            after = self._keys(number, last) if number == stage else None
            for pairs in self._groups(number, after):
                found += pairs
                if len(found) >= window.limit:
                    return Page(found, window.after(number, found[-1].other.id))
        return Page(found, "")

    def _keys(self, number: int, person_id: int) -> tuple[str, ...] | None:
        """Return what a page continues after: the values of a person of the last group."""
        person = session().get(Person, person_id) if person_id else None
        return tuple(getattr(person, name) for name in _BY[number]) if person else None

    def _groups(self, number: int, after: tuple[str, ...] | None) -> Iterator[list[Duplicate]]:
        """Yield the suggestions of each group of people who are alike in that way."""
        columns = [getattr(Person, name) for name in _BY[number]]
        most = MOST_WITH_ADDRESS if number == 0 else MOST_NAMESAKES
        alike = sa.select(*columns).where(
            Person.workspace_id == self.workspace.id, *(one != _NOTHING for one in columns)
        )
        alike = alike.group_by(*columns).having(sa.func.count().between(2, most)).order_by(*columns).limit(50)
        while True:
            query = alike.where(sa.tuple_(*columns) > sa.tuple_(*map(sa.literal, after))) if after else alike
            keys = [tuple(row) for row in session().execute(query)]
            yield from self._of_groups(number, keys)
            if len(keys) < 50:
                return
            after = keys[-1]

    def _of_groups(self, number: int, keys: Sequence[tuple[str, ...]]) -> Iterator[list[Duplicate]]:
        names = _BY[number]
        query = sa.select(Person).where(
            Person.workspace_id == self.workspace.id,
            getattr(Person, names[0]) != _NOTHING,
            *(in_list(getattr(Person, name), sorted({key[at] for key in keys})) for at, name in enumerate(names)),
            _is_here(),
        )
        members: dict[tuple[str, ...], list[Person]] = {key: [] for key in keys}
        found = session().scalars(query).all() if keys else ()
        for person in sorted(found, key=lambda one: one.id):  # in SQL, SQLite would read the whole workspace by id
            key = tuple(getattr(person, name) for name in names)
            if key in members:
                members[key].append(person)
        apart = _apart([person.id for some in members.values() for person in some])
        for some in members.values():
            if pairs := _pairs(some, number, apart):
                yield pairs


def of_workspace(workspace: Workspace) -> Duplicates:
    """Return the workspace's possible duplicates."""
    return Duplicates(workspace)


def of_person(workspace: Workspace, person: Person) -> list[Duplicate]:
    """Return the people who may be this person."""
    apart = {one for pair in _apart([person.id]) for one in pair}
    found: dict[int, str] = {}
    for number in range(len(_BY)):
        ids = _alike_ids(workspace, person, number) - {person.id}
        if len(ids) < (MOST_WITH_ADDRESS if number == 0 else MOST_NAMESAKES):
            for other_id in sorted(ids - apart):
                found.setdefault(other_id, WHY[number])
    query = sa.select(Person).where(in_list(Person.id, list(found)), _is_here())
    others = {other.id: other for other in session().scalars(query)} if found else {}
    pairs = [Duplicate(person, others[one], why) for one, why in found.items() if one in others]
    return pairs[:MOST_SHOWN]


def _alike_ids(workspace: Workspace, person: Person, number: int) -> set[int]:
    """Return the people who are like the person in that way, no more than are looked at."""
    ours = sa.select(Person.id).where(Person.workspace_id == workspace.id).limit(MOST_NAMESAKES + 1)
    if number == 0:
        known = identities.of_people([person.id])[person.id]
        addresses = {one.value for one in known if one.kind == IdentityKind.EMAIL} | ({person.email} - {""})
        owners = identities.owners(workspace.id, {Identity(IdentityKind.EMAIL, address) for address in addresses})
        return set(owners.values()) | set(session().scalars(ours.where(in_list(Person.email, sorted(addresses)))))
    names = _BY[number]
    if not all(getattr(person, name) for name in names):
        return set()
    same = [getattr(Person, name) == getattr(person, name) for name in names]
    return set(session().scalars(ours.where(getattr(Person, names[0]) != _NOTHING, *same)))


def tell_apart(workspace: Workspace, person_id: int, other_id: int) -> None:
    """Remember that these two are not the same; they are not suggested again."""
    with transaction():
        both = [get_owned(Person, workspace, one).id for one in (person_id, other_id)]
        merge.tell_apart(workspace.id, [(both[0], both[1])])


def suggest_again(workspace: Workspace, person_id: int, other_id: int) -> None:
    """Forget that these two are not the same."""
    low, high = sorted((person_id, other_id))
    with transaction() as current:
        theirs = (NotSamePerson.person_id == low, NotSamePerson.other_id == high)
        known = sa.delete(NotSamePerson).where(NotSamePerson.workspace_id == workspace.id, *theirs)
        current.execute(known.execution_options(synchronize_session=False))


def _is_here() -> sa.ColumnElement[bool]:
    """Return the condition that the person was neither erased nor merged."""
    return sa.and_(Person.erased_at.is_(None), ~sa.exists().where(PersonMerge.person_id == Person.id))


def _apart(person_ids: Collection[int]) -> set[tuple[int, int]]:
    """Return the pairs with one of these people that are known not to be the same."""
    ids = list(person_ids)
    either = sa.or_(in_list(NotSamePerson.person_id, ids), in_list(NotSamePerson.other_id, ids))
    query = sa.select(NotSamePerson.person_id, NotSamePerson.other_id).where(either)
    return {(low, high) for low, high in session().execute(query)}


def _pairs(group: Sequence[Person], number: int, apart: Collection[tuple[int, int]]) -> list[Duplicate]:
    """Return each later person of the group with the first before them whom they may be, once for all likenesses."""
    pairs = []
    for place, other in enumerate(group):
        before = (one for one in group[:place] if (one.id, other.id) not in apart)
        first = next(before, None)
        if first and not any(_alike(first, other, earlier) for earlier in range(number)):
            pairs.append(Duplicate(first, other, WHY[number]))
    return pairs


def _alike(one: Person, other: Person, number: int) -> bool:
    values: list[tuple[Any, Any]] = [(getattr(one, name), getattr(other, name)) for name in _BY[number]]
    return all(ours == theirs != "" for ours, theirs in values)
