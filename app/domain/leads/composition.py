"""Composition of a list: which titles, places and companies its people have most often."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from app.core import text
from app.core.db import session
from app.domain.leads import lists
from app.models.leads import Lead, LeadList
from app.models.people import Person
from app.models.workspaces import Workspace

SHOWN = 5  # values of each kind
ENOUGH = 20  # people, for shares to mean something


class Part(NamedTuple):
    """A value, and how many of the people have it."""

    value: str
    people: int


class Composition(NamedTuple):
    """The most frequent values of the people who were read, by what they are."""

    people: int
    parts: dict[str, Sequence[Part]]


def of_list(workspace: Workspace, found: LeadList) -> Composition:
    """Count the values of a list's people; of a very long list, of those added last."""
    query = (
        sa.select(Person.position, Person.location, Person.company_name)
        .join(Lead, Lead.person_id == Person.id)
        .where(Lead.workspace_id == workspace.id, Lead.list_id == found.id, Lead.deleted_at.is_(None))
        .order_by(Lead.id.desc())
        .limit(lists.MOST_READ)
    )
    rows = session().execute(query).all()
    titles = (title for title, _, _ in rows)
    places = (location.rpartition(",")[2] for _, location, _ in rows)  # the country, where one is named
    companies = (company for _, _, company in rows)
    kinds = {"Titles": titles, "Places": places, "Companies": companies}
    return Composition(len(rows), {label: _most(values) for label, values in kinds.items()})


def _most(values: Iterable[str]) -> Sequence[Part]:
    """Return the most frequent values, in their most frequent spelling."""
    spelled: dict[str, str] = {}
    counted = Counter[str]()
    for value, people in Counter(map(text.squeeze, values)).most_common():
        if value:
            spelled.setdefault(value.casefold(), value)
            counted[value.casefold()] += people
    return [Part(spelled[key], people) for key, people in counted.most_common(SHOWN)]
