"""The CRM of a workspace, its lists and what it is told, as API resources."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Literal

from app.models import crm
from app.resources.base import Columns, Json, Resource, Shape, columns_of

ACTIVITY_STATES = tuple(crm.CrmActivityState)


class CrmFieldRule(Shape):
    """How one field is synced, in each direction."""

    field: str
    """The name of the field."""
    incoming: Literal["crm", "fill", "off"]
    """The CRM's value replaces ours except manual edits, fills empty fields, or is ignored."""
    outgoing: Literal["ours", "fill", "off"]
    """Our value replaces the CRM's except manual edits there, fills empty fields, or isn't sent."""


class CrmFlow(Shape):
    """One direction: `stage` is empty between runs, `note` says what it waits for, `error` what to fix."""

    stage: str
    """What is happening now; empty between syncs."""
    note: str
    """What it waits for, as a sentence; empty if nothing."""
    error: str
    """What to fix; empty if nothing."""
    done_at: datetime | None
    """When the last sync finished; null before the first."""
    due_at: datetime | None
    """When the next sync starts; null if none is planned."""


class CrmCounts(Shape):
    """Contacts of the CRM, and activities by state. `linked` are contacts who are also people here."""

    contacts: int
    """Contacts read from the CRM."""
    linked: int
    """Contacts who are people in this workspace."""
    customers: int
    """Contacts who are customers."""
    open_deals: int
    """Contacts with an open deal."""
    do_not_contact: int
    """Contacts who must not be contacted according to the CRM."""
    waiting: int
    """Activities that wait to be sent."""
    sent: int
    """Activities that were sent."""
    failed: int
    """Activities that could not be sent."""


class CrmFollowedList(Resource):
    """A CRM list and the list here synced with it; `listId` is null when deleted."""

    id: int
    """The id of the link."""
    crm_list_id: str
    """The id of the list in the CRM."""
    name: str
    """The name of the list in the CRM."""
    list_id: int | None
    """The list in this workspace; null if it was deleted."""
    read_at: datetime | None
    """When it was last read; null before the first time."""
    error: str
    """Why it could not be read; empty if it could."""

    @classmethod
    def of(cls, row: Any) -> Json:
        return cls.filled(row, crm_list_id=row.external_id)


class Crm(Resource):
    """The connected CRM, its settings and sync state."""

    service: str
    """The stable name of the service, such as `hubspot`."""
    title: str
    """The name of the service to show."""
    fields: list[CrmFieldRule]
    """What happens to each field."""
    create: Literal["no", "reply", "all"]
    """Who gets a contact in the CRM: no one, people who reply, or everyone contacted."""
    activities: bool
    """Whether messages, replies, stages and meetings are sent to the CRM."""
    customer_stages: list[str]
    """Stages of the CRM that make a contact a customer."""
    stop_statuses: list[str]
    """Lead statuses that mean do not contact."""
    incoming: CrmFlow
    """The state of reading from the CRM."""
    outgoing: CrmFlow
    """The state of writing to the CRM."""
    counts: CrmCounts
    """Contacts and activities in numbers."""
    lists: list[CrmFollowedList]
    """The lists synced with a CRM list."""

    @classmethod
    def of(cls, status: Any) -> Json:
        settings = status.settings
        rules: Mapping[str, Any] = settings.fields
        return cls.filled(
            settings,
            service=status.connection.service,
            title=status.title,
            fields=[{"field": name, **rule._asdict()} for name, rule in rules.items()],
            customer_stages=list(settings.customer_stages),
            stop_statuses=list(settings.stop_statuses),
            incoming=CrmFlow.filled(status.flows[crm.Way.IN]),
            outgoing=CrmFlow.filled(status.flows[crm.Way.OUT]),
            counts=CrmCounts.filled(status.counts),
            lists=CrmFollowedList.many(status.lists),
        )


class CrmOfferedList(Shape):
    """A list of contacts in the CRM."""

    id: str
    """The id of the list in the CRM."""
    name: str
    """The name of the list."""
    size: int | None
    """How many contacts it has; null if the CRM does not say."""


class CrmLists(Resource):
    """The lists of contacts in the CRM."""

    lists: list[CrmOfferedList]
    """All lists of contacts."""

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
    """The id of the activity."""
    person_id: int
    """The person it is about."""
    event: str
    """The kind of event it comes from."""
    kind: Literal["email", "message", "meeting", "note"]
    """How the CRM records the activity."""
    incoming: bool
    """True if the person wrote it, false if you did."""
    subject: str
    """The subject; empty if there is none."""
    at: datetime
    """When it happened."""
    state: Literal["waiting", "sending", "sent", "failed"]
    """Its state."""
    error: str
    """Why it could not be sent; empty if it could."""
    external_id: str
    """Its id in the CRM; empty until it was sent."""
    sent_at: datetime | None
    """When it was sent; null before."""


class CrmRetried(Resource):
    """How many activities are retried."""

    retried: int
    """How many activities are retried."""

    @classmethod
    def of(cls, retried: int) -> Json:
        return {"retried": retried}
