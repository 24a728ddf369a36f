"""Change the schedule of a campaign on its way: due times stay, and the planner is asked anew when each may go out."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.domain.campaigns import validation
from app.domain.campaigns.changes import revision_log
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.campaigns.validation import SCHEDULE, Problems
from app.domain.rules import planner
from app.domain.rules.limits import Usage
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.schedules import places, working_hours
from app.domain.rules.schedules.places import Place
from app.domain.senders import held_people, wake
from app.models.accounts import Account
from app.models.campaigns import OPEN_STATES, Campaign, CampaignLead, CampaignRevision, CampaignStatus, RevisionKind
from app.models.people import Person
from app.models.workspaces import Workspace

LOOKED_AT = 2000  # people whom the preview checks, those due first
_P = CampaignLead


def preview(workspace: Workspace, campaign: Campaign, wanted: Wanted) -> tuple[dict[str, int], list[str]]:
    """Return how many of the people who are due next get their next step at another time."""
    return _effect(workspace, campaign, _checked(workspace, campaign, wanted.schedule or {}))


def change(workspace: Workspace, campaign: Campaign, wanted: Wanted, undoes: CampaignRevision | None = None) -> None:
    """Replace the schedule; the wanted one is whole, as a draft gets it."""
    columns = _checked(workspace, campaign, wanted.schedule or {})
    changed = {name: value for name, value in columns.items() if getattr(campaign, name) != value}
    if not changed:
        return
    counts, _ = _effect(workspace, campaign, columns)
    before = {name: _to_json(getattr(campaign, name)) for name in columns}
    after = {name: _to_json(value) for name, value in columns.items()}
    for name, value in changed.items():
        setattr(campaign, name, value)
    if campaign.status == CampaignStatus.SCHEDULED and campaign.start_date is None:
        campaign.start_date = workspace.now()
    revision_log.note(workspace, campaign, RevisionKind.SCHEDULE, before, after, counts, undoes=undoes)
    session().flush()
    held_people.look_again(workspace.id, workspace.now(), campaign_id=campaign.id)
    wake.wake_senders(campaign.sender_ids, workspace.now())


def back(campaign: Campaign, revision: CampaignRevision) -> Wanted:
    """Return the schedule as it was before; of columns that it does not know, as it is."""
    former = {name: getattr(campaign, name) for name in SCHEDULE}
    former |= {name: _from_json(name, value) for name, value in revision.before.items() if name in former}
    return Wanted(schedule=validation.changed_schedule(SimpleNamespace(**former), {}))


def _to_json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _from_json(name: str, value: Any) -> Any:
    return datetime.fromisoformat(value) if value and name.endswith("_date") else value


def _checked(workspace: Workspace, campaign: Campaign, schedule: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns, or raise every problem at once."""
    problems = Problems()
    columns = validation.check_schedule(workspace, schedule, problems)
    starts, ends = columns.get("start_date"), columns.get("end_date")
    if campaign.started_at is not None and starts != campaign.start_date:
        problems.add("schedule.startDate", "The campaign has started already.")
    if ends is not None and ends != campaign.end_date and ends <= workspace.now():
        problems.add("schedule.endDate", "The end date is in the past.")
    if not problems.fields:
        accounts = list(session().scalars(sa.select(Account).where(Account.id.in_(campaign.sender_ids))))
        validation.check_overlap(columns, accounts, workspace.now(), problems)
    problems.done()
    return columns


def _effect(workspace: Workspace, campaign: Campaign, columns: Mapping[str, Any]) -> tuple[dict[str, int], list[str]]:
    """Ask for the people who are due first, before and after: their next moment within all hours."""
    now = workspace.now()
    former = {name: getattr(campaign, name) for name in SCHEDULE}
    views = [
        CampaignView.of(SimpleNamespace(id=campaign.id, status=campaign.status, **values), workspace.blackouts)
        for values in (former, {**former, **columns})
    ]
    waits = (
        _P.campaign_id == campaign.id,
        _P.state.in_(OPEN_STATES),
        _P.due_at.is_not(None),
        _P.sender_id.is_not(None),
    )
    total = session().scalar(sa.select(sa.func.count()).where(*waits)) or 0
    query = sa.select(_P.sender_id, _P.due_at, Person.location).join(Person, Person.id == _P.person_id)
    query = query.where(*waits, _P.next_budget != "withdraw")
    rows = session().execute(query.order_by(_P.due_at, _P.id).limit(LOOKED_AT)).all()
    senders = _senders({row.sender_id for row in rows})
    shifts: list[timedelta] = []
    first = None
    for row in rows:
        due, place = max(row.due_at, now), places.place_of(row.location)
        was, will = (_opens(senders.get(row.sender_id), view, place, due) for view in views)
        if was != will and was and will:
            shifts.append(will - was)
            first = min(first or was, was, will)
    later = sum(shift > timedelta(0) for shift in shifts)
    counts = {"waiting": total, "looked_at": len(rows), "later": later, "earlier": len(shifts) - later}
    said = _effect_sentences(counts, shifts)
    if columns.get("new_per_day") and columns["new_per_day"] != campaign.new_per_day:
        said.append(f"Up to {columns['new_per_day']:,} new people will start per day.")
    return counts, said


def _senders(sender_ids: set[int]) -> dict[int, SenderView]:
    query = sa.select(Account).where(Account.id.in_(sender_ids))
    return {one.id: SenderView.of(one, Usage()) for one in session().scalars(query)}


def _opens(sender: SenderView | None, view: CampaignView, place: Place, due: datetime) -> datetime | None:
    """Return the next moment within the hours of the campaign, of the sender and of the person."""
    if sender is None:
        return working_hours.next_open([view.window], due)
    return working_hours.next_open([window for _, window in planner.windows(sender, view, place)], due)


def _effect_sentences(counts: Mapping[str, int], shifts: list[timedelta]) -> list[str]:
    if not counts["waiting"]:
        return ["No one is waiting for a step, so nothing changes."]
    if not shifts:
        return [f"Nothing changes for the next {counts['looked_at']:,} people who are due."]
    middle = sorted(abs(shift) for shift in shifts)[len(shifts) // 2]
    minutes = int(middle.total_seconds() // 60)
    much = (
        f"{minutes} minutes"
        if minutes < 120
        else f"{minutes // 60} hours"
        if minutes < 2880
        else f"{minutes // 1440} days"
    )
    found = []
    for name in ("later", "earlier"):
        if number := counts[name]:
            people = "1 person gets" if number == 1 else f"{number:,} people get"
            found.append(f"Of the next {counts['looked_at']:,} people who are due, {people} the next step {name}.")
    return [*found, f"These steps move by about {much}. Limits and pauses may add more time."]
