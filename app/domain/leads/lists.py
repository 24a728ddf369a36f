"""Lists of leads: made, renamed, deleted, searched, and how their people can be reached."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core import clock, text
from app.core.actor import actor, refuse_unapproved
from app.core.db import by_id, change_rows, fetch, get_owned, has_every_word, in_list, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.core.paging import Order, Page, Window, sorted_page
from app.domain.people import people, sources, tag_index
from app.domain.platform import audit_log, jobs, locks
from app.models.campaigns import (
    LIVE,
    UNENDED_STATES,
    Campaign,
    CampaignLead,
    CampaignList,
    CampaignStatus,
    LeadState,
)
from app.models.leads import Lead, LeadList, ListType
from app.models.people import Person
from app.models.platform.jobs import Job
from app.models.signals import AddressCheck
from app.models.workspaces import Workspace
from app.ports import Verdict
from app.resources.leads import ListResource

TYPES = tuple(ListType)
MOST_TO_CHOOSE = 500  # lists in a form
HOLDS_COMPANIES = "“{}” is a list of companies, not of people."
MOST_READ = 10_000  # people whose rows are read to count them; that takes some 15 ms
_THEIRS = sa.and_(CampaignLead.person_id == Lead.person_id, CampaignLead.state != LeadState.EXCLUDED)
_OPEN = sa.exists().where(_THEIRS, CampaignLead.state.in_(UNENDED_STATES))
_CHECK = sa.and_(AddressCheck.workspace_id == Person.workspace_id, AddressCheck.address == Person.email)
COUNTED: dict[str, sa.ColumnElement[bool]] = {
    "campaign": _OPEN,
    "out": ~_OPEN,
    "no-campaign": ~sa.exists().where(_THEIRS),
    "replied": sa.exists().where(_THEIRS, CampaignLead.replied),
    "risky": sa.exists().where(_CHECK, AddressCheck.verdict == Verdict.RISKY),
}
WAYS = COUNTED | {
    "email": Person.email != "",
    "no-email": Person.email == "",
    "phone": Person.phone != "",
    "no-phone": Person.phone == "",
}
PARTS = {"title": (Person.position, Person.headline), "location": (Person.location,), "company": (Person.company_name,)}
# By what people are sorted. Lists of more than MOST_SORTED people are sorted only by the columns of INDEXED.
SORTS: dict[str, sa.ColumnElement[str]] = {
    "name": sa.func.lower(sa.func.trim(Person.first_name + " " + Person.last_name)),
    "company": sa.func.lower(Person.company_name),
    "title": sa.func.lower(Person.position),
    "location": sa.func.lower(Person.location),
    "email": sa.func.lower(Person.email),
}
INDEXED: dict[str, Any] = {"name": Person.first_name, "company": Person.company_key}
MOST_SORTED = 20_000  # people of a list that is sorted without an index
KEPT_FOR, MOST_KEPT = timedelta(minutes=1), 10_000
_IN_USE = [*LIVE, CampaignStatus.PAUSED, CampaignStatus.LOCKED]
_BATCH = 2000
# Building this statement takes longer than running it, so it is built once.
_SHOWN = sa.select(*ListResource.columns).where(
    LeadList.workspace_id == sa.bindparam("workspace"),
    LeadList.id == sa.bindparam("list"),
    LeadList.deleted_at.is_(None),
)


@dataclass(frozen=True, slots=True)
class _Reach:
    """A cached count: how many of a list's people had an email address and a phone number at `at`."""

    size: int
    at: datetime
    numbers: tuple[int, int]

    def holds(self, found: LeadList, at: datetime) -> bool:
        return self.size == found.lead_count and self.at <= at < self.at + KEPT_FOR


_reach: dict[int, _Reach] = {}  # by id of a large list; counting a million people takes a quarter of a second


def create_list(workspace: Workspace, name: str, type: str = ListType.PEOPLE, lawful_basis: str = "") -> LeadList:
    """Create an empty list."""
    problems, basis = [], sources.lawful_basis(lawful_basis)
    name = text.squeeze(name)
    if wrong := text.name_problem(name):
        problems.append(("name", wrong))
    if type not in TYPES:
        problems.append(("type", "Use people, companies, events, groups or unknown."))
    InvalidRequest.raise_for(problems)
    with transaction() as current:
        found = LeadList(
            workspace_id=workspace.id,
            name=name,
            type=type,
            lead_count=0,
            lawful_basis=basis,
            created_at=workspace.now(),
        )
        current.add(found)
        current.flush()
        audit_log.record(workspace, "list.created", found.name)
        return found


def lists(workspace: Workspace, kind: str = "") -> sa.Select[Any]:
    """Select the lists, or those of one type."""
    found = sa.select(LeadList).where(LeadList.workspace_id == workspace.id, LeadList.deleted_at.is_(None))
    return found.where(LeadList.type == kind) if kind else found


def newest(workspace: Workspace) -> Sequence[LeadList]:
    """Return the lists to choose from, newest first."""
    return session().scalars(people_lists(workspace).order_by(LeadList.id.desc()).limit(MOST_TO_CHOOSE)).all()


def people_lists(workspace: Workspace) -> sa.Select[Any]:
    """Select the lists that hold people."""
    return lists(workspace).where(LeadList.type != ListType.COMPANIES)


def people_list(workspace: Workspace, list_id: int, *, lock: bool = False) -> LeadList:
    """Return the list of people; raise NotFound, or InvalidRequest on `listId` for a list of companies."""
    found = get_list(workspace, list_id, lock=lock)
    if found.type == ListType.COMPANIES:
        raise InvalidRequest.of(("listId", HOLDS_COMPANIES.format(found.name)))
    check_may_fill(found.id)
    return found


def check_may_fill(list_id: int) -> None:
    """Raise Forbidden when people of the list join an open campaign without approval, and who acts may not do that."""
    if actor.get().may_skip_approval:
        return
    unread = sa.or_(Campaign.approval.is_(False), Campaign.approve_first.is_not(None))
    fills = (Campaign.id.in_(campaigns_of(list_id)), Campaign.joins_per_day.is_not(None), Campaign.status.in_(_IN_USE))
    if session().scalar(sa.select(Campaign.id).where(*fills, unread).limit(1)) is not None:
        refuse_unapproved()


def require_people(found: LeadList) -> None:
    """Raise Conflict for a list of companies."""
    if found.type == ListType.COMPANIES:
        raise Conflict(HOLDS_COMPANIES.format(found.name), recovery="Use a list of people, or create one.")


def get_list(workspace: Workspace, list_id: int, *, lock: bool = False) -> LeadList:
    """Return the list, or raise NotFound; `lock` locks it until the transaction ends."""
    if lock:
        locks.lock_workspaces([workspace.id])
    found = get_owned(LeadList, workspace, list_id, lock=lock)
    return found if found.deleted_at is None else get_owned(LeadList, workspace, 0)


def get_shown(workspace: Workspace, list_id: int) -> Any:
    """Return what is shown of the list in one plain row, or raise NotFound."""
    found = fetch(_SHOWN, workspace=workspace.id, list=list_id)
    if not found:
        raise NotFound("List not found.")
    return found[0]


def change_list(workspace: Workspace, list_id: int, name: str, lawful_basis: str | None = None) -> LeadList:
    """Change the name of a list, and its lawful basis if one is given; '' is the workspace's."""
    name, basis = text.squeeze(name), sources.lawful_basis(lawful_basis or "")
    if wrong := text.name_problem(name):
        raise InvalidRequest.of(("name", wrong))
    with transaction():
        found = get_list(workspace, list_id, lock=True)
        before, found.name = {"name": found.name, "lawful basis": found.lawful_basis}, name
        if lawful_basis is not None:
            found.lawful_basis = basis
        after = {"name": name, "lawful basis": found.lawful_basis}
        if before != after:
            audit_log.record(workspace, "list.changed", name, before=before, after=after)
        return found


def delete_list(workspace: Workspace, list_id: int) -> None:
    """Delete the list; its leads in a campaign stay there without a list, the others are deleted."""
    with transaction():
        found = get_list(workspace, list_id, lock=True)
        if using := campaign_using(workspace, list_id):
            raise Conflict(
                f"The campaign “{using.name}” uses this list.",
                recovery="Cancel the campaign or wait until it has finished, then delete the list.",
            )
        found.deleted_at = workspace.now()
        audit_log.record(workspace, "list.deleted", found.name, before={"people": found.lead_count})
        if not _take_away_some(found):
            jobs.add(workspace, "delete_list", str(list_id), {"list": list_id})


def campaign_using(workspace: Workspace, list_id: int) -> Campaign | None:
    """Return a live campaign that takes its people from the list, if any."""
    query = sa.select(Campaign).where(
        Campaign.workspace_id == workspace.id, Campaign.id.in_(campaigns_of(list_id)), Campaign.status.in_(_IN_USE)
    )
    return session().scalars(query.order_by(Campaign.id).limit(1)).first()


def campaigns_of(list_id: int) -> sa.CompoundSelect[Any]:
    """Select the ids of the campaigns that use the list: as their first list, or as one added later."""
    added = sa.select(CampaignList.campaign_id).where(CampaignList.list_id == list_id)
    return sa.select(Campaign.id).where(Campaign.list_id == list_id).union_all(added)


def delete_rest(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Delete a batch of a deleted list's leads, and the list after the last one."""
    with locks.changing(workspace.id) as current:
        found = current.get(LeadList, payload["list"])
        return None if found is None or _take_away_some(found) else jobs.RESCHEDULE


def _take_away_some(found: LeadList) -> bool:
    """Delete a batch of the list's leads; return whether the list and all leads are gone."""
    current = session()
    batch = current.scalars(sa.select(Lead.id).where(Lead.list_id == found.id).limit(_BATCH)).all()
    discard_leads(batch)
    if len(batch) == _BATCH:
        return False
    current.flush()
    current.delete(found)
    current.flush()
    return True


def discard_leads(lead_ids: Sequence[int]) -> None:
    """Take the leads out of their lists; delete those without a campaign."""
    chosen = in_list(Lead.id, lead_ids)
    person_ids = session().scalars(sa.select(Lead.person_id).where(chosen)).all()
    campaigns = sa.exists().where(CampaignLead.lead_id == Lead.id)
    change_rows(sa.delete(Lead).where(chosen, ~campaigns))
    change_rows(sa.update(Lead).where(chosen).values(list_id=None))
    people.discard_unplaced(person_ids)


def query_list(workspace: Workspace, list_id: int, q: str = "") -> sa.Select[Any]:
    """Select the leads of a list who match the search `q`, or all leads if it is empty."""
    query = sa.select(Lead).join(Lead.person)
    return matching(query.where(Lead.list_id == list_id, Lead.workspace_id == workspace.id), q)


def matching(query: sa.Select[Any], q: str) -> sa.Select[Any]:
    """Filter a query that joins people: their name, title, company, location or address has every word of `q`."""
    places = (
        *(Person.first_name, Person.last_name, Person.company_name, Person.position, Person.headline),
        *(Person.location, Person.email, Person.public_id),
    )
    return query.where(*has_every_word(places, q))


def change_size(list_id: int | None, more: int) -> None:
    """Add `more` (which may be negative) to the list's stored number of entries. Inside a transaction."""
    size = sa.update(LeadList).where(LeadList.id == list_id).values(lead_count=LeadList.lead_count + more)
    session().execute(size.execution_options(synchronize_session="fetch"))


def lists_by_id(workspace: Workspace, list_ids: Iterable[int]) -> dict[int, LeadList]:
    """Return those of the lists that exist, by id."""
    return by_id(LeadList, list_ids, LeadList.workspace_id == workspace.id, LeadList.deleted_at.is_(None))


def reachable(some_lists: Sequence[LeadList]) -> dict[int, tuple[int, int]]:
    """Return, per list, how many people have an email address and a phone number; a large list's are kept a minute."""
    at = clock.now()
    kept = {each.id: known.numbers for each in some_lists if (known := _reach.get(each.id)) and known.holds(each, at)}
    new = [each for each in some_lists if each.id not in kept]
    has = (sa.func.sum(sa.case((column != "", 1), else_=0)) for column in (Person.email, Person.phone))
    query = sa.select(Lead.list_id, *has).join(Lead.person).where(Lead.list_id.in_([each.id for each in new]))
    rows = session().execute(query.group_by(Lead.list_id)) if new else ()
    found = {list_id: (int(email), int(phone)) for list_id, email, phone in rows}
    if len(_reach) > MOST_KEPT:
        _reach.clear()
    large = (each for each in new if each.lead_count > MOST_READ)
    _reach.update({each.id: _Reach(each.lead_count, at, found.get(each.id, (0, 0))) for each in large})
    return {each.id: (kept | found).get(each.id, (0, 0)) for each in some_lists}


def contact_coverage(
    workspace: Workspace, list_id: int, q: str = "", picked: Collection[int] = (), **narrowed: str
) -> sa.Select[Any]:
    """Select the people of a list who match the search, have the tag, are among those of WAYS, and match the PARTS."""
    query = _narrowed(workspace, query_list(workspace, list_id, q), **narrowed)
    return query.where(in_list(Lead.id, picked)) if picked else query


def _narrowed(
    workspace: Workspace, query: sa.Select[Any], way: str = "", tag: str = "", **parts: str
) -> sa.Select[Any]:
    for name, words in parts.items():
        query = query.where(*has_every_word(PARTS[name], words))
    if tag:
        query = query.where(tag_index.has(workspace.id, tag, Lead.person_id))
    return query.where(WAYS[way]) if way else query


def sorts(found: LeadList) -> list[str]:
    """Return by what the people of the list can be sorted: in a large list, only by values with an index."""
    return [name for name in SORTS if found.lead_count <= MOST_SORTED or name in INDEXED]


def sorted_people(
    workspace: Workspace, found: LeadList, window: Window, by: str, downward: bool, q: str = "", **narrowed: str
) -> Page:
    """Return a page of the list's people who match, in the order of what they are sorted by."""
    key, of_list = SORTS[by], (Lead.list_id == found.id, Lead.workspace_id == workspace.id)
    if found.lead_count > MOST_SORTED:  # `+ 0` keeps SQLite from other indexes than that of the order
        key = INDEXED[by]
        of_list = (Lead.list_id + 0 == found.id, Lead.workspace_id + 0 == workspace.id)
    query = matching(sa.select(Lead).join(Lead.person).where(Person.workspace_id == workspace.id, *of_list), q)
    order = Order(key, key == "", downward)
    return sorted_page(_narrowed(workspace, query, **narrowed), order, Person.id, window)


def move_people(workspace: Workspace, list_id: int, into_id: int, lead_ids: Collection[int]) -> list[int]:
    """Move leads into another list of people, except people who are in it already; return the moved ids."""
    if into_id == list_id:
        raise InvalidRequest.of(("into", "Choose another list."))
    with transaction() as current:
        before, into = get_list(workspace, list_id, lock=True), people_list(workspace, into_id, lock=True)
        there = sa.select(Lead.person_id).where(Lead.list_id == into_id)
        ours = (Lead.list_id == list_id, in_list(Lead.id, lead_ids), Lead.person_id.not_in(there))
        moved = list(current.scalars(sa.select(Lead.id).where(*ours).order_by(Lead.id)))
        change_rows(sa.update(Lead).where(in_list(Lead.id, moved)).values(list_id=into_id))
        before.lead_count -= len(moved)
        into.lead_count += len(moved)
        look_again(into_id, moved)
        return moved


def look_again(list_id: int, lead_ids: Sequence[int]) -> None:
    """Make the list's campaigns check these leads too, if they read past their ids. Inside a transaction."""
    if lead_ids:
        passed = (Campaign.id.in_(campaigns_of(list_id)), Campaign.joined_to >= min(lead_ids))
        change_rows(sa.update(Campaign).where(*passed).values(joined_to=min(lead_ids) - 1))


def cached_coverage(found: LeadList, query: sa.Select[Any]) -> int | None:
    """Return how many people the query selects; None for a list too large to count quickly."""
    if found.lead_count > MOST_READ:
        return None
    return session().scalar(sa.select(sa.func.count()).select_from(query.with_only_columns(Lead.id).subquery()))


def coverage_numbers(found: LeadList) -> dict[str, int]:
    """Return the number of a list's people with and without email address and phone number."""
    email, phone = reachable([found])[found.id]
    return {"email": email, "no-email": found.lead_count - email, "phone": phone, "no-phone": found.lead_count - phone}


MOST_FREQUENT = 5  # values of each kind
ENOUGH_FOR_SHARES = 20  # people, for shares to mean something


class Part(NamedTuple):
    """A value, and how many of the people have it."""

    value: str
    people: int


class Composition(NamedTuple):
    """The most frequent values of the people who were read, by what they are."""

    people: int
    parts: dict[str, Sequence[Part]]


def composition(workspace: Workspace, found: LeadList) -> Composition:
    """Count the titles, places and companies of a list's people; of a very long list, of those added last."""
    query = (
        sa.select(Person.position, Person.location, Person.company_name)
        .join(Lead, Lead.person_id == Person.id)
        .where(Lead.workspace_id == workspace.id, Lead.list_id == found.id, Lead.deleted_at.is_(None))
        .order_by(Lead.id.desc())
        .limit(MOST_READ)
    )
    rows = session().execute(query).all()
    titles = (title for title, _, _ in rows)
    places = (location.rpartition(",")[2] for _, location, _ in rows)  # the country, where one is named
    companies = (company for _, _, company in rows)
    kinds = {"title": titles, "location": places, "company": companies}
    return Composition(len(rows), {name: _most(values) for name, values in kinds.items()})


def _most(values: Iterable[str]) -> Sequence[Part]:
    """Return the most frequent values, in their most frequent spelling."""
    spelled: dict[str, str] = {}
    counted = Counter[str]()
    for value, number in Counter(map(text.squeeze, values)).most_common():
        if value:
            spelled.setdefault(value.casefold(), value)
            counted[value.casefold()] += number
    return [Part(spelled[key], number) for key, number in counted.most_common(MOST_FREQUENT)]
