"""People who may be one: by address, or by name and company."""

import pytest

from app.core.db import end_read, transaction
from app.core.paging import Window
from app.domain.leads import merge_people
from app.domain.people import duplicates, identities
from app.domain.people.identities import Identity
from app.domain.people.people import get
from app.models.people import IdentityKind, Person
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres


def a_person(public_id: str, name: str = "", **fields: str) -> dict[str, str]:
    first, _, last = name.partition(" ")
    return {"publicId": public_id, "firstName": first, "lastName": last, **fields}


def suggested(workspace: Workspace, limit: int = 25, most_read: int = 50_000) -> list[tuple[str, str, str]]:
    end_read()
    found, cursor = [], ""
    while True:
        page = duplicates.Duplicates(workspace, most_read).page(Window(limit, cursor))
        found += [(pair.person.public_id, pair.other.public_id, pair.why) for pair in page.rows]
        cursor = page.next_cursor
        if not cursor:
            return found


def of(workspace: Workspace, public_id: str) -> Person:
    one = Identity(IdentityKind.PROFILE, public_id)
    return get(workspace, identities.owners(workspace.id, {one})[one])


def test_the_same_address_or_name_and_company_is_suggested_once(acme: Workspace, rival: Workspace) -> None:
    """In any spelling and order of the name; a company is known by name or domain; strangers are no duplicates."""
    a_list(
        acme,
        [
            a_person("ada", "Ada Byron", email="ada@wool.example", companyName="Wool Ltd"),
            a_person("ada-2", "Ada Byron", email="ada@wool.example", companyName="Wool Ltd"),
            a_person("mueller", "Jörg Müller", companyName="Acme GmbH"),
            a_person("mueller-2", "MÜLLER Jörg", companyName="ACME"),
            a_person("iyer", "Ravi Iyer", companyUrl="https://kite.example", companyName="Kite"),
            a_person("iyer-2", "Ravi Iyer", companyUrl="https://www.kite.example/team"),
            a_person("eve", "Ada Byron", companyName="Other Ltd"),
            a_person("one-word", "Ada", companyName="Wool Ltd"),
            a_person("one-word-2", "Ada", companyName="Wool Ltd"),
        ],
    )
    a_list(rival, [a_person("ada-3", "Ada Byron", email="ada@wool.example", companyName="Wool Ltd")])
    expected = [
        ("ada", "ada-2", duplicates.WHY[0]),
        ("mueller", "mueller-2", duplicates.WHY[1]),
        ("iyer", "iyer-2", duplicates.WHY[2]),
    ]
    assert suggested(acme) == expected
    assert suggested(acme, limit=1) == expected
    assert suggested(acme, most_read=1) == expected
    for person, other, why in expected:
        for one, another in ((person, other), (other, person)):
            (pair,) = duplicates.of_person(acme, of(acme, one))
            assert (pair.other.public_id, pair.why) == (another, why)


def test_an_address_or_a_name_of_many_suggests_no_one(acme: Workspace) -> None:
    """It is the company's, or a name that everyone has."""
    office = [a_person(f"p{number}", email="office@wool.example") for number in range(4)]
    namesakes = [a_person(f"n{number}", "Li Wei", companyName="Big Ltd") for number in range(11)]
    a_list(acme, [*office, *namesakes])
    assert suggested(acme) == []
    assert duplicates.of_person(acme, of(acme, "p0")) == []
    assert duplicates.of_person(acme, of(acme, "n0")) == []


def test_who_is_not_the_same_is_not_suggested_again(acme: Workspace) -> None:
    """Unless that is taken back; it holds for the person that one of them is merged into."""
    a_list(acme, [a_person(one, "Ada Byron", companyName="Wool Ltd") for one in ("ada", "eve", "mae")])
    ada, eve, mae = (of(acme, one).id for one in ("ada", "eve", "mae"))
    duplicates.tell_apart(acme, eve, ada)
    assert [pair[:2] for pair in suggested(acme)] == [("ada", "mae")]
    assert [pair.other.id for pair in duplicates.of_person(acme, get(acme, ada))] == [mae]
    merge_people.merge_people(acme, mae, ada)
    assert suggested(acme) == []
    duplicates.suggest_again(acme, mae, eve)
    assert [pair[:2] for pair in suggested(acme)] == [("eve", "mae")]


def test_pages_go_through_everything_once(acme: Workspace, clock: Movable) -> None:
    given = [a_person(f"x{n}-{twin}", f"Ann B{n:03}", companyName="Wool Ltd") for n in range(60) for twin in "ab"]
    a_list(acme, given)
    with transaction():
        for number in range(0, 60, 2):
            duplicates.tell_apart(acme, of(acme, f"x{number}-a").id, of(acme, f"x{number}-b").id)
    assert sorted(pair[0] for pair in suggested(acme, limit=7)) == sorted(f"x{n}-a" for n in range(1, 60, 2))


def test_a_page_looks_at_so_many_people_and_the_next_goes_on(acme: Workspace) -> None:
    """Of many people few may be alike; no page waits for all of them."""
    given = [a_person(f"x{n}", f"Ann B{n:03}", email=f"ann-{n:03}@wool.example", companyName="Wool") for n in range(20)]
    twins = [a_person("y7", "Ann B007", companyName="Wool"), a_person("y15", "Ann B015", companyName="Wool")]
    a_list(acme, [*given, *twins])
    page = duplicates.Duplicates(acme, most_read=5).page(Window())
    assert not page.rows
    assert page.next_cursor
    for most_read in (1, 2, 5, 11, 21, 22):
        assert [pair[:2] for pair in suggested(acme, most_read=most_read)] == [("x7", "y7"), ("x15", "y15")]
