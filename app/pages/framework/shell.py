"""The shell around every page: navigation, user, sandbox marker and theme."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from flask import current_app, g, request, url_for
from werkzeug.local import LocalProxy

from app.core import installation
from app.domain.notifications import happenings
from app.domain.notifications.happenings import ToDo
from app.domain.operations import engine_processes, first_days
from app.domain.operations.go_live import live_workspace
from app.domain.platform import restore_hold
from app.domain.workspace import server_admins, two_factor
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework import page_permissions, settings_rail, words
from app.pages.framework.base import kept_in_browser, latest_skip

THEMES = ("light", "dark")


@dataclass(frozen=True)
class Entry:
    """One line of the navigation, shown once its endpoint exists.

    `attention` is a count of things to do, shown as a dot; `count` shows the figure; `short` is for small screens.
    """

    label: str
    icon: str
    endpoint: str
    key: str = ""
    group: str = ""
    tab: bool = False
    attention: Callable[[Workspace, ToDo], int] | None = None
    hint: str = ""
    count: Callable[[ToDo], int] | None = None
    short: str = ""
    also: tuple[str, ...] = ()  # further areas that belong to it, with an address of their own


NAV = [
    Entry("Home", "house", "pages.home.index", "h", tab=True),
    Entry(
        "Notifications",
        "bell",
        "pages.notifications.index",
        "b",
        attention=lambda workspace, _: happenings.is_new(workspace, g.user, g.role),
        hint="something new",
    ),
    Entry("Autopilot", "rocket", "pages.autopilot.index", "p", also=("pages.plays",)),
    Entry(
        "Approvals",
        "square-check",
        "pages.approvals.index",
        "a",
        tab=True,
        hint="waiting",
        count=lambda waiting: waiting.drafts,
    ),
    Entry(
        "Conversations",
        "messages-square",
        "pages.conversations.index",
        "c",
        tab=True,
        count=lambda waiting: waiting.conversations,
        hint="unread or back",
        short="Inbox",
    ),
    Entry("Campaigns", "megaphone", "pages.campaigns.index", "m", tab=True, also=("pages.company_holds",)),
    Entry("Calendar", "calendar", "pages.calendar.index", "k"),
    Entry("Lists", "users-round", "pages.lists.index", "l"),
    Entry("Monitors", "eye", "pages.monitors.index", "w"),
    Entry("Signals", "radar", "pages.signals.index", "i"),
    Entry(
        "Senders",
        "link",
        "pages.senders.index",
        "s",
        "Workspace",
        attention=lambda _, waiting: waiting.senders,
        hint="needs attention",
    ),
    Entry("Documents", "file-text", "pages.documents.index", "o", "Workspace"),
    Entry("Developers", "code-xml", "pages.developers.index", "d", "Workspace"),
    Entry("Do not contact", "shield-ban", "pages.never_contact.index", "n", "Workspace"),
    Entry("Settings", "settings", "pages.settings.index", "t", "Workspace"),
]


@dataclass(frozen=True)
class Item:
    """One line of the navigation as this page shows it."""

    label: str
    icon: str
    href: str
    key: str
    active: bool
    dot: bool
    hint: str
    count: int | None
    short: str


def context() -> dict[str, Any]:
    """Return the template variables of every page: `shell` for signed-in users, and `theme`."""
    # What surrounds a page is looked up only where a template asks for it: most pieces of pages do not.
    theme = kept_in_browser("theme")
    seen = {
        "theme": theme if theme in THEMES else "",
        "compact": kept_in_browser("density") == "compact",
        "single_keys": kept_in_browser("keys") != "off",
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
        "may_release": server_admins.is_admin(user)
        and page_permissions.may(g.role, "pages.settings.release", change=True),
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
        "groups": LocalProxy(lambda: _groups(entries())),
        "rail": settings_rail.rail(user),
        "tabs": LocalProxy(lambda: [item for entry, item in entries() if entry.tab]),
    }


def _entries(workspace: Workspace, user: User) -> list[tuple[Entry, Item]]:
    # What waits is counted only for who may open it.
    waiting = None if two_factor.is_missing(user, workspace) else happenings.to_do(workspace)
    return [
        (entry, _item(entry, workspace, waiting))
        for entry in NAV
        if entry.endpoint in current_app.view_functions and page_permissions.may(g.role, entry.endpoint)
    ]


def _groups(entries: list[tuple[Entry, Item]]) -> list[tuple[str, list[Item]]]:
    groups: dict[str, list[Item]] = {}
    for entry, item in entries:
        groups.setdefault(entry.group, []).append(item)
    return list(groups.items())


def _item(entry: Entry, workspace: Workspace, waiting: ToDo | None) -> Item:
    area, href, here = entry.endpoint.rpartition(".")[0], url_for(entry.endpoint), request.blueprint or ""
    return Item(
        label=entry.label,
        icon=entry.icon,
        href=href,
        key=entry.key,
        active=here in (area, *entry.also) or here.startswith(f"{area}.") or request.path.startswith(f"{href}/"),
        dot=bool(waiting is not None and entry.attention and entry.attention(workspace, waiting)),
        hint=entry.hint,
        count=entry.count(waiting) if waiting is not None and entry.count else None,
        short=entry.short or entry.label,
    )
