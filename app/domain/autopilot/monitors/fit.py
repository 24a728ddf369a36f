"""How well people fit a targeting: the workspace's from the autopilot, or a monitor's own words."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from app.core.db import in_list, session
from app.domain.autopilot import serialization, setup_state
from app.domain.autopilot.monitors import fit_words
from app.domain.autopilot.monitors.fit_words import Fit, Known
from app.models.monitors import Monitor, MonitorPerson
from app.models.people import Person
from app.models.workspaces import Workspace
from app.ports import FoundPerson

Words = Mapping[str, Sequence[str]]
_INDUSTRY = ("industry", "company_industry", "sector", "branche")
_SIZE = ("company_size", "size", "employees", "employee_count", "number_of_employees", "headcount", "company_headcount")


def words_of(workspace: Workspace, monitor: Monitor | None = None) -> Words:
    """Return the monitor's own targeting words, else the autopilot's; {} while there are none."""
    if monitor is not None and monitor.targeting:
        return {row: list(words) for row, words in monitor.targeting.items()}
    setup = setup_state.find(workspace)
    return serialization.wanted(workspace, setup).rows if setup is not None else {}


def is_known(workspace: Workspace) -> bool:
    """Return whether the workspace has targeting words to compare people with."""
    named = sa.select(Monitor.targeting).where(Monitor.workspace_id == workspace.id)
    return bool(words_of(workspace)) or any(session().scalars(named))


def of_found(words: Words, found: FoundPerson) -> Fit | None:
    """Return the fit of a person as a search found them."""
    return fit_words.measure(
        words,
        Known(found.title, found.headline, found.company, found.industry, "", found.location),
    )


def of_people(workspace: Workspace, people: Sequence[Person]) -> dict[int, Fit]:
    """Return, by person id, the fit with the workspace's targeting, else with that of the monitor that found them."""
    usual = words_of(workspace)
    named: Mapping[int, Words] = {} if usual else _monitored(workspace, [person.id for person in people])
    found = {}
    for person in people:
        if told := fit_words.measure(usual or named.get(person.id, {}), _known(person)):
            found[person.id] = told
    return found


def _monitored(workspace: Workspace, person_ids: Sequence[int]) -> dict[int, Words]:
    """Return, by person id, the targeting words of the monitor that found the person last."""
    query = (
        sa.select(MonitorPerson.person_id, Monitor.targeting)
        .join(Monitor, Monitor.id == MonitorPerson.monitor_id)
        .where(MonitorPerson.workspace_id == workspace.id, in_list(MonitorPerson.person_id, list(person_ids)))
        .order_by(MonitorPerson.id)
    )
    return {person_id: words for person_id, words in session().execute(query) if words}


def _known(person: Person) -> Known:
    custom = {_plain(name): value for name, value in person.custom_fields.items()}
    return Known(
        person.position,
        person.headline,
        person.company_name,
        _first(custom, _INDUSTRY),
        _first(custom, _SIZE),
        person.location,
    )


def _plain(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def _first(custom: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((str(custom[name]) for name in names if isinstance(custom.get(name), str | int)), "")
