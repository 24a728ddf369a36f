"""The CRM of a workspace, its lists and what it is told, as API resources."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Literal

from pydantic import Field

from app.models import crm
from app.resources.base import Columns, Json, Resource, Shape, columns_of

ACTIVITY_STATES = tuple(crm.CrmActivityState)


class CrmFieldRule(Shape):
    """How one field is synced, in each direction."""

    field: str
    incoming: Literal["crm", "fill", "off"] = Field(
        description="The CRM's value replaces ours except manual edits, fills empty fields, or is ignored."
    )
    outgoing: Literal["ours", "fill", "off"] = Field(
        description="Our value replaces the CRM's except manual edits there, fills empty fields, or isn't sent."
    )


class CrmFlow(Shape):
    """One direction: `stage` is empty between runs, `note` says what it waits for, `error` what to fix."""

    stage: str
    note: str
    error: str
    done_at: datetime | None
    due_at: datetime | None


class CrmCounts(Shape):
    """Contacts of the CRM, and activities by state. `linked` are contacts who are people here."""

    contacts: int
    linked: int
    customers: int
    open_deals: int
    do_not_contact: int
    waiting: int
    sent: int
    failed: int


class CrmFollowedList(Resource):
    """A CRM list and the list here synced with it; `listId` is null when deleted."""

    id: int
    crm_list_id: str
    name: str
    list_id: int | None
    read_at: datetime | None
    error: str

    @classmethod
    def of(cls, row: Any) -> Json:
        return {
            "id": row.id,
            "crmListId": row.external_id,
            "name": row.name,
            "listId": row.list_id,
            "readAt": row.read_at,
            "error": row.error,
        }


class Crm(Resource):
    """The connected CRM, its settings and sync state."""

    service: str
    title: str
    fields: list[CrmFieldRule]
    create: Literal["no", "reply", "all"] = Field(
        description="Who gets a contact in the CRM: no one, people who reply, or everyone contacted."
    )
    activities: bool = Field(description="Whether messages, replies, stages and meetings are sent to the CRM.")
    customer_stages: list[str]
    stop_statuses: list[str] = Field(description="Lead statuses whose contacts are not to be contacted.")
    incoming: CrmFlow
    outgoing: CrmFlow
    counts: CrmCounts
    lists: list[CrmFollowedList]

    @classmethod
    def of(cls, status: Any) -> Json:
        settings = status.settings
        rules: Mapping[str, Any] = settings.fields
        return {
            "service": status.connection.service,
            "title": status.title,
            "fields": [{"field": name, **rule._asdict()} for name, rule in rules.items()],
            "create": settings.create,
            "activities": settings.activities,
            "customerStages": list(settings.customer_stages),
            "stopStatuses": list(settings.stop_statuses),
            "incoming": _flow(status.flows[crm.Way.IN]),
            "outgoing": _flow(status.flows[crm.Way.OUT]),
            "counts": _counts(status.counts),
            "lists": CrmFollowedList.many(status.lists),
        }


def _flow(flow: Any) -> Json:
    return {
        "stage": flow.stage,
        "note": flow.note,
        "error": flow.error,
        "doneAt": flow.done_at,
        "dueAt": flow.due_at,
    }


def _counts(counts: Any) -> Json:
    return {
        "contacts": counts.contacts,
        "linked": counts.linked,
        "customers": counts.customers,
        "openDeals": counts.open_deals,
        "doNotContact": counts.do_not_contact,
        "waiting": counts.waiting,
        "sent": counts.sent,
        "failed": counts.failed,
    }


class CrmOfferedList(Shape):
    """A list of contacts in the CRM."""

    id: str
    name: str
    size: int | None


class CrmLists(Resource):
    """The lists of contacts in the CRM."""

    lists: list[CrmOfferedList]

    @classmethod
    def of(cls, offered: Sequence[Any]) -> Json:
        return {"lists": [one._asdict() for one in offered]}


class CrmActivity(Resource):
    """An activity of a person for the CRM; `externalId` is the id there."""

    columns: ClassVar[Columns] = columns_of(
        crm.CrmActivity,
        *("id", "person_id", "event", "kind", "incoming", "subject", "at", "state", "error", "external_id", "sent_at"),
    )

    id: int
    person_id: int
    event: str
    kind: Literal["email", "message", "meeting", "note"]
    incoming: bool
    subject: str
    at: datetime
    state: Literal["waiting", "sending", "sent", "failed"]
    error: str
    external_id: str
    sent_at: datetime | None


class CrmRetried(Resource):
    """How many activities are retried."""

    retried: int

    @classmethod
    def of(cls, retried: int) -> Json:
        return {"retried": retried}
