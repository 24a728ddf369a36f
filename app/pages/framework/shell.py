"""The shell around every page: navigation, user, sandbox marker and theme."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from flask import g, request, url_for
from werkzeug.local import LocalProxy

from app.core import installation
from app.domain.installation import engine_processes
from app.domain.installation.go_live import live_workspace
from app.domain.installation.sandbox import first_days
from app.domain.notifications import happenings
from app.domain.notifications.happenings import ToDo
from app.domain.platform import restore_hold
from app.domain.workspace import server_admins, two_factor
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework import page_permissions, settings_rail, words
from app.pages.framework.base import kept_in_browser, latest_skip

THEMES = ("light", "dark")


@dataclass(frozen=True)
class Tab:
    """One of the pages that share an entry of the navigation; `type` is the one of the address, if it has one."""

    label: str
    icon: str
    endpoint: str
    type: str = ""

    @property
    def href(self) -> str:
        """Return the address."""
        return url_for(self.endpoint, type=self.type or None)

    @property
    def current(self) -> bool:
        """Return whether this is the page asked for."""
        return request.path == url_for(self.endpoint) and request.args.get("type", "") == self.type


@dataclass(frozen=True)
class Entry:
    """One line of the navigation, shown if the role may open it or one of its tabs.

    `attention` is a count of things to do, shown as a dot; `count` shows the figure; `short` is for small screens.
    """

    label: str
    icon: str
    endpoint: str
    key: str = ""
    tab: bool = False
    attention: Callable[[Workspace, ToDo], int] | None = None
    hint: str = ""
    count: Callable[[ToDo], int] | None = None
    also: tuple[str, ...] = ()  # further areas that belong to it, with an address of their own
    tabs: tuple[Tab, ...] = ()

    @property
    def first(self) -> str:
        """Return the first of its pages that the role may open, or ''."""
        return next((one for one in self.endpoints if page_permissions.may(g.role, one)), "")

    @property
    def endpoints(self) -> tuple[str, ...]:
        """Return all of its pages."""
        return (self.endpoint, *(one.endpoint for one in self.tabs))


BELL = Entry(
    "Notifications",
    "bell",
    "pages.notifications.index",
    "b",
    attention=lambda workspace, _: happenings.is_new(workspace, g.user, g.role),
    hint="something new",
)
_PLAYS = Tab("Plays", "list-checks", "pages.plays.index"), Tab("Documents", "file-text", "pages.documents.index")
_CAMPAIGNS = (
    Tab("All campaigns", "megaphone", "pages.campaigns.index"),
    Tab("Statistics", "chart-column", "pages.campaigns.statistics"),
    Tab("Calendar", "calendar", "pages.calendar.index"),
    Tab("Templates", "bookmark", "pages.templates.index"),
)
_PEOPLE = (
    Tab("Lists", "users-round", "pages.lists.index"),
    Tab("Companies", "building-2", "pages.lists.index", "companies"),
    Tab("Signals", "radar", "pages.signals.index"),
    Tab("Monitors", "eye", "pages.monitors.index"),
)
_DRAFTS, _TALKS, _STUCK = (lambda to: to.drafts), (lambda to: to.conversations), (lambda _, to: to.senders)
_HOLDS = ("pages.company_holds",)
_DEVELOPERS = ("pages.developers", "pages.reference", "pages.requests", "pages.never_contact")
NAV = [
    Entry("Home", "house", "pages.home.index", "h", tab=True),
    Entry("Autopilot", "rocket", "pages.autopilot.index", "p", tabs=_PLAYS),
    Entry("Approvals", "square-check", "pages.approvals.index", "a", tab=True, count=_DRAFTS, hint="waiting"),
    Entry("Inbox", "messages-square", "pages.conversations.index", "c", tab=True, count=_TALKS, hint="unread or back"),
    Entry("Campaigns", "megaphone", "pages.campaigns.index", "m", tab=True, also=_HOLDS, tabs=_CAMPAIGNS),
    Entry("People", "users-round", "pages.lists.index", "l", tabs=_PEOPLE),
    Entry("Senders", "link", "pages.senders.index", "s", attention=_STUCK, hint="needs attention"),
    Entry("Settings", "settings", "pages.settings.index", "t", also=_DEVELOPERS),
]


@dataclass(frozen=True)
class Item:
    """One line of the navigation as this page shows it."""

    label: str
    icon: str
    href: str
    key: str
    active: bool
    dot: bool | None
    hint: str
    count: int | None


def context() -> dict[str, Any]:
    """Return the template variables of every page: `shell` for signed-in users, and `theme`."""
    # What surrounds a page is looked up only where a template asks for it: most pieces of pages do not.
    theme = kept_in_browser("theme")
    seen = {
        "theme": theme if theme in THEMES else "",
        "compact": kept_in_browser("density") == "compact",
        "single_keys": kept_in_browser("keys") != "off",
        "layout": "_section.html" if g.get("section") else "base.html",
    }
    if not g.get("workspace"):
        return seen | {"shell": None}
    return seen | {"shell": LocalProxy(cache(partial(_around, g.workspace, g.user)))}


def _around(workspace: Workspace, user: User) -> dict[str, Any]:
    # A piece of a page asks for the workspace's name or time zone, hardly ever for all that the navigation counts.
    entries = cache(partial(_entries, workspace, user))
    moved = workspace.sandbox and workspace.clock_offset
    owner = page_permissions.may(g.role, "pages.go_live.create", change=True)
    return {
        "name": workspace.name,
        "sandbox": workspace.sandbox,
        "held": restore_hold.sentence(copy) if (copy := restore_hold.copy()) and copy.held else "",
        "idle": engine_processes.idle() if installation.needs_worker() and server_admins.is_admin(user) else "",
        "may_release": LocalProxy(
            lambda: server_admins.is_admin(user) and page_permissions.may(g.role, "pages.settings.release", change=True)
        ),
        "clock": words.clock_time(workspace.now(), g.zone, workspace.now()) if moved else None,
        "user": user.name or user.email,
        "role": g.role,
        "zone": workspace.timezone,
        "places": [(place.id, place.name, place.id == workspace.id, place.sandbox) for place, _ in g.places],
        "may_skip": page_permissions.may(g.role, "pages.sandbox.skip", change=True),
        "moving": bool((skip := latest_skip(workspace)) and skip.running),
        "first_days": first_days.is_under_way(workspace),
        "may_go_live": owner,
        "go_live": owner and live_workspace.is_under_way(workspace),
        "all": LocalProxy(lambda: [item for _, item in entries()]),
        "nav": LocalProxy(lambda: [item for entry, item in entries() if entry is not BELL]),
        "bell": LocalProxy(lambda: next((item for entry, item in entries() if entry is BELL), None)),
        "rail": settings_rail.groups(user) if request.path.startswith(settings_rail.BESIDE) else [],
        "tabs": LocalProxy(lambda: [item for entry, item in entries() if entry.tab]),
        "beside": _beside(),
    }


def _entries(workspace: Workspace, user: User) -> list[tuple[Entry, Item]]:
    # What waits is counted only for who may open it.
    waiting = None if two_factor.is_missing(user, workspace) else happenings.to_do(workspace)
    return [(entry, _item(entry, workspace, waiting)) for entry in (*NAV, BELL) if entry.first]


def _beside() -> list[Tab]:
    """Return the tabs of the page asked for, if it is one of several that share an entry."""
    for entry in NAV:
        found = [one for one in entry.tabs if page_permissions.may(g.role, one.endpoint)]
        if any(one.current for one in found):
            return found
    return []


def _item(entry: Entry, workspace: Workspace, waiting: ToDo | None) -> Item:
    href, here = url_for(entry.first), request.blueprint or ""
    areas = (*(one.rpartition(".")[0] for one in entry.endpoints), *entry.also)
    return Item(
        label=entry.label,
        icon=entry.icon,
        href=href,
        key=entry.key,
        active=here in areas
        or here.startswith(tuple(f"{area}." for area in areas))
        or (request.path.startswith(f"{href.rstrip('/')}/") and href != "/"),
        dot=bool(entry.attention(workspace, waiting)) if waiting is not None and entry.attention else None,
        hint=entry.hint,
        count=entry.count(waiting) if waiting is not None and entry.count else None,
    )
