"""Read what monitors watch: a page per turn, one turn of a monitor at a time, from where the last run stopped.

A page's people and the next page's cursor are stored in one transaction. A worker that dies loses its claim, and the
page is read again; no one is found twice.
"""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import claims, clock
from app.core.db import change_rows, end_read, fetch, session, transaction
from app.core.errors import AppError
from app.domain.autopilot.monitors import fit, found_people, watched_signals
from app.domain.autopilot.monitors.found_people import Taken
from app.domain.autopilot.monitors.monitors import EVERY
from app.domain.campaigns import campaigns
from app.domain.leads import search_address, search_reading
from app.domain.leads.search_reading import AFTER_SIGN_OUT, AFTER_TROUBLE, Wait
from app.domain.platform import locks
from app.models.campaigns import Campaign
from app.models.leads import LeadList
from app.models.monitors import Monitor, MonitorKind, MonitorState
from app.models.workspaces import Workspace, moved
from app.ports import PeopleQuery, ProviderError, Refused, SearchPage, Throttled

LOG = logging.getLogger(__name__)
LEASE = timedelta(minutes=2)
MOST_READ = 100  # people in one run, so that a large search does not use up the account's day
SIGNAL_PAGE = 25
AFTER_CONFLICT = timedelta(hours=1)
BROKEN = "Something went wrong on our side. The monitor will try again."

_MONITORS: Any = Monitor.__table__
_WORKSPACES: Any = Workspace.__table__
_REAL = sa.bindparam("real", type_=_MONITORS.c.due_at.type)
_FREE = claims.is_free(_MONITORS.c.claimed_until, _REAL)
_ACTIVE = _MONITORS.c.state == sa.literal_column(f"'{MonitorState.ACTIVE}'")
_CLAIM = claims.Claim(Monitor, Monitor.due_at, [_MONITORS.c.id == sa.bindparam("monitor"), _ACTIVE])
_DUE = claims.share_fairly(
    _MONITORS.c.id, _MONITORS.c.workspace_id, _MONITORS.c.due_at, _MONITORS.c.due_at <= _REAL, _FREE, _ACTIVE
)
# Sandbox clocks only run ahead: this finds monitors that are due by their sandbox's clock, but not yet in real time.
_AHEAD = (
    sa.select(_MONITORS.c.id, _MONITORS.c.workspace_id, _MONITORS.c.due_at, _WORKSPACES.c.clock_offset)
    .join(_WORKSPACES, _WORKSPACES.c.id == _MONITORS.c.workspace_id)
    .where(_WORKSPACES.c.clock_offset != 0, _MONITORS.c.due_at > _REAL, _FREE, _ACTIVE)
)
_OF_WORKSPACE = sa.select(_MONITORS.c.id, _MONITORS.c.due_at).where(
    _MONITORS.c.workspace_id == sa.bindparam("workspace"), _MONITORS.c.due_at.is_not(None), _FREE, _ACTIVE
)


def due(most: int, busy: claims.Busy = claims.NONE_BUSY) -> list[claims.Due]:
    """Return monitors whose next page or next run is due."""
    real = clock.now()
    found = claims.due_units(_DUE, most, busy, real=real)
    left = {*busy.keys}
    ahead = [
        claims.Due(row.id, row.workspace_id)
        for row in fetch(_AHEAD, real=real)
        if row.due_at <= moved(real, row.clock_offset)
        and row.id not in left
        and row.workspace_id not in busy.workspaces
    ]
    return [*found, *ahead][:most]


def run(monitor_id: int) -> int:
    """Run one turn of the monitor; return 1 if it was due, 0 if another worker has it."""
    monitor = session().get(Monitor, monitor_id, populate_existing=True)
    workspace = session().get(Workspace, monitor.workspace_id, populate_existing=True) if monitor else None
    return _run(workspace, monitor_id) if workspace else 0


def run_all_of(workspace: Workspace) -> int:
    """Run a turn of each monitor of the workspace that is due; return how many."""
    at = workspace.now()
    due_now = [row.id for row in fetch(_OF_WORKSPACE, workspace=workspace.id, real=clock.now()) if row.due_at <= at]
    return sum(_run(workspace, monitor_id) for monitor_id in due_now)


def run_due() -> int:
    """Run a turn of every monitor that is due, one after the other; return how many."""
    return sum(run(found.key) for found in due(1000))


def next_moment(workspace_id: int) -> datetime | None:
    """Return when the next monitor of the workspace is due."""
    rows = fetch(_OF_WORKSPACE, workspace=workspace_id, real=clock.now())
    return min((row.due_at for row in rows), default=None)


def _run(workspace: Workspace, monitor_id: int) -> int:
    taken = _CLAIM.take(workspace.now(), 1, LEASE, monitor=monitor_id)
    for monitor in taken:
        try:
            _turn(workspace, monitor)
        except AppError as refusal:
            session().rollback()
            _wait(monitor, Wait(refusal.message, workspace.now() + AFTER_CONFLICT))
        except Exception:
            LOG.exception("A monitor broke", extra={"fields": {"monitor": monitor.id}})
            session().rollback()
            _wait(monitor, Wait(BROKEN, workspace.now() + AFTER_TROUBLE))
        _let_go(monitor)
    return len(taken)


def _turn(workspace: Workspace, monitor: Any) -> None:
    """Read the next page, or note why it can't be read now."""
    at = workspace.now()
    if stop := _dead_end(workspace, monitor):
        _put(monitor, state=MonitorState.PAUSED, error=stop, note="", due_at=None, **_ended(monitor, at))
        return
    if not workspace.may_contact:
        _wait(monitor, Wait(search_reading.NOT_ACTIVE, at + AFTER_SIGN_OUT))
        return
    if monitor.automatic:
        found_people.campaign_to_fill(workspace, monitor)  # raises Conflict before anything is read
    if not found_people.room_left(workspace, monitor):
        _end_run(workspace, monitor, _begun(monitor, at), full=True)
        return
    try:
        read = _read_search if monitor.kind == MonitorKind.SEARCH else _read_signal
        read(workspace, monitor)
    except Refused as refusal:
        again = {"cursor": "", "due_at": at + AFTER_TROUBLE}  # the search's cursor may have expired, so start again
        if not (monitor.cursor and _put(monitor, note="", **again, **_begun(monitor, at))):
            _end_run(workspace, monitor, _begun(monitor, at), error=refusal.sentence)


def _dead_end(workspace: Workspace, monitor: Any) -> str:
    """Return why the monitor can't go on before a member changes it; '' when it can."""
    into = session().get(LeadList, monitor.list_id or 0, populate_existing=True)
    if into is None or into.deleted_at is not None:
        return "The list was deleted. Choose another list, then resume."
    if monitor.kind == MonitorKind.SEARCH and monitor.account_id is None:
        return "The account used for this search has been removed. Choose another account, then resume."
    campaign = session().get(Campaign, monitor.campaign_id or 0, populate_existing=True)
    if monitor.fills_campaign and campaign is None:
        return "The campaign was deleted. Choose another campaign, or none, then resume."
    if campaign is not None and campaign.status in campaigns.ENDED:
        return f"The campaign “{campaign.name}” has ended. Choose another campaign, or none, then resume."
    return ""


def _read_search(workspace: Workspace, monitor: Any) -> None:
    search = search_address.read(monitor.address, sandbox=workspace.sandbox)
    reserved = search_reading.reserve(workspace, monitor.account_id, search)
    if isinstance(reserved, Wait):
        _wait(monitor, reserved)
        return
    try:
        shown = search_reading.read(reserved, monitor.cursor)
    except ProviderError as failure:
        _wait(monitor, search_reading.wait_after(reserved, failure, workspace.now()))
        return
    _take(workspace, monitor, shown, lambda: search_reading.count(reserved, shown))


def _read_signal(workspace: Workspace, monitor: Any) -> None:
    at, watched = workspace.now(), watched_signals.SIGNALS[monitor.signal]
    if trouble := watched_signals.trouble(workspace, monitor.signal):
        raise Refused(trouble)
    wanted = PeopleQuery(fit.words_of(workspace, monitor), watched.angle, workspace.sandbox_seed)
    directory = watched_signals.search(workspace, monitor.signal)
    end_read()
    try:
        found = directory.find(wanted, SIGNAL_PAGE, monitor.cursor)
    except Refused:
        raise
    except Throttled as failure:
        _wait(monitor, Wait(failure.sentence, at + timedelta(seconds=max(failure.retry_after, 1))))
    except ProviderError as failure:
        after = AFTER_SIGN_OUT if isinstance(failure, ports.LoggedOut) else AFTER_TROUBLE
        _wait(monitor, Wait(failure.sentence, at + after))
    else:
        _take(workspace, monitor, SearchPage(found.people, found.cursor))


def _take(workspace: Workspace, claimed: Any, shown: SearchPage, count: Any = lambda: None) -> None:
    """Take the people of a page, and go on or end the run."""
    with locks.changing(workspace.id) as current:
        count()
        monitor = current.scalars(sa.select(Monitor).where(*_ours(claimed)).with_for_update()).one_or_none()
        if monitor is None:
            return  # it was changed, paused or deleted meanwhile
        into, at = found_people.list_to_fill(workspace, monitor), workspace.now()
        begun = _begun(claimed, at)
        taken = found_people.take(workspace, monitor, into, shown.people, shown.hidden)
        counted = _counted(monitor, begun, shown, taken)
        ends = not shown.cursor or shown.cursor == monitor.cursor or not (shown.people or shown.hidden)
        current.flush()
        if taken.full:
            _end_run(workspace, claimed, counted, full=True)
        elif ends or counted["run_read"] >= MOST_READ:
            _end_run(workspace, claimed, counted | {"cursor": "" if ends else shown.cursor})
        else:
            place = {"cursor": shown.cursor, "due_at": at + timedelta(seconds=1)}
            _put(claimed, note="", error="", **counted, **place)


def _begun(monitor: Any, at: datetime) -> dict[str, Any]:
    """Return the columns to set when a run begins now; {} while one is under way."""
    if monitor.run_at is not None and monitor.run_ended_at is None:
        return {}
    return {"run_at": at, "run_ended_at": None, "run_read": 0, "run_found": 0, "run_left_out": {}}


def _ended(monitor: Any, at: datetime) -> dict[str, Any]:
    """Return the columns to set when the run under way ends."""
    return {"run_ended_at": at} if monitor.run_at is not None and monitor.run_ended_at is None else {}


def _counted(monitor: Monitor, begun: Mapping[str, Any], shown: SearchPage, taken: Taken) -> dict[str, Any]:
    """Return the run's counters with this page added."""
    before = {"run_read": monitor.run_read, "run_found": monitor.run_found, "run_left_out": monitor.run_left_out}
    run = {**before, **begun}
    left_out = dict(run["run_left_out"])
    for code, number in taken.left_out.items():
        left_out[code] = left_out.get(code, 0) + number
    read = run["run_read"] + len(shown.people) + shown.hidden
    return run | {"run_read": read, "run_found": run["run_found"] + taken.found, "run_left_out": left_out}


def _end_run(
    workspace: Workspace, monitor: Any, columns: Mapping[str, Any], *, full: bool = False, error: str = ""
) -> None:
    """End the run, and say when the next one begins."""
    at = workspace.now()
    begun = columns.get("run_at") or monitor.run_at
    again: datetime = begun + EVERY[monitor.every]
    while again <= at:
        again += EVERY[monitor.every]
    note = ""
    if full:
        held = found_people.counts([monitor])[monitor.id].get("held", 0)
        if not monitor.automatic and held >= found_people.MOST_HELD:
            note = f"{held} people are waiting for a decision. Accept or decline people to find more."
        else:
            note = f"Today's limit of {monitor.most_per_day} new people was reached."
            again = max(again, found_people.tomorrow(workspace))
    _put(monitor, **{**columns, "run_ended_at": at}, due_at=again, note=note, error=error)


def _wait(monitor: Any, wait: Wait) -> None:
    """Store why the monitor waits, and until when."""
    _put(monitor, note=wait.reason, due_at=wait.until)


def _ours(monitor: Any) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the condition that no one changed the monitor since this turn claimed it."""
    return (
        Monitor.id == monitor.id,
        Monitor.turns == monitor.turns,
        Monitor.claimed_until == monitor.claimed_until,
        Monitor.state == MonitorState.ACTIVE,
    )


def _put(monitor: Any, **values: Any) -> bool:
    """Change the monitor and end the turn, unless someone else changed it since; return whether it was changed."""
    with transaction():
        change = sa.update(Monitor).where(*_ours(monitor)).values(**values, turns=monitor.turns + 1, claimed_until=None)
        return bool(change_rows(change).rowcount)


def _let_go(monitor: Any) -> None:
    """End the claim of a turn that changed nothing."""
    with transaction():
        ours = sa.update(Monitor).where(Monitor.id == monitor.id, Monitor.claimed_until == monitor.claimed_until)
        change_rows(ours.values(claimed_until=None))
