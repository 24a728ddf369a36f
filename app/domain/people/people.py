"""People: find the person of each given profile, and keep what is given in the way that is asked for.

Every value that gives way, and every value that was not taken, stays in the history of the person.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import chain
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import change_rows, execute_many, get_owned, in_list, session, update_each
from app.core.errors import Conflict
from app.domain.conversations import search_index
from app.domain.people import companies, identities, sources, tag_index
from app.domain.people.identities import Identity
from app.domain.people.sources import Source
from app.models.campaigns import CampaignLead
from app.models.conversations import Conversation
from app.models.leads import Lead
from app.models.ledger import Action
from app.models.people import DataSource, IdentityKind, Person, PersonMerge, PersonValue, SourceKind
from app.models.workspaces import Workspace

ProfileFields = dict[str, Any]
"""The columns that were given, and perhaps LinkedIn's `member_id` and `other_emails`.

`public_id` or `email` names the person. By `other_emails` we know who writes; nothing is sent there first.
"""

COLUMNS = (
    *("public_id", "profile_url", "first_name", "last_name", "headline", "position", "company_name", "company_url"),
    *("location", "image_url", "email", "phone"),
)
MOST_TAGS = 50
CUSTOM = "custom."
EMAIL = IdentityKind.EMAIL
_PEOPLE: Any = Person.__table__
COMPARED = ("company_domain", "company_key", "name_key")  # follow from the other columns
_BLANK: dict[str, Any] = dict.fromkeys((*COLUMNS, *COMPARED), "")
_READ = ("id", *COLUMNS, "tags", "custom_fields", *COMPARED, "company_by_hand", "origins", "created_at")


class Merge(StrEnum):
    """How given values change a person who is known already."""

    FILL = "fill"  # only what is empty
    OVERWRITE = "overwrite"  # given values win, but for those typed by hand
    REPLACE = "replace"  # given values win
    KEEP = "keep"  # nothing changes


@dataclass
class Match:
    """Whose the given profiles are: `whose[n]` is the place of profile n's person in `people`; new ones have no id."""

    given: Sequence[ProfileFields]
    people: list[dict[str, Any]] = field(default_factory=list)
    whose: list[int] = field(default_factory=list)
    new_names: list[list[Identity]] = field(default_factory=list)  # by profile: identities that no one has yet

    def person_of(self, number: int) -> dict[str, Any]:
        """Return the columns of the person that profile is."""
        return self.people[self.whose[number]]


@dataclass
class Kept:
    """What happened to the profiles: the new people, and the people of whom something changed."""

    fresh: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)


def get(workspace: Workspace, person_id: int, *, lock: bool = False) -> Person:
    """Return the person, or raise NotFound."""
    return get_owned(Person, workspace, person_id, lock=lock)


def match(workspace: Workspace, given: Sequence[ProfileFields]) -> Match:
    """Find the people of these profiles: by profile, else by address where no other profile contradicts."""
    names = [named(fields) for fields in given]
    owners = identities.owners(workspace.id, set(chain.from_iterable(names)))
    rows = _rows(set(owners.values()))
    found = Match(given)
    places = {person_id: place for place, person_id in enumerate(rows)}
    found.people = list(rows.values())
    at = {identity: places[person_id] for identity, person_id in owners.items()}
    profiles = [person["public_id"] for person in found.people]
    for fields, theirs in zip(given, names, strict=True):
        profile = fields.get("public_id", "")
        # The same email address alone does not make two profiles one person.
        fitting = (one for one in theirs if one in at and (one.kind != EMAIL or not profile or not profiles[at[one]]))
        place = next((at[one] for one in fitting), None)
        if place is None:
            place = len(found.people)
            found.people.append({"id": None})
            profiles.append(profile)
        profiles[place] = profiles[place] or profile
        found.whose.append(place)
        found.new_names.append([one for one in (*theirs, *others(fields)) if one not in owners])
        for one in theirs:
            at.setdefault(one, place)
    return found


def put(
    workspace: Workspace, found: Match, source: Source, merge: Merge, without: Collection[int] = ()
) -> tuple[Kept, list[bool]]:
    """Store the profiles except `without`, and return for each whether it changed anything. Inside a transaction.

    Afterwards every person of a kept profile has an id.
    """
    result, differs = Kept(), [False] * len(found.given)
    source_id, at = sources.ensure(workspace, source), workspace.now()
    history: list[tuple[dict[str, Any], dict[str, Any]]] = []
    fresh: list[dict[str, Any]] = []
    changed: dict[int, tuple[dict[str, Any], set[str]]] = {}  # by id: the person, and which columns are new
    retagged: dict[int, list[str]] = {}
    new_names: list[tuple[Identity, dict[str, Any]]] = []
    for number, given in enumerate(found.given):
        if number in without:
            continue
        person = found.person_of(number)
        new_names += [(one, person) for one in found.new_names[number]]
        if len(person) == 1:  # no such person is known yet
            person.update(_new_person(workspace, given, source_id, source, at))
            fresh.append(person)
            differs[number] = True
        else:
            changes, given_up = _merged(person, given, merge, source)
            history += [(person, {**one, "source_id": one.get("source_id", source_id)}) for one in given_up]
            if not changes:
                continue
            _note_origins(person, changes, source_id, source, at)
            person.update(changes)
            differs[number] = True
            if person["id"] is not None:
                changed.setdefault(person["id"], (person, set()))[1].update(changes)
                if "tags" in changes:
                    retagged[person["id"]] = changes["tags"]
        person.update(compared(person))
    _insert(fresh)
    _update(changed)
    if tagged := {person["id"]: person["tags"] for person in fresh if person["tags"]}:
        tag_index.index(workspace.id, tagged, fresh=True)
    if retagged:
        tag_index.index(workspace.id, retagged)
    identities.give(workspace.id, [(one, person["id"]) for one, person in new_names])
    _remember(workspace, history, at)
    result.fresh, result.changed = {person["id"] for person in fresh}, set(changed)
    if result.changed:
        search_index.reindex_names(workspace.id, result.changed)
    return result, differs


def ensure(workspace: Workspace, handle: str) -> int:
    """Return the person a provider names by a public id or an address, made when unknown. Inside a transaction."""
    identity = identities.of_handle(handle)
    if identity is None:
        raise ValueError("A person needs a public id or an address.")
    known = identities.owners(workspace.id, {identity})
    if identity in known:
        return known[identity]
    column = "email" if identity.kind == IdentityKind.EMAIL else "public_id"
    found = match(workspace, [{column: identity.value}])
    put(workspace, found, Source(SourceKind.NETWORK), Merge.FILL)
    return int(found.people[0]["id"])


def change(workspace: Workspace, person: Person, columns: dict[str, Any], source: Source) -> bool:
    """Set these columns of one person, whatever they were; return whether any differs. Inside a transaction.

    Raise Conflict when a new public id is another person's.
    """
    columns = {name: value for name, value in columns.items() if value != getattr(person, name)}
    if not columns:
        return False
    names = named({name: columns.get(name, "") for name in ("public_id", "email")})
    owners = identities.owners(workspace.id, names)
    if any(one.kind != IdentityKind.EMAIL and owners.get(one, person.id) != person.id for one in names):
        raise Conflict("This profile is already one of your people.", recovery="Merge the two people instead.")
    at, source_id = workspace.now(), sources.ensure(workspace, source)
    _give_way(workspace, person, columns, at)
    values = dict(columns)
    own = values.pop("custom_fields", person.custom_fields)
    changed = [name for name in values if name != "tags"]
    changed += [CUSTOM + name for name in own if own[name] != person.custom_fields.get(name)]
    origin = {"source": source_id, "at": at.isoformat(), "typed": source.typed}
    person.origins = person.origins | dict.fromkeys(changed, origin)
    for name, value in columns.items():
        setattr(person, name, value)
    compare(person)
    session().flush()
    identities.give(workspace.id, [(one, person.id) for one in names])
    search_index.reindex_names(workspace.id, {person.id})
    return True


def _give_way(workspace: Workspace, person: Person, columns: dict[str, Any], at: datetime) -> None:
    """Put the values that the columns replace into the history."""
    own = columns.get("custom_fields", person.custom_fields)
    former = {name: getattr(person, name) for name in COLUMNS if name in columns}
    former |= {CUSTOM + name: value for name, value in person.custom_fields.items() if own.get(name) != value}
    for name, value in former.items():
        if value in ("", None):
            continue
        origin = person.origins.get(name)
        session().add(
            PersonValue(
                workspace_id=workspace.id,
                person_id=person.id,
                field=name,
                value=value,
                source_id=origin["source"] if origin else person.source_id,
                known_at=datetime.fromisoformat(origin["at"]) if origin else person.created_at,
                ended_at=at,
                taken=True,
            )
        )


_TELL: Any = (Lead, CampaignLead, Conversation, Action)


def discard_unplaced(person_ids: Collection[int]) -> None:
    """Delete those of the people who are in no list and of whom no campaign, conversation or action tells.

    A person who was merged goes with the one they are.
    """
    ids = list(person_ids)
    merged = session().scalars(sa.select(PersonMerge.person_id).where(in_list(PersonMerge.into_id, ids))).all()
    is_merged = sa.exists().where(PersonMerge.person_id == Person.id)
    told = [sa.exists().where(model.person_id == Person.id) for model in _TELL]
    for some in filter(None, (ids, merged)):
        change_rows(sa.delete(Person).where(in_list(Person.id, some), *(~one for one in (*told, is_merged))))


def compare(person: Person) -> None:
    """Set the columns that people are compared by, after others changed."""
    known = {name: getattr(person, name) for name in (*COLUMNS, "company_by_hand")}
    for name, value in compared(known).items():
        setattr(person, name, value)


def compared(person: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns that people are compared by: the company, and the name in any order and spelling."""
    return {**companies.columns(person), "name_key": name_key(f"{person['first_name']} {person['last_name']}")}


def name_key(name: str) -> str:
    """Return the words of a name in one order and spelling; '' for a single word, which many people have."""
    words = sorted(text.words(name))
    return " ".join(words) if len(words) > 1 else ""


def named(fields: ProfileFields) -> list[Identity]:
    """Return the identities that the columns of a profile are, the surest first."""
    found = []
    if public_id := fields.get("public_id"):
        found.append(identities.of_profile(public_id))
    if member_id := fields.get("member_id"):
        found.append(Identity(IdentityKind.MEMBER, member_id))
    if address := fields.get("email"):
        found += identities.of_email(address)
    return found


def others(fields: ProfileFields) -> list[Identity]:
    """Return the person's further addresses: they find no one, since several people may share one, as a family does."""
    return [one for address in fields.get("other_emails", ()) for one in identities.of_email(address)]


def _rows(person_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    columns = [_PEOPLE.c[name] for name in _READ]
    query = sa.select(*columns, DataSource.kind.label("source_kind"), _PEOPLE.c.source_id).select_from(
        sa.outerjoin(Person, DataSource, DataSource.id == Person.source_id)
    )
    found = session().execute(query.where(in_list(_PEOPLE.c.id, list(person_ids)))) if person_ids else ()
    return {row.id: dict(row._mapping) for row in found}


def _new_person(
    workspace: Workspace, given: ProfileFields, source_id: int, source: Source, at: datetime
) -> dict[str, Any]:
    values = {name: given[name] for name in COLUMNS if name in given}
    return {
        **_BLANK,
        **values,
        "workspace_id": workspace.id,
        "tags": given.get("tags", []),
        "custom_fields": given.get("custom_fields", {}),
        "origins": {},
        "source_id": source_id,
        "source_kind": source.kind,
        "created_at": at,
    }


def _merged(
    person: dict[str, Any], given: ProfileFields, merge: Merge, source: Source
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the columns that change, and what goes to the history: values replaced, and values not taken."""
    changes: dict[str, Any] = {}
    history: list[dict[str, Any]] = []
    if merge == Merge.KEEP:
        return changes, history
    for column in COLUMNS:
        if column in given and _takes(person, column, person[column], given[column], merge, source, history):
            changes[column] = given[column]
    own = person["custom_fields"]
    taken = {
        name: value
        for name, value in given.get("custom_fields", {}).items()
        if _takes(person, CUSTOM + name, own.get(name, ""), value, merge, source, history)
    }
    if taken:
        changes["custom_fields"] = own | taken
    if more := _more_tags(person["tags"], given.get("tags", [])):
        changes["tags"] = more
    return changes, history


def _takes(
    person: dict[str, Any],
    name: str,
    known: Any,
    value: Any,
    merge: Merge,
    source: Source,
    history: list[dict[str, Any]],
) -> bool:
    """Decide on one value, and write what gives way into `history`."""
    if value == known or (name == "profile_url" and known and text.public_id(value) == text.public_id(known)):
        return False
    if name == "public_id" and known:
        return False  # who the person is changes by a merge or by hand only
    if known in ("", None):
        return True
    origin = person["origins"].get(name)
    typed = origin["typed"] if origin else person["source_kind"] == SourceKind.HAND
    wins = merge == Merge.REPLACE or source.typed or (merge == Merge.OVERWRITE and not typed)
    if wins:
        since = origin["at"] if origin else person["created_at"].isoformat()
        base = origin["source"] if origin else person["source_id"]
        history.append({"field": name, "value": known, "source_id": base, "since": since, "taken": True})
    elif value not in ("", None):
        history.append({"field": name, "value": value, "taken": False})
    return wins


def _note_origins(
    person: dict[str, Any], changes: dict[str, Any], source_id: int, source: Source, at: datetime
) -> None:
    origin = {"source": source_id, "at": at.isoformat(), "typed": source.typed}
    if person["id"] is None and person["source_id"] == source_id:
        return  # the row's own source says the same
    own = changes.get("custom_fields", {})
    names = [name for name in changes if name not in ("custom_fields", "tags")]
    names += [CUSTOM + name for name, value in own.items() if person["custom_fields"].get(name) != value]
    if names:
        changes["origins"] = person["origins"] | dict.fromkeys(names, origin)


def _more_tags(known: list[str], more: list[str]) -> list[str]:
    """Return the tags of both, up to the limit; [] when nothing is added."""
    has = {tag.casefold() for tag in known}
    both = [*known, *(tag for tag in more if tag.casefold() not in has)][:MOST_TAGS]
    return both if len(both) > len(known) else []


_INSERTED = ("workspace_id", *COLUMNS, "tags", "custom_fields", *COMPARED, "source_id", "created_at")
_INSERT = (
    sa.insert(_PEOPLE)
    .values(origins=sa.literal_column("'{}'"))  # all values came from `source_id`
    .returning(_PEOPLE.c.id, _PEOPLE.c.public_id, _PEOPLE.c.email)
)


def _insert(fresh: list[dict[str, Any]]) -> None:
    """Insert the people and find their ids by profile and address, since the returned rows come in no fixed order."""
    if not fresh:
        return
    made = session().connection().execute(_INSERT, [{name: person[name] for name in _INSERTED} for person in fresh])
    ids = {(row.public_id, row.email): row.id for row in made}
    for person in fresh:
        person["id"] = ids[person["public_id"], person["email"]]


# What else changes with a column.
_FOLLOW = dict.fromkeys(("first_name", "last_name", "company_name", "company_url", "email"), COMPARED)


def _update(changed: Mapping[int, tuple[dict[str, Any], set[str]]]) -> None:
    """Update the columns that changed: each that is named costs its indexes, whether its value differs or not."""
    rows = []
    for _, (person, names) in sorted(changed.items()):
        columns = names.union(*(_FOLLOW.get(name, ()) for name in names))
        rows.append({"id": person["id"], **{name: person[name] for name in columns}})
    update_each(Person, rows)


def _remember(workspace: Workspace, history: Sequence[tuple[dict[str, Any], dict[str, Any]]], at: datetime) -> None:
    """Write the history; a value that was not taken before is not written again."""
    not_taken = {person["id"] for person, one in history if not one["taken"]}
    query = sa.select(PersonValue.person_id, PersonValue.field, PersonValue.value).where(
        in_list(PersonValue.person_id, list(not_taken)), PersonValue.taken.is_(False)
    )
    known = {(row.person_id, row.field, str(row.value)) for row in session().execute(query)} if not_taken else set()
    rows = []
    for person, one in history:
        mark = (person["id"], one["field"], str(one["value"]))
        if not one["taken"] and mark in known:
            continue
        known.add(mark)
        since = datetime.fromisoformat(one["since"]) if one["taken"] else at
        rows.append(
            {
                "workspace_id": workspace.id,
                "person_id": person["id"],
                "field": one["field"],
                "value": one["value"],
                "source_id": one["source_id"],
                "known_at": since,
                "ended_at": at,
                "taken": one["taken"],
            }
        )
    execute_many(sa.insert(PersonValue), rows)
