"""One person across all lists: activity, stored data and erasure."""

from datetime import datetime
from typing import Any

from pydantic.alias_generators import to_camel

from app.models.campaigns import Connection, LeadState
from app.models.conversations import Direction
from app.models.ledger import ActionState
from app.models.meetings import MeetingState
from app.models.monitors import FoundState
from app.models.people import SourceKind
from app.models.tasks import TaskKind
from app.resources.base import Json, ReasonCode, Resource, Shape
from app.resources.contact_proof import ProvenContact
from app.resources.leads import Lead


class TimelineCampaign(Shape):
    """The campaign that the activity belongs to."""

    id: int
    """The id of the campaign."""
    name: str
    """The name of the campaign."""


class TimelineAccount(Shape):
    """The sender that was involved in the activity."""

    id: int
    """The id of the sender."""
    name: str
    """The name of the sender."""


class TimelineList(Shape):
    """The list the person was added to."""

    id: int
    """The id of the list."""
    name: str
    """The name of the list."""


class TimelineEntry(Resource):
    """An activity in a person's timeline."""

    id: str
    """The id of the entry."""
    at: datetime
    """When the activity happened."""
    kind: str
    """The kind of activity: `added`, `enrolled`, `accepted`, `replied`, `written`, `tagged`, `ended`, or an action:
    `connection_request`, `message`, `inmail`, `email`, `view_profile`, `follow`, `like_post`, `task`, `withdraw`.
    """
    state: str
    """The state of an action, or how the campaign ended for the person; empty for other activities."""
    campaign: TimelineCampaign | None
    """The campaign that the activity belongs to; null if there is none."""
    account: TimelineAccount | None
    """The sender that was involved; null if there was none."""
    list: TimelineList | None
    """The list the person was added to; null for other activities."""
    text: str
    """The text of the message, or what happened, as a sentence."""
    subject: str
    """The subject; empty if there is none."""
    sentiment: str
    """The sentiment of a reply; empty for other activities."""
    automatic: bool
    """True if a reply is automatic, such as an out-of-office note."""
    detail: str
    """For `tagged`, the new tags; otherwise, why the action failed or the campaign ended."""

    @classmethod
    def of(cls, moment: Any) -> Json:
        return cls.filled(
            moment,
            id=f"{moment.book}-{moment.id}",
            campaign=_named(moment.campaign_id, moment.campaign_name),
            account=_named(moment.account_id, moment.account_name),
            list=_named(moment.list_id, moment.list_name),
        )


def _named(id_: int | None, name: str) -> Json | None:
    return {"id": id_, "name": name} if id_ else None


class ErasedResult(Resource):
    """The result of erasing a person, who is no longer shown and can never be contacted again.

    While `finished` is false, data is still being removed from the database's files, for minutes or, in a large
    database, until the following night. The audit log records when the erasure is finished.
    """

    leads: int
    """How many of the person's leads were erased."""
    campaigns: int
    """How many campaigns the person was in. They stay listed there without their data; their `leadId` returns 404."""
    actions: int
    """How many actions were erased."""
    messages: int
    """How many messages were erased."""
    events: int
    """How many events were blanked; they stay, with their numbers."""
    finished: bool
    """True once no data of the person is left in the database's files."""


class ExportedCampaign(Shape):
    """A campaign the person is or was in."""

    campaign_id: int
    """The id of the campaign."""
    campaign_name: str
    """The name of the campaign."""
    state: LeadState
    """The person's state in the campaign."""
    connection: Connection
    """Whether the person and the LinkedIn account are connected."""
    replied: bool
    """Whether the person has replied in this campaign."""
    sentiment: str
    """The sentiment of the last reply that is not neutral; `generic` (neutral) if all are. Empty without a reply."""
    invited_at: datetime | None
    """When the connection request was sent; null if it was not sent."""
    accepted_at: datetime | None
    """When the connection request was accepted; null if it was not accepted."""
    replied_at: datetime | None
    """When the person first replied; null if there was no reply."""
    finished_at: datetime | None
    """When the campaign ended for the person; null if it has not ended."""


class ExportedAction(Shape):
    """An action in the person's campaigns, such as a message."""

    kind: str
    """The type of step, such as `connection_request`, `email` or `task`, or `withdraw` for a withdrawn request."""
    state: ActionState
    """The state of the action."""
    at: datetime
    """When the action was carried out, or was last tried or skipped."""
    account_name: str
    """The name of the sender."""
    text: str
    """The text that was sent; empty if there was none."""
    subject: str
    """The subject; empty if there is none."""


class ExportedMessage(Shape):
    """A message from or to the person."""

    direction: Direction
    """`in` for a message from the person, `out` for a message to the person."""
    kind: str
    """How the message was sent."""
    at: datetime
    """When the message was sent."""
    account_name: str
    """The name of the sender."""
    text: str
    """The text."""
    subject: str
    """The subject; empty if there is none."""
    sentiment: str
    """The sentiment of a reply; empty for messages to the person."""


class ExportedSource(Shape):
    """The source of one of the person's values."""

    field: str
    """The name of the field with the value."""
    kind: SourceKind
    """The kind of source."""
    name: str
    """The name of the source, such as a file."""
    lawful_basis: str
    """The lawful basis given with the value; empty if none was given."""
    at: datetime
    """When the value was received."""

    @classmethod
    def of(cls, one: Any) -> Json:
        return cls.filled(one.source, field=one.field, at=one.at)


class ExportedReferral(Shape):
    """A referral: this person referred you to someone else, or someone else referred you to this person."""

    name: str
    """The name of the person who was referred."""
    email: str
    """The email address; empty if it was not given."""
    phone: str
    """The phone number; empty if it was not given."""
    position: str
    """The job title; empty if it was not given."""
    said: str
    """The part of the message with the referral."""
    at: datetime
    """When the message with the referral was received."""


class ExportedTask(Shape):
    """A member's task about the person."""

    kind: TaskKind
    """The kind of task."""
    text: str
    """What had to be done."""
    outcome: str
    """The outcome of the task, in a member's words; empty if none was given."""
    due_at: datetime
    """When the task was due."""
    done_at: datetime | None
    """When the task was done; null if it was not done."""


class ExportedMeeting(Shape):
    """A meeting that was booked with the person."""

    service: str
    """The calendar service."""
    state: MeetingState
    """Whether the meeting is booked or canceled."""
    name: str
    """The name given when booking."""
    email: str
    """The email address given when booking."""
    title: str
    """The title of the meeting."""
    starts_at: datetime | None
    """When the meeting starts; null if the calendar service did not say."""
    ends_at: datetime | None
    """When the meeting ends; null if the calendar service did not say."""
    at: datetime
    """When the meeting was booked."""


class ExportedNote(Shape):
    """A note that a member wrote in a conversation with the person."""

    by: str
    """The name of the member or API key that wrote the note."""
    text: str
    """The text of the note."""
    at: datetime
    """When the note was written."""


class ExportedFinding(Shape):
    """What a monitor found about the person, and the decision."""

    monitor_name: str
    """The name of the monitor."""
    found: dict[str, Any]
    """The data that was found, in the format of the source."""
    state: FoundState
    """Whether the person is waiting for a decision, or has been added, declined or excluded."""
    reason: ReasonCode
    """Why the person was excluded; empty if the person was not excluded."""
    found_at: datetime
    """When the monitor found the person."""
    decided_at: datetime | None
    """When a member decided on the person; null before the decision."""


class StoredRows(Shape):
    """The rows about the person in one database table."""

    table: str
    """The name of the database table."""
    rows: list[dict[str, Any]]
    """The rows, with the names of the columns as keys; `origin` says where a row came from."""

    @classmethod
    def of(cls, one: Any) -> Json:
        return cls.filled(one, rows=[{to_camel(name): value for name, value in row.items()} for row in one.rows])


class SubjectExport(Resource):
    """All data stored about a person."""

    exported_at: datetime
    """When the export was made."""
    public_ids: list[str]
    """The person's LinkedIn public ids."""
    emails: list[str]
    """The person's email addresses."""
    never_contact: str
    """Why the person must not be contacted; empty if the person can be contacted."""
    leads: list[Lead]
    """The person's leads, one per list."""
    campaigns: list[ExportedCampaign]
    """The campaigns the person is or was in."""
    actions: list[ExportedAction]
    """All actions in the person's campaigns, oldest first."""
    messages: list[ExportedMessage]
    """All messages, oldest first."""
    events: list[dict[str, Any]]
    """The events about the person, as they were sent to webhooks."""
    lawful_basis: str
    """The lawful basis for contacting the person: that of their list or, if there is none, of the workspace."""
    sources: list[ExportedSource]
    """The sources of the person's values."""
    contacts: list[ProvenContact]
    """Every contact with the person, with the checks made before each contact."""
    referrals: list[ExportedReferral]
    """Referrals by this person, and referrals to this person by others."""
    tasks: list[ExportedTask]
    """Tasks about the person."""
    meetings: list[ExportedMeeting]
    """Meetings with the person."""
    monitors: list[ExportedFinding]
    """What monitors found about the person."""
    notes: list[ExportedNote]
    """Notes in conversations with the person."""
    stored: list[StoredRows]
    """All data that an erasure would remove, as rows of database tables."""

    @classmethod
    def of(cls, kept: Any) -> Json:
        return cls.filled(
            kept,
            exported_at=kept.at,
            public_ids=sorted(kept.subject.persons),
            emails=sorted(kept.subject.addresses | {one.email for one in kept.subject.people if one.email}),
            never_contact=kept.barred.label or kept.barred.kind if kept.barred else "",
            campaigns=[ExportedCampaign.filled(row, campaign_name=name) for row, name in kept.campaigns],
            actions=[ExportedAction.filled(row, account_name=name) for row, name in kept.actions],
            messages=[ExportedMessage.filled(row, account_name=name) for row, name in kept.messages],
            lawful_basis=kept.record.lawful_basis,
            sources=kept.record.record.values,
            contacts=kept.record.contacts,
            monitors=[ExportedFinding.filled(row, monitor_name=name) for row, name in kept.monitors],
        )
