"""The people found by a monitor: who is left out and why, who waits for a decision, and what a decision does."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core import text
from app.core.actor import actor
from app.core.db import get_owned, in_list, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot import play_people, serialization
from app.domain.autopilot.monitors import fit, monitors
from app.domain.autopilot.monitors.fit import Words
from app.domain.autopilot.monitors.fit_words import Fit
from app.domain.campaigns import campaigns
from app.domain.campaigns.changes import change_lists
from app.domain.leads import leads, profiles
from app.domain.leads.leads import AddResult
from app.domain.leads.profiles import InvalidProfile
from app.domain.people import identities, people
from app.domain.people.exclusions import gate, never_contact
from app.domain.people.people import Merge, ProfileFields
from app.domain.people.sources import Source
from app.domain.platform import audit_log
from app.domain.rules.reasons import REASONS
from app.models.campaigns import Campaign, CampaignLead, CampaignStatus, LeadState
from app.models.leads import Lead, LeadList
from app.models.monitors import FOUND, FoundState, Monitor, MonitorKind, MonitorPerson
from app.models.people import SourceKind
from app.models.workspaces import Workspace
from app.ports import FoundPerson

MOST_HELD = 500  # who wait for a decision, at one monitor
MOST_DECIDED = 500  # at once
OWN_REASONS = {
    "no_profile": "LinkedIn profile hidden",
    "in_list": "Already in the list",
    "in_campaign": "Already in the campaign",
}
_JOINS_LATER = (CampaignStatus.DRAFT, CampaignStatus.SCHEDULED, CampaignStatus.STARTING)
_COUNTED = (FoundState.HELD, FoundState.ADDED, FoundState.DECLINED)


class Entry(NamedTuple):
    """A person found by a monitor, for display: how they fit, and the id of the lead they became (0 for none)."""

    row: MonitorPerson
    found: FoundPerson
    fit: Fit | None
    lead_id: int = 0

    @property
    def name(self) -> str:
        """Return the person's name, or else another way to identify them."""
        return f"{self.found.first_name} {self.found.last_name}".strip() or self.row.handle


@dataclass
class Taken:
    """What became of a page of people; `full` when there was no more room for its last ones."""

    found: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    full: bool = False


@dataclass
class Decided:
    """The result of a decision: the people it changed, and which accepted ones did not join the list or campaign."""

    changed: int = 0
    skipped: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


def reason(code: str) -> str:
    """Return why a person was left out, as a sentence."""
    return OWN_REASONS.get(code) or REASONS[code][0]


def take(workspace: Workspace, monitor: Monitor, into: LeadList, found: Sequence[FoundPerson], hidden: int) -> Taken:
    """Store the new people among these, up to the monitor's limits. In a transaction that locks the monitor."""
    taken = Taken(left_out=Counter({"no_profile": hidden} if hidden else {}))
    fresh: dict[str, tuple[FoundPerson, ProfileFields]] = {}
    for one in found:
        try:
            fresh.setdefault(play_people.handle(one), (one, _profile(one)))
        except InvalidProfile:
            taken.left_out["no_profile"] += 1
    known = _known(monitor, fresh)
    fresh = {handle: one for handle, one in fresh.items() if handle not in known or _may_change(known[handle])}
    looked = _look(workspace, monitor, into, [fields for _, fields in fresh.values()])
    room, rows, gone = room_left(workspace, monitor), list[MonitorPerson](), list[int]()
    for (handle, (one, _)), (person_id, code) in zip(fresh.items(), looked, strict=True):
        if not code and not room:
            taken.full = True
            break
        room -= not code
        taken.left_out.update([code] if code else [])
        row = known.get(handle)
        if code and (person_id is None or code in ("never_contact", "in_list", "in_campaign")):
            gone += [row.id] if row else []  # nothing is stored about people who must not be contacted
            continue
        if row is None:
            row = MonitorPerson(workspace_id=workspace.id, monitor_id=monitor.id, handle=handle)
            session().add(row)
        row.found, row.person_id, row.reason = serialization.person_json(one), person_id, code
        row.found_at, row.state = workspace.now(), FoundState.LEFT_OUT if code else FoundState.HELD
        rows += [] if code else [row]
    _forget(gone)
    session().flush()
    taken.found = len(rows)
    if monitor.automatic and rows:
        taken.left_out += _add(workspace, monitor, into, rows)
    return taken


def room_left(workspace: Workspace, monitor: Monitor) -> int:
    """Return how many people the monitor may still find today."""
    counted = (MonitorPerson.monitor_id == monitor.id, MonitorPerson.state.in_(_COUNTED))
    query = sa.select(sa.func.count()).where(*counted, MonitorPerson.found_at >= _midnight(workspace))
    room = monitor.most_per_day - (session().scalar(query) or 0)
    if not monitor.automatic:
        room = min(room, MOST_HELD - counts([monitor])[monitor.id].get(FoundState.HELD, 0))
    return max(0, room)


def tomorrow(workspace: Workspace) -> datetime:
    """Return when the next day begins where the workspace is."""
    return _midnight(workspace, timedelta(days=1))


def _midnight(workspace: Workspace, after: timedelta = timedelta(0)) -> datetime:
    """Return midnight today in the workspace's time zone, or of the day `after` it."""
    zone = ZoneInfo(workspace.timezone)
    return datetime.combine(workspace.now().astimezone(zone).date() + after, time(), zone)


def _known(monitor: Monitor, handles: Iterable[str]) -> dict[str, MonitorPerson]:
    query = sa.select(MonitorPerson).where(
        MonitorPerson.monitor_id == monitor.id, in_list(MonitorPerson.handle, list(handles))
    )
    return {row.handle: row for row in session().scalars(query)}


def _may_change(row: MonitorPerson) -> bool:
    """Return whether to check the person again: they were left out by a rule that may no longer apply."""
    return row.state == FoundState.LEFT_OUT


def _profile(one: FoundPerson) -> ProfileFields:
    """Return the profile of a found person, or raise InvalidProfile."""
    custom = dict(one.facts) | ({"industry": one.industry} if one.industry else {})
    short = profiles.shortened(profiles.of_found(one))
    fields = profiles.read({**short, "customFields": custom}, by_email=True).fields
    return fields | ({"member_id": text.public_id(one.member_id)} if one.member_id else {})


def _look(
    workspace: Workspace, monitor: Monitor, into: LeadList, given: Sequence[ProfileFields]
) -> list[tuple[int | None, str]]:
    """Return for each profile which person of the workspace it is, and why they are left out ('' for no reason)."""
    matched = people.match(workspace, given)
    ids = [matched.person_of(number)["id"] for number in range(len(given))]
    known = [person_id for person_id in ids if person_id]
    barred = never_contact.blocked(workspace.id, _candidates(given, ids))
    query = sa.select(Lead.person_id).where(Lead.list_id == into.id, in_list(Lead.person_id, known))
    listed = set(session().scalars(query))
    campaign = _campaign(workspace, monitor)
    there, verdicts = set[int](), {}
    if campaign is not None:
        ours = (CampaignLead.campaign_id == campaign.id, in_list(CampaignLead.person_id, known))
        there = set(session().scalars(sa.select(CampaignLead.person_id).where(*ours)))
        verdicts = gate.ask(campaign, known, workspace.now())
    found = []
    for number, person_id in enumerate(ids):
        verdict = verdicts[person_id].verdict if person_id in verdicts else None
        if number in barred:
            code = "never_contact"
        elif person_id in there:
            code = "in_campaign"
        elif person_id in listed:
            code = "in_list"
        else:
            code = verdict.code if verdict and verdict.effect == "exclude" else ""
        found.append((person_id, code))
    return found


def _candidates(given: Sequence[ProfileFields], ids: Sequence[int | None]) -> list[never_contact.Candidate]:
    """Return the people for the do-not-contact check, with their stored and their found identities."""
    known = identities.of_people([person_id for person_id in ids if person_id])
    return [
        never_contact.Candidate(
            number,
            {*people.named(fields), *known.get(person_id or 0, ())},
            *(fields.get(name, "") for name in ("email", "company_name", "company_url")),
        )
        for number, (fields, person_id) in enumerate(zip(given, ids, strict=True))
    ]


def _campaign(workspace: Workspace, monitor: Monitor) -> Campaign | None:
    return get_owned(Campaign, workspace, monitor.campaign_id) if monitor.campaign_id else None


def campaign_to_fill(workspace: Workspace, monitor: Monitor) -> Campaign | None:
    """Return the campaign to enrol people in now; None if adding to the list is enough. Raise Conflict if it can't."""
    if not monitor.fills_campaign:
        return None
    campaign = _campaign(workspace, monitor)
    if campaign is None:
        raise Conflict("This monitor's campaign was deleted.", recovery="Choose another campaign, or none.")
    if campaign.status == CampaignStatus.RUNNING:
        takes_newcomers = campaign.joins_per_day is not None and monitor.list_id in change_lists.list_ids(campaign)
        return None if takes_newcomers else campaign  # it enrols its lists' new people itself
    if campaign.status in _JOINS_LATER and campaign.list_id == monitor.list_id:
        return None  # the campaign takes its whole list when it starts
    raise Conflict(
        f"The campaign “{text.shorten(campaign.name, 60)}” is {campaign.status}, so no one can be added to it.",
        recovery="Start or resume the campaign, or choose another.",
    )


def list_to_fill(workspace: Workspace, monitor: Monitor) -> LeadList:
    """Return the list, locked, or raise Conflict when it was deleted. Inside a transaction."""
    query = sa.select(LeadList).where(LeadList.id == monitor.list_id, LeadList.workspace_id == workspace.id)
    into = session().scalars(query.with_for_update().execution_options(populate_existing=True)).one_or_none()
    if into is None or into.deleted_at is not None:
        raise Conflict("This monitor's list was deleted.", recovery="Choose another list.")
    return into


def _add(workspace: Workspace, monitor: Monitor, into: LeadList, rows: Sequence[MonitorPerson]) -> Counter[str]:
    """Add these people to the list and the campaign; count, by reason, those who are left out of either."""
    campaign, left_out = campaign_to_fill(workspace, monitor), Counter[str]()
    given = [_profile(serialization.person_of(row.found)) for row in rows]
    where = monitor.address if monitor.kind == MonitorKind.SEARCH else monitors.watches(monitor)
    source = Source(SourceKind.SEARCH, text.shorten(where, text.LONGEST_NAME))
    leads.upsert(workspace, into, given, AddResult(), source, leads.way_of_merging(workspace, Merge.FILL))
    matched = people.match(workspace, given)
    ids = [matched.person_of(number)["id"] for number in range(len(given))]
    query = sa.select(Lead.person_id, Lead.id).where(Lead.list_id == into.id, in_list(Lead.person_id, ids))
    listed: dict[int, int] = dict(session().execute(query).all())
    if campaign is not None and listed:
        campaigns.enrol_more(workspace, campaign.id, sorted(listed.values()))
    reasons = _reasons(campaign, listed)
    barred = []
    for row, person_id in zip(rows, ids, strict=True):
        if person_id not in listed:
            left_out["never_contact"] += 1
            barred.append(row.id)
            continue
        row.person_id, row.reason = person_id, reasons.get(person_id, "")
        row.state = FoundState.ADDED
        left_out.update([row.reason] if row.reason else [])
    session().flush()
    _forget(barred)
    return left_out


def _reasons(campaign: Campaign | None, listed: Mapping[int, int]) -> dict[int, str]:
    """Return, by person, why they were excluded from the campaign; only those who were."""
    if campaign is None:
        return {}
    query = sa.select(CampaignLead.person_id, CampaignLead.reason).where(
        CampaignLead.campaign_id == campaign.id,
        CampaignLead.state == LeadState.EXCLUDED,
        in_list(CampaignLead.person_id, list(listed)),
    )
    return dict(session().execute(query).all())


def _forget(row_ids: Sequence[int]) -> None:
    if row_ids:
        session().execute(sa.delete(MonitorPerson).where(in_list(MonitorPerson.id, row_ids)))


def decide(workspace: Workspace, monitor_id: int, accept: bool, ids: Sequence[int] | None = None) -> Decided:
    """Accept or decline these people, or without `ids` everyone who waits; a declined person can be accepted still."""
    move, decided = "accept" if accept else "decline", Decided()
    with transaction():
        monitor = monitors.locked(workspace, monitor_id)
        into = list_to_fill(workspace, monitor) if accept else None
        rows = [row for row in _chosen(monitor, ids) if FOUND.allows(row, move)]
        decided.skipped = len(set(ids)) - len(rows) if ids is not None else 0
        decided.changed = len(rows)
        for row in rows:
            FOUND.move(row, move)
            row.decided_at, row.decided_by = workspace.now(), actor.get().name
        if into is not None and rows:
            decided.left_out = _add(workspace, monitor, into, rows)
        if rows:
            said = {"people": len(rows)} | {reason(code): number for code, number in decided.left_out.items()}
            audit_log.record(workspace, f"monitor.{'accepted' if accept else 'declined'}", monitor.name, after=said)
        return decided


def _chosen(monitor: Monitor, ids: Sequence[int] | None) -> Sequence[MonitorPerson]:
    """Return these people of the monitor, or some of those who wait, in the order they were found."""
    query = sa.select(MonitorPerson).where(MonitorPerson.monitor_id == monitor.id).order_by(MonitorPerson.id)
    if ids is None:
        query = query.where(MonitorPerson.state == FoundState.HELD).limit(MOST_DECIDED)
        return session().scalars(query).all()
    if len(ids) > MOST_DECIDED:
        raise InvalidRequest.of(("ids", f"Decide on at most {MOST_DECIDED} people at once."))
    rows = session().scalars(query.where(in_list(MonitorPerson.id, leads.valid_ids(ids)))).all()
    known = {row.id for row in rows}
    unknown = (place for place, one in enumerate(ids) if one not in known)
    InvalidRequest.raise_for([(f"ids[{place}]", "Person not found in this monitor.") for place in unknown])
    return rows


def page(workspace: Workspace, monitor_id: int, state: str = "") -> sa.Select[Any]:
    """Select the people of the monitor, in one state or in all."""
    monitor = monitors.get(workspace, monitor_id)
    query = sa.select(MonitorPerson).where(MonitorPerson.monitor_id == monitor.id)
    return query.where(MonitorPerson.state == state) if state else query


def entries(workspace: Workspace, monitor: Monitor, rows: Sequence[MonitorPerson]) -> list[Entry]:
    """Return the people as they are shown."""
    words: Words = fit.words_of(workspace, monitor)
    ids = [row.person_id for row in rows if row.person_id]
    query = sa.select(Lead.person_id, sa.func.max(Lead.id)).where(
        in_list(Lead.person_id, ids), Lead.deleted_at.is_(None)
    )
    lead_ids: dict[int, int] = dict(session().execute(query.group_by(Lead.person_id)).all())
    told = ((row, serialization.person_of(row.found)) for row in rows)
    return [Entry(row, one, fit.of_found(words, one), lead_ids.get(row.person_id or 0, 0)) for row, one in told]


def counts(some: Sequence[Monitor]) -> dict[int, dict[str, int]]:
    """Return how many people of each monitor are in each state."""
    found: dict[int, dict[str, int]] = {monitor.id: {} for monitor in some}
    query = sa.select(MonitorPerson.monitor_id, MonitorPerson.state, sa.func.count()).where(
        in_list(MonitorPerson.monitor_id, list(found))
    )
    for monitor_id, state, number in session().execute(query.group_by(MonitorPerson.monitor_id, MonitorPerson.state)):
        found[monitor_id][state] = number
    return found


def waiting(workspace: Workspace) -> int:
    """Return how many people wait for a decision at all monitors."""
    ours = (MonitorPerson.workspace_id == workspace.id, MonitorPerson.state == FoundState.HELD)
    return session().scalar(sa.select(sa.func.count()).where(*ours)) or 0
