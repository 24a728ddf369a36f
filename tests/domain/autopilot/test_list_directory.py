"""People whom a source has brought, walked through like those of a search."""

import pytest

from app.core.db import transaction
from app.domain.autopilot import list_directory
from app.models.autopilot import SourceConnection
from app.models.workspaces import Workspace
from app.ports import PeopleQuery
from tests.domain.outreach import a_list

ANYONE = PeopleQuery({"titles": ["CTO"]})
PEOPLE = [
    {"publicId": f"person-{number}", "position": "CEO", "customFields": {"ended": "May", "own": "x", "visited_page": 7}}
    for number in range(5)
]


def connect(workspace: Workspace, kind: str, list_id: int | None) -> None:
    """Connect a source that has brought the people of that list."""
    with transaction() as current:
        row = SourceConnection(workspace_id=workspace.id, kind=kind, created_at=workspace.now(), sealed=None)
        row.list_id = list_id
        current.add(row)


@pytest.fixture
def live(acme: Workspace) -> Workspace:
    """Our workspace with real people."""
    with transaction():
        acme.sandbox = False
    return acme


def test_pages_hold_each_person_of_the_list_once_whatever_is_targeted(acme: Workspace) -> None:
    """They are known already, so their title decides nothing."""
    connect(acme, "payments", a_list(acme, PEOPLE))
    people = list_directory.people_for(acme, "former_customers")
    assert people is not None
    assert people.count(ANYONE) == 5
    seen, cursor, pages = [], "", 0
    while pages == 0 or cursor:
        page = people.find(ANYONE, 2, cursor)
        seen += [one.public_id for one in page.people]
        cursor, pages = page.cursor, pages + 1
    assert (seen, pages) == ([one["publicId"] for one in PEOPLE], 3)


def test_a_person_brings_the_facts_of_the_angle_alone(acme: Workspace) -> None:
    """Fields of one's own are none, and a fact is a text."""
    list_id = a_list(acme, PEOPLE[:1])
    connect(acme, "payments", list_id)
    connect(acme, "analytics", list_id)
    facts = {}
    for angle in list_directory.SOURCES:
        people = list_directory.people_for(acme, angle)
        assert people is not None
        facts[angle] = people.find(ANYONE, 1).people[0].facts
    assert facts == {"former_customers": {"ended": "May"}, "site_visitors": {}}


def test_an_angle_without_a_source_needs_a_search(live: Workspace) -> None:
    connect(live, "payments", a_list(live, PEOPLE))
    assert list_directory.people_for(live, "hiring") is None


def test_a_live_workspace_without_a_list_has_no_people(live: Workspace) -> None:
    """Samples are for the sandbox."""
    people = list_directory.people_for(live, "site_visitors")
    assert people is not None
    assert (people.count(ANYONE), people.find(ANYONE, 10).people) == (0, [])


def test_a_sandbox_without_a_list_gets_samples(acme: Workspace) -> None:
    assert list_directory.people_for(acme, "site_visitors") is None


def test_the_people_of_another_workspace_are_not_among_them(live: Workspace, rival: Workspace) -> None:
    connect(rival, "payments", a_list(rival, PEOPLE))
    people = list_directory.people_for(live, "former_customers")
    assert people is not None
    assert people.count(ANYONE) == 0
