"""What tests of CRMs share: connect one, let it be read and written to the end, and look at what came of it."""

from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import session, transaction
from app.domain.enrichment.crm import connection, reading, writing
from app.domain.platform import services
from app.domain.workspace import workspaces
from app.models.crm import CrmActivity, CrmContact, CrmFlow, Way
from app.models.leads import Lead
from app.models.people import Person
from app.models.workspaces import Workspace
from app.ports import CrmList
from app.providers.crm import HubSpot
from app.providers.http import HttpClient
from tests.providers.crm.hubspot_server import HubSpotServer


def hubspot_at(server: HubSpotServer) -> None:
    ports.connect_services([HubSpot(HttpClient(allow_private=True, plain=True), server.url)])


class TameCrm(HubSpot):
    """One that answers without a network."""

    def check(self, credentials: Any) -> str:
        return "Connected to the account 1."

    def lists(self, credentials: Any) -> list[CrmList]:
        return [CrmList("31", "Warm leads", 2)]


def tame(workspace: Workspace) -> None:
    """A CRM is connected that answers without a network, and one activity failed."""
    ports.connect_services([TameCrm(HttpClient(), "https://api.hubapi.com")])
    with transaction() as current:
        current.get_one(Workspace, workspace.id).sandbox = False
    workspace = workspaces.get(workspace.id)
    if connection.find(workspace) is None:
        connect(workspace)
    with transaction() as current:
        person = session().scalars(sa.select(Person).where(Person.workspace_id == workspace.id)).first()
        if person is not None and not activities(workspace):
            known, at = connection.get(workspace), workspace.now()
            common = {"workspace_id": workspace.id, "connection_id": known.id, "person_id": person.id, "at": at}
            told = {"key": "evt_1", "event": "every_reply", "kind": "message", "subject": "Replied", "text": "Yes"}
            failed = {"incoming": True, "state": "failed", "error": "HubSpot rejected the request."}
            current.add(CrmActivity(**common, **told, **failed))


def connect(workspace: Workspace, name: str = "hubspot", **values: str) -> None:
    services.connect(workspace, name, values or {"token": "good"})


def flow(workspace: Workspace, way: Way) -> CrmFlow:
    return connection.flows_of(connection.get(workspace))[way]


def read_all(workspace: Workspace) -> None:
    while reading.run(flow(workspace, Way.IN).id):
        pass


def read_again(workspace: Workspace) -> None:
    connection.read_now(workspace)
    read_all(workspace)


def write_all(workspace: Workspace, clock: Any) -> None:
    connection.read_now(workspace)
    while writing.run(flow(workspace, Way.OUT).id):
        pass


def contacts(workspace: Workspace) -> dict[str, CrmContact]:
    query = sa.select(CrmContact).where(CrmContact.workspace_id == workspace.id)
    return {one.email: one for one in session().scalars(query.execution_options(populate_existing=True))}


def leads_of(list_id: int) -> list[Lead]:
    query = sa.select(Lead).where(Lead.list_id == list_id, Lead.deleted_at.is_(None)).order_by(Lead.id)
    return list(session().scalars(query))


def people_of(list_id: int) -> dict[str, Person]:
    query = sa.select(Person).join(Lead, Lead.person_id == Person.id).where(Lead.list_id == list_id)
    return {one.email: one for one in session().scalars(query.execution_options(populate_existing=True))}


def activities(workspace: Workspace) -> list[CrmActivity]:
    query = sa.select(CrmActivity).where(CrmActivity.workspace_id == workspace.id).order_by(CrmActivity.id)
    return list(session().scalars(query.execution_options(populate_existing=True)))


def now() -> Any:
    return clock.now()
