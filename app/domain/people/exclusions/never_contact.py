"""The do-not-contact list and suppression: one check, at import, at enrolment and before every send."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain, zip_longest
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core import crypto, text
from app.core.db import change_rows, fetch, get_owned, in_batches, in_list, insert, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.people import identities
from app.domain.people.identities import Identity
from app.domain.platform import audit_log, jobs, locks
from app.models.autopilot import SourceConnection
from app.models.crm import CrmConnection
from app.models.leads import NeverContact, NeverContactKind
from app.models.people import IdentityKind, Person
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace

K = NeverContactKind
GIVEN = [kind for kind in K if kind != K.ERASED]  # the kinds a user can enter; erased people are only hashes
MOST_ENTRIES, LONGEST = 10_000, 500
ERASED_BECAUSE = "Erased on request."
LEAVING, WAY_BACK = "never_contact", "never_contact_way_back"  # kinds of jobs that privacy/block.py handles
_PROFILE_PATH = re.compile(r"/(in|pub|people|person|profile|sales/lead|talent/profile)/[^/?#]", re.IGNORECASE)
_MEANT: dict[str, str] = {
    K.PERSON: "a profile link",
    K.EMAIL: "an email address",
    K.DOMAIN: "a domain such as acme.com",
    K.COMPANY: "a company name",
}
_PUBLIC_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
_PREFIX = re.compile(r"\s*([a-z]\w*)\s*:(?!//)")  # of a small letter: a company's name may be Wool: Iron & Co
_PREFIXES = "person:, email:, domain: or company:"


class Candidate(NamedTuple):
    """A person to check: `id` is the key of the answer, and every identity of theirs counts."""

    id: int
    identities: Collection[Identity]
    email: str = ""
    company_name: str = ""
    company_url: str = ""


class NeverContactRow(NamedTuple):
    """The entry that blocks a person."""

    id: int
    kind: str
    value: str
    label: str
    reason: str


class Entry(NamedTuple):
    """What is kept of an entry beside its kind and value. `until` is the last day on which it counts."""

    label: str
    reason: str = ""
    until: date | None = None


@dataclass
class AddedEntries:
    """What became of the lines that were given. `refused` holds (line number from 1, line, sentence)."""

    added: int = 0
    known: int = 0
    ids: list[int] = field(default_factory=list)
    refused: list[tuple[int, str, str]] = field(default_factory=list)


def blocked(workspace_id: int, people: Sequence[Candidate]) -> dict[int, NeverContactRow]:
    """Return the do-not-contact entry of each blocked person, by `id`. At most two queries."""
    kinds = _kinds_in_use(workspace_id) if people else []
    return _blocked(workspace_id, people, kinds) if kinds else {}


def blocked_people(workspace_id: int, person_ids: Collection[int]) -> dict[int, NeverContactRow]:
    """Return the do-not-contact entry of each of these people who is blocked, by person id."""
    kinds = _kinds_in_use(workspace_id) if person_ids else []
    return _blocked(workspace_id, candidates(person_ids), kinds) if kinds else {}


def candidates(person_ids: Collection[int]) -> list[Candidate]:
    """Return these people with everything that an entry may name."""
    wanted = sorted(set(person_ids))
    known = identities.of_people(wanted)
    query = sa.select(Person.id, Person.email, Person.company_name, Person.company_url)
    rows = session().execute(query.where(in_list(Person.id, wanted))).all()
    return [Candidate(row.id, known[row.id], row.email, row.company_name, row.company_url) for row in rows]


def _kinds_in_use(workspace_id: int) -> list[str]:
    (in_use,) = fetch(_IN_USE, workspace_id=workspace_id)
    return [str(kind) for kind, used in zip(K, in_use, strict=True) if used]


def _blocked(workspace_id: int, people: Sequence[Candidate], kinds: Sequence[str]) -> dict[int, NeverContactRow]:
    marks = {someone.id: [(kind, value) for kind in kinds for value in _marks(kind, someone)] for someone in people}
    wanted: dict[str, set[str]] = {kind: set() for kind in kinds}
    for kind, value in chain.from_iterable(marks.values()):
        wanted[kind].add(value)
    entries = {(row.kind, row.value): row for row in _entries(workspace_id, wanted)}
    found = {
        person_id: next((entries[mark] for mark in theirs if mark in entries), None)
        for person_id, theirs in marks.items()
    }
    return {person_id: entry for person_id, entry in found.items() if entry}


def is_empty(workspace_id: int) -> bool:
    """Return whether the do-not-contact list is empty."""
    return not session().scalar(sa.select(has_entries(workspace_id)))


def has_entries(workspace_id: Any) -> sa.ColumnElement[bool]:
    """Return the condition that the do-not-contact list is not empty."""
    return sa.exists().where(NeverContact.workspace_id == workspace_id)


def _marks(kind: str, someone: Candidate) -> Iterable[str]:
    """Yield the values of that kind by which an entry would match the person."""
    if kind == K.COMPANY:
        return (text.company(someone.company_name),) if someone.company_name else ()
    addresses = {one.value for one in someone.identities if one.kind == IdentityKind.EMAIL}
    addresses |= {someone.email} if someone.email else set()
    addresses |= {text.mailbox(address) for address in addresses}
    profiles = [one.value for one in someone.identities if one.kind != IdentityKind.EMAIL]
    if kind == K.PERSON:
        return profiles
    if kind == K.EMAIL:
        return addresses
    if kind == K.ERASED:
        return [_hash(K.PERSON, one) for one in profiles] + [_hash(K.EMAIL, one) for one in addresses]
    hosts = [address.rpartition("@")[2] for address in addresses]
    if someone.company_url and (host := text.domain(someone.company_url)):
        hosts.append(host)
    return [parent for host in hosts for parent in _with_parents(host)]


def _hash(kind: str, value: str) -> str:
    """Return the keyed hash that identifies an erased person without a name."""
    return crypto.keyring().sign("erased", f"{kind}|{value}".encode()).hex()


def _with_parents(host: str) -> list[str]:
    """Return the host and its parents: an entry for `acme.com` also matches `mail.acme.com`."""
    labels = host.split(".")
    return [".".join(labels[start:]) for start in range(max(len(labels) - 1, 1))]


_OURS = sa.exists().where(NeverContact.workspace_id == sa.bindparam("workspace_id"))
_IN_USE = sa.select(*(_OURS.where(NeverContact.kind == str(kind)).label(str(kind)) for kind in K))
_NAMED = sa.union_all(
    *(
        sa.select(
            NeverContact.id, NeverContact.kind, NeverContact.value, NeverContact.label, NeverContact.reason
        ).where(
            NeverContact.workspace_id == sa.bindparam("workspace_id"),
            NeverContact.kind == str(kind),
            NeverContact.value.in_(sa.bindparam(str(kind), expanding=True)),
        )
        for kind in K
    )
)


def _entries(workspace_id: int, wanted: dict[str, set[str]]) -> Iterator[NeverContactRow]:
    batches = (in_batches(sorted(wanted.get(kind, ())), 5000) for kind in K)
    for some in zip_longest(*batches, fillvalue=[]):
        values = {str(kind): batch for kind, batch in zip(K, some, strict=True)}
        for row in fetch(_NAMED, workspace_id=workspace_id, **values):
            yield NeverContactRow(*row)


def split(line: str, kind: str = "") -> tuple[str, str]:
    """Return the kind, given or said by a prefix such as `company:`, and the line without the prefix."""
    line = text.squeeze(line)
    prefix, colon, rest = line.partition(":")
    said = prefix.strip().casefold() if colon and not kind else ""
    return (said, rest.strip()) if said in GIVEN else (kind, line)


def match(line: str, kind: str = "") -> tuple[str, str]:
    """Return kind and normal form of a line: a profile link, an address, a domain or a company.

    `kind`, or a prefix such as `company:`, decides when the line is ambiguous. Raise InvalidRequest when it matches no
    kind.
    """
    prefix = _PREFIX.match(line)
    kind, line = split(line, kind)
    if prefix and not kind:
        raise InvalidRequest.of(("value", f"Unknown prefix “{prefix[1]}:”. Use {_PREFIXES}."))
    if not line or len(line) > LONGEST or not line.isprintable():
        raise InvalidRequest.of(("value", f"Use 1 to {LONGEST} characters."))
    if kind and kind not in GIVEN:
        raise InvalidRequest.of(("kind", "Use person, email, domain or company."))
    kind = kind or _guess(line)
    forms: dict[str, Callable[[str], str]] = {
        K.PERSON: text.public_id,
        K.EMAIL: lambda value: _mailbox(value[value.rfind("<") + 1 : -1] if value.endswith(">") else value),
        K.DOMAIN: lambda value: text.domain(value.removeprefix("@")),
        K.COMPANY: lambda value: text.company(value) if any(map(str.isalnum, value)) else "",
    }
    value = forms[kind](line)
    if not value:
        raise InvalidRequest.of(("value", f"{text.shorten(line, 80)} is not {_MEANT[kind]}. Fix it or remove it."))
    return str(kind), value


def _mailbox(address: str) -> str:
    """Return the address normalized to its mailbox (`a.b+x@gmail.com` gives `ab@gmail.com`); '' if it is no address."""
    return text.mailbox(written) if (written := text.email(address)) else ""


def _guess(line: str) -> str:
    if "/" in line:
        return K.PERSON if _PROFILE_PATH.search(line) else K.DOMAIN
    if "@" in line:
        return K.DOMAIN if line.startswith("@") else K.EMAIL
    if " " not in line and "." in line and text.domain(line):
        return K.DOMAIN
    return K.PERSON if _PUBLIC_ID.fullmatch(line) else K.COMPANY


def add(
    workspace: Workspace, entries: Sequence[str | tuple[str, str]], reason: str = "", until: date | None = None
) -> AddedEntries:
    """Add do-not-contact entries; a text is recognized, a tuple gives (kind, value).

    Exclude matching people from their campaigns. Refuse invalid lines and add the others.
    """
    if len(entries) > MOST_ENTRIES:
        raise InvalidRequest.of(("entries", f"Send at most {MOST_ENTRIES:,} entries at once."))
    check(workspace, reason, until)
    result = AddedEntries()
    wanted: dict[tuple[str, str], Entry] = {}
    for number, entry in enumerate(entries, 1):
        kind, line = ("", entry) if isinstance(entry, str) else entry
        try:
            wanted.setdefault(match(line, kind), Entry(split(line, kind)[1], reason.strip(), until))
        except InvalidRequest as refusal:
            result.refused.append((number, text.shorten(line, 200), refusal.fields[0].message))
    add_matched(workspace, wanted, result)
    return result


def check(workspace: Workspace, reason: str, until: date | None) -> None:
    """Raise InvalidRequest on a reason that is too long, or on an end date that has passed."""
    if len(reason) > LONGEST:
        raise InvalidRequest.of(("reason", f"Use at most {LONGEST} characters."))
    if until is not None and until < workspace.now().date():
        raise InvalidRequest.of(("until", "The end date has passed. Choose a later day."))


def add_matched(workspace: Workspace, wanted: Mapping[tuple[str, str], Entry], result: AddedEntries) -> None:
    """Add entries by kind and normalized value, as `match` returns them."""
    if wanted:
        with locks.changing(workspace.id):  # no undo may remove existing entries meanwhile
            _add(workspace, wanted, result)


def add_told(workspace: Workspace, told: Mapping[tuple[str, str], str]) -> AddedEntries:
    """Add entries by kind and normalized value, each with its own reason. Inside a transaction.

    An erased person is not named again.
    """
    known = is_erased(workspace.id, {value for kind, value in told if kind in (K.EMAIL, K.PERSON)})
    wanted = {
        (kind, text.mailbox(value) if kind == K.EMAIL else value): Entry(value, text.shorten(reason, LONGEST))
        for (kind, value), reason in told.items()
        if value not in known
    }
    result = AddedEntries()
    if wanted:
        locks.lock_workspaces([workspace.id])
        _add(workspace, wanted, result)
    return result


def _add(workspace: Workspace, wanted: Mapping[tuple[str, str], Entry], result: AddedEntries) -> None:
    """Add the entries; one that exists already stays for the longer of its time and the new one."""
    by_kind: dict[str, set[str]] = {}
    for kind, value in wanted:
        by_kind.setdefault(kind, set()).add(value)
    known = {(row.kind, row.value): row.id for row in _entries(workspace.id, by_kind)}
    common = {"workspace_id": workspace.id, "created_at": workspace.now()}
    rows = [
        {**common, "kind": kind, "value": value, **entry._asdict()}
        for (kind, value), entry in wanted.items()
        if (kind, value) not in known
    ]
    if rows:
        session().execute(insert(NeverContact).on_conflict_do_nothing(), rows)
    if known:
        _no_way_back(workspace, known.values())
    theirs = sa.tuple_(NeverContact.kind, NeverContact.value).in_(list(wanted))
    taken_over = sa.update(NeverContact).where(
        NeverContact.workspace_id == workspace.id, NeverContact.source != "", theirs
    )
    change_rows(taken_over.values(source=""))
    ending = sa.select(NeverContact).where(
        NeverContact.workspace_id == workspace.id, NeverContact.until.is_not(None), theirs
    )
    for one in session().scalars(ending).all():
        given = wanted[one.kind, one.value]
        if given.until is None or (one.until and given.until > one.until):
            one.until, one.reason = given.until, given.reason or one.reason
    everything = {(row.kind, row.value): row.id for row in _entries(workspace.id, by_kind)}
    result.known += len(known)
    result.added += len(everything) - len(known)
    ids = sorted(everything[mark] for mark in everything if mark not in known)
    result.ids += ids
    if ids:
        jobs.add(workspace, LEAVING, str(ids[0]), {"first": ids[0], "last": ids[-1]})


def end_due() -> int:
    """Remove the entries whose last day is over, by the clock of each workspace; return how many."""
    query = sa.select(Workspace).where(
        sa.exists().where(NeverContact.workspace_id == Workspace.id, NeverContact.until.is_not(None))
    )
    number = 0
    for workspace in session().scalars(query).all():
        over = (NeverContact.workspace_id == workspace.id, NeverContact.until < workspace.now().date())
        with transaction():
            gone = sa.delete(NeverContact).where(*over).returning(NeverContact.id)
            ids = change_rows(gone).all()
            if ids:
                audit_log.record(workspace, "never_contact.ended", f"{len(ids)} entries")
        number += len(ids)
    return number


def _no_way_back(workspace: Workspace, entry_ids: Collection[int]) -> None:
    """Remove these entries from older undos, which must not delete them."""
    for job in session().scalars(jobs.open_jobs(workspace.id, WAY_BACK).with_for_update()).all():
        added = [entry_id for entry_id in job.payload["entries"] if entry_id not in entry_ids]
        taken_over = {key: source for key, source in job.payload["sources"].items() if int(key) not in entry_ids}
        job.payload = job.payload | {"entries": added, "sources": taken_over}


def held_leads(workspace_id: int) -> set[int]:
    """Return the leads that are on hold because their do-not-contact entry can still be undone."""
    return {one for way in session().scalars(jobs.open_jobs(workspace_id, WAY_BACK)) for one in way.payload["people"]}


def undoable(workspace_id: int) -> dict[int, Job]:
    """Lock and return the job that finishes each entry that can be undone."""
    open_still = jobs.open_jobs(workspace_id, WAY_BACK).where(Job.claimed_until.is_(None)).with_for_update()
    return {entry_id: way for way in session().scalars(open_still) for entry_id in way.payload["entries"]}


def label_for(workspace: Workspace, source: str, run: int, named: dict[tuple[str, str], str], reason: str) -> None:
    """Block the people of a source, such as a CRM, until it lists them no more. Inside a transaction.

    An entry added by hand stays unchanged, and an erased person is not named again.
    """
    hashes = {_hash(kind, value): (kind, value) for kind, value in named if kind in (K.PERSON, K.EMAIL)}
    gone = {hashes[row.value] for row in _entries(workspace.id, {K.ERASED: set(hashes)})}
    common = {"workspace_id": workspace.id, "reason": reason, "created_at": workspace.now(), "source": source}
    found = [
        {**common, "kind": kind, "value": value, "label": label, "run": run}
        for (kind, value), label in named.items()
        if (kind, value) not in gone
    ]
    if found:
        row = insert(NeverContact)
        again = {"index_elements": ["workspace_id", "kind", "value"], "set_": {"run": row.excluded.run}}
        session().execute(row.on_conflict_do_update(**again, where=NeverContact.source == source), found)


def replace_source(workspace: Workspace, source: str, run: int) -> None:
    """Remove the source's entries that its last run did not name; stop the people it did name."""
    with transaction():
        theirs = (NeverContact.workspace_id == workspace.id, NeverContact.source == source)
        change_rows(sa.delete(NeverContact).where(*theirs, NeverContact.run != run))
        jobs.add(workspace, LEAVING, f"{source}:{run}")


def count_of(workspace: Workspace, source: str) -> int:
    """Return how many addresses the source has on the list."""
    theirs = (NeverContact.workspace_id == workspace.id, NeverContact.source == source, NeverContact.kind == K.EMAIL)
    return session().scalar(sa.select(sa.func.count()).select_from(NeverContact).where(*theirs)) or 0


def add_erased(workspace: Workspace, persons: Collection[str], addresses: Collection[str]) -> None:
    """Block erased people and addresses for good, stored only as keyed hashes.

    Delete the entries that named them. Inside a transaction.
    """
    named = [(K.PERSON, value) for value in persons] + [(K.EMAIL, value) for value in addresses]
    add_digests(workspace, {_hash(kind, value) for kind, value in named})
    plain = sa.tuple_(NeverContact.kind, NeverContact.value).in_(named)
    change_rows(sa.delete(NeverContact).where(NeverContact.workspace_id == workspace.id, plain))


def digests(known: Collection[Identity], email: str) -> set[str]:
    """Return the keyed hashes under which a person with these identities would stand here once erased."""
    return set(_marks(K.ERASED, Candidate(0, known, email)))


def add_digests(workspace: Workspace, values: Collection[str]) -> None:
    """Block whoever has one of these keyed hashes for good. Inside a transaction."""
    common = {"workspace_id": workspace.id, "kind": K.ERASED, "label": "", "created_at": workspace.now()}
    rows = [{**common, "value": value, "reason": ERASED_BECAUSE} for value in sorted(values)]
    if rows:
        session().execute(insert(NeverContact).on_conflict_do_nothing(), rows)


def is_erased(workspace_id: int, handles: Collection[str]) -> set[str]:
    """Return which of these public ids and addresses were erased."""
    known = {
        _hash(K.EMAIL if "@" in handle else K.PERSON, spelling): handle
        for handle in handles
        for spelling in {handle, text.mailbox(handle) if "@" in handle else handle}
    }
    return {known[row.value] for row in _entries(workspace_id, {K.ERASED: set(known)})}


def remove(workspace: Workspace, entry_id: int) -> NeverContact:
    """Delete the entry and return it, so that it can be added again; its people may be contacted."""
    with transaction() as current:
        entry = get_owned(NeverContact, workspace, entry_id, lock=True)
        if entry.kind == K.ERASED:
            raise Conflict(
                "Erased people stay on the list, so that they aren't contacted again.",
                recovery="You can only remove entries of people who haven't been erased.",
            )
        if entry.source and _is_connected(workspace, entry.source):
            raise Conflict(
                f"The {entry.source} source added this entry and would add it again.",
                recovery="To remove the entry, disconnect this source first.",
            )
        current.delete(entry)
        audit_log.record(workspace, "never_contact.removed", f"{entry.kind} entry {entry.id}")
        return entry


def _is_connected(workspace: Workspace, source: str) -> bool:
    where = (SourceConnection.workspace_id == workspace.id, SourceConnection.kind == source)
    crm = (CrmConnection.workspace_id == workspace.id, CrmConnection.service == source)
    found = sa.select(SourceConnection.id).where(*where).union_all(sa.select(CrmConnection.id).where(*crm))
    return session().execute(found.limit(1)).first() is not None


def get(workspace: Workspace, entry_id: int) -> NeverContact:
    """Return the entry, or raise NotFound."""
    return get_owned(NeverContact, workspace, entry_id)


def page(workspace: Workspace, q: str = "", kind: str = "") -> sa.Select[Any]:
    """Select the entries, all or those whose text contains `q`."""
    query = sa.select(NeverContact).where(NeverContact.workspace_id == workspace.id)
    if kind:
        query = query.where(NeverContact.kind == kind)
    for word in text.squeeze(q).split():
        typed = NeverContact.label.icontains(word, autoescape=True)
        query = query.where(typed | NeverContact.value.contains(word.casefold(), autoescape=True))
    return query


def count(workspace: Workspace) -> int:
    """Return the number of entries."""
    query = sa.select(sa.func.count()).select_from(NeverContact).where(NeverContact.workspace_id == workspace.id)
    return session().scalar(query) or 0


def find(workspace: Workspace, person_id: int) -> NeverContactRow | None:
    """Return the entry that blocks the person, if any."""
    return blocked_people(workspace.id, [person_id]).get(person_id)


def add_person(workspace: Workspace, person_id: int, reason: str) -> AddedEntries:
    """Add the person, by their profile or else their address; whatever else names them is blocked with it."""
    return add(workspace, list(surest([person_id]).values()), reason)


def surest(person_ids: Collection[int]) -> dict[int, tuple[str, str]]:
    """Return the kind and value of the entry that names each person best; people without an identity have none."""
    order = list(IdentityKind)
    known = identities.of_people(sorted(set(person_ids)))
    best = {person_id: min(names, key=lambda one: order.index(one.kind)) for person_id, names in known.items() if names}
    return {
        person_id: (str(K.EMAIL if one.kind == IdentityKind.EMAIL else K.PERSON), one.value)
        for person_id, one in best.items()
    }
