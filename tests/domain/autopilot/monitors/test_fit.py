"""Fit with the words of the autopilot, or of the monitor that found a person."""

from typing import Any

import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.autopilot.monitors import fit, found_people
from app.models.autopilot import Setup
from app.models.leads import Lead
from app.models.people import Person
from app.models.workspaces import Workspace
from app.ports import FoundPerson
from tests.domain.autopilot.monitors.watching import a_monitor, look
from tests.domain.outreach import a_list
from tests.support.movable import Movable


def people(list_id: int | None) -> list[Person]:
    query = sa.select(Person).join(Lead, Lead.person_id == Person.id).where(Lead.list_id == list_id)
    return list(session().scalars(query.order_by(Person.id)))


def aim(acme: Workspace, at: Any, **chips: list[tuple[str, bool]]) -> None:
    kept = [{"key": key, "chips": [{"label": word, "on": on} for word, on in words]} for key, words in chips.items()]
    with transaction() as current:
        blank = {"customer_types": [], "rules": [], "site_key": "ovs_x", "created_at": at}
        current.add(Setup(workspace_id=acme.id, targets={"summary": "", "rows": kept, "evenBetter": []}, **blank))


def test_without_words_no_one_has_a_fit_and_a_monitor_uses_those_of_the_autopilot(
    acme: Workspace, clock: Movable
) -> None:
    found = people(a_list(acme, [{"publicId": "ada", "position": "Founder"}]))
    assert fit.of_people(acme, found) == {}
    assert not fit.is_known(acme)
    aim(acme, clock.at, titles=[("Founder", True)])
    assert fit.words_of(acme, a_monitor(acme)) == {"titles": ["Founder"]}
    assert fit.words_of(acme, a_monitor(acme, targeting={"size": ["11-50"]})) == {"size": ["11-50"]}


def test_the_words_of_the_autopilot_that_are_on_count(acme: Workspace, clock: Movable) -> None:
    """Also what custom fields say of size and industry, as files name them."""
    aim(
        acme, clock.at, titles=[("Founder", True), ("CEO", False)], size=[("11-50", True)], companyType=[("Bank", True)]
    )
    known = {"customFields": {"Company Size": 30, "Industry": "Banking and banks"}}
    found = people(a_list(acme, [{"publicId": "ada", "position": "CEO", **known}]))
    told = fit.of_people(acme, found)[found[0].id]
    assert {row.row: (row.matched, row.missed) for row in told.rows} == {
        "titles": ((), ("Founder",)),
        "companyType": (("Bank",), ()),
        "size": (("11-50",), ()),
    }
    assert fit.is_known(acme)


def test_without_the_autopilot_the_words_of_the_monitor_count(acme: Workspace, clock: Movable) -> None:
    """For the people it found, and no one else."""
    monitor = a_monitor(acme, most_per_day=1, targeting={"titles": ["Founder"]})
    look(clock, monitor)
    found_people.decide(acme, monitor.id, True)
    other = people(a_list(acme, [{"publicId": "bob", "position": "Founder"}]))
    found = people(monitor.list_id)
    assert set(fit.of_people(acme, [*found, *other])) == {found[0].id}
    assert fit.is_known(acme)


def test_who_was_only_found_has_a_fit_too() -> None:
    found = FoundPerson(
        "ada", "", "Ada", "Lovelace", "Founder", "Engine", industry="Software", location="Berlin, Germany"
    )
    told = fit.of_found({"titles": ["Founder"], "companyType": ["Software"], "location": ["France"]}, found)
    assert told is not None
    assert (told.matched, told.known) == (2, 3)
    assert fit.of_found({}, found) is None
