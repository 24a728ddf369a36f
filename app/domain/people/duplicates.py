"""Possible duplicates: people with the same address, or with the same name at the same company.

Groups are read from the indexes on `person`, and a page looks through no more than so many people: it costs the same
with fifty thousand people and with a million, of whom perhaps no two are alike.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import by_id, change_rows, get_owned, in_list, session, transaction
from app.core.errors import InvalidRequest
from app.core.paging import Page, Window
from app.domain.people import identities, merge
from app.domain.people.identities import Identity
from app.models.people import IdentityKind, NotSamePerson, Person, PersonMerge
from app.models.workspaces import Workspace

# More people than these share an address of a company, or are namesakes; they are not suggested.
MOST_WITH_ADDRESS, MOST_NAMESAKES = 3, 10
MOST_SHOWN = 5  # of one person
MOST_READ = 50_000
_BY = (("email",), ("company_key", "name_key"), ("company_domain", "name_key"))
_NOTHING: Any = sa.literal_column("''")  # as the partial indexes say it; a parameter would not match them
WHY = ("The same email address", "The same name and company", "The same name and company domain")


Keys = tuple[str, ...]
"""The values by which two people are alike, in the order of their index."""


class Duplicate(NamedTuple):
    """Two people who may be one, the one known longer first, and why."""

    person: Person
    other: Person
    why: str


@dataclass(frozen=True)
class Duplicates:
    """The possible duplicates of a workspace, to be read page by page."""

    workspace: Workspace
    most_read: int  # people whom one page looks at for each likeness; the next page goes on

    def page(self, window: Window) -> Page:
        """Return one page; its place is the kind of likeness and the last person looked at.

        It may have few rows or none before the last page: then there are many people, and few are alike.
        """
        stage, last = window.place if window.place else (0, 0)
        found: list[Duplicate] = []
        for number in range(stage, len(_BY)):
            after = self._keys(number, last) if number == stage else None
            until = self._until(number, after)
            for pairs in self._groups(number, after, until):
                found += pairs
                if len(found) >= window.limit:
                    return Page(found, window.after(number, found[-1].other.id))
            if until:
                return Page(found, window.after(number, self._person_with(number, until)))
        return Page(found, "")

    def _keys(self, number: int, person_id: int) -> Keys | None:
        """Return the key that the next page continues after: the values of the last person looked at."""
        person = session().get(Person, person_id) if person_id else None
        return tuple(getattr(person, name) for name in _BY[number]) if person else None

    def _until(self, number: int, after: Keys | None) -> Keys | None:
        """Return the values up to which one page looks; None when it looks at all that are left."""
        columns = _columns(number)
        query = sa.select(*columns).where(*self._between(number, after)).order_by(*columns)
        row = session().execute(query.offset(self.most_read).limit(1)).first()
        return tuple(row) if row else None

    def _person_with(self, number: int, values: Keys) -> int:
        same = (column == value for column, value in zip(_columns(number), values, strict=True))
        return session().scalars(sa.select(Person.id).where(*self._between(number), *same).limit(1)).one()

    def _between(self, number: int, after: Keys | None = None, until: Keys | None = None) -> list[Any]:
        """Return the conditions for those who can be alike in that way, as its index has them in order."""
        columns = _columns(number)
        found: list[Any] = [Person.workspace_id == self.workspace.id, *(one != _NOTHING for one in columns)]
        if after:
            found.append(sa.tuple_(*columns) > sa.tuple_(*map(sa.literal, after)))
        if until:
            found.append(sa.tuple_(*columns) <= sa.tuple_(*map(sa.literal, until)))
        return found

    def _groups(self, number: int, after: Keys | None, until: Keys | None) -> Iterator[list[Duplicate]]:
        """Yield the suggestions of each group of people who are alike in that way."""
        columns = _columns(number)
        most = MOST_WITH_ADDRESS if number == 0 else MOST_NAMESAKES
        while True:
            alike = sa.select(*columns).where(*self._between(number, after, until)).group_by(*columns)
            query = alike.having(sa.func.count().between(2, most)).order_by(*columns).limit(50)
            keys = [tuple(row) for row in session().execute(query)]
            yield from self._of_groups(number, keys)
            if len(keys) < 50:
                return
            after = keys[-1]

    def _of_groups(self, number: int, keys: Sequence[Keys]) -> Iterator[list[Duplicate]]:
        names = _BY[number]
        query = sa.select(Person).where(
            Person.workspace_id == self.workspace.id,
            getattr(Person, names[0]) != _NOTHING,
            *(in_list(getattr(Person, name), sorted({key[at] for key in keys})) for at, name in enumerate(names)),
            _is_here(),
        )
        members: dict[Keys, list[Person]] = {key: [] for key in keys}
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
    return Duplicates(workspace, MOST_READ)


def of_person(workspace: Workspace, person: Person) -> list[Duplicate]:
    """Return the people who may be this person."""
    apart = {one for pair in _apart([person.id]) for one in pair}
    found: dict[int, str] = {}
    for number in range(len(_BY)):
        ids = _alike_ids(workspace, person, number) - {person.id}
        if len(ids) < (MOST_WITH_ADDRESS if number == 0 else MOST_NAMESAKES):
            for other_id in sorted(ids - apart):
                found.setdefault(other_id, WHY[number])
    others = by_id(Person, found, _is_here())
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


def alike_by_name(other: Any) -> Iterator[sa.ColumnElement[bool]]:
    """Yield for each likeness by name the condition that the person and `other` may be one.

    Two LinkedIn profiles are two people here, and so are those whom a member told apart.
    """
    pairs = ((Person.id, other.id), (other.id, Person.id))
    told = sa.or_(*(sa.and_(NotSamePerson.person_id == low, NotSamePerson.other_id == high) for low, high in pairs))
    for names in _BY[1:]:
        same = [getattr(Person, name) == getattr(other, name) for name in names]
        known = [getattr(one, name) != _NOTHING for one in (Person, other) for name in names]
        ours = other.workspace_id == Person.workspace_id
        one_profile = sa.or_(Person.public_id == "", other.public_id == "")
        yield sa.and_(ours, *same, *known, one_profile, ~sa.exists().where(told))


def tell_apart(workspace: Workspace, person_id: int, other_id: int) -> None:
    """Remember that these two are not the same; they are not suggested again."""
    if person_id == other_id:
        raise InvalidRequest.of(("otherId", "Choose another person."))
    with transaction():
        both = [get_owned(Person, workspace, one).id for one in (person_id, other_id)]
        merge.tell_apart(workspace.id, [(both[0], both[1])])


def suggest_again(workspace: Workspace, person_id: int, other_id: int) -> None:
    """Forget that these two are not the same."""
    with transaction():
        low, high = sorted(get_owned(Person, workspace, one).id for one in (person_id, other_id))
        theirs = (NotSamePerson.person_id == low, NotSamePerson.other_id == high)
        change_rows(sa.delete(NotSamePerson).where(NotSamePerson.workspace_id == workspace.id, *theirs))


def _columns(number: int) -> list[Any]:
    return [getattr(Person, name) for name in _BY[number]]


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
