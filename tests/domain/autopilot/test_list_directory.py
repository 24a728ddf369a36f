"""People whom a source has brought, walked through like those of a search."""

import pytest

from app.core.db import transaction
from app.domain.autopilot import people_search
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
    """They are known already, so their title decides nothing. They bring the texts of the angle."""
    list_id = a_list(acme, PEOPLE)
    connect(acme, "payments", list_id)
    connect(acme, "analytics", list_id)
    people = people_search.people_for(acme, "former_customers")
    visitors = people_search.people_for(acme, "site_visitors")
    assert people is not None
    assert visitors is not None
    assert people.count(ANYONE) == 5
    seen, cursor, pages = [], "", 0
    while pages == 0 or cursor:
        page = people.find(ANYONE, 2, cursor)
        seen += [one.public_id for one in page.people]
        cursor, pages = page.cursor, pages + 1
    assert (seen, pages) == ([one["publicId"] for one in PEOPLE], 3)
    assert [one.find(ANYONE, 1).people[0].facts for one in (people, visitors)] == [{"ended": "May"}, {}]


def test_samples_are_for_the_sandbox_and_lists_for_their_own_workspace(live: Workspace, rival: Workspace) -> None:
    """An angle without a source needs a search."""
    assert people_search.people_for(rival, "site_visitors") is None
    assert people_search.people_for(live, "hiring") is None
    connect(rival, "payments", a_list(rival, PEOPLE))
    for angle in ("site_visitors", "former_customers"):
        people = people_search.people_for(live, angle)
        assert people is not None
        assert (people.count(ANYONE), people.find(ANYONE, 10).people) == (0, [])
