"""The CRM of a workspace, its lists and what it is told, as API resources."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Literal

from app.models import crm
from app.resources.base import Columns, Json, Resource, Shape, Values, columns_of

ACTIVITY_STATES = tuple(crm.CrmActivityState)


class CrmFieldRule(Shape):
    """How one field is synced, in each direction."""

    field: str
    """The name of the field."""
    incoming: Literal["crm", "fill", "off"]
    """The CRM's value replaces yours except for manual edits (`crm`), only fills empty fields, or is ignored."""
    outgoing: Literal["ours", "fill", "off"]
    """Your value replaces the CRM's except for manual edits there (`ours`), only fills empty fields, or is not sent."""


class CrmFlow(Shape):
    """The sync in one direction."""

    stage: str
    """What the sync is doing now; empty between syncs."""
    note: str
    """What the sync is waiting for, as a sentence; empty if it is not waiting."""
    error: str
    """The problem you need to fix, as a sentence; empty if there is none."""
    done_at: datetime | None
    """When the last sync finished; null before the first sync."""
    due_at: datetime | None
    """When the next sync starts; null if no sync is planned."""


class CrmCounts(Shape):
    """Counts of contacts in the CRM, and of activities by state."""

    contacts: int
    """How many contacts of the CRM are known here."""
    linked: int
    """How many CRM contacts are also people in this workspace."""
    customers: int
    """How many CRM contacts are customers."""
    open_deals: int
    """How many CRM contacts have an open deal."""
    do_not_contact: int
    """How many CRM contacts must not be contacted, according to the CRM."""
    waiting: int
    """How many activities are waiting to be sent."""
    sent: int
    """How many activities were sent."""
    failed: int
    """How many activities could not be sent."""


class CrmFollowedList(Resource):
    """A CRM list that is synced into a list in this workspace."""

    id: int
    """The id of this synced list, for `DELETE /v1/crm/{crm}/lists/{crmListId}`."""
    crm_list_id: str
    """The id of the list in the CRM."""
    name: str
    """The name of the list in the CRM."""
    list_id: int | None
    """The id of the list in this workspace; null if it was deleted."""
    read_at: datetime | None
    """When the CRM list was last read; null if it has not been read."""
    error: str
    """Why the CRM list could not be read; empty if it was read."""

    @classmethod
    def of(cls, row: Any) -> Json:
        return cls.filled(row, crm_list_id=row.external_id)


class Crm(Resource):
    """The connected CRM, with its settings and sync state."""

    service: str
    """The `name` of the service, such as `hubspot`."""
    title: str
    """The name of the service, which you can show to users."""
    fields: list[CrmFieldRule]
    """How each field is synced."""
    create: Literal["no", "reply", "all"]
    """Who becomes a CRM contact: no one (`no`), people who reply (`reply`) or everyone contacted (`all`)."""
    activities: bool
    """Whether messages, replies, stages and meetings are recorded in the CRM."""
    customer_stages: list[str]
    """The CRM's stages that mean a contact is a customer."""
    stop_statuses: list[str]
    """The CRM's lead statuses that mean a contact must not be contacted."""
    incoming: CrmFlow
    """The state of reading from the CRM."""
    outgoing: CrmFlow
    """The state of writing to the CRM."""
    counts: CrmCounts
    """The number of contacts and activities."""
    lists: list[CrmFollowedList]
    """The CRM lists that are synced, each with its list in this workspace."""

    @classmethod
    def of(cls, status: Any) -> Json:
        settings = status.settings
        rules: Mapping[str, Any] = settings.fields
        return cls.filled(
            settings,
            service=status.connection.service,
            title=status.title,
            fields=[{"field": name, **rule._asdict()} for name, rule in rules.items()],
            incoming=status.flows[crm.Way.IN],
            outgoing=status.flows[crm.Way.OUT],
            counts=status.counts,
            lists=status.lists,
        )


class CrmOfferedList(Shape):
    """A contact list in the CRM that you can sync."""

    id: str
    """The id of the list in the CRM."""
    name: str
    """The name of the list."""
    size: int | None
    """How many contacts the list has; null if the CRM does not say."""


class CrmLists(Values):
    """The contact lists in the CRM."""

    lists: list[CrmOfferedList]
    """All contact lists."""


class CrmActivity(Resource):
    """An activity that was or will be recorded in the CRM."""

    columns: ClassVar[Columns] = columns_of(
        crm.CrmActivity,
        *("id", "person_id", "event", "kind", "incoming", "subject", "at", "state", "error", "external_id", "sent_at"),
    )

    id: int
    """The id of the activity."""
    person_id: int
    """The id of the person the activity is about."""
    event: str
    """The type of event recorded by the activity, such as `message_sent`."""
    kind: Literal["email", "message", "meeting", "note"]
    """The kind of activity in the CRM."""
    incoming: bool
    """True if the person wrote the message, false if you did."""
    subject: str
    """The subject; empty if there is none."""
    at: datetime
    """When the activity happened."""
    state: Literal["waiting", "sending", "sent", "failed"]
    """The state of the activity."""
    error: str
    """Why the activity could not be sent to the CRM; empty if there was no error."""
    external_id: str
    """The activity's id in the CRM; empty until it has been sent."""
    sent_at: datetime | None
    """When the activity was sent to the CRM; null until then."""


class CrmRetried(Values):
    """How many activities are being sent to the CRM again."""

    retried: int
    """How many activities are being sent to the CRM again."""
