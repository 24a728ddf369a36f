"""Plays of a live workspace find their people in the services it has connected."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from flask import Flask, jsonify

from app import ports
from app.core.db import transaction
from app.domain.autopilot import people_search, play_people
from app.domain.leads import lists
from app.domain.platform import services
from app.domain.workspace import workspaces
from app.models.workspaces import Workspace
from app.ports import PeopleQuery, ProviderError, Refused, Throttled, Unreachable
from app.providers.apollo import Apollo
from app.providers.http import HttpClient
from app.providers.pdl import PeopleDataLabs
from tests.conftest import PASSWORD
from tests.domain.autopilot.steering import launched
from tests.providers.apollo_server import ApolloServer
from tests.providers.pdl_server import PdlServer
from tests.providers.test_data_services import a_person
from tests.support.movable import Movable

ROWS = {"titles": ["Founder"]}


@pytest.fixture
def world(app: Flask, clock: Movable) -> Iterator[SimpleNamespace]:
    """Two services in which 30 people can be found."""
    found = SimpleNamespace(pdl=PdlServer(), apollo=ApolloServer())
    for server in vars(found).values():
        server.people = [a_person(number) for number in range(30)]
    for one in found.apollo.people:
        one["linkedin_url"] = f"https://www.{one['linkedin_url']}"
    client = HttpClient(allow_private=True)
    ports.connect_services([PeopleDataLabs(client, found.pdl.url), Apollo(client, found.apollo.url)])
    yield found
    for server in vars(found).values():
        server.stop()


@pytest.fixture
def live(world: SimpleNamespace) -> Workspace:
    """A workspace that has connected both."""
    made = workspaces.create("Live", "ada@live.example", PASSWORD)
    for name in ("pdl", "apollo"):
        services.connect(made, name, {"api_key": "good"})
    return made


def the_search(workspace: Workspace) -> people_search.ConnectedSearch:
    """The search of the workspace."""
    found = people_search.search_for(workspace)
    assert found is not None
    return found


def down(path: str) -> object:
    """A server that is being looked after."""
    return jsonify(error="closed"), 503


def test_the_first_connected_search_answers_page_after_page(
    live: Workspace, world: SimpleNamespace, acme: Workspace
) -> None:
    """What it shows is counted. For an angle no one is asked who cannot narrow to it."""
    search = the_search(live)
    assert [search.name, *(play_people.search(one).name for one in (live, acme))] == ["pdl", "pdl", "sandbox"]
    assert search.count(PeopleQuery(ROWS)) == 30
    first = search.find(PeopleQuery(ROWS), 20)
    second = search.find(PeopleQuery(ROWS), 20, first.cursor)
    assert len({one.public_id for one in [*first.people, *second.people]}) == 30
    assert second.cursor == ""
    assert services.use_today(live, services.get(live, "pdl")) == (3, 31 * 280_000)
    assert people_search.search_for(acme) is None
    services.move(live, "apollo", 1)
    world.pdl.asked.clear()
    assert the_search(live).count(PeopleQuery(ROWS, "new_role")) == 30
    assert len(world.pdl.asked) == 1
    assert the_search(live).count(PeopleQuery(ROWS, "hiring")) == 0
    assert list(the_search(live).find(PeopleQuery(ROWS, "hiring"), 5).people) == []


def test_a_walk_stays_with_the_service_it_began_with_and_a_used_up_budget_waits(
    live: Workspace, world: SimpleNamespace
) -> None:
    """Another service would know other people; one that fails from the start leaves it to the next."""
    for name in ("pdl", "apollo"):
        services.connect(live, name, {"api_key": "good"}, 0)
    with pytest.raises(Throttled, match="budget"):
        play_people.search(live).count(PeopleQuery(ROWS))
    assert play_people.search(live).name != "sandbox"
    for name in ("pdl", "apollo"):
        services.connect(live, name, {"api_key": "good"})
    first = the_search(live).find(PeopleQuery(ROWS), 10)
    world.pdl.wrong = down
    with pytest.raises(Unreachable):
        the_search(live).find(PeopleQuery(ROWS), 10, first.cursor)
    assert len(the_search(live).find(PeopleQuery(ROWS), 10).people) == 10
    assert services.use_today(live, services.get(live, "apollo")) == (1, 10 * 25_000)
    services.disconnect(live, "pdl")
    with pytest.raises(Refused, match="people search was disconnected"):
        the_search(live).find(PeopleQuery(ROWS), 10, first.cursor)
    world.apollo.wrong = down
    with pytest.raises(ProviderError):
        the_search(live).count(PeopleQuery(ROWS))


def test_a_play_goes_to_real_people(acme: Workspace, world: SimpleNamespace) -> None:
    """Those who are found are shown for review, and all of them are in its list when it runs."""
    with transaction():
        acme.sandbox = False
    services.connect(acme, "pdl", {"api_key": "good"})
    world.pdl.people += [a_person(number) for number in range(30, 70)]
    play = launched(acme, most_people=None)
    assert (play.status, play.error, play.audience) == ("running", "", 70)
    assert {one.found["company"] for one in play_people.samples(acme, play.id)} == {"Engine"}
    assert lists.get_list(acme, play.list_id or 0).lead_count == 70
    assert play.launch["seen"] == 70
    assert not [one for one in world.apollo.asked if one[0] != "/mixed_people/api_search"]
