"""Monitors as members make and change them. What they do is in `reading`, the people they found in `found_people`."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from pydantic.alias_generators import to_camel

from app.core import clock, text
from app.core.db import get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.core.wakes import wake
from app.domain.autopilot.monitors import fit, watched_signals
from app.domain.autopilot.monitors.fit_words import ROWS
from app.domain.campaigns import campaigns
from app.domain.leads import lists, search_address, search_reading
from app.domain.platform import audit_log, locks
from app.models.accounts import Account
from app.models.campaigns import Campaign
from app.models.leads import LeadList
from app.models.monitors import MONITOR, Monitor, MonitorKind, MonitorState
from app.models.workspaces import Workspace

UNIT = "monitor"
EVERY = {"hour": timedelta(hours=1), "day": timedelta(days=1)}  # between the beginnings of two runs
MOST_MONITORS = 50
USUAL, MOST_PER_DAY = 20, 200
MOST_WORDS, LONGEST_WORD = 50, 100  # of one row
# Fields that say what is watched: only a change of one of these restarts the reading from the beginning.
_PLACE = ("address", "signal", "targeting")
_WATCHED: dict[str, tuple[str, ...]] = {
    MonitorKind.SEARCH: ("address", "account_id"),
    MonitorKind.SIGNAL: ("signal",),
}


def create(workspace: Workspace, **given: Any) -> Monitor:
    """Create a monitor that looks at once; the people it finds wait for a decision.

    `given` are `kind`, the `address` and `account_id` of a search or a `signal`, and, if they differ from the
    usual `name`, `targeting`, `list_id`, `campaign_id`, `every` and `most_per_day`.
    """
    with locks.changing(workspace.id) as current:
        number = session().scalar(sa.select(sa.func.count()).where(Monitor.workspace_id == workspace.id)) or 0
        if number >= MOST_MONITORS:
            raise Conflict(f"You already have {MOST_MONITORS} monitors.", recovery="Delete a monitor you don't need.")
        monitor = Monitor(workspace_id=workspace.id, kind=given.pop("kind"), created_at=workspace.now())
        _set(workspace, monitor, {"every": "day", "most_per_day": USUAL, "name": "", "list_id": 0} | given)
        monitor.state, monitor.due_at = MonitorState.ACTIVE, workspace.now()
        current.add(monitor)
        current.flush()
        wake(UNIT, monitor.id, clock.now(), workspace.id)
        audit_log.record(workspace, "monitor.created", monitor.name, after=_for_audit_log(monitor))
        return monitor


def change(workspace: Workspace, monitor_id: int, **given: Any) -> Monitor:
    """Change the given fields; if that changes what is watched, reading starts again from its beginning."""
    with transaction():
        monitor = locked(workspace, monitor_id)
        other = [name for kind, names in _WATCHED.items() if kind != monitor.kind for name in names if name in given]
        if other:
            raise InvalidRequest.of(*((to_camel(name), f"This monitor watches a {monitor.kind}.") for name in other))
        before, place = _for_audit_log(monitor), [getattr(monitor, name) for name in _PLACE]
        _set(workspace, monitor, given)
        if place != [getattr(monitor, name) for name in _PLACE]:
            monitor.cursor = ""
        monitor.turns += 1  # drops a page of the former search that is being read now
        after = _for_audit_log(monitor)
        if before != after:
            monitor.error = ""
            if monitor.state == MonitorState.ACTIVE:
                _look_now(workspace, monitor)
            audit_log.record(workspace, "monitor.changed", monitor.name, before=before, after=after)
        return monitor


def set_automatic(workspace: Workspace, monitor_id: int, automatic: bool) -> Monitor:
    """Let the people found from now on be added without a decision, or wait for one."""
    with transaction():
        monitor = locked(workspace, monitor_id)
        if monitor.automatic != automatic:
            words = {True: "automatically", False: "after a decision"}
            before, after = ({"adds people": words[one]} for one in (monitor.automatic, automatic))
            monitor.automatic = automatic
            monitor.turns += 1
            audit_log.record(workspace, "monitor.automatic", monitor.name, before=before, after=after)
        return monitor


def pause(workspace: Workspace, monitor_id: int) -> Monitor:
    """Pause the monitor; people who wait for a decision still wait."""
    with transaction():
        monitor = locked(workspace, monitor_id)
        MONITOR.move(monitor, "pause")
        monitor.due_at, monitor.note = None, ""
        audit_log.record(workspace, "monitor.paused", monitor.name)
        return monitor


def resume(workspace: Workspace, monitor_id: int) -> Monitor:
    """Resume the monitor; it looks at once."""
    with transaction():
        monitor = locked(workspace, monitor_id)
        MONITOR.move(monitor, "resume")
        monitor.error = ""
        _look_now(workspace, monitor)
        audit_log.record(workspace, "monitor.resumed", monitor.name)
        return monitor


def run_now(workspace: Workspace, monitor_id: int) -> Monitor:
    """Let the monitor look now, within the same limits, instead of at its next run."""
    with transaction():
        monitor = locked(workspace, monitor_id)
        MONITOR.move(monitor, "run")
        _look_now(workspace, monitor)
        return monitor


def delete(workspace: Workspace, monitor_id: int) -> None:
    """Delete the monitor and those who wait for a decision; people who were added stay in their list and campaign."""
    with transaction() as current:
        monitor = locked(workspace, monitor_id)
        audit_log.record(workspace, "monitor.deleted", monitor.name, before=_for_audit_log(monitor))
        current.delete(monitor)


def get(workspace: Workspace, monitor_id: int) -> Monitor:
    """Return the monitor, or raise NotFound."""
    return get_owned(Monitor, workspace, monitor_id)


def locked(workspace: Workspace, monitor_id: int) -> Monitor:
    """Return the monitor, locked until the transaction ends, or raise NotFound."""
    locks.lock_workspaces([workspace.id])
    return get_owned(Monitor, workspace, monitor_id, lock=True)


def page(workspace: Workspace) -> sa.Select[Any]:
    """Select the workspace's monitors."""
    return sa.select(Monitor).where(Monitor.workspace_id == workspace.id)


def watches(monitor: Monitor) -> str:
    """Return what the monitor watches, in words."""
    if monitor.kind == MonitorKind.SIGNAL:
        return watched_signals.SIGNALS[monitor.signal].label
    return search_address.title(monitor.address)


def moves(monitor: Monitor) -> set[str]:
    """Return what can be done with the monitor now."""
    return {name for name in MONITOR.moves if MONITOR.allows(monitor, name)}


def _look_now(workspace: Workspace, monitor: Monitor) -> None:
    monitor.due_at, monitor.note = workspace.now(), ""
    wake(UNIT, monitor.id, clock.now(), workspace.id)


def _set(workspace: Workspace, monitor: Monitor, given: Mapping[str, Any]) -> None:
    """Check the given fields together with the unchanged ones, and set them; raise every problem at once."""
    problems: list[tuple[str, str]] = []
    if "targeting" in given:
        monitor.targeting = _targeting(given["targeting"], problems)
    if monitor.kind == MonitorKind.SEARCH:
        _set_search(workspace, monitor, given, problems)
    else:
        _set_signal(workspace, monitor, given, problems)
    _set_goal(workspace, monitor, given, problems)
    if "every" in given:
        monitor.every = given["every"]
        if monitor.every not in EVERY:
            problems.append(("every", "Use hour or day."))
    if "most_per_day" in given:
        monitor.most_per_day = given["most_per_day"]
        if not 1 <= monitor.most_per_day <= MOST_PER_DAY:
            problems.append(("mostPerDay", f"Use a number from 1 to {MOST_PER_DAY}."))
    if "name" in given:
        usual = "" if problems else watches(monitor)
        monitor.name = text.squeeze(given["name"]) or text.shorten(usual, text.LONGEST_NAME)
        if (wrong := text.name_problem(monitor.name)) and (usual or given["name"]):
            problems.append(("name", wrong))
    InvalidRequest.raise_for(problems)


def _set_search(
    workspace: Workspace, monitor: Monitor, given: Mapping[str, Any], problems: list[tuple[str, str]]
) -> None:
    if not {"address", "account_id"} & given.keys() and monitor.address:
        return
    try:
        search = search_reading.search_of(workspace, given.get("address", monitor.address or ""))
    except InvalidRequest as refusal:
        problems += [(one.path, one.message) for one in refusal.fields]
        return
    monitor.address = search.address
    try:
        account: Account = search_reading.account_of(workspace, given.get("account_id", monitor.account_id) or 0)
    except InvalidRequest as refusal:
        problems += [(one.path, one.message) for one in refusal.fields]
        return
    problems += search_reading.account_problems(account, search)
    monitor.account_id = account.id


def _set_signal(
    workspace: Workspace, monitor: Monitor, given: Mapping[str, Any], problems: list[tuple[str, str]]
) -> None:
    if not {"signal", "targeting"} & given.keys() and monitor.signal:
        return
    signal = given.get("signal", monitor.signal or "")
    if signal not in watched_signals.SIGNALS:
        problems.append(("signal", f"Use one of {', '.join(watched_signals.SIGNALS)}."))
        return
    monitor.signal = signal
    if trouble := watched_signals.trouble(workspace, signal):
        problems.append(("signal", trouble))
    if watched_signals.SIGNALS[signal].needs_targeting and not fit.words_of(workspace, monitor):
        problems.append(("targeting", "Enter at least one word, or set up your target audience in the autopilot."))


def _set_goal(
    workspace: Workspace, monitor: Monitor, given: Mapping[str, Any], problems: list[tuple[str, str]]
) -> None:
    if "list_id" in given:
        try:
            found: LeadList = lists.people_list(workspace, given["list_id"] or 0)
            monitor.list_id = found.id
        except NotFound:
            problems.append(("listId", "Choose a list."))
    if "campaign_id" in given:
        monitor.campaign_id = None
        if given["campaign_id"]:
            try:
                campaign: Campaign = campaigns.get(workspace, given["campaign_id"])
            except NotFound:
                problems.append(("campaignId", "Choose a campaign."))
            else:
                monitor.campaign_id = campaign.id
                if campaign.status in campaigns.ENDED:
                    problems.append(("campaignId", "This campaign has ended. Choose another."))
        monitor.fills_campaign = monitor.campaign_id is not None


def _targeting(given: Mapping[str, Sequence[str]], problems: list[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the words by row, each once."""
    kept: dict[str, list[str]] = {}
    for row in given:
        if row not in ROWS:
            problems.append((f"targeting.{row}", f"Use one of {', '.join(ROWS)}."))
    for row in ROWS:
        words = {word.casefold(): word for word in map(text.squeeze, given.get(row) or ()) if word}
        if len(words) > MOST_WORDS or any(len(word) > LONGEST_WORD or not text.is_text(word) for word in words):
            problems.append((f"targeting.{row}", f"Use at most {MOST_WORDS} words of {LONGEST_WORD} characters."))
        elif words:
            kept[row] = list(words.values())
    return kept


def _for_audit_log(monitor: Monitor) -> dict[str, Any]:
    """Return what the audit log says of the monitor."""
    return {
        "name": monitor.name,
        "watches": watches(monitor),
        "list": monitor.list_id,
        "campaign": monitor.campaign_id,
        "every": monitor.every,
        "new people a day": monitor.most_per_day,
        "targeting": {row: ", ".join(words) for row, words in (monitor.targeting or {}).items()},
        "account": monitor.account_id,
    }
