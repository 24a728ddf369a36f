"""Alerts: replies, ended campaigns, senders in trouble, people to come back to, waiting drafts; at most one a minute.

The events are the outbox: `alerts_event` moves on only after a chat or mail server accepted the alert up to there, so
news that waits for a digest, the end of quiet hours or a working address is sent later.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app import ports
from app.core import claims, clock, text
from app.core.db import fetch, session, transaction
from app.domain.approvals import reminders
from app.domain.approvals.reminders import Waiting
from app.domain.autopilot import setup_state
from app.domain.campaigns import reply_actions
from app.domain.conversations import notes, threads
from app.domain.notifications import destinations, happenings
from app.domain.platform import jobs
from app.domain.rules.schedules import quiet_hours
from app.domain.senders import accounts
from app.domain.tasks import tasks
from app.models.accounts import STUCK, Account
from app.models.autopilot import Setup
from app.models.conversations import Mention, Sentiment
from app.models.platform.jobs import Job
from app.models.tasks import Task, TaskKind
from app.models.webhooks import Event
from app.models.workspaces import Workspace, moved
from app.ports import Notice

ALWAYS = ("lead_auto_tagged_positive", "campaign_completed", "campaign_paused")
_TONED = tuple(f"lead_auto_tagged_{tone}" for tone in Sentiment)
MOST_NAMED, LONGEST_QUOTE = 5, 160
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=6)
PATIENCE = timedelta(days=3)
MANY = 10_000
KIND, _KEY = "alert", "news"
_BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class News:
    """The news to send, and the last event and the time up to which it covers the workspace."""

    lines: tuple[str, ...]
    through: int
    at: datetime
    drafts: bool = False  # whether the lines mention waiting drafts


_SETUPS: Any = Setup.__table__
_WORKSPACES: Any = Workspace.__table__
_ACCOUNTS: Any = Account.__table__
_TASKS: Any = Task.__table__
_MENTIONS: Any = Mention.__table__
_TOLD = _SETUPS.c.drafts_told_at.type
_NEEDS_ATTENTION = sa.exists().where(
    _ACCOUNTS.c.workspace_id == _WORKSPACES.c.id,
    sa.or_(_ACCOUNTS.c.status.in_(STUCK), accounts.was_stopped()),
    sa.or_(_SETUPS.c.alerts_at.is_(None), _ACCOUNTS.c.status_at > _SETUPS.c.alerts_at),
)
_IS_SILENT = sa.exists().where(
    _ACCOUNTS.c.workspace_id == _WORKSPACES.c.id,
    _ACCOUNTS.c.silent_at > sa.func.coalesce(_SETUPS.c.alerts_at, sa.literal(_BEGINNING, _ACCOUNTS.c.silent_at.type)),
)
# A task to contact someone again, as they asked, is due.
_TASK = sa.and_(
    _TASKS.c.workspace_id == _WORKSPACES.c.id,
    _TASKS.c.kind == TaskKind.COME_BACK,
    _TASKS.c.done_at.is_(None),
    sa.or_(_SETUPS.c.alerts_at.is_(None), _TASKS.c.due_at > _SETUPS.c.alerts_at),
)
# A note mentions a member who has not seen it.
_MENTIONED = sa.exists().where(
    _MENTIONS.c.workspace_id == _WORKSPACES.c.id,
    _MENTIONS.c.seen_at.is_(None),
    sa.or_(_SETUPS.c.alerts_at.is_(None), _MENTIONS.c.at > _SETUPS.c.alerts_at),
)
_REMINDABLE = sa.and_(
    sa.or_(_SETUPS.c.drafts_told_at.is_(None), _SETUPS.c.drafts_told_at <= sa.bindparam("patient", type_=_TOLD)),
    reminders.oldest(_WORKSPACES.c.id) <= sa.bindparam("patient", type_=_TOLD),
)
_MAY_ALERT = (
    _SETUPS.c.workspace_id == _WORKSPACES.c.id,
    _SETUPS.c.alerts.is_not(None),
    _SETUPS.c.alerts_broken_at.is_(None),
    ~jobs.is_open(KIND, _KEY),
)
_DUE = claims.share_fairly(
    _WORKSPACES.c.id,
    _WORKSPACES.c.id,
    _WORKSPACES.c.id,
    *_MAY_ALERT,
    sa.or_(
        _WORKSPACES.c.event_sequence > _SETUPS.c.alerts_event,
        _SETUPS.c.alerts_digest != "immediately",  # a digest's time also passes without news
        _NEEDS_ATTENTION,
        _IS_SILENT,
        _MENTIONED,
        sa.exists().where(_TASK, _TASKS.c.due_at <= sa.bindparam("real", type_=_TASKS.c.due_at.type)),
        _REMINDABLE,
    ),
)
# The clocks of sandboxes run ahead.
_AHEAD = sa.select(
    _WORKSPACES.c.id,
    _WORKSPACES.c.clock_offset,
    sa.select(sa.func.min(_TASKS.c.due_at)).where(_TASK).scalar_subquery().label("task_at"),
    reminders.oldest(_WORKSPACES.c.id).label("oldest_draft"),
    _SETUPS.c.drafts_told_at,
).where(*_MAY_ALERT, _WORKSPACES.c.clock_offset != 0)


def due(most: int, busy: claims.Busy = claims.NONE_BUSY) -> list[claims.Due]:
    """Return workspaces in which something happened since their last alert."""
    real = clock.now()
    found = claims.due_units(_DUE, most, busy, real=real, patient=real - reminders.PATIENCE)
    known = {*busy.workspaces, *busy.keys, *(one.key for one in found)}
    ahead = [row.id for row in fetch(_AHEAD) if row.id not in known and _is_due(row, moved(real, row.clock_offset))]
    return [*found, *(claims.Due(key, key) for key in ahead)][:most]


def _is_due(row: Any, at: datetime) -> bool:
    if row.task_at is not None and row.task_at <= at:
        return True
    return reminders.is_due(row.oldest_draft, row.drafts_told_at, at)


def run(workspace_id: int) -> int:
    """Queue an alert of the workspace if there is news and it may be sent now; return 1 if so."""
    workspace = session().get_one(Workspace, workspace_id, populate_existing=True)
    return _queue_alert_if_news(workspace, setup_state.get(workspace))


def run_due() -> int:
    """Look for news in all workspaces, one after the other; return how many alerts were queued."""
    return sum(run(found.key) for found in due(MANY))


def _queue_alert_if_news(workspace: Workspace, setup: Setup) -> int:
    """Queue an alert if there is news; return 1 if so."""
    if not quiet_hours.may_look(workspace, setup):
        return 0
    news = _news(workspace, setup)
    if not news.lines:
        if news.through > setup.alerts_event or setup.alerts_digest != "immediately":
            _mark_reported(workspace, news)
        return 0
    jobs.add(workspace, KIND, _KEY)
    return 1


def _news(workspace: Workspace, setup: Setup) -> News:
    at = workspace.now()
    through = session().scalars(sa.select(Workspace.event_sequence).where(Workspace.id == workspace.id)).one()
    said = _event_lines(workspace, setup, through) if through > setup.alerts_event else []
    said += [
        f"{one.name} needs attention: {(one.status_reason or one.status).rstrip('.')}."
        for one in _senders(workspace, setup.alerts_at)
    ]
    said += [
        f"{one.name}: inbox not read since {_moment(workspace, one.unread_since or at)}. New replies aren't coming in."
        for one in _silent(workspace, setup.alerts_at)
    ]
    said += [_contact_again_line(entry) for entry in tasks.due_between(workspace, setup.alerts_at or _BEGINNING, at)]
    said += [_mentioned(told) for told in notes.told_between(workspace, setup.alerts_at or _BEGINNING, at)]
    waiting = reminders.look(workspace, setup.drafts_told_at)
    if waiting:
        said += _waits(workspace, waiting, at)
    return News(tuple(said), through, at, drafts=waiting is not None)


def _mark_reported(workspace: Workspace, news: News) -> None:
    """Mark the events up to this news as reported; later ones stay unreported."""
    with transaction():
        setup = setup_state.locked(workspace)
        setup.alerts_event = max(setup.alerts_event, news.through)
        setup.alerts_at = max(setup.alerts_at or news.at, news.at)
        if news.drafts:
            setup.drafts_told_at = news.at


def _senders(workspace: Workspace, since: datetime | None) -> Sequence[Account]:
    return session().scalars(happenings.troubled(workspace, since or _BEGINNING).order_by(Account.id)).all()


def _silent(workspace: Workspace, since: datetime | None) -> Sequence[Account]:
    return session().scalars(happenings.silent(workspace, since or _BEGINNING).order_by(Account.id)).all()


def _event_lines(workspace: Workspace, setup: Setup, through: int) -> list[str]:
    """Return one line per event since the last alert, for the first few of each kind."""
    kinds = [*ALWAYS, "every_reply"] if (setup.alerts or {}).get("replies") else list(ALWAYS)
    query = sa.select(Event.kind, Event.body).where(
        Event.workspace_id == workspace.id,
        Event.sequence > setup.alerts_event,
        Event.sequence <= through,
        Event.kind.in_(kinds),
        Event.body != "",
    )
    found: dict[str, list[str]] = {}
    muted = threads.muted(workspace)
    for kind, body in session().execute(query.order_by(Event.sequence)).all():
        about = json.loads(body)["data"]
        by_a_member = kind == "campaign_paused" and "reason" not in about
        if about.get("message", {}).get("conversationId") not in muted and not by_a_member:
            found.setdefault(kind, []).append(_line(kind, about))
    if by_rule := _rule_alert_lines(workspace, setup, through, muted):
        found["rules"] = by_rule
    lines = []
    for told in found.values():
        lines += told[:MOST_NAMED]
        if len(told) > MOST_NAMED:
            lines.append(f"… and {len(told) - MOST_NAMED} more.")
    return lines


def _rule_alert_lines(workspace: Workspace, setup: Setup, through: int, muted: Collection[int]) -> list[str]:
    """Return one line for each alert that a campaign's reply rule triggered."""
    query = sa.select(Event.body, Event.created_at).where(
        Event.workspace_id == workspace.id,
        Event.sequence > setup.alerts_event,
        Event.sequence <= through,
        Event.kind.in_(_TONED),
        Event.body != "",
    )
    told = [(json.loads(body)["data"], at) for body, at in session().execute(query.order_by(Event.sequence))]
    replies = [(about, about.get("message") or {}, at) for about, at in told]
    wanted = reply_actions.alerts(workspace, [message["id"] for _, message, _ in replies if "id" in message])
    lines = []
    for about, message, at in replies:
        for said, moment in wanted.get(message.get("id", 0), ()):
            if moment == at and message.get("conversationId") not in muted:
                lines.append(f"{_who(about)} replied{': ' + said if said else '.'}")
    return lines


def _who(about: Mapping[str, Any]) -> str:
    lead = about.get("lead") or {}
    who = " ".join(part for part in (lead.get("firstName"), lead.get("lastName")) if part) or "A person"
    return f"{who} ({lead['companyName']})" if lead.get("companyName") else who


def _line(kind: str, about: Mapping[str, Any]) -> str:
    who, campaign = _who(about), (about.get("campaign") or {}).get("name", "")
    if kind == "campaign_completed":
        return f"The campaign “{campaign}” has finished."
    if kind == "campaign_paused":
        return f"The campaign “{campaign}” was paused: {about['reason']}"
    if kind == "lead_auto_tagged_positive":
        return f"{who} replied positively."
    words = text.squeeze((about.get("message") or {}).get("text", ""))
    return f"{who} wrote: “{text.shorten(words, LONGEST_QUOTE)}”"


def _contact_again_line(entry: tasks.Entry) -> str:
    words = f": “{text.shorten(text.squeeze(entry.task.text), LONGEST_QUOTE)}”" if entry.task.text else "."
    return f"{entry.person.name} asked to be contacted again{words}"


def _mentioned(told: notes.Told) -> str:
    quote = text.shorten(text.squeeze(told.text), LONGEST_QUOTE)
    return f"{told.name}: {told.by} mentioned you in a note about {told.about}: “{quote}”"


def _waits(workspace: Workspace, waiting: Waiting, at: datetime) -> list[str]:
    days = (at - waiting.oldest).days
    lines = [
        f"{text.counted(waiting.drafts, 'draft')} {'is' if waiting.drafts == 1 else 'are'} waiting for approval,"
        f" the oldest for {text.counted(days, 'day')}."
    ]
    if waiting.expiring:
        lines.append(
            f"{text.counted(waiting.expiring, 'draft')} {'expires' if waiting.expiring == 1 else 'expire'} within"
            f" {reminders.SOON.days} days, the first on {_moment(workspace, waiting.first_expiry)}."
        )
    return lines


def _moment(workspace: Workspace, at: datetime) -> str:
    local = at.astimezone(ZoneInfo(workspace.timezone))
    return f"{local:%A} at {local:%H:%M}"


def send_alert(workspace: Workspace, payload: dict[str, Any], job: Job) -> timedelta | None:
    """Send the alert, or postpone it: for a while, to the end of quiet hours or until the address works."""
    setup = setup_state.get(workspace)
    if setup.alerts is None or setup.alerts_broken_at or not quiet_hours.may_look(workspace, setup):
        return None
    news = _news(workspace, setup)
    silent = workspace.sandbox and setup.alerts["kind"] == "email" and not ports.alert_mail.connected
    if news.lines and not silent:
        title = f"{text.shorten(workspace.name, 80)}: outreach update"
        sent = destinations.send(workspace, Notice("news", title, news.lines, "/"))
        if not sent.delivered:
            return None if sent.broken else _later(workspace, job, sent)
    _mark_reported(workspace, news)
    return None


def _later(workspace: Workspace, job: Job, sent: destinations.Sent) -> timedelta | None:
    """Return the wait: as requested, else with backoff; after days the destination counts as broken."""
    age = clock.now() - job.created_at
    if age < PATIENCE:
        return timedelta(seconds=sent.wait) if sent.wait else min(max(age, FIRST_WAIT), LONGEST_WAIT)
    with transaction():
        sentence = f"No notifications have been delivered for {PATIENCE.days} days. {sent.sentence}"
        destinations.give_up_sending(workspace, setup_state.locked(workspace), sentence)
    return None
