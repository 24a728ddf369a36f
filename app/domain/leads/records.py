"""The record of a person: who they are, what is known of them and where it came from, their lists and campaigns."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import in_list, session
from app.domain.leads.campaign_leads import campaign_leads, company_corrections
from app.domain.leads.campaign_leads.company_corrections import SameCompany
from app.domain.people import identities, merge, people, sources
from app.domain.people.identities import Identity
from app.domain.people.sources import Source
from app.models.leads import Lead, LeadList
from app.models.people import Person, PersonValue, SourceKind
from app.models.workspaces import Workspace

UNKNOWN = Source(SourceKind.EARLIER)


class Known(NamedTuple):
    """One value of a person: where it came from, and since when it is known."""

    field: str  # a column of `person`, or custom.name
    value: Any
    source: Source
    at: datetime
    typed: bool


class Former(NamedTuple):
    """One value of the history: it was replaced, or rejected."""

    value: Any
    source: Source
    known_at: datetime
    ended_at: datetime
    taken: bool


class Place(NamedTuple):
    """A lead of the person, and its list; None when it is in no list."""

    lead: Lead
    list: LeadList | None


@dataclass(frozen=True)
class Record:
    """Everything that is known of one person."""

    person: Person
    identities: Sequence[Identity]
    values: Sequence[Known]
    history: dict[str, list[Former]]
    places: Sequence[Place]
    campaigns: Sequence[Any]  # (campaign lead, campaign), newest first
    same_company: SameCompany


def of_person(workspace: Workspace, person_id: int) -> Record:
    """Return the record of the person with that id, or of the one they were merged into; raise NotFound."""
    person = merge.current(workspace, person_id)
    columns = [name for name in people.COLUMNS if getattr(person, name)]
    names = [*columns, *(people.CUSTOM + name for name in person.custom_fields)]
    origins = merge.origins_of(person, names)
    query = sa.select(PersonValue).where(PersonValue.person_id == person.id)
    rows = session().scalars(query.order_by(PersonValue.ended_at.desc(), PersonValue.id.desc())).all()
    known = sources.by_id([*(one.source_id for one in origins.values()), *(row.source_id for row in rows)])
    history: defaultdict[str, list[Former]] = defaultdict(list)
    for row in rows:
        source = known.get(row.source_id or 0, UNKNOWN)
        history[row.field].append(Former(row.value, source, row.known_at, row.ended_at, row.taken))
    values = [
        Known(name, merge.value_of(person, name), known.get(one.source_id or 0, UNKNOWN), one.at, one.typed)
        for name, one in origins.items()
    ]
    return Record(
        person,
        sorted(identities.of_people([person.id])[person.id]),
        values,
        dict(history),
        _places(person),
        campaign_leads.campaigns_of(workspace, person.id),
        company_corrections.of_person(person),
    )


def lead_ids(person_ids: Collection[int]) -> dict[int, int]:
    """Return a lead of each of these people, one in a list if there is one; people without a lead have none."""
    query = sa.select(Lead.person_id, Lead.id).where(in_list(Lead.person_id, list(person_ids)))
    in_order = query.where(Lead.deleted_at.is_(None)).order_by(Lead.list_id.is_not(None), Lead.id.desc())
    return {row.person_id: row.id for row in session().execute(in_order)}


def _places(person: Person) -> list[Place]:
    query = (
        sa.select(Lead, LeadList)
        .outerjoin(LeadList, sa.and_(LeadList.id == Lead.list_id, LeadList.deleted_at.is_(None)))
        .where(Lead.person_id == person.id, Lead.deleted_at.is_(None))
        .order_by(Lead.id)
    )
    return [Place(lead, found) for lead, found in session().execute(query)]
