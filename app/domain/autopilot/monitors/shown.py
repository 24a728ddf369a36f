"""Monitors and the people they found, as pages and /v1 show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.core import paging
from app.core.paging import Page, Window
from app.domain.autopilot.monitors import found_people, monitors
from app.models.monitors import Monitor
from app.models.workspaces import Workspace


class ShownMonitor(NamedTuple):
    """A monitor, its number of people per state, and whom its last run left out, as (code, sentence, number)."""

    monitor: Monitor
    counts: Mapping[str, int]
    left_out: Sequence[tuple[str, str, int]]

    @property
    def watches(self) -> str:
        """Return what it watches, in words."""
        return monitors.watches(self.monitor)

    @property
    def is_running(self) -> bool:
        """Return whether a run is under way."""
        return self.monitor.run_at is not None and self.monitor.run_ended_at is None


@dataclass(frozen=True)
class Monitors:
    """The monitors of a workspace, newest first."""

    workspace: Workspace

    def page(self, window: Window) -> Page:
        """Return one page of `ShownMonitor`."""
        found = paging.page(monitors.page(self.workspace), None, window)
        return Page(several(found.rows), found.next_cursor)


@dataclass(frozen=True)
class People:
    """The people found by a monitor, in one state or in all, the latest first."""

    workspace: Workspace
    monitor: Monitor
    state: str = ""

    def page(self, window: Window) -> Page:
        """Return one page of `found_people.Entry`."""
        query = found_people.page(self.workspace, self.monitor.id, self.state)
        found = paging.page(query, None, window)
        return Page(found_people.entries(self.workspace, self.monitor, found.rows), found.next_cursor)


def of(monitor: Monitor) -> ShownMonitor:
    """Return one monitor as it is shown."""
    return several([monitor])[0]


def several(some: Sequence[Monitor]) -> list[ShownMonitor]:
    """Return these monitors as they are shown."""
    counts = found_people.counts(some)
    return [ShownMonitor(one, counts[one.id], reasons(one.run_left_out)) for one in some]


def reasons(left_out: Mapping[str, int]) -> list[tuple[str, str, int]]:
    """Return the reasons with their sentences, the most frequent first."""
    ranked = sorted(left_out.items(), key=lambda one: (-one[1], one[0]))
    return [(code, found_people.reason(code), number) for code, number in ranked]
