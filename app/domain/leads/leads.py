"""The leads of lists: one lead per person and list, counted in the transaction that adds or removes them."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parseaddr
from typing import Any, NamedTuple, TypeVar, cast

import sqlalchemy as sa

from app.core.db import MAX_ID, get_owned, in_list, in_order, session, transaction
from app.core.errors import InvalidRequest
from app.domain.billing import plans
from app.domain.leads import full_names, lists, profiles
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.leads.profiles import InvalidProfile
from app.domain.people import identities, people, sources
from app.domain.people.exclusions import never_contact
from app.domain.people.people import Match, Merge, ProfileFields
from app.domain.people.sources import Source
from app.models.leads import Lead, LeadList
from app.models.people import SourceKind
from app.models.workspaces import Workspace

G = TypeVar("G")

MOST_PROFILES = 1000
_LEAD = cast(sa.Table, Lead.__table__)


class Problem(NamedTuple):
    """What is wrong with a profile: its place among those given, from 0, the field ('' for the whole), a sentence."""

    at: int
    field: str
    message: str


@dataclass
class AddResult:
    """What became of the profiles that were given; the first four add up to their number."""

    added: int = 0
    updated: int = 0
    skipped: int = 0
    invalid: int = 0
    problems: list[Problem] = field(default_factory=list)
    blocked: int = 0  # those of the skipped who are on the do-not-contact list


def get(workspace: Workspace, lead_id: int) -> Lead:
    """Return the lead, also one deleted but kept in a campaign's history, or raise NotFound."""
    return get_owned(Lead, workspace, lead_id)


def get_visible(workspace: Workspace, lead_id: int, *, lock: bool = False) -> Lead:
    """Return the lead; raise NotFound also for a deleted one."""
    found = get_owned(Lead, workspace, lead_id, lock=lock)
    return found if found.deleted_at is None else get_owned(Lead, workspace, 0)


def get_many(workspace: Workspace, lead_ids: Sequence[int]) -> Sequence[Lead]:
    """Return those of the leads that exist, in the order they were added."""
    known = (Lead.workspace_id == workspace.id, Lead.deleted_at.is_(None), in_list(Lead.id, valid_ids(lead_ids)))
    return session().scalars(sa.select(Lead).where(*known).order_by(Lead.id)).all()


def check_known(workspace: Workspace, lead_ids: Sequence[int]) -> None:
    """Raise InvalidRequest at `leadIds` for ids that are no leads of the workspace; removed ones are known."""
    ours = (Lead.workspace_id == workspace.id, in_list(Lead.id, valid_ids(lead_ids)))
    known = set(session().scalars(sa.select(Lead.id).where(*ours)))
    unknown = (place for place, one in enumerate(lead_ids) if one not in known)
    InvalidRequest.raise_for([(f"leadIds[{place}]", "Lead not found in this workspace.") for place in unknown])


def add(
    workspace: Workspace,
    list_id: int,
    given: Sequence[Any],
    source: Source | None = None,
    merge: Merge | None = None,
    by_email: bool = False,
) -> AddResult:
    """Add the people of the profiles to the list, each once.

    `source` is where they come from (a call by the acting key without it), `merge` how known people change (the
    workspace's way without it); `by_email` takes people without a profile.
    """
    if len(given) > MOST_PROFILES:
        raise InvalidRequest.of(("profiles", f"Add at most {MOST_PROFILES} people in one request."))
    read, result = read_each(given, lambda profile: profiles.read(profile, by_email))
    with transaction():
        into = lists.get_list(workspace, list_id, lock=True)
        lists.require_people(into)
        source, merge = source or sources.by_actor(SourceKind.API), merge or way_of_merging(workspace, Merge.OVERWRITE)
        upsert(workspace, into, [one.fields for one in read], result, source, merge)
    return result


def read_each(given: Iterable[G], read: Callable[[G], Any]) -> tuple[list[Any], AddResult]:
    """Return what could be read, and what is wrong with which of them."""
    found, result = [], AddResult()
    for index, one in enumerate(given):
        try:
            taken = read(one)
        except InvalidProfile as refusal:
            result.invalid += 1
            result.problems.append(Problem(index, "", str(refusal)))
        else:
            found.append(taken)
            result.problems += [Problem(index, *problem) for problem in taken.problems]
    return found, result


def way_of_merging(workspace: Workspace, usual: Merge) -> Merge:
    """Return how known people change in this workspace, or the usual way of the door."""
    return Merge(workspace.merge) if workspace.merge else usual


def add_person(workspace: Workspace, list_id: int, given: Mapping[str, str], tagged: Sequence[str]) -> AddResult:
    """Add one person as a member typed them, named as in the specification; an address alone is enough.

    Raise InvalidRequest with everything that is wrong, and then add nothing.
    """
    filled = {name: value for name, value in given.items() if value.strip()}
    problems: list[tuple[str, str]] = []
    fields: ProfileFields = {}
    try:
        fields, problems = profiles.read(filled, by_email=True)
    except InvalidProfile as refusal:
        named = filled.keys() & {"profileUrl", "email"}
        sentence = str(refusal) if named else "Enter an email address or a profile link."
        problems.append(("profileUrl" if "profileUrl" in named else "email", sentence))
    try:
        fields["tags"] = profiles.tags(list(tagged))
    except InvalidProfile as refusal:
        problems.append(("tags", str(refusal)))
    InvalidRequest.raise_for(problems)
    result = AddResult()
    with transaction():
        into = lists.get_list(workspace, list_id, lock=True)
        lists.require_people(into)
        upsert(workspace, into, [fields], result, sources.by_actor(SourceKind.HAND), Merge.OVERWRITE)
    return result


def add_links(workspace: Workspace, list_id: int, written: str) -> tuple[AddResult, list[tuple[int, str, str]]]:
    """Add people by pasted profile links and addresses, one per line; return what is wrong with which line.

    The problems are (line number, line, sentence).
    """
    lines = [(number, line.strip()) for number, line in enumerate(written.splitlines(), 1) if line.strip()]
    if not lines:
        raise InvalidRequest.of(("links", "Paste at least one profile link or email address."))
    if len(lines) > MOST_PROFILES:
        raise InvalidRequest.of(("links", f"You pasted {len(lines):,} lines. Paste at most {MOST_PROFILES:,} at once."))
    given = [_pasted(line) for _, line in lines]
    result = add(workspace, list_id, given, sources.by_actor(SourceKind.HAND), by_email=True)
    return result, [(*lines[one.at], one.message) for one in result.problems]


def _pasted(line: str) -> dict[str, str]:
    """Return the profile that a line is: a link, an address, `Ada Lovelace <ada@example.com>`, or a public id."""
    if "/" in line:
        return {"profileUrl": line}
    if "@" not in line:
        return {"publicId": line}
    name, address = parseaddr(line) if "<" in line else ("", line)
    if not address:
        return {"email": line}
    first, last = full_names.split(name)
    return {"email": address} | {key: part for key, part in (("firstName", first), ("lastName", last)) if part}


def upsert(
    workspace: Workspace,
    into: LeadList,
    given: Sequence[ProfileFields],
    result: AddResult,
    source: Source,
    merge: Merge,
) -> None:
    """Do the work of `add` for parsed profiles and count it in `result`. In a transaction that locks the list."""
    if not given:
        return
    lists.check_may_fill(into.id)
    source = (
        source if source.lawful_basis else source._replace(lawful_basis=into.lawful_basis or workspace.lawful_basis)
    )
    found = people.match(workspace, given)
    known = [person["id"] for person in found.people if person["id"]]
    there = _in_list(into.id, known) if known else set()
    used, has_barred = (
        session().execute(sa.select(plans.used_by(workspace, "leads"), never_contact.has_entries(workspace.id))).one()
    )
    barred = never_contact.blocked(workspace.id, _candidates(found)) if has_barred else ()
    kept, differs = people.put(workspace, found, source, merge, without=barred)
    fresh: dict[int, None] = {}
    for number, changed in enumerate(differs):
        person_id = found.person_of(number)["id"]
        if number in barred:
            result.skipped += 1
            result.blocked += 1
        elif person_id not in there and person_id not in fresh:
            fresh[person_id] = None
            result.added += 1
        elif changed:
            result.updated += 1
        else:
            result.skipped += 1
    if fresh:
        _put(workspace, into, fresh, used)
    if kept.changed:
        campaign_leads.refresh_changed(workspace, sorted(kept.changed))


def put_in_list(workspace: Workspace, into: LeadList, person_id: int) -> str:
    """Put a person of the workspace into a list of people too; return why not, or ''. Inside a transaction."""
    if never_contact.blocked_people(workspace.id, [person_id]):
        return "This person is on the do-not-contact list."
    if person_id in _in_list(into.id, [person_id]):
        return ""
    _put(workspace, into, [person_id])
    return ""


def _put(workspace: Workspace, into: LeadList, person_ids: Collection[int], used: int | None = None) -> None:
    plans.check(workspace, "leads", len(person_ids), used)
    person, place = in_order(person_ids)
    common = {"workspace_id": workspace.id, "list_id": into.id, "created_at": workspace.now()}
    rows = sa.select(*(sa.literal(value, _LEAD.c[name].type) for name, value in common.items()), person)
    session().execute(sa.insert(_LEAD).from_select([*common, "person_id"], rows.order_by(place)))
    lists.change_size(into.id, len(person_ids))


def list_of(workspace: Workspace, list_id: int, picked: Sequence[int] = (), **narrowed: str) -> LeadList:
    """Create a list of some people of another list, without those on the do-not-contact list."""
    with transaction():
        found = lists.contact_coverage(workspace, list_id, picked=picked, **narrowed)
        known = set(session().scalars(found.with_only_columns(Lead.person_id)))
        chosen = sorted(known - never_contact.blocked_people(workspace.id, known).keys())
        if not chosen:
            raise InvalidRequest.of(("leads", "None of these people may be contacted."))
        name = f", {len(chosen):,} {'person' if len(chosen) == 1 else 'people'}"
        into = lists.create_list(workspace, lists.get_list(workspace, list_id).name[: 200 - len(name)] + name)
        _put(workspace, into, chosen)
        return into


def _in_list(list_id: int, person_ids: Sequence[int]) -> set[int]:
    """Return which of the people are in the list already."""
    query = sa.select(Lead.person_id).where(Lead.list_id == list_id, in_list(Lead.person_id, person_ids))
    return set(session().scalars(query))


def _candidates(found: Match) -> list[never_contact.Candidate]:
    """Return the given people with what is known of them and what is given."""
    known = identities.of_people([person["id"] for person in found.people if person["id"]])
    candidates = []
    for number, given in enumerate(found.given):
        person = found.person_of(number)
        names = {*people.named(given), *people.others(given), *known.get(person["id"], ())}
        rest = (given.get(name) or person.get(name) or "" for name in ("email", "company_name", "company_url"))
        candidates.append(never_contact.Candidate(number, names, *rest))
    return candidates


def detach(some_leads: Sequence[Lead]) -> None:
    """Take leads out of their lists, update the lists' sizes, and delete leads without a campaign."""
    for lead in sorted(some_leads, key=lambda lead: lead.list_id or 0):
        lists.change_size(lead.list_id, -1)
    lists.discard_leads([lead.id for lead in some_leads])


def remove(workspace: Workspace, list_id: int, lead_ids: Sequence[int]) -> int:
    """Remove leads from the list; those in a campaign stay there. Return how many."""
    with transaction():
        found = lists.get_list(workspace, list_id, lock=True)
        query = sa.select(Lead.id).where(Lead.list_id == list_id, in_list(Lead.id, valid_ids(lead_ids)))
        ids = session().scalars(query).all()
        lists.discard_leads(ids)
        found.lead_count -= len(ids)
        return len(ids)


def valid_ids(lead_ids: Iterable[int]) -> list[int]:
    """Return those of the numbers that can be ids."""
    return [lead_id for lead_id in lead_ids if 0 < lead_id <= MAX_ID]
