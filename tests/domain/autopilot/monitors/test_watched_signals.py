"""Which signals a live workspace can watch: those that a connected service or source knows."""

import pytest

from app import ports
from app.core.db import transaction
from app.core.errors import InvalidRequest
from app.domain.autopilot import sources
from app.domain.autopilot.monitors import watched_signals
from app.domain.platform import services
from app.models.workspaces import Workspace
from app.ports import FACTS, Credentials, FoundPeople, FoundPerson, PeopleQuery
from tests.domain.autopilot.monitors.watching import a_monitor, look, rows
from tests.domain.autopilot.steering import work
from tests.support.finders import RIGHT, Finder
from tests.support.movable import Movable


def live(acme: Workspace) -> Workspace:
    """Ours, live from now on."""
    with transaction() as current:
        workspace = current.get_one(Workspace, acme.id)
        workspace.sandbox = False
    return workspace


def test_a_sandbox_watches_every_signal_and_a_live_workspace_without_a_service_is_told_to_connect_one(
    acme: Workspace,
) -> None:
    """No one is invented for it. Each signal has facts that messages may use."""
    assert not [one for one in watched_signals.SIGNALS if watched_signals.trouble(acme, one)]
    workspace = live(acme)
    assert all(watched_signals.trouble(workspace, one) for one in watched_signals.SIGNALS)
    with pytest.raises(InvalidRequest) as refused:
        a_monitor(workspace, kind="signal")
    assert refused.value.fields[0].message.startswith("No connected service finds people by this signal.")
    assert all(one.angle in FACTS for one in watched_signals.SIGNALS.values())


class Searcher(Finder):
    """Finds people who are new in their role, and counts nothing."""

    angles = ("", "new_role")

    def count_people(self, credentials: Credentials, wanted: PeopleQuery) -> int:
        """See PeopleService."""
        return 1

    def find_people(self, credentials: Credentials, wanted: PeopleQuery, limit: int, cursor: str = "") -> FoundPeople:
        """See PeopleService."""
        self.seen.append(credentials)
        ada = FoundPerson("ada", "https://network.example/in/ada", "Ada", "Lovelace", "Founder", "Engine")
        return FoundPeople([ada])


def test_a_service_serves_the_signals_it_knows(acme: Workspace, clock: Movable) -> None:
    """And is asked with its key; the person found waits as everyone does."""
    searcher = Searcher("searcher", "people")
    ports.connect_services([searcher])
    workspace = live(acme)
    services.connect(workspace, "searcher", {"api_key": RIGHT})
    assert {one for one in watched_signals.SIGNALS if not watched_signals.trouble(workspace, one)} == {"jobChange"}
    monitor = a_monitor(workspace, kind="signal", signal="jobChange")
    look(clock, monitor)
    assert searcher.seen[-1].values["api_key"] == RIGHT
    assert [row.handle for row in rows(monitor, "held")] == ["ada"]


def test_visitors_need_their_source(acme: Workspace) -> None:
    """Once it is connected its list is what is watched."""
    sources.connect_analytics(acme, "phx_readonly")
    work()
    workspace = live(acme)
    assert watched_signals.trouble(workspace, "siteVisitor") == ""
    assert "sources" in watched_signals.trouble(workspace, "formerCustomer").casefold()
    assert watched_signals.search(workspace, "siteVisitor").name == "analytics"
