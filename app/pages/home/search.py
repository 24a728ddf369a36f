"""Search or go to: pages, actions, settings, and what has a name in the workspace, as a page and as a palette."""

from dataclasses import dataclass, field
from typing import Any

from flask import Blueprint, Response, current_app, g, request, url_for

from app.core.text import url_parts
from app.domain.autopilot import setup as autopilot
from app.domain.workspace import search
from app.domain.workspace.search import Found
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework import page_permissions, settings_rail, shell
from app.pages.framework.base import htmx, render, signed_in

area = Blueprint("search", __name__)
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


ACTIONS = (
    Action("New campaign", "megaphone", "pages.campaigns.new", also="create"),
    Action("Import people", "upload", "pages.lists.index", also="csv add list"),
    Action("New list", "plus", "pages.lists.new", also="create people"),
    Action("Create key", "key-round", "pages.developers.new_key", also="new api"),
)
SKIP = Action("Fast-forward 1 day", "fast-forward", "pages.sandbox.skip", {"hours": "24"}, "sandbox clock time skip")
PAUSE = Action("Pause autopilot", "pause", "pages.plays.whole", {"sent": "1"}, "stop plays", {"switch": "pause"})
RESUME = Action("Resume autopilot", "play", "pages.plays.whole", {"sent": "1"}, "resume plays", {"switch": "resume"})
COLOURS = (("light", "Light colors", "sun"), ("dark", "Dark colors", "moon"), ("", "System colors", "monitor"))


@area.get("/search")
@signed_in
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
        Option(each.label, url_for(each.first), each.icon, keys=f"G {each.key}".upper())
        for each in (*shell.NAV, shell.BELL)
        if each.first
    ]
    pages += [
        Option(tab.label, tab.href, tab.icon, also=each.label)
        for each in shell.NAV
        for tab in each.tabs
        if page_permissions.may(g.role, tab.endpoint)
    ]
    actions = [
        _option(action) for action in _actions(workspace) if page_permissions.may(g.role, action.endpoint, change=True)
    ]
    settings = [
        Option(place.label, group.way(place), place.icon, also=f"{place.text} {group.label}")
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
    return Option(action.label, url_for(action.endpoint, **values), action.icon, fields=action.fields, also=action.also)


def _colours() -> list[Option]:
    back = url_parts(str(htmx().current_url or "")).path if htmx() else "/search"
    return [
        Option(
            label, url_for("pages.home.theme"), icon, fields={"theme": value, "next": back}, also="theme switch mode"
        )
        for value, label, icon in COLOURS
    ]


def _matching(options: list[Option], q: str) -> list[Option]:
    words = q.casefold().split()
    return [each for each in options if all(word in f"{each.label} {each.also}".casefold() for word in words)]


def _found(found: Found) -> list[Group]:
    people = [
        Option(
            person.name,
            url_for("pages.lists.people.show", lead_id=person.id),
            "user-round",
            " · ".join(filter(None, (person.company_name or person.headline, found.lists_of.get(person.list_id)))),
        )
        for person in found.people
    ]
    campaigns = [
        Option(each.name, url_for("pages.campaigns.show", campaign_id=each.id), "megaphone", each.status.capitalize())
        for each in found.campaigns
    ]
    conversations = [
        Option(
            f"{each.first_name} {each.last_name}".strip() or each.public_id,
            url_for("pages.conversations.show", conversation_id=each.id),
            "messages-square",
            each.company_name,
        )
        for each in found.conversations
    ]
    senders = [
        Option(each.name, url_for("pages.senders.show", account_id=each.id), "link", each.status.capitalize())
        for each in found.senders
    ]
    plays = [Option(each.name, url_for("pages.plays.show", play_id=each.id), "rocket") for each in found.plays]
    templates = [Option(each.name, url_for("pages.templates.index"), "file-text") for each in found.templates]
    webhooks = [
        Option(each.name, url_for("pages.developers.webhooks.show", webhook_id=each.id), "webhook", each.event)
        for each in found.webhooks
    ]
    lists = [
        Option(
            each.name,
            url_for("pages.lists.show", list_id=each.id),
            "users-round",
            f"{each.lead_count:,} {'person' if each.lead_count == 1 else 'people'}",
        )
        for each in found.lists
    ]
    groups = [
        Group("People", people),
        Group("Conversations", conversations),
        Group("Campaigns", campaigns),
        Group("Lists", lists),
        Group("Senders", senders),
        Group("Plays", plays),
        Group("Templates", templates),
        Group("Webhooks", webhooks),
    ]
    return [group for group in groups if group.options]
