"""Merge two people who are one: everything of the other becomes the kept person's, with ten minutes to undo it.

Nothing is destroyed until the undo period ends. The other person's row stays behind it, so that their id is known.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import by_id, change_rows, in_list, session
from app.core.errors import Conflict, InvalidRequest
from app.domain.billing import plans
from app.domain.conversations import joining, search_index
from app.domain.leads import lists
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people import identities, merge, people
from app.domain.people.exclusions import never_contact
from app.domain.people.exclusions.never_contact import NeverContactRow
from app.domain.people.identities import Identity
from app.domain.people.merge import Choice
from app.domain.platform import audit_log, jobs, locks
from app.domain.platform.undo import TOO_LATE, Undoable
from app.models.campaigns import OPEN_STATES, UNENDED_STATES, Campaign, CampaignLead, LeadState
from app.models.conversations import Conversation
from app.models.exclusions import CompanyHold
from app.models.leads import Lead, LeadList
from app.models.ledger import Action
from app.models.meetings import Meeting
from app.models.people import Person, PersonMerge
from app.models.signals import ContactLookup
from app.models.workspaces import Workspace

SETTLES = timedelta(hours=1)  # an action whose outcome is unknown for longer counts as done
TWICE, BLOCKED = "same_person", "never_contact"
_LEFT = (LeadState.STOPPED, LeadState.EXCLUDED)
_THEIRS: tuple[Any, ...] = (CampaignLead, Action, CompanyHold, Meeting)  # have a person_id


class Stop(NamedTuple):
    """A campaign that stops for one of the two people, and why."""

    campaign_lead_id: int
    campaign_id: int
    campaign_name: str
    reason: str


@dataclass(frozen=True)
class Preview:
    """What merging two people would do."""

    keep: Person
    gone: Person
    fields: list[Choice]
    tags: list[str]
    leads: int
    shared_lists: list[str]
    campaigns: int
    conversations: int
    joined: int
    identities: list[Identity]
    stops: list[Stop]
    blocked: NeverContactRow | None


def preview(workspace: Workspace, keep_id: int, gone_id: int) -> Preview:
    """Return what a merge of these two would do."""
    keep, gone = _pair(workspace, keep_id, gone_id)
    number, joined = joining.count(keep_id, gone_id)
    barred = never_contact.blocked_people(workspace.id, (keep_id, gone_id))
    blocked = next(iter(barred.values()), None)
    newer = _in_both_lists(keep_id, gone_id)
    names = dict(
        session().execute(sa.select(LeadList.id, LeadList.name).where(in_list(LeadList.id, list(newer)))).all()
    )
    return Preview(
        keep,
        gone,
        merge.choices(keep, gone),
        merge.joined_tags(keep, gone)[0],
        _number(Lead, gone_id, Lead.deleted_at.is_(None)),
        sorted(names.values()),
        _number(CampaignLead, gone_id),
        number,
        joined,
        identities.of_people([gone_id])[gone_id],
        _stops(workspace, (keep_id, gone_id), blocked is not None),
        blocked,
    )


def merge_people(workspace: Workspace, keep_id: int, gone_id: int) -> str:
    """Merge the second person into the first; return the name for an undo.

    Where both are in one list the older lead stays. Of two ways through one campaign the one that got further goes
    on. Raise Conflict while something sent to them has no outcome yet.
    """
    with locks.changing(workspace.id):
        keep, gone = _pair(workspace, keep_id, gone_id, lock=True)
        _require_outcomes(workspace, (keep_id, gone_id))
        wanted: dict[str, Any] = {"keep": keep_id, "gone": gone_id, "leads": _move_leads(workspace, keep_id, gone_id)}
        wanted |= {model.__tablename__: _move(model, gone_id, keep_id) for model in _THEIRS}
        wanted["threads"] = joining.join(workspace, keep_id, gone_id)
        wanted["known"] = merge.take_over(workspace, keep, gone)
        blocked = bool(never_contact.blocked_people(workspace.id, [keep_id]))
        wanted["held"] = [_hold(stop) for stop in _stops(workspace, [keep_id], blocked)]
        _show_again(workspace, [keep_id])
        audit_log.record(workspace, "person.merged", f"people {gone_id} and {keep_id}")
        return MERGED.offer(workspace, wanted, f"people {gone_id} and {keep_id}")


def _undo(workspace: Workspace, was: dict[str, Any]) -> int:
    """Undo a merge; return the id of the person who is there again. What changed since stays with the kept person."""
    found = by_id(Person, [was["keep"], was["gone"]], lock=True)
    if len(found) < 2:
        raise Conflict(TOO_LATE, recovery=MERGED.instead)
    keep, gone = found[was["keep"]], found[was["gone"]]
    _require_last(keep, gone)
    _require_outcomes(workspace, [keep.id, gone.id])
    merge.give_back(keep, gone, was["known"])
    _give_back_leads(workspace, keep.id, gone.id, was["leads"])
    ours = was[CampaignLead.__tablename__]
    for model in _THEIRS:
        _move(model, keep.id, gone.id, was.get(model.__tablename__, ()))
    their_actions = (in_list(Action.campaign_lead_id, ours), Action.person_id == keep.id)
    change_rows(sa.update(Action).where(*their_actions).values(person_id=gone.id))
    joining.separate(workspace, keep.id, gone.id, was["threads"], ours)
    _let_go(workspace, was["held"])
    _show_again(workspace, [keep.id, gone.id])
    return gone.id


def _settle(workspace: Workspace, was: dict[str, Any]) -> None:
    """Make a merge final: campaigns stop where they must, and the other person's row is emptied."""
    blocked = bool(never_contact.blocked_people(workspace.id, [was["keep"]]))
    for held in was["held"]:
        _end_hold(workspace, held, blocked)
    _forget_hidden(was["leads"]["taken_out"])
    gone = session().get(Person, was["gone"])
    if gone is not None:
        merge.blank(gone)
        session().flush()
        people.discard_unplaced([gone.id])  # when the kept person was deleted meanwhile


MERGED = Undoable(
    "merged_people",
    _undo,
    "If you need the other person, add them again.",
    settle=_settle,
    audit="person.separated",
)


def forget_undo(workspace: Workspace, person_ids: Collection[int]) -> None:
    """Make the merges of erased people final without anything left to undo. Inside a transaction."""
    for job in session().scalars(jobs.open_jobs(workspace.id, MERGED.kind).with_for_update()).all():
        if {job.payload["keep"], job.payload["gone"]} & set(person_ids):
            session().delete(job)


def _pair(workspace: Workspace, keep_id: int, gone_id: int, *, lock: bool = False) -> tuple[Person, Person]:
    if keep_id == gone_id:
        raise InvalidRequest.of(("otherId", "Choose another person."))
    return merge.pair(workspace, keep_id, gone_id, lock=lock)


def _require_outcomes(workspace: Workspace, person_ids: Sequence[int]) -> None:
    """Raise Conflict while an action is under way: its outcome is recorded for the person it began with."""
    since = workspace.now() - SETTLES
    query = sa.select(Action.id).where(in_list(Action.person_id, person_ids), Action.check_at.is_not(None))
    if session().scalar(query.where(Action.at > since).limit(1)) is not None:
        raise Conflict("Something is being sent to these people right now.", recovery="Try again in a few minutes.")


def _require_last(keep: Person, gone: Person) -> None:
    newest = merge.latest(keep.id)
    if session().get(PersonMerge, keep.id) is not None or newest is None or newest.person_id != gone.id:
        raise Conflict("This person has been merged again since then.", recovery="Undo the later merge first.")


def _number(model: Any, person_id: int, *where: sa.ColumnElement[bool]) -> int:
    query = sa.select(sa.func.count()).select_from(model).where(model.person_id == person_id, *where)
    return session().scalar(query) or 0


def _in_both_lists(keep_id: int, gone_id: int) -> dict[int, Lead]:
    """Return the newer lead of each list that both are in, by list."""
    query = sa.select(Lead).where(in_list(Lead.person_id, [keep_id, gone_id]), Lead.list_id.is_not(None))
    by_list: defaultdict[int, list[Lead]] = defaultdict(list)
    for lead in session().scalars(query.order_by(Lead.id).execution_options(populate_existing=True)):
        by_list[lead.list_id or 0].append(lead)
    return {list_id: both[-1] for list_id, both in by_list.items() if len(both) > 1}


def _stops(workspace: Workspace, person_ids: Sequence[int], blocked: bool) -> list[Stop]:
    """Return the campaigns that must stop once the two are one person."""
    query = (
        sa.select(CampaignLead, Campaign.name)
        .join(Campaign, Campaign.id == CampaignLead.campaign_id)
        .where(CampaignLead.workspace_id == workspace.id, in_list(CampaignLead.person_id, person_ids))
    )
    rows = session().execute(query.order_by(CampaignLead.id).execution_options(populate_existing=True)).all()
    by_campaign: defaultdict[int, list[CampaignLead]] = defaultdict(list)
    names: dict[int, str] = {}
    for one, name in rows:
        by_campaign[one.campaign_id].append(one)
        names[one.campaign_id] = name
    already = never_contact.held_leads(workspace.id) if blocked else set()
    found = []
    for campaign_id, several in by_campaign.items():
        ways = [one for one in several if one.state in UNENDED_STATES]
        over = any(one.contacted or one.state in _LEFT for one in several if one not in ways)
        goes_on = (
            None if over and len(several) > 1 else min(ways, key=lambda one: (not one.contacted, one.id), default=None)
        )
        for one in ways:
            if blocked and one.id not in already:
                found.append(Stop(one.id, campaign_id, names[campaign_id], BLOCKED))
            elif one is not goes_on:
                found.append(Stop(one.id, campaign_id, names[campaign_id], TWICE))
    return found


def _move(model: Any, old: int, new: int, ids: Sequence[int] | None = None) -> list[int]:
    """Move rows of one person to another, all or those given; return their ids."""
    which = [model.person_id == old] if ids is None else [model.person_id == old, in_list(model.id, ids)]
    change = sa.update(model).where(*which).values(person_id=new).returning(model.id)
    return sorted(change_rows(change).scalars())


def _move_leads(workspace: Workspace, keep_id: int, gone_id: int) -> dict[str, Any]:
    """Give the leads to the kept person; where a list has both, take out the newer one."""
    taken_out = []
    for list_id, lead in sorted(_in_both_lists(keep_id, gone_id).items()):
        hidden = not _is_needed(lead)
        lead.list_id = None
        lead.deleted_at = workspace.now() if hidden else lead.deleted_at
        lists.change_size(list_id, -1)
        taken_out.append({"lead": lead.id, "list": list_id, "hidden": hidden})
    session().flush()
    return {"taken_out": taken_out, "moved": _move(Lead, gone_id, keep_id)}


def _is_needed(lead: Lead) -> bool:
    """Return whether a campaign, conversation, action or lookup refers to this lead."""
    told = [sa.exists().where(m.lead_id == lead.id) for m in (CampaignLead, Conversation, Action, ContactLookup)]
    return bool(session().scalar(sa.select(sa.or_(*told))))


def _give_back_leads(workspace: Workspace, keep_id: int, gone_id: int, was: dict[str, Any]) -> None:
    _move(Lead, keep_id, gone_id, was["moved"])
    places = sa.select(Lead.list_id, Lead.id).where(in_list(Lead.id, was["moved"]))
    for list_id, lead_id in session().execute(places).all():
        lists.look_again(list_id or 0, [lead_id])  # an open campaign skipped this lead: the kept person was in it
    for one in was["taken_out"]:
        lead = session().get(Lead, one["lead"], populate_existing=True)
        into = session().get(LeadList, one["list"])
        if lead is None or lead.list_id is not None or into is None or into.deleted_at is not None:
            continue
        there = sa.select(Lead.id).where(Lead.list_id == into.id, Lead.person_id == lead.person_id)
        if session().scalar(there) is None and one["hidden"] == (lead.deleted_at is not None):
            plans.check(workspace, "leads")
            lead.list_id, lead.deleted_at = into.id, None
            session().flush()
            lists.change_size(into.id, 1)
            lists.look_again(into.id, [lead.id])


def _forget_hidden(taken_out: Sequence[dict[str, Any]]) -> None:
    hidden = [one["lead"] for one in taken_out if one["hidden"]]
    still = (in_list(Lead.id, hidden), Lead.list_id.is_(None), Lead.deleted_at.is_not(None))
    change_rows(sa.delete(Lead).where(*still))


def _hold(stop: Stop) -> dict[str, Any]:
    """Pause a campaign lead that stops when the undo period ends; return its former columns."""
    one = session().get_one(CampaignLead, stop.campaign_lead_id, with_for_update=True, populate_existing=True)
    was: dict[str, Any] = {"id": one.id, "why": stop.reason, "paused": one.state == LeadState.PAUSED}
    if one.state in OPEN_STATES:
        campaign_leads.pause_for(one, stop.reason)
        return was
    was |= {"reason": one.reason, "budget": one.next_budget, "due": one.due_at.isoformat() if one.due_at else None}
    one.reason, one.next_budget, one.due_at = stop.reason, "", None  # a pause with a date does not end by itself
    session().flush()
    return was


def _held(held: dict[str, Any]) -> CampaignLead | None:
    """Return the campaign lead if it is unchanged since `_hold`."""
    one = session().get(CampaignLead, held["id"], with_for_update=True, populate_existing=True)
    return one if one and one.state == LeadState.PAUSED and one.reason == held["why"] else None


def _let_go(workspace: Workspace, all_held: Sequence[dict[str, Any]]) -> None:
    """Release the held people as before the merge, except those who are blocked themselves."""
    for held in all_held:
        one = _held(held)
        if one is None or never_contact.blocked_people(workspace.id, [one.person_id]):
            continue
        if held["paused"]:
            due = datetime.fromisoformat(held["due"]) if held["due"] else None
            one.reason, one.next_budget, one.due_at = held["reason"], held["budget"], due
        else:
            _resume(workspace, one)


def _resume(workspace: Workspace, one: CampaignLead) -> None:
    campaign = session().get_one(Campaign, one.campaign_id)
    person = session().get_one(Person, one.person_id, populate_existing=True)
    campaign_leads.resume_one(campaign, one, bool(person.email), workspace.now())


def _end_hold(workspace: Workspace, held: dict[str, Any], blocked: bool) -> None:
    one = _held(held)
    if one is None:
        return
    if held["why"] == TWICE:
        campaign_leads.finish(one, "stop", TWICE, workspace.now())
    elif blocked:
        campaign_leads.finish(one, "exclude", BLOCKED, workspace.now())
    elif not held["paused"]:
        _resume(workspace, one)


def _show_again(workspace: Workspace, person_ids: Sequence[int]) -> None:
    """Refresh what contains the people's values: drafts and the search index of conversations."""
    session().flush()
    search_index.reindex_names(workspace.id, person_ids)
    campaign_leads.refresh_changed(workspace, person_ids)
