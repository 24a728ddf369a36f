"""Monitors for tests: one of ours, its turns one after the other, and what became of the people."""

from typing import Any

from app.core.db import end_read, session
from app.domain.autopilot.monitors import found_people, monitors, reading
from app.domain.leads import lists
from app.domain.senders import accounts
from app.models.monitors import Monitor, MonitorPerson
from app.models.workspaces import Workspace
from tests.support.movable import Movable
from tests.support.searches import ADDRESS


def a_monitor(workspace: Workspace, **given: Any) -> Monitor:
    """A monitor of a search into a list of its own."""
    usual: dict[str, Any] = {"kind": "search", "address": ADDRESS, "account_id": accounts.every(workspace)[0].id}
    if given.get("kind") == "signal":
        usual = {"kind": "signal", "signal": "hiring", "targeting": {"titles": ["Founder"], "location": ["Germany"]}}
    list_id = given.pop("list_id", None) or lists.create_list(workspace, "Watched").id
    return monitors.create(workspace, **usual | {"list_id": list_id} | given)


def again(monitor: Monitor) -> Monitor:
    """The monitor as it stands now."""
    session().expire_all()
    return session().get_one(Monitor, monitor.id)


def rows(monitor: Monitor, state: str = "") -> list[MonitorPerson]:
    """Who was found, in order."""
    query = found_people.page(session().get_one(Workspace, monitor.workspace_id), monitor.id, state)
    return list(session().scalars(query.order_by(MonitorPerson.id)))


def look(clock: Movable, monitor: Monitor, most: int = 60) -> Monitor:
    """The run under way, or the next one, has ended; the clock goes to what it waits for."""
    before = again(monitor).run_at
    for _ in range(most):
        found = again(monitor)
        if found.due_at is None or (found.run_at != before and found.run_ended_at):
            break
        clock.to(max(clock.at, found.due_at))
        reading.run_due()
        end_read()
    return again(monitor)
