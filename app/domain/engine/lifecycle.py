"""Lifecycle: what time alone changes (campaigns start and end, enrolment continues, waits and pauses end)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core import claims, clock
from app.core.db import MAX_ID, fetch, session
from app.domain.billing import plans, subscriptions
from app.domain.campaigns import campaigns, enrolment, variants
from app.domain.campaigns.changes import changes, revive
from app.domain.campaigns.simulation import kept_forecasts
from app.domain.engine import campaign_tasks, joiners
from app.domain.leads.campaign_leads import campaign_leads, expired_drafts
from app.domain.platform import locks
from app.domain.webhooks import events
from app.domain.webhooks.events import NewEvent
from app.models.accounts import Account, AccountStatus
from app.models.approvals import Approval
from app.models.campaigns import (
    ASK,
    CAMPAIGN,
    LIVE,
    TIMERS,
    Campaign,
    CampaignAccount,
    CampaignLead,
    CampaignList,
    CampaignRevision,
    CampaignStats,
    CampaignStatus,
    Connection,
    LeadState,
)
from app.models.leads import Lead
from app.models.ledger import Action
from app.models.monitors import Monitor
from app.models.tasks import Task
from app.models.workspaces import Subscription, Workspace, moved

REVIVED_WITHIN = timedelta(days=30)  # a failed campaign goes on by itself when a sender is connected again
HOPELESS_AFTER = timedelta(days=7)  # without any sender that can act, a campaign has failed
CHUNK = 200
MANY = 10_000
S = CampaignStatus


def due(most: int, busy: claims.Busy = claims.NONE_BUSY) -> list[claims.Due]:
    """Return workspaces in which something fell due, also after a missed wake-up or a moved clock."""
    real = clock.now()
    given = {"at": real, "lately": real - REVIVED_WITHIN, **busy.parameters}
    found = {row.id for query in _DUE for row in fetch(query, **given)}
    for row in fetch(_AHEAD, **given):
        here = moved(real, row.clock_offset)
        if any(moment <= here for moment in row[2:] if moment):
            found.add(row.id)
    return [claims.Due(workspace_id, workspace_id) for workspace_id in sorted(found)][:most]


def run_due() -> int:
    """Do everything that fell due in any workspace; return the number of changes."""
    return sum(run_one(found.key) for found in due(MANY)) + fail_hopeless()


def run_one(workspace_id: int) -> int:
    """Do everything that fell due in this workspace; return the number of changes."""
    workspace = session().get(Workspace, workspace_id, populate_existing=True)
    return run(workspace) if workspace else 0


def fail_hopeless() -> int:
    """Fail the campaigns without any usable sender for seven days; return how many."""
    found = fetch(_HOPELESS_SOMEWHERE, since=clock.now() - HOPELESS_AFTER)
    return sum(run_one(row.id) for row in found)


def run(workspace: Workspace) -> int:
    """Do everything that fell due in this workspace; return the number of changes."""
    at = workspace.now()
    steps: list[Callable[[Workspace, datetime], int]] = [
        subscriptions.reach,
        _lock,
        _open,
        _enrol,
        _join,
        _revive,
        _continue_changes,
        _end_waits,
        _reach_steps,
        expired_drafts.expire,
        campaign_tasks.expire,
        _reach_end_date,
        variants.pick,
    ]
    return sum(step(workspace, at) for step in [*steps, _finish, _fail])


def next_moment(workspace_id: int) -> datetime | None:
    """Return the next time at which something falls due in a workspace."""
    moments = fetch(_NEXT, workspace=workspace_id)[0]
    return min((moment for moment in moments if moment), default=None)


_PEOPLE: Any = CampaignLead.__table__
_CAMPAIGNS: Any = Campaign.__table__
_STATS: Any = CampaignStats.__table__
_WORKSPACES: Any = Workspace.__table__
_DRAFTS: Any = Approval.__table__
_MONITORS: Any = Monitor.__table__
_LEADS: Any = Lead.__table__
_TASKS: Any = Task.__table__
# A person paused manually during the wait after the last step stays paused.
_TIMED = sa.and_(
    _PEOPLE.c.next_budget.in_([sa.literal_column(f"'{timer}'") for timer in TIMERS]),
    _PEOPLE.c.state
    == sa.case(
        (_PEOPLE.c.next_budget == "back", LeadState.PAUSED),
        (_PEOPLE.c.next_budget == ASK, LeadState.AWAITING_ACCEPT),
        else_=LeadState.ACTIVE,
    ),
)
# People whose next step is due before their pending invitation could be withdrawn.
_NOT_WITHDRAWN = sa.and_(
    _PEOPLE.c.step_due_at.is_not(None),
    _PEOPLE.c.state == LeadState.AWAITING_ACCEPT,
    _PEOPLE.c.next_budget == "withdraw",
    _PEOPLE.c.due_at.is_not(None),
)
_OF_WORKSPACE = _CAMPAIGNS.c.workspace_id == sa.bindparam("workspace")
# Campaigns open for new people, and the people who joined their lists since the last look.
_LISTS: Any = CampaignList.__table__
_LATER = _LEADS.c.id > _CAMPAIGNS.c.joined_to
_HAS_NEW = sa.and_(
    _CAMPAIGNS.c.status == S.RUNNING,
    _CAMPAIGNS.c.joins_per_day.is_not(None),
    sa.or_(
        sa.exists().where(_LEADS.c.list_id == _CAMPAIGNS.c.list_id, _LATER),
        sa.exists().where(_LISTS.c.campaign_id == _CAMPAIGNS.c.id, _LEADS.c.list_id == _LISTS.c.list_id, _LATER),
    ),
)


def _next_due_columns(workspace_id: Any) -> list[Any]:
    """Return SQL expressions, one per kind of work, for when it next falls due in the workspace."""
    mine = _CAMPAIGNS.c.workspace_id == workspace_id
    starts = sa.select(sa.func.min(_CAMPAIGNS.c.start_date)).where(mine, _CAMPAIGNS.c.status == S.SCHEDULED)
    ends = sa.select(sa.func.min(_CAMPAIGNS.c.end_date)).where(mine, _CAMPAIGNS.c.status == S.RUNNING)
    timers = sa.select(sa.func.min(_PEOPLE.c.due_at)).join(_CAMPAIGNS, _CAMPAIGNS.c.id == _PEOPLE.c.campaign_id)
    steps = sa.select(sa.func.min(_PEOPLE.c.step_due_at)).join(_CAMPAIGNS, _CAMPAIGNS.c.id == _PEOPLE.c.campaign_id)
    drafts = sa.select(sa.func.min(_DRAFTS.c.expires_at)).join(_CAMPAIGNS, _CAMPAIGNS.c.id == _DRAFTS.c.campaign_id)
    tasks = sa.select(sa.func.min(_TASKS.c.continues_at))
    asked = sa.select(sa.func.min(_CAMPAIGNS.c.pick_winner_at)).where(mine, _CAMPAIGNS.c.status == S.RUNNING)
    joins = sa.select(sa.func.min(_CAMPAIGNS.c.joins_at)).where(mine, _HAS_NEW)
    return [
        starts.scalar_subquery(),
        ends.scalar_subquery(),
        timers.where(mine, _TIMED, _CAMPAIGNS.c.status == S.RUNNING).scalar_subquery(),
        steps.where(mine, _NOT_WITHDRAWN, _CAMPAIGNS.c.status == S.RUNNING).scalar_subquery(),
        drafts.where(_DRAFTS.c.workspace_id == workspace_id, _DRAFTS.c.status == "pending")
        .where(_CAMPAIGNS.c.status == S.RUNNING)
        .scalar_subquery(),
        asked.scalar_subquery(),
        joins.scalar_subquery(),
        tasks.where(_TASKS.c.workspace_id == workspace_id, _TASKS.c.campaign_lead_id.in_(campaign_tasks.OF_RUNNING))
        .where(_TASKS.c.done_at.is_(None))
        .scalar_subquery(),
        subscriptions.end_of(workspace_id),
    ]


_NEXT = sa.select(*_next_due_columns(sa.bindparam("workspace")))


def _each(workspace: Workspace, ids: Iterable[int], change: Callable[[Campaign], None]) -> int:
    """Apply `change` to each campaign, each read fresh in its own transaction; return how many."""
    number = 0
    for campaign_id in ids:
        with locks.changing(workspace.id) as current:
            query = sa.select(Campaign).where(Campaign.id == campaign_id, Campaign.workspace_id == workspace.id)
            found = current.scalars(query.with_for_update().execution_options(populate_existing=True)).one_or_none()
            if found is not None:  # else it was deleted meanwhile
                change(found)
        number += 1
    return number


def _those(*where: Any) -> sa.Select[Any]:
    """Select the ids of a workspace's campaigns that match."""
    return sa.select(_CAMPAIGNS.c.id).where(_OF_WORKSPACE, *where).order_by(_CAMPAIGNS.c.id)


def _ids(those: sa.Select[Any], workspace: Workspace, **given: datetime) -> Sequence[int]:
    return [row.id for row in fetch(those, workspace=workspace.id, **given)]


_C: Any = _CAMPAIGNS.c
_AT = sa.bindparam("at", type_=_C.start_date.type)
_LOCKED = _those(_C.status == S.LOCKED)
_LIVE = _those(_C.status.in_(LIVE))
_STARTING = _those(_C.status == S.STARTING)
_REVISIONS: Any = CampaignRevision.__table__
_MAY_CHANGE = [S.SCHEDULED, S.RUNNING, S.PAUSED]
_CHANGES = sa.exists().where(_REVISIONS.c.campaign_id == _C.id, _REVISIONS.c.is_open)
_ENROLS = sa.exists().where(_LISTS.c.campaign_id == _C.id, _LISTS.c.enrolled_to < MAX_ID)
_CHANGING = _those(_C.status.in_(_MAY_CHANGE), _CHANGES)
_MAY_JOIN = sa.and_(
    _HAS_NEW,
    sa.or_(_C.joins_at.is_(None), _C.joins_at <= _AT),
    sa.or_(_C.end_date.is_(None), _C.end_date > _AT),
)
_JOINING = _those(_MAY_JOIN)
_TO_BEGIN = _those(_C.status == S.SCHEDULED, _C.start_date <= _AT)


def _lock(workspace: Workspace, at: datetime) -> int:
    """Lock the live campaigns of a workspace that may not contact people; once it may again, leave them paused."""

    def lock(campaign: Campaign) -> None:
        if CAMPAIGN.allows(campaign, "lock"):
            CAMPAIGN.move(campaign, "lock")
            campaign.error = "The workspace can't contact people right now."

    def unlock(campaign: Campaign) -> None:
        if CAMPAIGN.allows(campaign, "unlock"):
            CAMPAIGN.move(campaign, "unlock")
            campaign.error = ""

    if workspace.may_contact:
        return _each(workspace, _ids(_LOCKED, workspace), unlock)
    return _each(workspace, _ids(_LIVE, workspace), lock)


def _open(workspace: Workspace, at: datetime) -> int:
    """Start enrolment for scheduled campaigns whose start date has come."""

    def begin(campaign: Campaign) -> None:
        if CAMPAIGN.allows(campaign, "open"):
            CAMPAIGN.move(campaign, "open")
            if campaign.started_at is None:
                campaign.started_at = at
                campaigns.tell(campaign, "campaign_started", at)
            kept_forecasts.keep_forecast(workspace, campaign)

    return _each(workspace, _ids(_TO_BEGIN, workspace, at=at), begin)


def _enrol(workspace: Workspace, at: datetime) -> int:
    """Enrol the next chunk of each starting campaign."""

    def go_on(campaign: Campaign) -> None:
        if campaign.status == S.STARTING:
            campaigns.enrol_on(campaign, at)

    return _each(workspace, _ids(_STARTING, workspace), go_on)


def _join(workspace: Workspace, at: datetime) -> int:
    """Let the next people of their lists join open campaigns."""

    def let_in(campaign: Campaign) -> None:
        if campaign.status == S.RUNNING and campaign.joins_per_day is not None:
            joiners.join(campaign, at)

    return _each(workspace, _ids(_JOINING, workspace, at=at), let_in)


def _continue_changes(workspace: Workspace, at: datetime) -> int:
    """Continue changes to campaigns' steps that are not yet applied to all people."""

    def go_on(campaign: Campaign) -> None:
        changes.go_on(workspace, campaign)

    return _each(workspace, _ids(_CHANGING, workspace), go_on)


_OVER = (
    sa.select(_PEOPLE.c.id)
    .join(_CAMPAIGNS, _C.id == _PEOPLE.c.campaign_id)
    .where(_PEOPLE.c.workspace_id == sa.bindparam("workspace"), _TIMED, _PEOPLE.c.due_at <= _AT)
    .where(_C.status == S.RUNNING)
    .order_by(_PEOPLE.c.due_at)
    .limit(CHUNK)
)


def _locked(ids: Sequence[int], *where: sa.ColumnElement[bool]) -> Iterator[tuple[Campaign, CampaignLead, Lead]]:
    """Yield these people as they are now, each with campaign and lead. In a transaction that locks the workspace."""
    current = session()
    locked = sa.select(CampaignLead).where(CampaignLead.id.in_(ids), *where).order_by(CampaignLead.id)
    for person in current.scalars(locked.with_for_update().execution_options(populate_existing=True)).all():
        yield current.get_one(Campaign, person.campaign_id), person, current.get_one(Lead, person.lead_id)


def _end_waits(workspace: Workspace, at: datetime) -> int:
    """Finish people whose last wait is over, resume people who are back from absence, and check conditions again."""
    ids = _ids(_OVER, workspace, at=at)
    if not ids:
        return 0
    with locks.changing(workspace.id) as current:
        happenings = []
        for campaign, person, lead in _locked(ids):
            if person.due_at is None or person.due_at > at:
                continue
            if person.state == LeadState.PAUSED and person.next_budget == "back":
                campaign_leads.resume_one(campaign, person, bool(lead.email), at)
            elif person.state == LeadState.AWAITING_ACCEPT and person.next_budget == ASK:
                campaign_leads.go_on(campaign, person, bool(lead.email), at)
            elif person.state == LeadState.ACTIVE and person.next_budget == "end":
                happenings.append(_finish_person(campaign, lead, person, at))
        current.flush()
        events.record(workspace.id, happenings)
    return len(ids)


_STEPS_DUE = (
    sa.select(_PEOPLE.c.id)
    .join(_CAMPAIGNS, _C.id == _PEOPLE.c.campaign_id)
    .where(_PEOPLE.c.workspace_id == sa.bindparam("workspace"), _NOT_WITHDRAWN, _PEOPLE.c.step_due_at <= _AT)
    .where(_C.status == S.RUNNING)
    .order_by(_PEOPLE.c.step_due_at)
    .limit(CHUNK)
)


def _reach_steps(workspace: Workspace, at: datetime) -> int:
    """Move people on to a step that fell due before their pending invitation could be withdrawn."""
    ids = _ids(_STEPS_DUE, workspace, at=at)
    if not ids:
        return 0
    with locks.changing(workspace.id):
        for campaign, person, lead in _locked(ids, _NOT_WITHDRAWN):
            campaign_leads.go_on(campaign, person, bool(lead.email), at)
    return len(ids)


def _finish_person(campaign: Campaign, lead: Lead, person: CampaignLead, at: datetime) -> NewEvent:
    error = person.error
    if error and not person.contacted:
        campaign_leads.finish(person, "fail", "refused", at, error)
    else:
        not_accepted = person.invited_at is not None and person.connection != Connection.ACCEPTED
        if not_accepted or person.last_action_at:
            reason = "not_accepted" if not_accepted else "no_reply"
        else:
            acted = session().scalar(sa.select(sa.exists().where(Action.campaign_lead_id == person.id)))
            reason = "all_skipped" if acted else "no_step"
        campaign_leads.finish(person, "finish", reason, at)
    account = session().get(Account, person.account_id or person.mailbox_id or 0)
    about = {"campaign": campaign, "lead": lead, "account": account, "progress": person}
    return events.new("lead_finished_without_reply", at, about)


def _reach_end_date(workspace: Workspace, at: datetime) -> int:
    """Stop active people of campaigns whose end date has passed."""

    def stop(campaign: Campaign) -> None:
        if campaign.status == S.RUNNING:
            enrolment.stop_all(campaign, "campaign_ended", at)

    return _each(workspace, _ids(_PAST_END, workspace, at=at), stop)


_OPEN = _STATS.c.pending + _STATS.c.active + _STATS.c.awaiting_accept + _STATS.c.paused
_UNFINISHED = sa.exists().where(_STATS.c.campaign_id == _C.id, _OPEN > 0)
_PAST_END = _those(_C.status == S.RUNNING, _C.end_date <= _AT, _UNFINISHED)
# A campaign that a monitor fills, or that is open for new people, waits for more people until its end date.
_WAITS_FOR_MORE = sa.or_(_C.joins_per_day.is_not(None), sa.exists().where(_MONITORS.c.campaign_id == _C.id))
_DONE = _those(
    _C.status == S.RUNNING,
    sa.exists().where(_STATS.c.campaign_id == _C.id, _OPEN == 0),
    ~_ENROLS,
    sa.or_(~_WAITS_FOR_MORE, _C.end_date <= _AT),
)


def _finish(workspace: Workspace, at: datetime) -> int:
    """Finish the running campaigns that have no active people left; each only once."""

    def finish(campaign: Campaign) -> None:
        if CAMPAIGN.allows(campaign, "finish") and campaign.id in _ids(_DONE, workspace, at=at):
            CAMPAIGN.move(campaign, "finish")
            campaign.ended_at = at
            once = f"campaign_completed:{campaign.id}"
            events.record(workspace.id, [events.new("campaign_completed", at, {"campaign": campaign}, once)])

    return _each(workspace, _ids(_DONE, workspace, at=at), finish)


_USABLE = (
    sa.select(CampaignAccount.campaign_id)
    .join(Account, Account.id == CampaignAccount.account_id)
    .where(
        sa.or_(
            Account.status == AccountStatus.CONNECTED,
            Account.status_at.is_(None),
            Account.status_at > sa.bindparam("since", type_=Account.status_at.type),
        )
    )
)
_HOPELESS = _those(_C.status == S.RUNNING, _C.id.not_in(_USABLE))


_RUNNING_IN = sa.select(_C.workspace_id.label("id")).where(_C.status == S.RUNNING).distinct()
_HOPELESS_SOMEWHERE = _RUNNING_IN.where(_C.id.not_in(_USABLE))


def _fail(workspace: Workspace, at: datetime) -> int:
    """Fail running campaigns that had no usable sender for seven days."""

    def fail(campaign: Campaign) -> None:
        if CAMPAIGN.allows(campaign, "fail"):
            CAMPAIGN.move(campaign, "fail")
            campaign.ended_at = at
            campaign.error = (
                "For 7 days, no sender was connected. The campaign resumes if you connect a sender within 30 days."
            )
            enrolment.stop_all(campaign, "account_disconnected", at)

    return _each(workspace, _ids(_HOPELESS, workspace, since=at - HOPELESS_AFTER), fail)


_BACK = (
    sa.exists()
    .where(CampaignAccount.campaign_id == _C.id, CampaignAccount.account_id == Account.id)
    .where(Account.status == AccountStatus.CONNECTED, Account.active.is_(True))
)
_SINCE = sa.bindparam("since", type_=_C.ended_at.type)
_REVIVED = _those(_C.status == S.FAILED, _C.ended_at > _SINCE, _BACK)


def _revive(workspace: Workspace, at: datetime) -> int:
    """Resume recently failed campaigns when one of their senders is connected again."""

    def go_on(campaign: Campaign) -> None:
        if CAMPAIGN.allows(campaign, "revive") and plans.has_room(workspace, "running_campaigns"):
            revive.begin(workspace, campaign)

    if not workspace.may_contact:
        return 0
    return _each(workspace, _ids(_REVIVED, workspace, since=at - REVIVED_WITHIN), go_on)


_MAY_CONTACT = sa.and_(_WORKSPACES.c.suspended_at.is_(None), _WORKSPACES.c.subscription != Subscription.ENDED)
_OPEN_ONES = [S.SCHEDULED, S.STARTING, S.RUNNING, S.LOCKED]
_BY_STATUS = (
    sa.select(_C.workspace_id.label("id"))
    .join(_WORKSPACES, _WORKSPACES.c.id == _C.workspace_id)
    .join(_STATS, _STATS.c.campaign_id == _C.id)
    .where(_C.status.in_([sa.literal_column(f"'{status}'") for status in _OPEN_ONES]))
    .where(
        sa.or_(
            _C.status == S.STARTING,
            sa.and_(_C.status == S.SCHEDULED, _C.start_date <= _AT),
            sa.and_(_C.status == S.RUNNING, _OPEN == 0, ~_WAITS_FOR_MORE, ~_ENROLS),
            _MAY_JOIN,
            sa.and_(_C.status == S.RUNNING, _C.end_date <= _AT),
            sa.and_(_C.status == S.RUNNING, _C.pick_winner_at <= _AT),
            sa.and_(_C.status == S.LOCKED, _MAY_CONTACT),
            sa.and_(_C.status != S.LOCKED, ~_MAY_CONTACT),
        )
    )
    .distinct()
)
_BY_CHANGE = sa.select(_C.workspace_id.label("id")).where(_C.status.in_(_MAY_CHANGE), _CHANGES).distinct()
_BY_REVIVAL = (
    sa.select(_C.workspace_id.label("id"))
    .where(_C.status == S.FAILED, _C.ended_at > sa.bindparam("lately", type_=_C.ended_at.type), _BACK)
    .distinct()
)
_BY_STEP = (
    sa.select(_PEOPLE.c.workspace_id.label("id"))
    .join(_CAMPAIGNS, _C.id == _PEOPLE.c.campaign_id)
    .where(_NOT_WITHDRAWN, _PEOPLE.c.step_due_at <= _AT, _C.status == S.RUNNING)
    .distinct()
)
_BY_TIMER = (
    sa.select(_PEOPLE.c.workspace_id.label("id"))
    .join(_CAMPAIGNS, _C.id == _PEOPLE.c.campaign_id)
    .where(_TIMED, _PEOPLE.c.due_at <= _AT, _C.status == S.RUNNING)
    .distinct()
)
_BY_DRAFT = (
    sa.select(_DRAFTS.c.workspace_id.label("id"))
    .join(_CAMPAIGNS, _C.id == _DRAFTS.c.campaign_id)
    .where(_DRAFTS.c.status == sa.literal_column("'pending'"), _DRAFTS.c.expires_at <= _AT, _C.status == S.RUNNING)
    .distinct()
)
_PERIOD_END = subscriptions.next_period_end()
_BY_PERIOD = sa.select(_WORKSPACES.c.id).where(subscriptions.is_due(_AT))
_DUE = [
    claims.leave_out_busy(query, column, column)
    for query, column in (
        (_BY_STATUS, _C.workspace_id),
        (_BY_CHANGE, _C.workspace_id),
        (_BY_REVIVAL, _C.workspace_id),
        (_BY_TIMER, _PEOPLE.c.workspace_id),
        (_BY_STEP, _PEOPLE.c.workspace_id),
        (_BY_DRAFT, _DRAFTS.c.workspace_id),
        (_BY_PERIOD, _WORKSPACES.c.id),
    )
]
# Sandbox clocks only run ahead: this finds workspaces with work due by their own clock, but not yet in real time.
_AHEAD = claims.leave_out_busy(
    sa.select(_WORKSPACES.c.id, _WORKSPACES.c.clock_offset, *_next_due_columns(_WORKSPACES.c.id), _PERIOD_END).where(
        _WORKSPACES.c.clock_offset != sa.literal_column("0")
    ),
    _WORKSPACES.c.id,
    _WORKSPACES.c.id,
)
