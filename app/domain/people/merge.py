"""Merge two people: which value of each field stays, what goes to the history, and how both are told apart again.

Nothing of the other person's row changes until the undo period ends, so that row still says what was theirs.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import change_rows, get_owned, in_list, insert, session
from app.core.errors import NotFound
from app.domain.people import people, tag_index
from app.domain.people.people import COLUMNS, CUSTOM, MOST_TAGS
from app.domain.rules.contact_rules import stricter
from app.models.people import DataSource, NotSamePerson, Person, PersonIdentity, PersonMerge, PersonValue, SourceKind
from app.models.workspaces import Workspace

_EMPTY = ("", None)
_TOGETHER = ("public_id", "profile_url")  # a link belongs to its profile


class Choice(NamedTuple):
    """What becomes of one field: the value that stays, and the one that goes to the history ('' for none)."""

    field: str  # a column of `person`, or custom.name
    value: Any
    other: Any
    from_other: bool  # the value that stays was the other person's


class Origin(NamedTuple):
    """Where a value came from, since when it is known, and whether a member typed it."""

    source_id: int | None
    at: datetime
    typed: bool


def pair(workspace: Workspace, keep_id: int, gone_id: int, *, lock: bool = False) -> tuple[Person, Person]:
    """Return the two people; raise NotFound for one who was erased or merged."""
    found = {one: people.get(workspace, one, lock=lock) for one in sorted({keep_id, gone_id})}
    merged = session().scalar(sa.select(PersonMerge.person_id).where(in_list(PersonMerge.person_id, list(found))))
    if merged is not None or any(person.erased_at for person in found.values()):
        raise NotFound("Person not found.")
    return found[keep_id], found[gone_id]


def current(workspace: Workspace, person_id: int) -> Person:
    """Return the person with that id, or the one that they were merged into; raise NotFound."""
    into = session().scalar(sa.select(PersonMerge.into_id).where(PersonMerge.person_id == person_id))
    found = get_owned(Person, workspace, into or person_id)
    if found.erased_at:
        raise NotFound("Person not found.")
    return found


def choices(keep: Person, gone: Person) -> list[Choice]:
    """Return what becomes of each field that either has: a hand-typed value wins, else the kept person's."""
    typed = _typed_sources([keep, gone])
    profile = keep if keep.public_id else gone
    found = []
    for name in (*COLUMNS, *(CUSTOM + name for name in keep.custom_fields | gone.custom_fields)):
        ours, theirs = value_of(keep, name), value_of(gone, name)
        if ours in _EMPTY and theirs in _EMPTY:
            continue
        if name in _TOGETHER and profile.public_id:
            from_other = profile is gone
        elif ours in _EMPTY or theirs in _EMPTY:
            from_other = ours in _EMPTY
        else:
            from_other = _origin(gone, name, typed).typed and not _origin(keep, name, typed).typed
        stays, gives_way = (theirs, ours) if from_other else (ours, theirs)
        differs = gives_way not in _EMPTY and gives_way != stays
        found.append(Choice(name, stays, gives_way if differs else "", from_other and ours != theirs))
    return found


def joined_tags(keep: Person, gone: Person) -> tuple[list[str], list[str]]:
    """Return the tags of both, and those of the other person for which there is no room."""
    has = {tag.casefold() for tag in keep.tags}
    more = [tag for tag in gone.tags if tag.casefold() not in has]
    room = max(0, MOST_TAGS - len(keep.tags))
    return [*keep.tags, *more[:room]], more[room:]


def value_of(person: Person, name: str) -> Any:
    """Return the person's value of a column, or of a custom field as `custom.name`."""
    if name.startswith(CUSTOM):
        return person.custom_fields.get(name.removeprefix(CUSTOM), "")
    return getattr(person, name)


def origins_of(person: Person, names: Sequence[str]) -> dict[str, Origin]:
    """Return where the values of these fields came from."""
    typed = _typed_sources([person])
    return {name: _origin(person, name, typed) for name in names}


def take_over(workspace: Workspace, keep: Person, gone: Person) -> dict[str, Any]:
    """Give everything known of `gone` to `keep`; return what the undo needs. Inside a transaction."""
    at, typed = workspace.now(), _typed_sources([keep, gone])
    chosen = choices(keep, gone)
    tags, left = joined_tags(keep, gone)
    moved = _move_known(keep, gone)
    history = [_history(keep, gone, one, typed, at) for one in chosen if one.other not in _EMPTY]
    if left:
        history.append(_row(keep, "tags", left, Origin(gone.source_id, gone.created_at, False), at))
    session().add_all(history)
    taken = [one for one in chosen if one.from_other]
    undo = {
        "fields": {one.field: keep.origins.get(one.field) for one in taken},
        "tags": tags[len(keep.tags) :],
        "told": _answer_columns(keep),
        **moved,
    }
    if keep.company_by_hand is None and gone.company_by_hand is not None:
        keep.company_by_hand = undo["company"] = gone.company_by_hand
    origins = {one.field: _as_kept(_origin(gone, one.field, typed)) for one in taken}
    _set(keep, {one.field: one.value for one in taken}, origins)
    keep.tags = tags
    keep.answer = stricter(keep.answer, gone.answer)
    for column in ("replied_at", "come_back_at"):
        known = [moment for moment in (getattr(keep, column), getattr(gone, column)) if moment]
        setattr(keep, column, max(known, default=None))
    merge = PersonMerge(workspace_id=workspace.id, person_id=gone.id, into_id=keep.id, at=at)
    session().add(merge)
    session().flush()
    tag_index.index(keep.workspace_id, {keep.id: tags})
    by_field = {row.field: row.id for row in history if row.taken}
    return undo | {"after": _answer_columns(keep), "replaced": by_field, "history": [row.id for row in history]}


def give_back(keep: Person, gone: Person, undo: dict[str, Any]) -> None:
    """Give `gone` what was theirs, and `keep` what it replaced where nothing changed since. Inside a transaction."""
    rows = session().scalars(sa.select(PersonValue).where(in_list(PersonValue.id, undo["history"]))).all()
    former = {row.field: row.value for row in rows if row.id == undo["replaced"].get(row.field)}
    if undo.get("company") is not None and keep.company_by_hand == undo["company"]:
        keep.company_by_hand = None
    same = [name for name in undo["fields"] if value_of(keep, name) == value_of(gone, name)]
    _set(keep, {name: former.get(name, "") for name in same}, {name: undo["fields"][name] for name in same})
    keep.tags = [tag for tag in keep.tags if tag not in undo["tags"]]
    now = _answer_columns(keep)
    for column in undo["told"]:
        if now[column] == undo["after"][column]:
            value = undo["told"][column]
            setattr(keep, column, value if column == "answer" or value is None else datetime.fromisoformat(value))
    for row in rows:
        session().delete(row)
    _move_back(keep, gone, undo)
    change_rows(sa.delete(PersonMerge).where(PersonMerge.person_id == gone.id))
    session().flush()
    tag_index.index(keep.workspace_id, {one.id: one.tags for one in (keep, gone)})


def blank(gone: Person) -> None:
    """Clear the row of a merged person; its values are in the history of the person they were merged into."""
    for name in (*COLUMNS, *people.COMPARED):
        setattr(gone, name, "")
    gone.tags, gone.custom_fields, gone.origins, gone.company_by_hand = [], {}, {}, None
    gone.answer, gone.replied_at, gone.come_back_at = "", None, None
    tag_index.index(gone.workspace_id, {gone.id: gone.tags})


def latest(keep_id: int) -> PersonMerge | None:
    """Return the newest merge into the person."""
    query = sa.select(PersonMerge).where(PersonMerge.into_id == keep_id)
    return session().scalars(query.order_by(PersonMerge.at.desc(), PersonMerge.person_id.desc()).limit(1)).first()


def _typed_sources(some: Sequence[Person]) -> set[int]:
    """Return which of the people's own sources are members who typed."""
    ids = [person.source_id for person in some if person.source_id]
    query = sa.select(DataSource.id).where(in_list(DataSource.id, ids), DataSource.kind == SourceKind.HAND)
    return set(session().scalars(query))


def _origin(person: Person, name: str, typed: set[int]) -> Origin:
    if origin := person.origins.get(name):
        return Origin(origin["source"], datetime.fromisoformat(origin["at"]), bool(origin["typed"]))
    return Origin(person.source_id, person.created_at, person.source_id in typed)


def _as_kept(origin: Origin) -> dict[str, Any]:
    return {"source": origin.source_id, "at": origin.at.isoformat(), "typed": origin.typed}


def _set(person: Person, values: dict[str, Any], origins: dict[str, Any]) -> None:
    """Set columns and custom fields, and say where they came from; without an origin the row's own says it."""
    own = dict(person.custom_fields)
    for name, value in values.items():
        if not name.startswith(CUSTOM):
            setattr(person, name, value)
        elif value in _EMPTY:
            own.pop(name.removeprefix(CUSTOM), None)
        else:
            own[name.removeprefix(CUSTOM)] = value
    person.custom_fields = own
    stays = {name: origin for name, origin in person.origins.items() if name not in origins}
    person.origins = stays | {name: origin for name, origin in origins.items() if origin}
    people.compare(person)


def _history(keep: Person, gone: Person, one: Choice, typed: set[int], at: datetime) -> PersonValue:
    """Return the history row of the value that was not chosen: the kept person's former one, or the other person's."""
    loser = keep if one.from_other else gone
    return _row(keep, one.field, one.other, _origin(loser, one.field, typed), at, taken=one.from_other)


def _row(person: Person, name: str, value: Any, origin: Origin, at: datetime, taken: bool = False) -> PersonValue:
    return PersonValue(
        workspace_id=person.workspace_id,
        person_id=person.id,
        field=name,
        value=value,
        source_id=origin.source_id,
        known_at=origin.at,
        ended_at=at,
        taken=taken,
    )


def _answer_columns(person: Person) -> dict[str, Any]:
    """Return what the person answered, as a job keeps it."""
    moments = {name: getattr(person, name) for name in ("replied_at", "come_back_at")}
    return {"answer": person.answer, **{name: at.isoformat() if at else None for name, at in moments.items()}}


def _move_known(keep: Person, gone: Person) -> dict[str, Any]:
    """Move identities, history, earlier merges, and who is not the same; return which."""
    moved: dict[str, Any] = {"earlier": _moved(PersonMerge.into_id, PersonMerge.person_id, gone.id, keep.id)}
    moved["values"] = _moved(PersonValue.person_id, PersonValue.id, gone.id, keep.id)
    names = sa.update(PersonIdentity).where(PersonIdentity.person_id == gone.id).values(person_id=keep.id)
    rows = change_rows(names.returning(PersonIdentity.kind, PersonIdentity.value))
    moved["identities"] = sorted([row.kind, row.value] for row in rows)
    both = (NotSamePerson.person_id == gone.id, NotSamePerson.other_id == gone.id)
    known = session().execute(sa.select(NotSamePerson.person_id, NotSamePerson.other_id).where(sa.or_(*both))).all()
    others = {one for row in known for one in row} - {gone.id, keep.id}
    tell_apart(keep.workspace_id, [(keep.id, one) for one in others])
    return moved


def tell_apart(workspace_id: int, pairs: Sequence[tuple[int, int]]) -> None:
    """Remember that these are not the same people. Inside a transaction."""
    ordered = [sorted(both) for both in pairs]
    rows = [{"workspace_id": workspace_id, "person_id": low, "other_id": high} for low, high in ordered]
    if rows:
        session().execute(insert(NotSamePerson).on_conflict_do_nothing(), rows)


def _moved(owner: Any, key: Any, old: int, new: int) -> list[int]:
    """Give the rows of one person to another; return their ids."""
    change = sa.update(owner.class_).where(owner == old).values({owner.key: new}).returning(key)
    return sorted(change_rows(change).scalars())


def _move_back(keep: Person, gone: Person, undo: dict[str, Any]) -> None:
    for owner, key, ids in (
        (PersonMerge.into_id, PersonMerge.person_id, undo["earlier"]),
        (PersonValue.person_id, PersonValue.id, undo["values"]),
    ):
        change_rows(sa.update(owner.class_).where(in_list(key, ids), owner == keep.id).values({owner.key: gone.id}))
    for kind, value in undo["identities"]:
        one = (
            PersonIdentity.workspace_id == keep.workspace_id,
            PersonIdentity.kind == kind,
            PersonIdentity.value == value,
            PersonIdentity.person_id == keep.id,
        )
        change_rows(sa.update(PersonIdentity).where(*one).values(person_id=gone.id))
