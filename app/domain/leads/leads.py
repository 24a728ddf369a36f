"""The leads of lists: one lead per person and list, counted in the transaction that adds or removes them."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple, cast

import sqlalchemy as sa

from app.core.db import MAX_ID, get_owned, in_list, is_sqlite, session, transaction
from app.core.errors import InvalidRequest
from app.domain.billing import plans
from app.domain.campaign_leads import campaign_leads
from app.domain.conversations import search_index
from app.domain.leads import lists, never_contact, profiles
from app.domain.leads.profiles import InvalidProfile, ProfileFields
from app.models.campaigns import Campaign, CampaignLead
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace

MOST_PROFILES = 1000
_LEAD = cast(sa.Table, Lead.__table__)
_GATE = ("person", "email", "company_name", "company_url")
_BLANK: dict[str, Any] = dict.fromkeys((*profiles.COLUMNS, "image_url"), "") | {"tags": [], "custom_fields": {}}
_PLAIN = ("workspace_id", "list_id", "person", *profiles.COLUMNS, "image_url")
_plain = itemgetter(*_PLAIN)
_json = json.JSONEncoder(check_circular=False).encode


@dataclass
class AddResult:
    """What became of the profiles that were given; the four add up to their number."""

    added: int = 0
    updated: int = 0
    skipped: int = 0
    invalid: int = 0


class _Candidate(NamedTuple):
    """A person before they are a lead, for the do-not-contact check."""

    id: int
    person: str
    email: str
    company_name: str
    company_url: str


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


def get_many_of_list(workspace: Workspace, list_id: int, lead_ids: Sequence[int]) -> Sequence[Lead]:
    """Return those of the leads that are in the list, in the order they were added."""
    return [lead for lead in get_many(workspace, lead_ids) if lead.list_id == list_id]


def check_known(workspace: Workspace, lead_ids: Sequence[int]) -> None:
    """Raise InvalidRequest at `leadIds` for ids that are no leads of the workspace; removed ones are known."""
    ours = (Lead.workspace_id == workspace.id, in_list(Lead.id, valid_ids(lead_ids)))
    known = set(session().scalars(sa.select(Lead.id).where(*ours)))
    wrong = [f"leadIds[{place}]" for place, one in enumerate(lead_ids) if one not in known]
    if wrong:
        raise InvalidRequest.of(*((path, "Lead not found in this workspace.") for path in wrong))


def add(workspace: Workspace, list_id: int, given: Sequence[Any]) -> AddResult:
    """Add the people of the profiles to the list, each once; new values replace known ones."""
    if len(given) > MOST_PROFILES:
        raise InvalidRequest.of(("profiles", f"Send at most {MOST_PROFILES} at once."))
    read, result = [], AddResult()
    for profile in given:
        try:
            read.append(profiles.read(profile))
        except InvalidProfile:
            result.invalid += 1
    with transaction():
        upsert(workspace, lists.get_list(workspace, list_id, lock=True), read, result)
    return result


def add_links(workspace: Workspace, list_id: int, written: str) -> tuple[AddResult, list[tuple[int, str, str]]]:
    """Add people by pasted profile links, one per line; return refused lines with the reason.

    The refusals are (line number, line, sentence).
    """
    lines = [(number, line.strip()) for number, line in enumerate(written.splitlines(), 1) if line.strip()]
    if not lines:
        raise InvalidRequest.of(("links", "Paste at least one profile link."))
    if len(lines) > MOST_PROFILES:
        raise InvalidRequest.of(("links", f"You pasted {len(lines):,} lines. Paste at most {MOST_PROFILES:,} at once."))
    given, refused = [], []
    for number, line in lines:
        profile = {"profileUrl": line} if "/" in line else {"publicId": line}
        try:
            profiles.read(profile)
            given.append(profile)
        except InvalidProfile as refusal:
            refused.append((number, line, str(refusal)))
    return add(workspace, list_id, given), refused


def campaigns_of(workspace: Workspace, lead_id: int) -> Sequence[tuple[Campaign, CampaignLead]]:
    """Return the lead's campaigns with its place in them, newest first."""
    query = (
        sa.select(Campaign, CampaignLead)
        .join(CampaignLead, CampaignLead.campaign_id == Campaign.id)
        .where(CampaignLead.lead_id == lead_id, CampaignLead.workspace_id == workspace.id)
        .order_by(CampaignLead.id.desc())
    )
    return [(row[0], row[1]) for row in session().execute(query)]


def upsert(workspace: Workspace, into: LeadList, given: Sequence[ProfileFields], result: AddResult) -> None:
    """Do the work of `add` for parsed profiles and count it in `result`. In a transaction that locks the list."""
    if not given:
        return
    columns = set(_GATE).union(*given)
    known = _known(into.id, {one["person"] for one in given}, columns)
    barred = {}
    if not never_contact.is_empty(workspace.id):
        barred = never_contact.blocked(workspace.id, _candidates(given, known))
    fresh: dict[str, dict[str, Any]] = {}
    changed: dict[int, dict[str, Any]] = {}
    touched: set[str] = set()
    common = {"workspace_id": workspace.id, "list_id": into.id, "created_at": workspace.now()}
    for number, one in enumerate(given):
        person = one["person"]
        if number in barred:
            result.skipped += 1
        elif (row := known.get(person)) is None:
            known[person] = fresh[person] = {**_BLANK, **common, **one}
            result.added += 1
        elif changes := profiles.merge(row, one):
            row.update(changes)
            result.updated += 1
            if person not in fresh:
                changed[row["id"]] = row
                touched.update(changes)
        else:
            result.skipped += 1
    if fresh:
        plans.check(workspace, "leads", len(fresh))
    _write(list(fresh.values()), [changed[lead_id] for lead_id in sorted(changed)], touched)
    campaign_leads.refresh_changed(workspace, sorted(changed))
    search_index.reindex_names(workspace.id, [*fresh, *(row["person"] for row in changed.values())])
    if fresh:
        session().execute(
            sa.update(LeadList).where(LeadList.id == into.id).values(lead_count=LeadList.lead_count + len(fresh))
        )


def _known(list_id: int, people: set[str], columns: set[str]) -> dict[str, dict[str, Any]]:
    """Return, by person, the id and columns of those already in the list."""
    names = ["id", *sorted(columns | {"profile_url"})]
    query = sa.select(*(_LEAD.c[name] for name in names)).where(
        _LEAD.c.list_id == list_id, in_list(_LEAD.c.person, people)
    )
    at = names.index("person")
    return {row[at]: dict(zip(names, row, strict=True)) for row in session().connection().execute(query)}


def _candidates(given: Sequence[ProfileFields], known: dict[str, dict[str, Any]]) -> list[_Candidate]:
    unknown: dict[str, Any] = {}
    found = []
    for number, one in enumerate(given):
        before = known.get(one["person"], unknown)
        rest = (one.get(name) or before.get(name) or "" for name in _GATE[1:])
        found.append(_Candidate(number, one["person"], *rest))
    return found


def _write(fresh: list[dict[str, Any]], changed: list[dict[str, Any]], columns: set[str]) -> None:
    if fresh:
        _insert(fresh)
    if changed:
        values: dict[str, Any] = {name: sa.bindparam("new_" + name) for name in sorted(columns)}
        rows = [{"of": row["id"], **{"new_" + name: row[name] for name in columns}} for row in changed]
        update = sa.update(_LEAD).where(_LEAD.c.id == sa.bindparam("of")).values(values)
        session().connection().execute(update, rows)


def _insert(fresh: list[dict[str, Any]]) -> None:
    """Insert the rows as driver tuples: preparing each in Core costs more than the database takes."""
    connection = session().connection()
    at = _LEAD.c.created_at.type.dialect_impl(connection.dialect).bind_processor(connection.dialect)
    created = at(fresh[0]["created_at"]) if at else fresh[0]["created_at"]
    names = [*_PLAIN, "tags", "custom_fields", "created_at"]
    marks = ", ".join(["?" if is_sqlite() else "%s"] * len(names))
    rows = [
        (
            *_plain(row),
            _json(row["tags"]) if row["tags"] else "[]",
            _json(row["custom_fields"]) if row["custom_fields"] else "{}",
            created,
        )
        for row in fresh
    ]
    connection.exec_driver_sql(f"INSERT INTO {_LEAD.name} ({', '.join(names)}) VALUES ({marks})", rows)


def detach(some_leads: Sequence[Lead]) -> None:
    """Take leads out of their lists, update the lists' sizes, and delete leads without a campaign."""
    for lead in sorted(some_leads, key=lambda lead: lead.list_id or 0):
        shorter = sa.update(LeadList).where(LeadList.id == lead.list_id).values(lead_count=LeadList.lead_count - 1)
        session().execute(shorter.execution_options(synchronize_session=False))
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
