"""People search over a workspace's connected services: the first that can answers."""

from collections.abc import Callable
from typing import TypeVar

from app import ports
from app.domain.platform import services
from app.domain.platform.services import Asked, ServiceCredentials
from app.models.workspaces import Workspace
from app.ports import FoundPeople, PeopleQuery, PeopleService, ProviderError, Refused, Throttled

TOMORROW = 3600  # seconds after which a budget is looked at again
USED_UP = "Today's people search budget is used up. The search continues tomorrow, or raise the budget."
T = TypeVar("T")


class ConnectedSearch:
    """A `ports.PeopleSearch` over the connected services. A cursor begins with the name of the one it came from."""

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
