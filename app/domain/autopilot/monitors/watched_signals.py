"""The signals that monitors can watch, and the people search that finds people by each."""

from typing import NamedTuple

from app import ports
from app.domain.autopilot import people_search
from app.domain.platform import services
from app.models.workspaces import Workspace
from app.ports import PeopleSearch, PeopleService


class WatchedSignal(NamedTuple):
    """One signal: its name, the angle that a people search finds it by, and whether it needs a targeting."""

    label: str
    angle: str
    needs_targeting: bool = True


SIGNALS: dict[str, WatchedSignal] = {
    "jobChange": WatchedSignal("Started a new role", "new_role"),
    "hiring": WatchedSignal("Company is hiring", "hiring"),
    "funding": WatchedSignal("Company raised money", "funded"),
    "techStack": WatchedSignal("Company uses a technology", "technology"),
    "news": WatchedSignal("Company in the news", "news"),
    "siteVisitor": WatchedSignal("Visited your website", "site_visitors", False),
    "formerCustomer": WatchedSignal("Former customer", "former_customers", False),
}
_NO_SERVICE = "No connected service finds people by this signal. Connect a service in Settings → Services."
_NO_SOURCE = "This signal needs a source. Connect the source in Settings → Sources."


def trouble(workspace: Workspace, signal: str) -> str:
    """Return why the signal can't be watched in this workspace now; '' when it can."""
    angle = SIGNALS[signal].angle
    if workspace.sandbox:
        return ""
    if angle in people_search.SOURCES:
        return "" if people_search.is_connected(workspace, angle) else _NO_SOURCE
    named = (ports.service(login.service) for login in services.connected(workspace))
    return "" if any(isinstance(one, PeopleService) and angle in one.angles for one in named) else _NO_SERVICE


def search(workspace: Workspace, signal: str) -> PeopleSearch:
    """Return the search that finds people by the signal; samples in a sandbox without a source."""
    angle = SIGNALS[signal].angle
    known = people_search.people_for(workspace, angle)
    return known or people_search.search_for(workspace) or ports.sandbox_people()
