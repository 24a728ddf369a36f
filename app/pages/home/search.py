"""Search or go to: pages, actions, settings, and what has a name in the workspace, as a page and as a palette."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, current_app, g, request, url_for

from app.core.text import url_parts
from app.domain.autopilot import setup as autopilot
from app.domain.workspace import search
from app.domain.workspace.search import Found
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework import page_permissions, settings_rail, shell
from app.pages.framework.base import htmx, render
from app.pages.framework.words import people_count

area = Blueprint("search", __name__)
WORDS: Mapping[str, str] = tomllib.loads(Path(__file__).with_name("search_words.toml").read_text("utf-8"))
MOST = 20  # on the page, where there is room


@dataclass(frozen=True)
class Option:
    """A link or, with `fields`, a form that is sent to `href`."""

    label: str
    href: str
    icon: str
    detail: str = ""
    keys: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    also: str = ""  # further words by which it is found


@dataclass(frozen=True)
class Group:
    """A heading and its options."""

    title: str
    options: list[Option]


@dataclass(frozen=True)
class Action:
    """An action offered on every page to users whose role allows it."""

    label: str
    icon: str
    endpoint: str
    fields: dict[str, str] = field(default_factory=dict)
    also: str = ""
    values: dict[str, str] = field(default_factory=dict)
    detail: str = ""


_EXPORT = {"slug": "plan", "_anchor": "export"}
PLACES = (  # where no menu leads
    Action("Possible duplicates", "users-round", "pages.lists.merging.alike", also="merge twice same person"),
    Action("Export workspace", "download", "pages.settings.group", also="backup all data move json", values=_EXPORT),
    Action("Delete a person", "trash-2", "pages.lists.index", also="erase remove gdpr", detail="Person → … → Erase"),
)
ACTIONS = (
    Action("New campaign", "megaphone", "pages.campaigns.new", also="create"),
    Action("Import people", "upload", "pages.lists.new", also="csv excel add list", values={"file": "1"}),
    Action("New list", "plus", "pages.lists.new", also="create people"),
    Action("Create key", "key-round", "pages.developers.new_key", also="new api"),
)
SKIP = Action("Fast-forward 1 day", "fast-forward", "pages.sandbox.skip", {"hours": "24"}, "sandbox clock time skip")
PAUSE = Action("Pause autopilot", "pause", "pages.plays.whole", {"sent": "1"}, "stop plays", {"switch": "pause"})
RESUME = Action("Resume autopilot", "play", "pages.plays.whole", {"sent": "1"}, "resume plays", {"switch": "resume"})
COLOURS = (("light", "Light colors", "sun"), ("dark", "Dark colors", "moon"), ("", "System colors", "monitor"))


@area.get("/search")
def index(workspace: Workspace, user: User) -> Response:
    """Show the results, or all pages and actions; for the palette its dialog or its options."""
    q = request.args.get("q", "").strip()[: search.LONGEST]
    typing = htmx().target == "palette-found"
    found = search.find(workspace, q, g.role, search.MOST if htmx().partial else MOST)
    groups = [*_fixed(workspace, user, q), *_found(found)]
    part = "search/_found.html" if typing else "search/_dialog.html"
    return render("search/index.html", part=part, q=q, groups=groups, owner=f"{workspace.id}:{g.user.id}")


def _fixed(workspace: Workspace, user: User, q: str) -> list[Group]:
    """Return the pages and actions the role allows that match every word."""
    pages = [
        Option(each.label, url_for(each.first), each.icon, keys=f"G {each.key}".upper(), also=WORDS[each.endpoint])
        for each in (*shell.NAV, shell.BELL)
        if each.first
    ]
    pages += [
        Option(tab.label, tab.href, tab.icon, also=f"{each.label} {WORDS[tab.type or tab.endpoint]}")
        for each in shell.NAV
        for tab in each.tabs
        if page_permissions.may(g.role, tab.endpoint)
    ]
    pages += [_option(place) for place in PLACES if page_permissions.may(g.role, place.endpoint)]
    actions = [
        _option(action) for action in _actions(workspace) if page_permissions.may(g.role, action.endpoint, change=True)
    ]
    settings = [
        Option(place.label, group.way(place), place.icon, also=f"{place.text} {group.label} {WORDS[place.endpoint]}")
        for group in settings_rail.groups(user)
        for place in group.places
    ]
    groups = [
        Group("Go to", _matching(pages, q)),
        Group("Do", _matching([*actions, *_colours()], q)),
        Group("Settings", _matching(settings, q)),
    ]
    return [group for group in groups if group.options]


def _actions(workspace: Workspace) -> list[Action]:
    status = autopilot.view(workspace).setup.status
    further = [SKIP] * workspace.sandbox + [PAUSE] * (status == "active") + [RESUME] * (status == "paused")
    return [action for action in (*ACTIONS, *further) if action.endpoint in current_app.view_functions]


def _option(action: Action) -> Option:
    values: dict[str, Any] = dict(action.values)
    href = url_for(action.endpoint, **values)
    return Option(action.label, href, action.icon, action.detail, fields=action.fields, also=action.also)


def _colours() -> list[Option]:
    back = url_parts(str(htmx().current_url or "")).path if htmx() else "/search"
    return [
        Option(
            label, url_for("pages.home.theme"), icon, fields={"theme": value, "next": back}, also="theme switch mode"
        )
        for value, label, icon in COLOURS
    ]


def _matching(options: list[Option], q: str) -> list[Option]:
    """Return the options with every word, first those with the words in their name."""
    words = q.casefold().split()
    found = [each for each in options if all(word in f"{each.label} {each.also}".casefold() for word in words)]
    return sorted(found, key=lambda each: not all(word in each.label.casefold() for word in words))


def _found(found: Found) -> list[Group]:
    def group(title: str, rows: Sequence[Any], icon: str, page: str, key: str, detail: Callable[[Any], str]) -> Group:
        def way(one: Any) -> str:
            return url_for(f"pages.{page}", **({key: one.id} if key else {}))

        return Group(title, [Option(_name(one), way(one), icon, detail(one)) for one in rows])

    talks, company = found.conversations, attrgetter("company_name")
    groups = [
        group("People", found.people, "user-round", "lists.people.show", "lead_id", lambda one: _of(one, found)),
        group("Conversations", talks, "messages-square", "conversations.show", "conversation_id", company),
        group("Campaigns", found.campaigns, "megaphone", "campaigns.show", "campaign_id", _status),
        group("Lists", found.lists, "users-round", "lists.show", "list_id", lambda one: people_count(one.lead_count)),
        group("Senders", found.senders, "link", "senders.show", "account_id", _status),
        group("Plays", found.plays, "rocket", "plays.show", "play_id", lambda _: ""),
        group("Templates", found.templates, "file-text", "templates.index", "", lambda _: ""),
        group("Webhooks", found.webhooks, "webhook", "developers.webhooks.show", "webhook_id", lambda one: one.event),
    ]
    return [group for group in groups if group.options]


def _name(one: Any) -> str:
    return getattr(one, "name", "") or f"{one.first_name} {one.last_name}".strip() or one.public_id


def _of(person: Any, found: Found) -> str:
    return " · ".join(filter(None, (person.company_name or person.headline, found.lists_of.get(person.list_id))))


def _status(one: Any) -> str:
    return str(one.status).capitalize()
