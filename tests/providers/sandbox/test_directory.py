"""The sandbox's directory of people: sensible, stable, and empty where no one can be."""

import pytest
from flask import Flask

from app.core import text
from app.ports import ANGLES, FACTS, PeopleQuery
from app.providers.sandbox.directory import SandboxDirectory
from app.providers.sandbox.population import character

ROWS: dict[str, list[str]] = {
    "titles": ["Founder", "Head of Operations"],
    "companyType": ["Sailing schools"],
    "size": ["1-10", "11–50"],
    "location": ["Germany", "Austria"],
}


@pytest.fixture
def directory(app: Flask) -> SandboxDirectory:
    return SandboxDirectory()


def test_each_match_is_found_once_and_fits_the_query(directory: SandboxDirectory) -> None:
    """As many as it says, each once, each as was asked for."""
    wanted = PeopleQuery(ROWS)
    found = directory.find(wanted, 5000).people
    assert len(found) == directory.count(wanted) > 50
    assert len({text.public_id(one.public_id) for one in found}) == len(found)
    assert len({(one.company, one.location) for one in found}) == len({one.company for one in found})
    for one in found:
        assert one.title in ROWS["titles"]
        assert one.industry == "Sailing schools"
        assert one.location.endswith(("Germany", "Austria"))
        assert text.public_id(one.profile_url) == one.public_id
        assert text.email(one.email) == one.email
        assert text.domain(one.company_domain) == one.company_domain
        assert character(one.public_id) is None


def test_pages_hold_the_same_people_as_one_answer(directory: SandboxDirectory) -> None:
    wanted = PeopleQuery(ROWS, seed=7)
    whole = directory.find(wanted, 30)
    first = directory.find(wanted, 12)
    second = directory.find(wanted, 12, first.cursor)
    third = directory.find(wanted, 6, second.cursor)
    assert [*first.people, *second.people, *third.people] == whole.people
    assert third.cursor == whole.cursor
    assert directory.find(PeopleQuery(ROWS, seed=8), 30).people != whole.people


def test_every_angle_narrows_and_knows_the_facts_that_messages_may_use(directory: SandboxDirectory) -> None:
    for angle in (one.code for one in ANGLES):
        wanted = PeopleQuery(ROWS, angle)
        assert 0 < directory.count(wanted) <= directory.count(PeopleQuery(ROWS))
        for one in directory.find(wanted, 10).people:
            assert set(one.facts) == set(FACTS.get(angle, {}))
            assert all(one.facts.values())


def test_places_and_sizes_are_known_as_people_write_them(directory: SandboxDirectory) -> None:
    places = "DE|germany|Berlin|Berlin, Germany|DACH|Europe|UK|Remote|BG|Bulgaria".split("|")
    sizes = "1-10|11–50|51 to 200|1,001-5,000|10,001+|Over 500|Self-employed".split("|")
    for name, several in (("location", places), ("size", sizes)):
        assert [one for one in several if not directory.count(PeopleQuery({**ROWS, name: [one]}))] == []


def test_people_are_named_as_where_they_live_and_companies_as_what_they_do(directory: SandboxDirectory) -> None:
    places = {"Poland": "Nowak", "Munich, Germany": "Keller", "Queens, New York": "Rivera"}
    for place, name in places.items():
        wanted = PeopleQuery({**ROWS, "companyType": ["Property management"], "location": [place]})
        found = directory.find(wanted, 400).people
        assert [one for one in places.values() if one in {each.last_name for each in found}] == [name]
        assert {one.company.split()[1] for one in found} == {"Property"}


def test_each_row_alone_may_leave_no_one_and_none_restricts_nothing(directory: SandboxDirectory) -> None:
    nothing: dict[str, list[str]] = {"titles": ["Wizard"], "location": ["Atlantis"], "companyType": ["???"]}
    for name, labels in (*nothing.items(), ("size", ["enormous"]), ("size", ["50-10"])):
        wanted = PeopleQuery({**ROWS, name: labels})
        assert (directory.count(wanted), directory.find(wanted, 10).people) == (0, [])
    assert directory.count(PeopleQuery(ROWS, "horoscope")) == 0
    fewer = PeopleQuery({**ROWS, "location": ["Germany"]})
    assert directory.count(fewer) < directory.count(PeopleQuery(ROWS)) < directory.count(PeopleQuery({}))
