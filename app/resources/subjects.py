"""One person across all lists: activity, stored data and erasure."""

from datetime import datetime
from typing import Any

from pydantic import Field
from pydantic.alias_generators import to_camel

from app.resources.base import Json, Resource, Shape
from app.resources.contact_proof import ProvenContact, contact_of
from app.resources.leads import Lead


class TimelineCampaign(Shape):
    """The campaign of an activity."""

    id: int
    name: str


class TimelineAccount(Shape):
    """The sender of an activity."""

    id: int
    name: str


class TimelineList(Shape):
    """The list they were added to."""

    id: int
    name: str


class TimelineEntry(Resource):
    """One activity of a person."""

    id: str
    at: datetime
    kind: str = Field(
        description="`added`, `enrolled`, `accepted`, `replied`, `written`, `tagged`, `ended`, or the "
        "action: `connection_request`, `message`, `inmail`, `email`, `view_profile`, `follow`, `like_post`, `withdraw`."
    )
    state: str = Field(description='The state of an action, or how a campaign ended for them; "" otherwise.')
    campaign: TimelineCampaign | None
    account: TimelineAccount | None
    list: TimelineList | None
    text: str
    subject: str
    sentiment: str
    automatic: bool = Field(description="For a reply: whether it is automatic, such as an out-of-office note.")
    detail: str = Field(description="The tags after a change, or why something failed or ended.")

    @classmethod
    def of(cls, moment: Any) -> Json:
        return {
            "id": f"{moment.book}-{moment.id}",
            "at": moment.at,
            "kind": moment.kind,
            "state": moment.state,
            "campaign": _named(moment.campaign_id, moment.campaign_name),
            "account": _named(moment.account_id, moment.account_name),
            "list": _named(moment.list_id, moment.list_name),
            "text": moment.text,
            "subject": moment.subject,
            "sentiment": moment.sentiment,
            "automatic": moment.automatic,
            "detail": moment.detail,
        }


def _named(id_: int | None, name: str) -> Json | None:
    return {"id": id_, "name": name} if id_ else None


class ErasedResult(Resource):
    """The result of an erasure: the person is hidden and blocked everywhere.

    While `finished` is false, remaining bytes in the database files are removed within minutes, or overnight in a
    large database; the audit log says when.
    """

    leads: int
    campaigns: int
    actions: int
    messages: int
    events: int
    finished: bool


class ExportedCampaign(Shape):
    """A campaign the person is or was in."""

    campaign_id: int
    campaign_name: str
    state: str
    connection: str
    replied: bool
    sentiment: str
    invited_at: datetime | None
    accepted_at: datetime | None
    replied_at: datetime | None
    finished_at: datetime | None


class ExportedAction(Shape):
    """An action for the person."""

    kind: str
    state: str
    at: datetime
    account_name: str
    text: str
    subject: str


class ExportedMessage(Shape):
    """A message from (`in`) or to (`out`) the person."""

    direction: str
    kind: str
    at: datetime
    account_name: str
    text: str
    subject: str
    sentiment: str


class ExportedSource(Shape):
    """Where a value of the person came from."""

    field: str
    kind: str
    name: str
    lawful_basis: str
    at: datetime


class ExportedReferral(Shape):
    """A contact that the person named, or who named the person."""

    name: str
    email: str
    phone: str
    position: str
    said: str
    at: datetime


class ExportedTask(Shape):
    """A member's task about the person."""

    kind: str
    text: str
    due_at: datetime
    done_at: datetime | None


class ExportedMeeting(Shape):
    """A meeting that was booked with the person."""

    service: str
    state: str
    name: str
    email: str
    title: str
    starts_at: datetime | None
    ends_at: datetime | None
    at: datetime


class ExportedNote(Shape):
    """A note that a member wrote in a conversation with the person."""

    by: str
    text: str
    at: datetime


class ExportedFinding(Shape):
    """What a monitor found about the person, and the outcome."""

    monitor_name: str
    found: dict[str, Any]
    state: str
    reason: str
    found_at: datetime
    decided_at: datetime | None


class StoredRows(Shape):
    """The rows of one table about the person; `origin` of each says where it came from."""

    table: str
    rows: list[dict[str, Any]]


class SubjectExport(Resource):
    """All stored data of one person."""

    exported_at: datetime
    public_ids: list[str]
    emails: list[str]
    never_contact: str = Field(description='Why they can\'t be contacted; "" when they can.')
    leads: list[Lead]
    campaigns: list[ExportedCampaign]
    actions: list[ExportedAction]
    messages: list[ExportedMessage]
    events: list[dict[str, Any]]
    lawful_basis: str = Field(description="For contacting them: of their list, else of the workspace.")
    sources: list[ExportedSource]
    contacts: list[ProvenContact] = Field(description="Every contact with the checks before it.")
    referrals: list[ExportedReferral]
    tasks: list[ExportedTask]
    meetings: list[ExportedMeeting]
    monitors: list[ExportedFinding]
    notes: list[ExportedNote]
    stored: list[StoredRows] = Field(description="Every table an erasure removes them from, row by row.")

    @classmethod
    def of(cls, kept: Any) -> Json:
        return {
            "exportedAt": kept.at,
            "publicIds": sorted(kept.subject.persons),
            "emails": sorted(kept.subject.addresses | {one.email for one in kept.subject.people if one.email}),
            "neverContact": kept.barred.label or kept.barred.kind if kept.barred else "",
            "leads": [Lead.of(lead) for lead in kept.leads],
            "campaigns": [_of(ExportedCampaign, row, campaign_name=name) for row, name in kept.campaigns],
            "actions": [_of(ExportedAction, row, account_name=name) for row, name in kept.actions],
            "messages": [_of(ExportedMessage, row, account_name=name) for row, name in kept.messages],
            "events": list(kept.events),
            "lawfulBasis": kept.record.lawful_basis,
            "sources": [
                {
                    "field": one.field,
                    "kind": one.source.kind,
                    "name": one.source.name,
                    "lawfulBasis": one.source.lawful_basis,
                    "at": one.at,
                }
                for one in kept.record.record.values
            ],
            "contacts": [contact_of(one) for one in kept.record.contacts],
            "referrals": [_of(ExportedReferral, row) for row in kept.referrals],
            "tasks": [_of(ExportedTask, row) for row in kept.tasks],
            "meetings": [_of(ExportedMeeting, row) for row in kept.meetings],
            "monitors": [_of(ExportedFinding, row, monitor_name=name) for row, name in kept.monitors],
            "notes": [_of(ExportedNote, row) for row in kept.notes],
            "stored": [
                {
                    "table": one.table,
                    "rows": [{to_camel(name): value for name, value in row.items()} for row in one.rows],
                }
                for one in kept.stored
            ],
        }


def _of(shape: type[Shape], row: Any, **known: str) -> Json:
    fields = shape.model_fields.items()
    return {field.alias or name: known[name] if name in known else getattr(row, name) for name, field in fields}
