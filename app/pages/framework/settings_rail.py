"""The pages of the settings, in groups: their overview, and the rail beside each of them."""

from dataclasses import dataclass

from flask import current_app, g, request, url_for

from app.domain.workspace import server_admins
from app.domain.workspace.workspaces import User
from app.pages.framework import page_permissions


@dataclass(frozen=True)
class Place:
    """A line of the overview, shown if its endpoint exists and the role may open it."""

    label: str
    text: str
    icon: str
    endpoint: str
    of_server: bool = False  # for server admins only


PLACES = {
    "You": [
        Place("Profile", "Name, email, password, sessions.", "user-round", "pages.profile.index"),
        Place("Two-factor sign-in", "Require a code from your phone when signing in.", "lock", "pages.profile.factor"),
        Place("Appearance", "Colors, density, keyboard shortcuts.", "sun", "pages.settings.appearance"),
    ],
    "Workspace": [
        Place("Team", "Members and roles.", "users-round", "pages.team.index"),
        Place(
            "Services",
            "LinkedIn, people search, email lookup, signals.",
            "zap",
            "pages.services.index",
        ),
        Place("CRM", "Sync contacts, lists and activities.", "refresh-cw", "pages.crm.index"),
        Place("Sources", "Analytics, payments and your website.", "plug", "pages.autopilot.connections"),
        Place(
            "Adding people",
            "How imports update people, and your lawful basis.",
            "user-plus",
            "pages.people_defaults.index",
        ),
        Place("Alerts", "Notifications about replies and senders.", "bell", "pages.autopilot.where"),
        Place("Inbox", "Snippets, meeting links, undo send.", "messages-square", "pages.inbox_settings.index"),
        Place("Meetings", "Booked meetings and unmatched bookings.", "calendar-clock", "pages.meetings.index"),
        Place("Contact rules", "Who campaigns leave out, and how often.", "filter", "pages.contact_rules.index"),
        Place("Blackout dates", "Days on which no campaign sends anything.", "calendar", "pages.blackouts.index"),
        Place("Do not contact", "People and companies you never contact.", "shield-ban", "pages.never_contact.index"),
        Place("API keys", "For your scripts and AI assistants.", "key-round", "pages.developers.key_list"),
        Place("Trust", "Promises, data retention and data recipients.", "life-buoy", "pages.trust.index"),
        Place("Audit log", "Who did what, and from where.", "list-checks", "pages.audit.index"),
    ],
    "Server": [
        Place("Writer", "Who writes your texts: the built-in writer or an AI model.", "pencil", "pages.writer.index"),
        Place("System", "Engine, queues, failures, backups.", "activity", "pages.system.index", of_server=True),
    ],
    "Plan": [
        Place("Credits", "Balance and history.", "gauge", "pages.settings.credits.index"),
        Place("Billing", "Plan and limits", "credit-card", "pages.settings.credits.subscription"),
    ],
}


def groups(user: User) -> dict[str, list[Place]]:
    """Return the pages that exist and that the user may open, by group."""
    known = current_app.view_functions
    hidden = not server_admins.is_admin(user)
    found = {
        title: [
            one
            for one in places
            if one.endpoint in known and page_permissions.may(g.role, one.endpoint) and not (one.of_server and hidden)
        ]
        for title, places in PLACES.items()
    }
    return {title: places for title, places in found.items() if places}


def rail(user: User) -> list[tuple[str, list[tuple[Place, str, bool]]]]:
    """Return the groups with each page's address and whether it is this one; empty outside the settings.

    Pages that the navigation has already are left out.
    """
    if not request.path.startswith("/settings/"):
        return []
    found = []
    for title, places in groups(user).items():
        lines = [(one, url_for(one.endpoint)) for one in places]
        inside = [(one, href, _is_here(href)) for one, href in lines if href.startswith("/settings/")]
        if inside:
            found.append((title, inside))
    return found


def _is_here(href: str) -> bool:
    return request.path == href or request.path.startswith(f"{href}/")
