"""Forecast a campaign day by day until it ends, without writing.

Who accepts and who answers is not known, so shares and delays are assumed, and the answer says which: those measured in
the workspace when enough people decided, else usual ones.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from math import floor
from typing import Any
from zlib import crc32
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core.db import insert, session, transaction
from app.core.errors import NotFound
from app.domain.campaigns import campaigns
from app.domain.campaigns.simulation import forecast_shape, kept_forecasts
from app.domain.campaigns.simulation import responses as measured_responses
from app.domain.campaigns.simulation.forecast_shape import Assumptions, Constraint, Day, Forecast
from app.domain.campaigns.simulation.responses import Measured
from app.domain.campaigns.simulation.simulation import (
    SimulatedCampaign,
    SimulatedInvitation,
    SimulatedLead,
    SimulatedSender,
    Simulation,
)
from app.domain.campaigns.statistics import invites
from app.domain.ledger import invite_health, usage, variants
from app.domain.ledger.rates import Responses, end_range, reply_range, spread_of
from app.domain.people import condition_facts, connections
from app.domain.people.exclusions import facts, gate
from app.domain.rules import limits, next_step, planner
from app.domain.rules.contact_rules import Caps
from app.domain.rules.limits import WEEK, Usage
from app.domain.rules.next_step import LeadStatus
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.reasons import WaitReason
from app.domain.rules.schedules import places, working_hours
from app.domain.rules.sequences.branches import Flow
from app.domain.rules.step_kinds import STEPS
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
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace

MOST_PEOPLE, LONGEST = 5000, timedelta(days=365)
HELD_LONG = timedelta(days=1)  # a limit is named if people wait this long for it on average
_P = CampaignLead
_NOT_BEGUN = (CampaignStatus.DRAFT, CampaignStatus.SCHEDULED)
_BACK = sa.and_(_P.state == LeadState.PAUSED, _P.next_budget == "back", _P.due_at.is_not(None))


@dataclass
class Scene:
    """The input of a forecast; a "what if" forecast changes it first."""

    workspace: Workspace
    campaign: Campaign
    at: datetime
    accounts: Sequence[Account]
    shared: dict[int, list[str]]  # the other running campaigns of each sender
    view: CampaignView
    senders: list[SimulatedSender]
    people: list[SimulatedLead]
    caps: Caps
    measured: Measured
    whole: dict[int, Mapping[str, int]] = field(default_factory=dict)  # each sender's limits, before they are shared


def forecast(workspace: Workspace, campaign_id: int) -> Forecast:
    """Forecast the campaign from now; a draft or a paused one as if it started now."""
    scene = load(workspace, campaigns.get(workspace, campaign_id))
    zones = Counter(one.place.sure_zone for one in scene.people if one.place.sure_zone)
    return replace(
        told_of(scene), warnings=working_hours.never_met(scene.campaign, scene.accounts, zones.most_common(), scene.at)
    )


def told_of(scene: Scene) -> Forecast:
    """Simulate the campaign to its end, and return the forecast."""
    number = len(scene.people)
    campaign = SimulatedCampaign(scene.view, Flow.of(scene.campaign))
    responses = Responses(scene.measured.rates)
    course = Simulation([campaign], scene.senders, scene.people, scene.at, responses, scene.caps)
    course.run(scene.at + LONGEST)
    return _forecast_from(scene, course, campaign, number)


def load(workspace: Workspace, campaign: Campaign) -> Scene:
    """Return what a forecast of the campaign is made from."""
    at = workspace.now()
    accounts = senders_of(workspace, campaign)
    shared = _shared(workspace, campaign)
    people = [] if campaign.status in campaigns.ENDED else people_of(workspace, campaign, accounts, at, MOST_PEOPLE)
    caps = Caps.of(workspace.contact_caps)
    with_touches(people, caps, at)
    parts = {account_id: 1 + len(names) for account_id, names in shared.items()}
    senders = on_the_virtual_clock(accounts, parts, at)
    with_invitations(senders, people, at)
    return Scene(
        workspace,
        campaign,
        at,
        accounts,
        shared,
        view_of(workspace, campaign, at),
        senders,
        people,
        caps,
        measured_responses.measure(workspace),
        {account.id: SenderView.of(account, Usage()).limits for account in accounts},
    )


def view_of(workspace: Workspace, campaign: Campaign, at: datetime) -> CampaignView:
    """Return the campaign as the planner sees it once it runs."""
    begun = usage.begun_today([campaign], at).get(campaign.id)
    return replace(CampaignView.of(campaign, workspace.blackouts, begun), status=CampaignStatus.RUNNING)


def with_touches(people: Sequence[SimulatedLead], caps: Caps, at: datetime) -> None:
    """Add each person's latest contacts by any campaign."""
    known = [person.person_id for person in people if person.person_id]
    touches = facts.touches(known, at - timedelta(days=max(caps.days, 1)))
    for person in people:
        person.touches = touches.get(person.person_id, ())


def senders_of(workspace: Workspace, campaign: Campaign) -> Sequence[Account]:
    """Return the campaign's senders; for a campaign that has not begun, also the mailboxes it will use."""
    query = sa.select(Account).where(Account.workspace_id == workspace.id, Account.id.in_(campaign.sender_ids))
    named = list(session().scalars(query.order_by(Account.id)))
    more = campaigns.mailboxes_for(workspace, named, campaign.sequence) if campaign.status in _NOT_BEGUN else []
    return [*named, *(mailbox for mailbox in more if mailbox not in named)]


def _shared(workspace: Workspace, campaign: Campaign) -> dict[int, list[str]]:
    """Return the names of the other running campaigns of each sender that have anything due."""
    query = (
        sa.select(CampaignAccount.account_id, Campaign.name)
        .join(Campaign, Campaign.id == CampaignAccount.campaign_id)
        .where(CampaignAccount.workspace_id == workspace.id, CampaignAccount.campaign_id != campaign.id)
        .where(Campaign.status == CampaignStatus.RUNNING)
        .where(sa.exists().where(_P.campaign_id == Campaign.id, _P.state.in_(OPEN_STATES), _P.due_at.is_not(None)))
        .order_by(Campaign.id)
    )
    wanted = campaign.sender_ids
    found: defaultdict[int, list[str]] = defaultdict(list)
    for account_id, name in session().execute(query):
        if account_id in wanted:
            found[account_id].append(name)
    return dict(found)


def on_the_virtual_clock(accounts: Sequence[Account], parts: dict[int, int], at: datetime) -> list[SimulatedSender]:
    """Return the senders with their recent actions; one shared in so many parts gets one of its daily limit."""
    views = usage.views(accounts, at)
    senders = {}
    for account in accounts:
        view = views[account.id]
        part = parts.get(account.id, 1)
        mine = {budget: max(min(limit, 1), floor(limit / part)) for budget, limit in view.limits.items()}
        senders[account.id] = SimulatedSender(replace(view, limits=mine), account.channel, account.free_at)
    query = (
        sa.select(Action.sender_id, Action.at, Action.budget, Action.follow_up)
        .where(Action.sender_id.in_(senders), Action.at > at - WEEK, Action.state.in_(usage.COUNTED))
        .order_by(Action.at)
    )
    for sender_id, moment, budget, follow_up in session().execute(query):
        senders[sender_id].did(budget, moment, follow_up)
    return list(senders.values())


def with_invitations(senders: Sequence[SimulatedSender], people: Sequence[SimulatedLead], at: datetime) -> None:
    """Add each sender's invitations of the last weeks: how many were accepted decides how many more go out."""
    known, by_id = {person.id: person for person in people}, {sender.view.id: sender for sender in senders}
    for row in invite_health.sent_invitations(by_id, at):
        one = SimulatedInvitation(row.at, row.accepted_at, row.withdrawn_at)
        by_id[row.sender_id].invitations.append(one)
        person = known.get(row.campaign_lead_id or 0)
        if person and person.connection == Connection.SENT and not one.withdrawn_at:
            person.invitation = one


def people_of(
    workspace: Workspace, campaign: Campaign, accounts: Sequence[Account], at: datetime, most: int
) -> list[SimulatedLead]:
    """Return the active people, and those who come back on a date, then those of the list still to be enrolled."""
    names = (
        "id person_id campaign_id account_id mailbox_id wait_for_profile state step part sender_id next_budget due_at"
        " connection invited_at accepted_at contacted last_action_at route skip_steps step_due_at"
    ).split()
    query = (
        sa.select(*(getattr(_P, name) for name in names), (Person.email != "").label("has_email"), _P.messages_sent)
        .add_columns(Person.location)
        .join(Person, Person.id == _P.person_id)
        .where(_P.campaign_id == campaign.id, sa.or_(_P.state.in_(OPEN_STATES), _BACK))
        .order_by(_P.due_at, _P.id)
        .limit(most)
    )
    messages = [STEPS[step["type"]].is_message for step in campaign.sequence]
    walkers = []
    for row in session().execute(query):
        known = {name: getattr(row, name) for name in names} | {"due_at": row.due_at or at}
        walker = SimulatedLead(**known, has_email=row.has_email, place=places.place_of(row.location))
        walker.messages = min(row.messages_sent, sum(messages[: row.step + (row.part > 0)]))
        walkers.append(walker)
    _know_facts(Flow.of(campaign), walkers, at)
    if assignment.any_in(campaign.sequence):
        had = variants.had(walker.id for walker in walkers)
        for walker in walkers:
            walker.variants = had.get(walker.id, {})
    return walkers + _to_come(workspace, campaign, accounts, at, most - len(walkers))


_APART = 2**32  # larger than any campaign id: makes one key of a lead and a campaign, as a lead may join several


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
        unique = -row.id * _APART - campaign.id
        walker = SimulatedLead(unique, account, mailbox, bool(row.has_email), row.person_id, campaign.id)
        walker.place = places.place_of(row.location)
        walker.wait_for_profile = campaign.wait_for_profile and not row.has_profile
        found.append(walker)
    _know_facts(flow, found, begins)
    friends = connections.known(workspace.id, {walker.person_id: walker.account_id for walker in found})
    for walker in found:
        if walker.person_id in friends:
            walker.connection = Connection.ACCEPTED
        walker.goes_to(next_step.first_place(flow, LeadStatus.of(walker, walker.has_email, walker.facts), begins))
    # People past the last step have nothing left to do.
    return [walker for walker in found if walker.step < len(flow.sequence)]


def _forecast_from(scene: Scene, course: Simulation, campaign: SimulatedCampaign, number: int) -> Forecast:
    workspace, measured = scene.workspace, scene.measured
    zone = ZoneInfo(workspace.timezone)

    def days_of(moments: Sequence[datetime]) -> Counter[date]:
        return Counter(moment.astimezone(zone).date() for moment in moments)

    done: dict[date, Counter[str]] = {}
    for action in campaign.actions:
        done.setdefault(action.at.astimezone(zone).date(), Counter())[action.budget] += 1
    accepted, answered, ended = days_of(campaign.accepted), days_of(campaign.answered), days_of(campaign.ended)
    known = sorted({*done, *accepted, *answered, *ended})
    days = []
    if known:
        for offset in range((known[-1] - known[0]).days + 1):
            day = known[0] + timedelta(days=offset)
            days.append(Day(day, done.get(day, Counter()), accepted[day], answered[day], ended[day]))
    ends = max(campaign.ended, default=None) if course.complete else None
    asked = [measured.replies, *([measured.acceptance] if invites(scene.campaign) else [])]
    spread = sum(spread_of(one.share, one.people) ** 2 for one in asked) ** 0.5
    return Forecast(
        people=number,
        days=days,
        first_action_at=campaign.actions[0].at if campaign.actions else None,
        first_reply_at=min(campaign.answered, default=None),
        finishes_at=ends,
        left=len(course.people),
        stuck=_stuck(course),
        assumptions=Assumptions(
            measured.acceptance,
            measured.replies,
            measured.rates.accept_after.median,
            measured.rates.reply_after.median,
            max((len(names) for names in scene.shared.values()), default=0),
        ),
        actions=campaign.actions,
        replies=reply_range(len(campaign.answered), 0, spread),
        finishes_between=end_range(scene.at, ends, scene.view.end_date) if ends else None,
        constraint=_constraint(scene, campaign, number),
    )


def _constraint(scene: Scene, campaign: SimulatedCampaign, number: int) -> Constraint | None:
    """Return the limit that delays due people most; None when none delays them for long."""
    found: defaultdict[tuple[str, str], timedelta] = defaultdict(timedelta)
    for (_, budget, code), waited in campaign.held.items():
        found[budget if code != "new_per_day" else "", code] += waited
    if not found:
        return None
    (budget, code), waited = max(found.items(), key=lambda item: item[1])
    if waited < HELD_LONG * max(number, 1):
        return None
    who = {sender_id for sender_id, its, why in campaign.held if why == code and its in (budget, budget or its)}
    named = [account for account in scene.accounts if account.id in who]
    shared = dict.fromkeys(name for account in named for name in scene.shared.get(account.id, ()))
    limit = {
        "new_per_day": scene.campaign.new_per_day or 0,
        "weekly_limit": sum(limits.invites_per_week(account.limits.get(Budget.INVITE, 0)) for account in named),
        "all_limit": limits.ALL_SOCIAL * len(named),
        "pending_invites": limits.PENDING_MOST * len(named),
    }.get(code)
    pace = limits.pace(budget, named, scene.at) if limit is None else limits.Pace(limit, limit)
    ramp = (pace.now, pace.full_from) if pace.full_from else None
    return Constraint(code, budget, pace.full, tuple(account.name for account in named), tuple(shared), ramp)


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
_OF_SENDER = "id status active limits rests timezone work_days work_start work_end country absences paced".split()


def find_cached(workspace: Workspace, campaign_id: int) -> tuple[Forecast, datetime] | None:
    """Return the stored forecast and its time; None when there is none for the current settings."""
    campaign = campaigns.get(workspace, campaign_id)
    known = session().get(CampaignForecast, campaign_id)
    if known is None or known.basis != basis_of(workspace, campaign):
        return None
    age = workspace.now() - known.made_at
    return (forecast_shape.from_body(known.body), known.made_at) if timedelta() <= age < YOUNG else None


def make_cached(workspace: Workspace, campaign_id: int) -> tuple[Forecast, datetime]:
    """Make the forecast of the campaign and store it."""
    campaign, at = campaigns.get(workspace, campaign_id), workspace.now()
    basis, found = basis_of(workspace, campaign), forecast(workspace, campaign_id)
    row = {
        "campaign_id": campaign_id,
        "workspace_id": workspace.id,
        "basis": basis,
        "body": forecast_shape.to_body(found),
    }
    keep = insert(CampaignForecast).values(**row, made_at=at)
    changes = {name: keep.excluded[name] for name in ("basis", "body", "made_at")}
    with transaction() as current:
        current.execute(keep.on_conflict_do_update(index_elements=["campaign_id"], set_=changes))
    return found, at


def basis_of(workspace: Workspace, campaign: Campaign) -> str:
    """Return a hash of the campaign, its list and its senders; progress since then only shows in the age."""
    senders = sa.select(*(getattr(Account, name) for name in _OF_SENDER)).where(
        Account.workspace_id == workspace.id, Account.id.in_(campaign.sender_ids)
    )
    size = sa.select(LeadList.lead_count).where(LeadList.id == campaign.list_id, LeadList.workspace_id == workspace.id)
    parts = [getattr(campaign, name) for name in _OF_CAMPAIGN]
    parts += [forecast_shape.VERSION, session().scalar(size), workspace.timezone, workspace.blackouts]
    return _hash([*parts, basis_of_senders(session().execute(senders.order_by(Account.id)))])


def basis_of_senders(senders: Iterable[Any]) -> str:
    """Return a hash of what a forecast takes from senders."""
    return _hash([[getattr(row, name) for name in _OF_SENDER] for row in senders])


def _hash(parts: Any) -> str:
    return f"{crc32(json.dumps(parts, default=str, sort_keys=True).encode()):08x}"


def keep(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Store the forecast of a campaign that began or was changed, to compare the actual numbers with it."""
    try:
        found, at = make_cached(workspace, payload["campaign"])
    except NotFound:  # the campaign was deleted meanwhile
        return
    kept_forecasts.store(workspace, payload["campaign"], payload["cause"], found, at)
