"""A list of source people as a people search: known people match any targeting."""

from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import session
from app.models.autopilot import SourceConnection
from app.models.leads import Lead
from app.models.workspaces import Workspace
from app.ports import FACTS, FoundPeople, FoundPerson, PeopleQuery

SOURCES = {"former_customers": "payments", "site_visitors": "analytics"}  # which source knows the people of an angle


class ListedPeople:
    """A `ports.PeopleSearch` over such a list; empty without one."""

    def __init__(self, workspace: Workspace, list_id: int | None, angle: str) -> None:
        self._workspace_id, self._list_id, self._angle = workspace.id, list_id, angle
        self.name = "sandbox" if workspace.sandbox else SOURCES[angle]

    def count(self, wanted: PeopleQuery) -> int:
        """Return how many match."""
        return session().scalar(self._query(sa.func.count())) or 0

    def find(self, wanted: PeopleQuery, limit: int, cursor: str = "") -> FoundPeople:
        """Return the next people, in the order they were added."""
        query = self._query(Lead).where(Lead.id > int(cursor or 0)).order_by(Lead.id).limit(limit)
        found = session().scalars(query).all()
        people = [_person(lead, self._angle) for lead in found]
        return FoundPeople(people, str(found[-1].id) if len(found) == limit else "")

    def _query(self, what: Any) -> sa.Select[Any]:
        where = (Lead.workspace_id == self._workspace_id, Lead.list_id == self._list_id)
        return sa.select(what).select_from(Lead).where(*where)


def people_for(workspace: Workspace, angle: str) -> ListedPeople | None:
    """Return the people of the angle's source; None for an angle that needs a search.

    A sandbox has samples for these angles even without a source.
    """
    if angle not in SOURCES:
        return None
    list_id = session().scalar(_source(workspace, angle).with_only_columns(SourceConnection.list_id))
    return None if list_id is None and workspace.sandbox else ListedPeople(workspace, list_id, angle)


def is_connected(workspace: Workspace, angle: str) -> bool:
    """Return whether the source that knows the people of the angle is connected."""
    return session().scalar(_source(workspace, angle)) is not None


def _source(workspace: Workspace, angle: str) -> sa.Select[int]:
    ours = (SourceConnection.workspace_id == workspace.id, SourceConnection.kind == SOURCES[angle])
    return sa.select(SourceConnection.id).where(*ours)


def _person(lead: Lead, angle: str) -> FoundPerson:
    known = {name: lead.custom_fields.get(name) for name in FACTS[angle]}
    return FoundPerson(
        public_id=lead.public_id,
        profile_url=lead.profile_url,
        first_name=lead.first_name,
        last_name=lead.last_name,
        title=lead.position,
        company=lead.company_name,
        company_domain=text.domain(lead.company_url) if lead.company_url else "",
        headline=lead.headline,
        location=lead.location,
        image_url=lead.image_url,
        email=lead.email,
        facts={name: value for name, value in known.items() if isinstance(value, str)},
    )
