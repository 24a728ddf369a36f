"""Engine status: how many units wait, are late, run or failed, by kind of unit.

Counts stop at MOST: a backlog of a million rows must not make every look at it slow. Sandboxes whose clock was moved
are left out where rows wait in a workspace's own time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core import claims
from app.core.db import session
from app.domain.engine import turns
from app.domain.engine.inbound import poll
from app.domain.leads.campaign_leads import open_tasks
from app.domain.rules.schedules import quiet_hours
from app.models.accounts import STUCK, Account, AccountStatus
from app.models.autopilot import Setup, SourceConnection
from app.models.campaigns import TIMERS, Campaign, CampaignLead, CampaignStatus
from app.models.conversations import Conversation, Message, MessageStatus
from app.models.crm import CrmFlow, Way
from app.models.ledger import BY_HAND_STEP, Action, ActionState
from app.models.monitors import Monitor
from app.models.platform.jobs import Job, JobState
from app.models.webhooks import Delivery, DeliveryState, Event
from app.models.workspaces import Subscription, Workspace

LATE = timedelta(minutes=1)  # after the moment at which a unit fell due
RECENT = timedelta(days=1)  # in which failures are counted
MOST = 10_000
LABELS = {
    "turn": "Sender turns",
    "inbox": "Inboxes to read",
    "message": "Manual messages",
    "lookup": "Outcomes to look up",
    "job": "Background jobs",
    "delivery": "Webhook deliveries",
    "campaign": "Campaigns to start or update",
    "source": "Sources to refresh",
    "monitor": "Monitors to run",
    "crm_in": "CRMs to read",
    "crm_out": "CRMs to write",
    "alert": "Alerts",
}


@dataclass(frozen=True, slots=True)
class Queue:
    """The units of one kind. `due` wait for a free engine, `late` of them for over a minute; `failed` since yesterday.

    Of campaigns, sources, monitors, CRMs, inboxes and alerts, `failed` are those that stand still until someone acts.
    """

    kind: str
    due: int = 0
    late: int = 0
    running: int = 0
    failed: int = 0
    oldest_due_at: datetime | None = None


def queues(now: datetime) -> list[Queue]:
    """Return the state of every kind of unit at that moment, in real time."""
    return [Queue(kind, *look(now)) for kind, look in _LOOKS.items()]


def open_intents() -> int:
    """Return how many actions were started and have no known outcome yet."""
    return _scalar(_OPEN_INTENTS)


Selected = sa.Select[*tuple[Any, ...]]
Counts = tuple[int, int, int, int, datetime | None]  # due, late, running, failed, oldest


def _literal(word: str) -> sa.ColumnElement[str]:
    """Return the word as an SQL literal, not a parameter: else a partial index would not be used."""
    return sa.literal_column(f"'{word}'")


_REAL_TIME = sa.select(Workspace.id).where(Workspace.clock_offset == 0)
_NOW = sa.bindparam("now", type_=Job.due_at.type)
_LATE = sa.bindparam("late", type_=Job.due_at.type)
_SINCE = sa.bindparam("since", type_=Job.due_at.type)


def _count_leased(model: Any, due: Any, *where: sa.ColumnElement[bool], through: Any = _NOW) -> Selected:
    """Select due, late, running and the oldest moment of rows that wait for `due` and are claimed by a lease."""
    rows = (
        sa.select(due.label("due"), model.claimed_until.label("until"))
        .where(due <= through, *where)
        .order_by(due)
        .limit(MOST)
        .subquery()
    )
    free = sa.and_(sa.or_(rows.c.until.is_(None), rows.c.until <= _NOW), rows.c.due <= _NOW)
    return sa.select(
        _number(free),
        _number(free, rows.c.due <= _LATE),
        _number(rows.c.until > _NOW),
        sa.func.min(sa.case((free, rows.c.due)), type_=Job.due_at.type),
    )


def _count_waiting(waiting: Any, running: Any) -> Selected:
    """Select the same for rows without a lease: `waiting` selects their times as `due`, `running` a count."""
    rows = waiting.limit(MOST).subquery()
    return sa.select(
        sa.func.count(),
        _number(rows.c.due <= _LATE),
        running,
        sa.func.min(rows.c.due, type_=Job.due_at.type),
    ).select_from(rows)


def _number(*conditions: Any) -> sa.ColumnElement[int]:
    return sa.func.count(sa.case((sa.and_(*conditions), 1)))


def _failed(model: Any, moment: Any, state: str, *where: sa.ColumnElement[bool]) -> Selected:
    rows = sa.select(model.id).where(model.state == _literal(state), moment > _SINCE, *where).limit(MOST).subquery()
    return sa.select(sa.func.count()).select_from(rows)


_NONE = sa.literal(0)
# If the process of a running turn dies, the turn is due again at the end of its lease.
_IN_A_LEASE = sa.bindparam("lease_end", type_=Job.due_at.type)
_TURNS = _count_leased(Account, Account.turn_at, Account.workspace_id.in_(_REAL_TIME), through=_IN_A_LEASE)
_OURS = Action.workspace_id.in_(_REAL_TIME)
_TURNS_FAILED = _failed(Action, Action.settled_at, ActionState.FAILED, Action.step != BY_HAND_STEP, _OURS)
_ABLE = (Account.active.is_(True), Account.status.in_([AccountStatus.CONNECTED, AccountStatus.UNKNOWN]))
_INBOXES = _count_waiting(
    sa.select(sa.func.coalesce(Account.polled_at, Account.created_at).label("due")).where(
        Account.status == AccountStatus.CONNECTED, sa.or_(Account.polled_at.is_(None), Account.polled_at <= _NOW)
    ),
    _NONE,
)
_INBOXES_FAILED = sa.select(sa.func.count()).where(Account.active.is_(True), Account.status.in_(STUCK))
_MESSAGES = _count_waiting(
    sa.select(Message.due_at.label("due"))
    .join(Conversation, Conversation.id == Message.conversation_id)
    .join(Account, Account.id == Conversation.sender_id)
    .join(Workspace, Workspace.id == Message.workspace_id)
    .where(
        Message.due_at <= _NOW,
        Message.status == MessageStatus.QUEUED,
        Workspace.clock_offset == 0,
        Workspace.suspended_at.is_(None),
        Workspace.subscription != Subscription.ENDED,
        *_ABLE,
    ),
    sa.select(sa.func.count())
    .where(Action.check_at.is_not(None), Action.step == BY_HAND_STEP, Action.state == ActionState.SENDING)
    .scalar_subquery(),
)
_LOOKUPS = _count_waiting(
    sa.select(Action.check_at.label("due")).where(
        Action.check_at <= _NOW,
        Action.state.in_([ActionState.SENDING, ActionState.UNKNOWN]),
        # Not joined: SQLite would go over all actions of every sender.
        sa.exists().where(
            Account.id == Action.sender_id,
            Account.status == AccountStatus.CONNECTED,
            claims.is_free(Account.claimed_until, _NOW),
        ),
    ),
    _NONE,
)
_MESSAGES_FAILED = _failed(Action, Action.settled_at, ActionState.FAILED, Action.step == BY_HAND_STEP, _OURS)
_JOBS = _count_leased(Job, Job.due_at)
_JOBS_FAILED = _failed(Job, Job.done_at, JobState.FAILED)
_DELIVERIES = _count_leased(Delivery, Delivery.due_at)
_DELIVERIES_FAILED = _failed(Delivery, Delivery.done_at, DeliveryState.FAILED)
_BEGINNING = (Campaign.status == CampaignStatus.SCHEDULED, Campaign.start_date <= _NOW)
_ENDING = (Campaign.status == CampaignStatus.RUNNING, Campaign.end_date <= _NOW)
_TIMED = (
    CampaignLead.next_budget.in_([_literal(timer) for timer in TIMERS]),
    CampaignLead.due_at <= _NOW,
    Campaign.status == CampaignStatus.RUNNING,
)
_MOMENTS = sa.union_all(
    sa.select(Campaign.id, Campaign.workspace_id, Campaign.start_date.label("due")).where(*_BEGINNING),
    sa.select(Campaign.id, Campaign.workspace_id, Campaign.end_date.label("due")).where(*_ENDING),
    sa.select(Campaign.id, Campaign.workspace_id, CampaignLead.due_at.label("due"))
    .join(CampaignLead, CampaignLead.campaign_id == Campaign.id)
    .where(*_TIMED),
).subquery()
_CAMPAIGNS = _count_waiting(
    sa.select(sa.func.min(_MOMENTS.c.due).label("due"))
    .where(_MOMENTS.c.workspace_id.in_(_REAL_TIME))
    .group_by(_MOMENTS.c.id),
    _NONE,
)
_CAMPAIGNS_FAILED = sa.select(sa.func.count()).where(Campaign.status == CampaignStatus.FAILED)
_SOURCES = _count_waiting(
    sa.select(SourceConnection.due_at.label("due")).where(
        SourceConnection.due_at <= _NOW, SourceConnection.stage == ""
    ),
    sa.select(sa.func.count()).where(SourceConnection.stage != "").scalar_subquery(),
)
_SOURCES_FAILED = sa.select(sa.func.count()).where(SourceConnection.failed_at.is_not(None))
_MONITORS = _count_leased(Monitor, Monitor.due_at, Monitor.workspace_id.in_(_REAL_TIME))
_MONITORS_FAILED = sa.select(sa.func.count()).where(Monitor.error != "")
_CRM_IN, _CRM_OUT = (_count_leased(CrmFlow, CrmFlow.due_at, CrmFlow.way == _literal(way)) for way in Way)
_CRM_IN_FAILED, _CRM_OUT_FAILED = (
    sa.select(sa.func.count()).where(CrmFlow.error != "", CrmFlow.way == _literal(way)) for way in Way
)
# The time of the first event that alerts have not covered, which is since when news waits.
_UNTOLD = (
    sa.select(Workspace, Setup, Event.created_at)
    .join(Setup, Setup.workspace_id == Workspace.id)
    .join(Event, sa.and_(Event.workspace_id == Workspace.id, Event.sequence == Setup.alerts_event + 1))
    .where(Setup.alerts.is_not(None), Setup.alerts_broken_at.is_(None), Workspace.clock_offset == 0)
    .limit(MOST)
)
_ALERTS_FAILED = sa.select(sa.func.count()).where(Setup.alerts_problem != "")
_ALERTS_RUNNING = sa.select(sa.func.count()).where(Job.kind == "alert", Job.due_at <= _NOW, Job.claimed_until > _NOW)
_OPEN_INTENTS = sa.select(sa.func.count()).where(  # steps that members do by hand call no provider
    Action.check_at.is_not(None),
    Action.state.in_([ActionState.SENDING, ActionState.UNKNOWN]),
    Action.kind != open_tasks.KIND,
)


def _look(counted: Selected, failed: Selected, after: timedelta = timedelta(0)) -> Callable[[datetime], Counts]:
    """Return a function that counts the units; they are due `after` the moments in their rows."""

    def look(now: datetime) -> Counts:
        due, late, running, oldest = session().execute(counted, _moments(now - after)).one()
        return due, late, running, _scalar(failed, now), oldest and oldest + after

    return look


def _look_for_alerts(now: datetime) -> Counts:
    """Count the workspaces with news that may be sent at this hour."""
    found = session().execute(_UNTOLD).all()
    since = [at for workspace, setup, at in found if quiet_hours.may_look(workspace, setup)]
    late = sum(at <= now - LATE for at in since)
    return len(since), late, _scalar(_ALERTS_RUNNING, now), _scalar(_ALERTS_FAILED, now), min(since, default=None)


def _scalar(query: Selected, now: datetime | None = None) -> int:
    return int(session().scalar(query, _moments(now) if now else {}) or 0)


def _moments(now: datetime) -> dict[str, datetime]:
    return {
        "now": now,
        "late": now - LATE,
        "since": now - RECENT,
        "lease_end": now + turns.LEASE,
    }


_LOOKS: dict[str, Callable[[datetime], Counts]] = {
    "turn": _look(_TURNS, _TURNS_FAILED),
    "inbox": _look(_INBOXES, _INBOXES_FAILED, poll.EVERY),
    "message": _look(_MESSAGES, _MESSAGES_FAILED),
    "lookup": _look(_LOOKUPS, sa.select(_NONE)),
    "job": _look(_JOBS, _JOBS_FAILED),
    "delivery": _look(_DELIVERIES, _DELIVERIES_FAILED),
    "campaign": _look(_CAMPAIGNS, _CAMPAIGNS_FAILED),
    "source": _look(_SOURCES, _SOURCES_FAILED),
    "monitor": _look(_MONITORS, _MONITORS_FAILED),
    "crm_in": _look(_CRM_IN, _CRM_IN_FAILED),
    "crm_out": _look(_CRM_OUT, _CRM_OUT_FAILED),
    "alert": _look_for_alerts,
}
KINDS = tuple(_LOOKS)
