"""People search over a workspace's connected services, of which the first that can answers, or over an angle's list."""

from collections.abc import Callable
from typing import Any, TypeVar

import sqlalchemy as sa

from app import ports
from app.core import text
from app.core.db import session
from app.domain.platform import services
from app.domain.platform.services import Asked, ServiceCredentials
from app.models.autopilot import SourceConnection
from app.models.leads import Lead
from app.models.workspaces import Workspace
from app.ports import FACTS, FoundPeople, FoundPerson, PeopleQuery, PeopleService, ProviderError, Refused, Throttled

TOMORROW = 3600  # seconds after which a budget is looked at again
USED_UP = "Today's people search budget is used up. The search continues tomorrow. To continue now, raise the budget."
T = TypeVar("T")


class ConnectedSearch:
    """A `ports.PeopleSearch` over the connected services. A cursor begins with the name of its service."""

    def __init__(self, workspace: Workspace, name: str) -> None:
        self._workspace, self.name = workspace, name

    def count(self, wanted: PeopleQuery) -> int:
        """Count the matches; 0 for an angle that no connected service supports."""

        def ask(one: ServiceCredentials, service: PeopleService, asked: Asked) -> int:
            return service.count_people(one.credentials, wanted)

        return self._first(wanted, "", ask) or 0

    def find(self, wanted: PeopleQuery, limit: int, cursor: str = "") -> FoundPeople:
        """Find the next people; see PeopleSearch."""
        name, _, inner = cursor.partition(":")

        def ask(one: ServiceCredentials, service: PeopleService, asked: Asked) -> FoundPeople:
            found = service.find_people(one.credentials, wanted, limit, inner)
            asked.answers = len(found.people)
            return FoundPeople(found.people, f"{one.name}:{found.cursor}" if found.cursor else "")

        return self._first(wanted, name, ask) or FoundPeople()

    def _first(
        self, wanted: PeopleQuery, name: str, ask: Callable[[ServiceCredentials, PeopleService, Asked], T]
    ) -> T | None:
        """Return the answer of the first or named service that supports the angle; None without one."""
        ready = services.credentials_for(self._workspace, "people")
        if not ready:
            raise Throttled(USED_UP, TOMORROW)
        failed: ProviderError | None = None
        for one in ready:
            service = one.adapter
            if not isinstance(service, PeopleService) or wanted.angle not in service.angles:
                continue
            if name and one.name != name:
                continue
            try:
                with services.call(self._workspace, one) as asked:
                    return ask(one, service, asked)
            except ProviderError as failure:
                failed = failed or failure
        if failed is not None:
            raise failed
        if name:
            raise Refused("The people search was disconnected. Start again.")
        return None


def search_for(workspace: Workspace) -> ConnectedSearch | None:
    """Return the workspace's people search; None while no service with one is connected."""
    if workspace.sandbox:
        return None
    names = [login.service for login in services.connected(workspace)]
    named = [name for name in names if "people" in ports.service(name).service.serves]
    return ConnectedSearch(workspace, named[0]) if named else None


SOURCES = {"former_customers": "payments", "site_visitors": "analytics"}  # which source knows the people of an angle


class ListedPeople:
    """A `ports.PeopleSearch` over a list of source people: known people match any targeting. Empty without a list."""

    def __init__(self, workspace: Workspace, list_id: int | None, angle: str) -> None:
        self._workspace_id, self._list_id, self._angle = workspace.id, list_id, angle
        self.name = "sandbox" if workspace.sandbox else SOURCES[angle]

    def count(self, wanted: PeopleQuery) -> int:
        """Return how many match."""
        return session().scalar(self._query(sa.func.count())) or 0

    def find(self, wanted: PeopleQuery, limit: int, cursor: str = "") -> FoundPeople:
        """Return the next people, in the order they were added."""
        query = self._query(Lead).where(Lead.id > int(cursor or 0)).order_by(Lead.id).limit(limit)
        found = session().scalars(query).all()
        people = [_person(lead, self._angle) for lead in found]
        return FoundPeople(people, str(found[-1].id) if len(found) == limit else "")

    def _query(self, what: Any) -> sa.Select[Any]:
        where = (Lead.workspace_id == self._workspace_id, Lead.list_id == self._list_id)
        return sa.select(what).select_from(Lead).where(*where)


def people_for(workspace: Workspace, angle: str) -> ListedPeople | None:
    """Return the people of the angle's source; None for an angle that needs a search.

    A sandbox has samples for these angles even without a source.
    """
    if angle not in SOURCES:
        return None
    list_id = session().scalar(_source(workspace, angle).with_only_columns(SourceConnection.list_id))
    return None if list_id is None and workspace.sandbox else ListedPeople(workspace, list_id, angle)


def is_connected(workspace: Workspace, angle: str) -> bool:
    """Return whether the source that knows the people of the angle is connected."""
    return session().scalar(_source(workspace, angle)) is not None


def _source(workspace: Workspace, angle: str) -> sa.Select[int]:
    ours = (SourceConnection.workspace_id == workspace.id, SourceConnection.kind == SOURCES[angle])
    return sa.select(SourceConnection.id).where(*ours)


def _person(lead: Lead, angle: str) -> FoundPerson:
    known = {name: lead.custom_fields.get(name) for name in FACTS[angle]}
    return FoundPerson(
        public_id=lead.public_id,
        profile_url=lead.profile_url,
        first_name=lead.first_name,
        last_name=lead.last_name,
        title=lead.position,
        company=lead.company_name,
        company_domain=text.domain(lead.company_url) if lead.company_url else "",
        headline=lead.headline,
        location=lead.location,
        image_url=lead.image_url,
        email=lead.email,
        facts={name: value for name, value in known.items() if isinstance(value, str)},
    )
