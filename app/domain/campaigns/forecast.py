"""Forecast a campaign day by day until it ends, without writing.

Who accepts and who answers is not known, so shares are assumed, and the answer says which: those of the last 90 days
when enough people decided, else usual ones.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from math import floor
from typing import Any
from zlib import crc32
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core.db import insert, session, transaction
from app.domain.campaign_leads import new_people
from app.domain.campaigns import campaigns
from app.domain.exclusions import facts, gate
from app.domain.ledger import usage, variants
from app.domain.people import condition_facts, connections
from app.domain.rules import next_step, planner
from app.domain.rules.acceptance import DECIDED_AFTER
from app.domain.rules.contact_rules import Caps
from app.domain.rules.limits import WEEK
from app.domain.rules.next_step import LeadStatus
from app.domain.rules.planner import CampaignView
from app.domain.rules.reasons import WaitReason
from app.domain.rules.schedules import overlaps, places
from app.domain.rules.sequences.branches import Flow
from app.domain.rules.simulation import (
    ACCEPTS_AFTER,
    ANSWERS_AFTER,
    SimulatedAction,
    SimulatedLead,
    SimulatedSender,
    Simulation,
)
from app.domain.rules.variants import assignment
from app.models.accounts import Account, Budget, Channel
from app.models.campaigns import (
    ASK,
    OPEN_STATES,
    Campaign,
    CampaignAccount,
    CampaignForecast,
    CampaignLead,
    CampaignStatus,
    Connection,
    LeadState,
)
from app.models.leads import Lead, LeadList
from app.models.ledger import Action
from app.models.people import Person
from app.models.workspaces import Workspace

USUAL_ACCEPTANCE, USUAL_REPLIES = 0.3, 0.15
MEASURED, ENOUGH = timedelta(days=90), 20
MOST_PEOPLE, LONGEST = 5000, timedelta(days=365)
_P = CampaignLead
_NOT_BEGUN = (CampaignStatus.DRAFT, CampaignStatus.SCHEDULED)


@dataclass(frozen=True)
class Assumption:
    """A share of people, and whether it was `measured` in this workspace or is only `usual`."""

    share: float
    source: str


@dataclass(frozen=True)
class Assumptions:
    """What had to be assumed: who acts and how soon, and with how many other campaigns the senders are shared."""

    acceptance: Assumption
    replies: Assumption
    accepted_after: timedelta
    answered_after: timedelta
    shared_with: int


@dataclass(frozen=True)
class Day:
    """What would happen on one day of the workspace; `done` counts actions by budget."""

    date: date
    done: Counter[str]
    accepted: int
    replies: int
    ended: int


@dataclass(frozen=True)
class Forecast:
    """The course of a campaign from now. `finishes_at` is None when some leads do not finish within the forecast.

    `stuck` counts, by reason, the people who wait for a human.
    """

    people: int
    days: Sequence[Day]
    first_action_at: datetime | None
    first_reply_at: datetime | None
    finishes_at: datetime | None
    left: int
    stuck: Sequence[tuple[WaitReason, int]]
    assumptions: Assumptions
    actions: Sequence[SimulatedAction]
    warnings: Sequence[str] = ()  # hours that never meet


def forecast(workspace: Workspace, campaign_id: int) -> Forecast:
    """Forecast the campaign from now; a draft or a paused one as if it started now."""
    campaign, at = campaigns.get(workspace, campaign_id), workspace.now()
    accounts = _senders_of(workspace, campaign)
    shared = _shared(workspace, campaign)
    assumptions = Assumptions(
        acceptance_rate(workspace), reply_rate(workspace), ACCEPTS_AFTER, ANSWERS_AFTER, max(shared.values(), default=0)
    )
    people = [] if campaign.status in campaigns.ENDED else _people(workspace, campaign, accounts, at)
    begun = new_people.begun_today([campaign], at).get(campaign.id)
    view = replace(CampaignView.of(campaign, workspace.blackouts, begun), status=CampaignStatus.RUNNING)
    senders = _on_the_virtual_clock(accounts, shared, at)
    caps = Caps.of(workspace.contact_caps)
    _with_touches(people, caps, at)
    course = Simulation(
        view,
        Flow.of(campaign),
        senders,
        people,
        at,
        accepting=assumptions.acceptance.share,
        answering=assumptions.replies.share,
        caps=caps,
    )
    number, zones = len(people), Counter(one.place.sure_zone for one in people if one.place.sure_zone)
    course.run(at + LONGEST)
    told = _told(workspace, course, number, assumptions)
    return replace(told, warnings=overlaps.sentences(campaign, accounts, zones.most_common(), at))


def _with_touches(people: Sequence[SimulatedLead], caps: Caps, at: datetime) -> None:
    """Tell each person's latest contacts, by any campaign."""
    known = [person.person_id for person in people if person.person_id]
    touches = facts.touches(known, at - timedelta(days=max(caps.days, 1)))
    for person in people:
        person.touches = touches.get(person.person_id, ())


def _senders_of(workspace: Workspace, campaign: Campaign) -> Sequence[Account]:
    wanted = [*campaign.account_ids, *campaign.mailbox_ids]
    query = sa.select(Account).where(Account.workspace_id == workspace.id, Account.id.in_(wanted))
    named = list(session().scalars(query.order_by(Account.id)))
    more = campaigns.mailboxes_for(workspace, named, campaign.sequence) if campaign.status in _NOT_BEGUN else []
    return [*named, *(mailbox for mailbox in more if mailbox not in named)]


def _shared(workspace: Workspace, campaign: Campaign) -> dict[int, int]:
    """Return how many other running campaigns share each sender."""
    query = (
        sa.select(CampaignAccount.account_id, sa.func.count())
        .join(Campaign, Campaign.id == CampaignAccount.campaign_id)
        .where(CampaignAccount.workspace_id == workspace.id, CampaignAccount.campaign_id != campaign.id)
        .where(Campaign.status == CampaignStatus.RUNNING)
        .group_by(CampaignAccount.account_id)
    )
    wanted = {*campaign.account_ids, *campaign.mailbox_ids}
    return {account_id: int(number) for account_id, number in session().execute(query) if account_id in wanted}


def _on_the_virtual_clock(accounts: Sequence[Account], shared: dict[int, int], at: datetime) -> list[SimulatedSender]:
    """Return the senders with their recent actions; a shared sender gets its part of the daily limit."""
    views = usage.views(accounts, at)
    senders = {}
    for account in accounts:
        view = views[account.id]
        part = 1 + shared.get(account.id, 0)
        mine = {budget: max(min(limit, 1), floor(limit / part)) for budget, limit in view.limits.items()}
        senders[account.id] = SimulatedSender(replace(view, limits=mine), account.channel, account.free_at)
    query = (
        sa.select(Action.sender_id, Action.at, Action.budget, Action.step)
        .where(Action.sender_id.in_(senders), Action.at > at - WEEK, Action.state.in_(usage.COUNTED))
        .order_by(Action.at)
    )
    for sender_id, moment, budget, step in session().execute(query):
        senders[sender_id].did(budget, moment, step > 0)
    return list(senders.values())


def _people(workspace: Workspace, campaign: Campaign, accounts: Sequence[Account], at: datetime) -> list[SimulatedLead]:
    """Return the active people, then those of the list who are still to be enrolled."""
    names = (
        "id person_id account_id mailbox_id wait_for_profile state step part sender_id next_budget due_at connection"
        " invited_at"
        " accepted_at contacted last_action_at route skip_steps"
    ).split()
    query = (
        sa.select(*(getattr(_P, name) for name in names), (Person.email != "").label("has_email"), _P.messages_sent)
        .add_columns(Person.location)
        .join(Person, Person.id == _P.person_id)
        .where(_P.campaign_id == campaign.id, _P.state.in_(OPEN_STATES))
        .order_by(_P.due_at, _P.id)
        .limit(MOST_PEOPLE)
    )
    walkers = []
    for row in session().execute(query):
        known = {name: getattr(row, name) for name in names} | {"due_at": row.due_at or at}
        place = places.place_of(row.location)
        walkers.append(SimulatedLead(**known, has_email=row.has_email, messaged=row.messages_sent > 0, place=place))
    _know_facts(Flow.of(campaign), walkers, at)
    if assignment.any_in(campaign.sequence):
        had = variants.had(walker.id for walker in walkers)
        for walker in walkers:
            walker.variants = had.get(walker.id, {})
    return walkers + _to_come(workspace, campaign, accounts, at, MOST_PEOPLE - len(walkers))


def _know_facts(flow: Flow, walkers: Sequence[SimulatedLead], at: datetime) -> None:
    """Look up what the conditions of the flow ask of these people."""
    facts = condition_facts.of_many(flow, walkers, at)
    for walker in walkers:
        walker.facts = facts.get(walker.person_id, walker.facts)


def _to_come(
    workspace: Workspace, campaign: Campaign, accounts: Sequence[Account], at: datetime, most: int
) -> list[SimulatedLead]:
    """Return those of the list who are still to be enrolled and not left out, assigned to senders as enrolment does."""
    if campaign.list_id is None:
        return []
    query = (
        sa.select(
            Lead.id,
            Lead.person_id,
            (Person.email != "").label("has_email"),
            (Person.public_id != "").label("has_profile"),
            Person.location,
        )
        .join(Lead.person)
        .where(Lead.list_id == campaign.list_id, Lead.id > campaign.enrolled_to, Lead.workspace_id == workspace.id)
        .order_by(Lead.id)
        .limit(most)
    )
    social = [account.id for account in accounts if account.channel == Channel.SOCIAL]
    boxes = [account.id for account in accounts if account.channel == Channel.EMAIL]
    begins = max(at, campaign.start_date or at)
    flow, found = Flow.of(campaign), []
    rows = session().execute(query).all()
    answers = gate.ask(campaign, [row.person_id for row in rows], begins)
    left_out = {one for one, asked in answers.items() if asked.verdict and asked.verdict.effect != "wait"}
    for number, row in enumerate(row for row in rows if row.person_id not in left_out):
        account = social[number % len(social)] if social and row.has_profile else None
        mailbox = boxes[number % len(boxes)] if boxes else None
        walker = SimulatedLead(-row.id, account, mailbox, bool(row.has_email), row.person_id)
        walker.place = places.place_of(row.location)
        walker.wait_for_profile = campaign.wait_for_profile and not row.has_profile
        found.append(walker)
    _know_facts(flow, found, begins)
    friends = connections.known(workspace.id, {walker.person_id: walker.account_id for walker in found})
    for walker in found:
        if walker.person_id in friends:
            walker.connection = Connection.ACCEPTED
        walker.goes_to(next_step.first_place(flow, LeadStatus.of(walker, walker.has_email, walker.facts), begins))
    return [walker for walker in found if walker.step < len(flow.sequence)]  # else nothing could be done for them


def acceptance_rate(workspace: Workspace) -> Assumption:
    """Return the share of accepted invitations, among those of the last 90 days that are old enough to tell."""
    at = workspace.now()
    accepted = sa.func.sum(sa.case((_P.accepted_at.is_not(None), 1), else_=0))
    when = _P.invited_at.between(at - MEASURED, at - DECIDED_AFTER)
    return _rate(workspace, accepted, when, USUAL_ACCEPTANCE)


def reply_rate(workspace: Workspace) -> Assumption:
    """Return the share of people who replied, among those written to in the last 90 days with time to reply."""
    at = workspace.now()
    replied = sa.func.sum(sa.case((_P.replied.is_(True), 1), else_=0))
    when = sa.and_(_P.messages_sent > 0, _P.last_action_at.between(at - MEASURED, at - next_step.REPLY_WAIT))
    return _rate(workspace, replied, when, USUAL_REPLIES)


def _rate(workspace: Workspace, part: Any, when: Any, usual: float) -> Assumption:
    query = sa.select(sa.func.count(), part).where(_P.workspace_id == workspace.id, when)
    whole, some = session().execute(query).one()
    if whole < ENOUGH:
        return Assumption(usual, "usual")
    return Assumption(round(int(some or 0) / int(whole), 3), "measured")


def _told(workspace: Workspace, course: Simulation, number: int, assumptions: Assumptions) -> Forecast:
    zone = ZoneInfo(workspace.timezone)

    def days_of(moments: Sequence[datetime]) -> Counter[date]:
        return Counter(moment.astimezone(zone).date() for moment in moments)

    done: dict[date, Counter[str]] = {}
    for action in course.actions:
        done.setdefault(action.at.astimezone(zone).date(), Counter())[action.budget] += 1
    accepted, answered, ended = days_of(course.accepted), days_of(course.answered), days_of(course.ended)
    known = sorted({*done, *accepted, *answered, *ended})
    days = []
    if known:
        for offset in range((known[-1] - known[0]).days + 1):
            day = known[0] + timedelta(days=offset)
            days.append(Day(day, done.get(day, Counter()), accepted[day], answered[day], ended[day]))
    return Forecast(
        people=number,
        days=days,
        first_action_at=course.actions[0].at if course.actions else None,
        first_reply_at=min(course.answered, default=None),
        finishes_at=max(course.ended, default=None) if course.complete else None,
        left=len(course.people),
        stuck=_stuck(course),
        assumptions=assumptions,
        actions=course.actions,
    )


def _stuck(course: Simulation) -> list[tuple[WaitReason, int]]:
    found: Counter[str] = Counter()
    for person in course.people.values():
        sender = course.senders.get(person.sender_id or 0)
        if person.state == LeadState.PAUSED or person.next_budget in ("end", ASK):
            continue
        if sender is None:
            found["no_profile" if person.wait_for_profile else "no_account"] += 1
            continue
        why = planner.sender_block(sender.view)
        if why is None and sender.view.limits.get(person.next_budget, 1) == 0 and person.next_budget in list(Budget):
            why = WaitReason("limit_zero")
        if why is None and course.never_meets(person):
            why = WaitReason("recipient_never_open")
        if why:
            found[why.code] += 1
    return [(WaitReason(code), number) for code, number in found.most_common()]


YOUNG = timedelta(minutes=15)
_OF_CAMPAIGN = (
    "status list_id account_ids mailbox_ids sequence branches timezone days start_time end_time start_date end_date"
    " approval wait_for_profile windows recipient_time holidays blackouts new_per_day"
).split()
_OF_SENDER = "id status active limits rests timezone work_days work_start work_end country absences".split()
_MOMENTS = ("first_action_at", "first_reply_at", "finishes_at")


def find_cached(workspace: Workspace, campaign_id: int) -> tuple[Forecast, datetime] | None:
    """Return the stored forecast and its time; None when there is none for the current settings."""
    campaign = campaigns.get(workspace, campaign_id)
    kept = session().get(CampaignForecast, campaign_id)
    if kept is None or kept.basis != _basis(workspace, campaign):
        return None
    age = workspace.now() - kept.made_at
    return (_read(kept.body), kept.made_at) if timedelta() <= age < YOUNG else None


def make_cached(workspace: Workspace, campaign_id: int) -> tuple[Forecast, datetime]:
    """Make the forecast of the campaign and store it."""
    campaign, at = campaigns.get(workspace, campaign_id), workspace.now()
    basis, found = _basis(workspace, campaign), forecast(workspace, campaign_id)
    row = {"campaign_id": campaign_id, "workspace_id": workspace.id, "basis": basis, "body": _body(found)}
    keep = insert(CampaignForecast).values(**row, made_at=at)
    changes = {name: keep.excluded[name] for name in ("basis", "body", "made_at")}
    with transaction() as current:
        current.execute(keep.on_conflict_do_update(index_elements=["campaign_id"], set_=changes))
    return found, at


def _basis(workspace: Workspace, campaign: Campaign) -> str:
    """Return a hash of the campaign, its list and its senders; progress since then only shows in the age."""
    wanted = [*campaign.account_ids, *campaign.mailbox_ids]
    senders = sa.select(*(getattr(Account, name) for name in _OF_SENDER)).where(
        Account.workspace_id == workspace.id, Account.id.in_(wanted)
    )
    size = sa.select(LeadList.lead_count).where(LeadList.id == campaign.list_id, LeadList.workspace_id == workspace.id)
    parts = [getattr(campaign, name) for name in _OF_CAMPAIGN]
    parts += [session().scalar(size), workspace.timezone, workspace.blackouts]
    parts += [list(row) for row in session().execute(senders.order_by(Account.id))]
    return f"{crc32(json.dumps(parts, default=str, sort_keys=True).encode()):08x}"


def _body(found: Forecast) -> dict[str, Any]:
    assumed = found.assumptions
    return {
        "people": found.people,
        "left": found.left,
        "days": [[day.date.isoformat(), dict(day.done), day.accepted, day.replies, day.ended] for day in found.days],
        "stuck": [[why.code, number] for why, number in found.stuck],
        "acceptance": [assumed.acceptance.share, assumed.acceptance.source],
        "replies": [assumed.replies.share, assumed.replies.source],
        "shared_with": assumed.shared_with,
        "warnings": list(found.warnings),
        **{name: moment.isoformat() if (moment := getattr(found, name)) else None for name in _MOMENTS},
    }


def _read(body: dict[str, Any]) -> Forecast:
    """Return the stored forecast, without the single actions."""
    return Forecast(
        people=body["people"],
        days=[
            Day(date.fromisoformat(day), Counter(done), accepted, replies, ended)
            for day, done, accepted, replies, ended in body["days"]
        ],
        left=body["left"],
        stuck=[(WaitReason(code), number) for code, number in body["stuck"]],
        assumptions=Assumptions(
            Assumption(*body["acceptance"]),
            Assumption(*body["replies"]),
            ACCEPTS_AFTER,
            ANSWERS_AFTER,
            body["shared_with"],
        ),
        actions=(),
        warnings=body.get("warnings", ()),
        **{name: datetime.fromisoformat(body[name]) if body[name] else None for name in _MOMENTS},
    )
