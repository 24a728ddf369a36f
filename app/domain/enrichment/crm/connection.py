"""The connection to a CRM: it begins and ends with its service, reads by itself, and says where it stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import sqlalchemy as sa

from app.core import clock
from app.core.db import change_rows, end_read, session, transaction
from app.core.errors import Conflict, NotFound, Unavailable
from app.core.wakes import wake
from app.domain.enrichment.crm import settings
from app.domain.enrichment.crm.settings import CrmSettings
from app.domain.people.exclusions import never_contact
from app.domain.platform import audit_log, locks, services
from app.models.crm import (
    CrmActivity,
    CrmActivityState,
    CrmCompany,
    CrmConnection,
    CrmContact,
    CrmFlow,
    CrmList,
    Way,
)
from app.models.platform.services import ServiceLogin
from app.models.workspaces import Workspace
from app.ports import Credentials, Crm, ProviderError
from app.ports.crm import CrmList as OfferedList

SERVES = "crm"
UNITS = {Way.IN: "crm_in", Way.OUT: "crm_out"}


@dataclass(frozen=True)
class Counts:
    """How many contacts, companies and activities there are."""

    contacts: int
    linked: int
    customers: int
    open_deals: int
    do_not_contact: int
    waiting: int
    sent: int
    failed: int


@dataclass(frozen=True)
class Status:
    """A connection as its workspace sees it."""

    connection: CrmConnection
    title: str
    settings: CrmSettings
    flows: dict[str, CrmFlow]
    lists: Sequence[CrmList]
    counts: Counts
    tells_typed: bool


def find(workspace: Workspace, *, lock: bool = False) -> CrmConnection | None:
    """Return the connection of the workspace, if it has one."""
    if lock:
        locks.lock_workspaces([workspace.id])
    query = sa.select(CrmConnection).where(CrmConnection.workspace_id == workspace.id)
    query = query.with_for_update() if lock else query
    return session().scalars(query.execution_options(populate_existing=lock)).one_or_none()


def get(workspace: Workspace, *, lock: bool = False) -> CrmConnection:
    """Return the connection, or raise NotFound."""
    found = find(workspace, lock=lock)
    if found is None:
        raise NotFound("No CRM is connected.", recovery="Connect a CRM in Settings → Services.")
    return found


def require(workspace: Workspace, name: str) -> CrmConnection:
    """Return the connection if it is one to that CRM, or raise NotFound."""
    found = get(workspace)
    if found.service != name:
        raise NotFound("This CRM is not connected.", recovery="Connect the CRM in Settings → Services.")
    return found


def adapter_of(connection: CrmConnection) -> Crm:
    """Return the adapter for the connected CRM."""
    return cast(Crm, services.catalogue(connection.service))


def settings_of(connection: CrmConnection) -> CrmSettings:
    """Return the settings as they hold."""
    return settings.of(connection.settings, adapter_of(connection))


def credentials_of(workspace: Workspace, connection: CrmConnection) -> services.ServiceCredentials | None:
    """Return the current credentials of the CRM; None when its key is gone."""
    ready = services.credentials_for(workspace, SERVES)
    return next((one for one in ready if one.name == connection.service), None)


@services.after_connecting
def begin(workspace: Workspace, login: ServiceLogin) -> None:
    """Begin to read the CRM whose key was kept; another account is read anew. Inside a transaction."""
    adapter = services.catalogue(login.service)
    if SERVES not in adapter.service.serves:
        return
    known = find(workspace, lock=True)
    if known is not None and known.service != login.service:
        title = adapter_of(known).service.title
        raise Conflict(f"{title} is connected.", recovery=f"Disconnect {title} first. A workspace can have one CRM.")
    if known is not None and known.account != login.about:
        session().delete(known)
        session().flush()
        known = None
    if known is None:
        known = CrmConnection(
            workspace_id=workspace.id,
            service=login.service,
            account=login.about,
            event_cursor=_last_event(workspace),
            compare_at=workspace.now(),
            created_at=workspace.now(),
        )
        session().add(known)
        session().flush()
        for way in Way:
            session().add(CrmFlow(workspace_id=workspace.id, connection_id=known.id, way=way))
        session().flush()
    look_now(known)


def _last_event(workspace: Workspace) -> int:
    query = sa.select(Workspace.event_sequence).where(Workspace.id == workspace.id)
    return session().scalars(query).one()


def look_now(connection: CrmConnection) -> None:
    """Schedule both flows (reading and writing) to run now. Inside a transaction."""
    now = clock.now()
    for flow in flows_of(connection).values():
        flow.due_at, flow.note, flow.error = now, "", ""
        wake(UNITS[Way(flow.way)], flow.id, now, flow.workspace_id)


def flows_of(connection: CrmConnection) -> dict[str, CrmFlow]:
    """Return the flows by direction (`Way`)."""
    query = sa.select(CrmFlow).where(CrmFlow.connection_id == connection.id)
    return {flow.way: flow for flow in session().scalars(query.execution_options(populate_existing=True))}


@services.before_leaving
def end(workspace: Workspace, name: str) -> None:
    """Forget the CRM with its contacts; people, lists and do-not-contact entries stay."""
    with transaction() as current:
        known = find(workspace, lock=True)
        if known is not None and known.service == name:
            current.delete(known)


def read_now(workspace: Workspace) -> Status:
    """Schedule both flows (reading and writing) to run now, in a transaction of its own."""
    with transaction():
        look_now(get(workspace, lock=True))
    return status(workspace)


def change(workspace: Workspace, given: Mapping[str, Any]) -> Status:
    """Change the settings that are given; what is known of contacts follows."""
    with transaction():
        connection = get(workspace, lock=True)
        before = settings_of(connection)
        connection.settings = settings.changed(connection.settings, given, adapter_of(connection))
        after = settings_of(connection)
        if before == after:
            return status(workspace)
        if before.customer_stages != after.customer_stages:
            for model in (CrmContact, CrmCompany):
                stages = sa.update(model).where(model.connection_id == connection.id)
                customer = model.stage.in_(after.customer_stages)
                change_rows(stages.values(customer=customer))
        connection.naming = connection.naming or before.stop_statuses != after.stop_statuses
        connection.compare_at = workspace.now()
        look_now(connection)
        title = adapter_of(connection).service.title
        audit_log.record(workspace, "crm.changed", title, before=_for_audit_log(before), after=_for_audit_log(after))
    return status(workspace)


def _for_audit_log(one: CrmSettings) -> dict[str, Any]:
    rules = {name: f"{rule.incoming} / {rule.outgoing}" for name, rule in one.fields.items()}
    return {**one._asdict(), "fields": rules, **{name: ", ".join(getattr(one, name)) for name in _STAGES}}


_STAGES = ("customer_stages", "stop_statuses")


def status(workspace: Workspace) -> Status:
    """Return where the connection stands, or raise NotFound."""
    connection = get(workspace)
    adapter = adapter_of(connection)
    lists = sa.select(CrmList).where(CrmList.connection_id == connection.id).order_by(CrmList.name, CrmList.id)
    return Status(
        connection,
        adapter.service.title,
        settings.of(connection.settings, adapter),
        flows_of(connection),
        session().scalars(lists.execution_options(populate_existing=True)).all(),
        _counts(workspace, connection),
        adapter.tells_typed,
    )


def _counts(workspace: Workspace, connection: CrmConnection) -> Counts:
    def number(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
        return sa.func.coalesce(sa.func.sum(sa.case((condition, 1), else_=0)), 0)

    contacts = sa.select(
        sa.func.count(),
        number(CrmContact.person_id.is_not(None)),
        number(CrmContact.customer.is_(True)),
        number(CrmContact.open_deal.is_(True)),
    ).where(CrmContact.connection_id == connection.id)
    states = sa.select(CrmActivity.state, sa.func.count()).where(CrmActivity.connection_id == connection.id)
    found = {row[0]: row[1] for row in session().execute(states.group_by(CrmActivity.state))}
    S = CrmActivityState
    return Counts(
        *session().execute(contacts).one(),
        never_contact.count_of(workspace, connection.service),
        found.get(S.WAITING, 0) + found.get(S.SENDING, 0),
        found.get(S.SENT, 0),
        found.get(S.FAILED, 0),
    )


def offered_lists(workspace: Workspace) -> Sequence[OfferedList]:
    """Return the lists of the CRM. Calls out, so never inside a transaction."""
    connection = get(workspace)
    adapter, ready = adapter_of(connection), credentials_of(workspace, connection)
    if ready is None:
        raise Unavailable("The CRM's key can't be used.", recovery="Connect the CRM again in Settings → Services.")
    return _ask_lists(workspace, adapter, ready)


def _ask_lists(workspace: Workspace, adapter: Crm, ready: services.ServiceCredentials) -> Sequence[OfferedList]:
    opened: Credentials = ready.credentials
    end_read()
    try:
        with services.call(workspace, ready):
            return adapter.lists(opened)
    except ProviderError as failure:
        raise Unavailable(failure.sentence, recovery="Try again in a few minutes.") from None
