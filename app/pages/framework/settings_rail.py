"""The settings in eight groups: each is one page of sections, and the rail beside all of them leads to the groups."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import Response, current_app, g, request, url_for
from markupsafe import Markup

from app.domain.billing import subscriptions
from app.domain.workspace import server_admins
from app.domain.workspace.workspaces import User
from app.pages.framework import page_permissions


@dataclass(frozen=True)
class Place:
    """A page of the settings. A `whole` one stands on the page of its group; to others a line leads."""

    group: str
    label: str
    text: str
    icon: str
    endpoint: str
    whole: bool = False

    @property
    def slug(self) -> str:
        """Return the name of its section in an address."""
        return f"set-{self.label.lower().replace(' ', '-')}"


@dataclass(frozen=True)
class Group:
    """A group, at an address of its own or, with `page`, at that of the page which is all of it."""

    slug: str
    label: str
    icon: str
    page: str = ""
    places: Sequence[Place] = ()

    @property
    def href(self) -> str:
        """Return the address."""
        return url_for(self.page) if self.page else url_for("pages.settings.group", slug=self.slug)

    def way(self, place: Place) -> str:
        """Return the address of one of its places."""
        return f"{self.href}#{place.slug}" if place.whole else url_for(place.endpoint)

    @property
    def is_here(self) -> bool:
        """Return whether the page asked for belongs to it."""
        known = [self.href, *(url_for(one.endpoint) for one in PLACES if one.group == self.slug)]
        return any(request.path == one or request.path.startswith(f"{one}/") for one in known)


PLACES = (
    Place("you", "Profile", "Name, email, password, sessions.", "user-round", "pages.profile.index", whole=True),
    Place("you", "Two-factor sign-in", "A code from your phone.", "lock", "pages.profile.factor"),
    Place("you", "Appearance", "Colors, density, keyboard.", "sun", "pages.settings.appearance", whole=True),
    Place("workspace", "Name", "Name and time zone.", "building-2", "pages.settings.place", whole=True),
    Place(
        "workspace", "Inbox", "Snippets, meeting links.", "messages-square", "pages.inbox_settings.index", whole=True
    ),
    Place("workspace", "Adding people", "Lawful basis.", "user-plus", "pages.people_defaults.index", whole=True),
    Place("team", "Team", "Members and roles.", "users-round", "pages.team.index"),
    Place("sending", "Do not contact", "People you never contact.", "shield-ban", "pages.never_contact.index"),
    Place("sending", "Contact rules", "Exclusions and limits.", "filter", "pages.contact_rules.index", whole=True),
    Place("sending", "Blackout dates", "Days without sending.", "calendar", "pages.blackouts.index", whole=True),
    Place("connections", "CRM", "Sync contacts, lists and activities.", "refresh-cw", "pages.crm.index"),
    Place("connections", "Meetings", "Meetings booked with you.", "calendar-clock", "pages.meetings.index"),
    Place("connections", "Sources", "Analytics, payments and your website.", "plug", "pages.autopilot.connections"),
    Place(
        "connections", "Services", "LinkedIn, people search, email lookup.", "zap", "pages.services.index", whole=True
    ),
    Place("connections", "Writer", "The built-in writer or an AI model.", "pencil", "pages.writer.index", whole=True),
    Place("notifications", "Email and chat", "Notifications of replies and problems.", "bell", "pages.autopilot.where"),
    Place("notifications", "This browser", "While a tab is open.", "monitor", "pages.settings.browser", whole=True),
    Place("developers", "Developers", "The JSON API.", "code-xml", "pages.developers.index"),
    Place("developers", "API keys", "For your scripts and AI assistants.", "key-round", "pages.developers.key_list"),
    Place("developers", "Webhooks", "Events for your server.", "webhook", "pages.developers.webhooks.index"),
    Place("plan", "Credits", "Balance and history.", "gauge", "pages.settings.credits.index"),
    Place("plan", "Audit log", "Who did what, and from where.", "list-checks", "pages.audit.index"),
    Place("plan", "Billing", "Plan and limits.", "credit-card", "pages.settings.credits.subscription", whole=True),
    Place("plan", "Trust", "Who gets data, and for how long.", "life-buoy", "pages.trust.index", whole=True),
    Place("server", "System", "Engine, queues, failures, backups.", "activity", "pages.system.index"),
    Place("server", "Email sign-in", "For Google and Microsoft mailboxes.", "mail", "pages.email_sign_in.index"),
)
_GROUPS = (
    Group("you", "You", "user-round"),
    Group("workspace", "Workspace", "building-2"),
    Group("team", "Team", "users-round", "pages.team.index"),
    Group("sending", "Sending rules", "filter"),
    Group("connections", "Connections", "plug"),
    Group("notifications", "Notifications", "bell"),
    Group("developers", "Developers", "code-xml", "pages.developers.index"),
    Group("plan", "Plan and data", "chart-column"),
    Group("server", "Server", "activity", "pages.system.index"),
)
GROUPS = tuple(replace(one, places=[place for place in PLACES if place.group == one.slug]) for one in _GROUPS)
BESIDE = ("/settings/", "/developers", "/never-contact")  # the beginnings of the addresses with the rail beside them
OF_PLANS = ("pages.settings.credits.index", "pages.settings.credits.subscription")
OF_SERVER = ("server",)  # for server admins only
SLUGS = tuple(group.slug for group in GROUPS if not group.page)
SECTIONS = {place.endpoint: (group, place) for group in GROUPS for place in group.places if place.whole}


def _is_listed(place: Place) -> bool:
    """Return whether the user may open it and it concerns them: no one looks for plans where none are sold."""
    if place.endpoint in OF_PLANS and not subscriptions.is_offered(g.workspace):
        return False
    return page_permissions.may(g.role, place.endpoint)


def groups(user: User) -> list[Group]:
    """Return the groups with the pages that the user may open."""
    admin, named = server_admins.is_admin(user), {} if subscriptions.is_offered(g.workspace) else {"plan": "Data"}
    found = [
        replace(group, label=named.get(group.slug, group.label), places=list(filter(_is_listed, group.places)))
        for group in GROUPS
        if admin or group.slug not in OF_SERVER
    ]
    return [group for group in found if group.places]


def lead_to_group() -> str:
    """Return where on the page of its group the section asked for stands; '' for pieces of it."""
    if request.method != "GET" or request.args or "HX-Request" in request.headers:
        return ""
    group, place = SECTIONS[str(request.endpoint)]
    return group.way(place) if _is_listed(place) else ""


def section(place: Place, user: User) -> Markup:
    """Return what the page of a place shows, to stand on the page of its group; '' if it leads elsewhere now."""
    view = inspect.unwrap(current_app.view_functions[place.endpoint])
    with_user = {"user": user} if "user" in inspect.signature(view).parameters else {}
    g.section = True
    try:
        shown: Response = view(g.workspace, **with_user)
    finally:
        g.section = False
    # The page escaped what it was given when it was rendered.
    return Markup(shown.get_data(as_text=True)) if shown.status_code == 200 else Markup()  # nosec B704
