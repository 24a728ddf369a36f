"""Former customers as a directory: the people of the list that the payments source filled."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import session
from app.models.autopilot import SourceConnection
from app.models.leads import Lead
from app.models.workspaces import Workspace
from app.ports import FoundPerson, Wanted

ANGLE = "former_customers"


class FormerCustomers:
    """A `ports.PeopleSearch` over that list; whom we know already matches any targeting."""

    def __init__(self, workspace: Workspace, list_id: int) -> None:
        self._workspace_id, self._list_id = workspace.id, list_id
        self.name = "sandbox" if workspace.sandbox else "payments"

    def count(self, wanted: Wanted) -> int:
        """How many there are."""
        return session().scalar(self._query(sa.func.count())) or 0

    def find(self, wanted: Wanted, limit: int, skip: int = 0) -> Sequence[FoundPerson]:
        """The next of them, in the order they came."""
        query = self._query(Lead).order_by(Lead.id).limit(limit).offset(skip)
        return [_person(lead) for lead in session().scalars(query)]

    def _query(self, what: Any) -> sa.Select[Any]:
        where = (Lead.workspace_id == self._workspace_id, Lead.list_id == self._list_id)
        return sa.select(what).select_from(Lead).where(*where)


def of(workspace: Workspace) -> FormerCustomers | None:
    """The former customers of the workspace, when its payments source has brought any."""
    query = sa.select(SourceConnection.list_id).where(
        SourceConnection.workspace_id == workspace.id, SourceConnection.kind == "payments"
    )
    list_id = session().scalar(query)
    return FormerCustomers(workspace, list_id) if list_id else None


def _person(lead: Lead) -> FoundPerson:
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
        facts={name: str(value) for name, value in lead.custom_fields.items() if isinstance(value, str | int)},
    )
