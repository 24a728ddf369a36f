"""How each resource looks outside, in the order of the specification. A field's name here is its name in the model.

The classes are the contract: documents and tests are made from them. Answers are built as plain dicts by `of` and
`many`, which is much quicker than filling the classes; the tests hold every answer against its class.
"""

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from app.core.errors import ERROR_CODES
from app.models import accounts, campaigns, leads, webhooks
from app.models.accounts import SOCIAL_LIMITS, AccountStatus
from app.models.campaigns import CampaignStatus, Connection, LeadState
from app.models.leads import ListType

Json = dict[str, Any]
T = TypeVar("T")
Columns = tuple[Any, ...]
LEAD_STATES = tuple(LeadState)


class Shape(BaseModel):
    """An object in an answer: camelCase, every field there, none besides."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, extra="forbid")


class Resource(Shape):
    """A thing with an address. `columns` are what a page of it is read from, in the order of its fields."""

    columns: ClassVar[Columns] = ()
    _names: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        cls._names = tuple(field.alias or name for name, field in cls.model_fields.items())
        cls._values = staticmethod(attrgetter(*cls.model_fields)) if len(cls.model_fields) > 1 else None  # type: ignore[attr-defined]

    @classmethod
    def of(cls, thing: Any) -> Json:
        """The resource of a row or an object that has attributes of these names."""
        return dict(zip(cls._names, cls._values(thing), strict=True))  # type: ignore[attr-defined]

    @classmethod
    def many(cls, things: Sequence[Any]) -> list[Json]:
        """The resources of the rows of a page."""
        if cls.columns and things and hasattr(things[0], "_fields"):
            return [dict(zip(cls._names, row, strict=True)) for row in things]
        return [cls.of(*thing) if type(thing) is tuple else cls.of(thing) for thing in things]


class Page(Shape, Generic[T]):
    """One page of a list; `nextCursor` is "" on the last."""

    data: list[T]
    next_cursor: str


class ErrorField(Shape):
    """One invalid input."""

    path: str
    message: str


class Error(Shape):
    """What went wrong, and what to do next."""

    code: Literal[tuple(ERROR_CODES)]  # type: ignore[valid-type]
    message: str
    request_id: str
    recovery: str | None = None
    fields: list[ErrorField] | None = None


class ErrorEnvelope(Shape):
    """The body of every failure."""

    error: Error


class Delay(Shape):
    """The wait before a step."""

    value: int
    unit: Literal["hours", "days"]


class Step(Shape):
    """One step of a campaign."""

    type: str
    delay: Delay | None = None
    message: str | None = None
    subject: str | None = None


class Schedule(Shape):
    """When a campaign works: ISO weekdays, times such as 09:00, an IANA time zone."""

    timezone: str
    days: list[int]
    start_time: str
    end_time: str
    start_date: datetime | None
    end_date: datetime | None


class CampaignStats(Shape):
    """How many people of a campaign stand where, and what was done. The states add up to `leads`."""

    leads: int
    pending: int
    active: int = Field(description="Includes those whose invitation is not accepted yet.")
    paused: int
    finished: int
    failed: int
    stopped: int
    excluded: int
    invites_sent: int
    accepted: int
    messages_sent: int
    replies: int


class Campaign(Resource):
    """An ordered sequence of steps, run by accounts against the people of a list."""

    id: int
    name: str
    status: CampaignStatus
    list_id: int | None
    account_ids: list[int]
    sequence: list[Step]
    schedule: Schedule
    stats: CampaignStats
    created_at: datetime
    started_at: datetime | None

    @classmethod
    def of(cls, campaign: campaigns.Campaign, stats: campaigns.CampaignStats) -> Json:  # type: ignore[override]
        """The campaign with its counters."""
        return {
            "id": campaign.id,
            "name": campaign.name,
            "status": campaign.status,
            "listId": campaign.list_id,
            "accountIds": campaign.account_ids,
            "sequence": campaign.sequence,
            "schedule": {
                "timezone": campaign.timezone,
                "days": campaign.days,
                "startTime": campaign.start_time,
                "endTime": campaign.end_time,
                "startDate": campaign.start_date,
                "endDate": campaign.end_date,
            },
            "stats": {
                "leads": stats.leads,
                "pending": stats.pending,
                "active": stats.active + stats.awaiting_accept,
                "paused": stats.paused,
                "finished": stats.finished,
                "failed": stats.failed,
                "stopped": stats.stopped,
                "excluded": stats.excluded,
                "invitesSent": stats.invites_sent,
                "accepted": stats.accepted,
                "messagesSent": stats.messages_sent,
                "replies": stats.replies,
            },
            "createdAt": campaign.created_at,
            "startedAt": campaign.started_at,
        }


class CampaignPerson(Shape):
    """Who a campaign lead is."""

    public_id: str
    profile_url: str
    first_name: str
    last_name: str
    headline: str
    company_name: str


def _columns_of(model: Any, *names: str) -> Columns:
    return tuple(model.__table__.c[name] for name in names)


_OWN = "id lead_id account_id state connection replied messages_sent error".split()
_WHO = "public_id profile_url first_name last_name headline company_name".split()
_WHO_NAMES = tuple(to_camel(name) for name in _WHO)


class CampaignLead(Resource):
    """One person's way through a campaign."""

    columns: ClassVar[Columns] = (
        *_columns_of(campaigns.CampaignLead, *_OWN, "last_action_at", "finished_at"),
        *_columns_of(leads.Lead, *_WHO),
    )

    id: int
    lead_id: int
    account_id: int | None
    state: LeadState
    connection: Connection
    replied: bool
    messages_sent: int
    error: str
    lead: CampaignPerson
    last_action_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def of(cls, person: campaigns.CampaignLead, lead: leads.Lead) -> Json:  # type: ignore[override]
        """The campaign lead with who they are."""
        own = [getattr(person, name) for name in (*_OWN, "last_action_at", "finished_at")]
        return cls._made((*own, *(getattr(lead, name) for name in _WHO)))

    @classmethod
    def many(cls, things: Sequence[Any]) -> list[Json]:
        """The campaign leads of a page, read as `columns`."""
        return [cls._made(row) for row in things]

    @classmethod
    def _made(cls, row: Any) -> Json:
        """From the values of `columns`."""
        (
            id_,
            lead_id,
            account_id,
            state,
            connection,
            replied,
            messages_sent,
            error,
            last_action_at,
            finished_at,
            *who,
        ) = row
        return {
            "id": id_,
            "leadId": lead_id,
            "accountId": account_id,
            "state": state,
            "connection": connection,
            "replied": replied,
            "messagesSent": messages_sent,
            "error": error,
            "lead": dict(zip(_WHO_NAMES, who, strict=True)),
            "lastActionAt": last_action_at,
            "finishedAt": finished_at,
        }


class Waiting(Shape):
    """Why nothing happens just now, until when at the earliest, and who has to act."""

    code: str
    sentence: str
    until: datetime | None
    who: Literal["nobody", "you", "them", "network"]


class CampaignLeadDetail(CampaignLead):
    """A campaign lead, and why they wait or ended."""

    waiting: Waiting

    @classmethod
    def of(cls, person: campaigns.CampaignLead, lead: leads.Lead, why: Any) -> Json:  # type: ignore[override]
        """The campaign lead with who they are and the answer to "why is nothing happening"."""
        waiting = {"code": why.code, "sentence": why.sentence, "until": why.until, "who": why.who}
        return {**CampaignLead.of(person, lead), "waiting": waiting}


class EnrolResult(Resource):
    """How many of the people were not in the campaign before."""

    added: int

    @classmethod
    def of(cls, added: int) -> Json:
        """The count as a result."""
        return {"added": added}


class ListResource(Resource):
    """A collection of leads."""

    columns: ClassVar[Columns] = _columns_of(leads.LeadList, "id", "name", "type", "lead_count", "created_at")

    id: int
    name: str
    type: ListType
    lead_count: int
    created_at: datetime


class Lead(Resource):
    """A person in a list."""

    columns: ClassVar[Columns] = _columns_of(
        leads.Lead,
        *"id list_id public_id profile_url first_name last_name headline position company_name company_url".split(),
        *"location image_url email phone tags custom_fields created_at".split(),
    )

    id: int
    list_id: int | None
    public_id: str
    profile_url: str
    first_name: str
    last_name: str
    headline: str
    position: str
    company_name: str
    company_url: str
    location: str
    image_url: str
    email: str
    phone: str
    tags: list[str]
    custom_fields: dict[str, Any]
    created_at: datetime


class WorkingHours(Shape):
    """When an account works, in its own time zone; ISO weekdays."""

    start: str
    end: str
    days: list[int]


class DailyLimits(Shape):
    """How often an account may do what within 24 hours."""

    invite: int
    message: int
    inmail: int
    visit: int
    follow: int
    like: int


class Account(Resource):
    """A connected social account."""

    id: int
    name: str
    public_id: str
    profile_url: str
    headline: str
    image_url: str
    status: AccountStatus
    active: bool
    has_sales_navigator: bool
    timezone: str
    working_hours: WorkingHours
    daily_limits: DailyLimits
    created_at: datetime

    @classmethod
    def of(cls, account: accounts.Account) -> Json:
        """The account with its hours and limits."""
        return {
            "id": account.id,
            "name": account.name,
            "publicId": account.public_id,
            "profileUrl": account.profile_url,
            "headline": account.headline,
            "imageUrl": account.image_url,
            "status": account.status,
            "active": account.active,
            "hasSalesNavigator": account.has_sales_navigator,
            "timezone": account.timezone,
            "workingHours": {"start": account.work_start, "end": account.work_end, "days": account.work_days},
            "dailyLimits": {name: account.limits.get(name, 0) for name in SOCIAL_LIMITS},
            "createdAt": account.created_at,
        }


class Webhook(Resource):
    """An endpoint that gets one kind of event."""

    id: int
    name: str
    url: str
    event: str
    campaign_ids: list[int]
    active: bool
    created_at: datetime


class WebhookCreated(Webhook):
    """A new webhook with its signing secret, which is given out only now."""

    secret: str

    @classmethod
    def of(cls, webhook: webhooks.Webhook, secret: str) -> Json:  # type: ignore[override]
        """The webhook and its secret."""
        return {**Webhook.of(webhook), "secret": secret}


class Delivery(Resource):
    """One event on its way to a webhook, and how it went last time. `test` events have no number."""

    id: int
    webhook_id: int
    event_id: str
    event: str
    test: bool
    state: webhooks.DeliveryState
    attempts: int
    status: int | None = Field(description="What the endpoint answered last; null when it did not answer.")
    error: str
    milliseconds: int | None
    created_at: datetime
    last_attempt_at: datetime | None
    next_attempt_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def of(cls, delivery: Any) -> Json:
        """The delivery as its log has it."""
        return {
            "id": delivery.id,
            "webhookId": delivery.webhook_id,
            "eventId": delivery.ref,
            "event": delivery.kind,
            "test": bool(delivery.test),
            "state": delivery.state,
            "attempts": delivery.attempts,
            "status": delivery.last_status,
            "error": delivery.last_error,
            "milliseconds": delivery.milliseconds,
            "createdAt": delivery.created_at,
            "lastAttemptAt": delivery.last_at,
            "nextAttemptAt": delivery.due_at,
            "finishedAt": delivery.done_at,
        }


class AddLeadsResult(Resource):
    """What became of the profiles that were given."""

    added: int
    updated: int
    skipped: int
    invalid: int


class LeadImport(Resource):
    """A CSV on its way into a list. `done` of `total` rows have been dealt with; the last four add up to `done`."""

    id: int
    list_id: int
    file_name: str
    state: leads.ImportState
    total: int
    done: int
    added: int
    updated: int
    skipped: int
    invalid: int
    error: str
    created_at: datetime
    finished_at: datetime | None


class ImportRefusal(Resource):
    """A row that an import did not take, as it stood in the file, and why."""

    columns: ClassVar[Columns] = _columns_of(leads.ImportRefusal, "id", "row", "cells", "reason")

    id: int
    row: int
    cells: list[str]
    reason: str


class NeverContact(Resource):
    """Somebody, or some company, that must not be contacted. `value` is in normal form, `label` as it was given."""

    columns: ClassVar[Columns] = _columns_of(leads.NeverContact, "id", "kind", "value", "label", "reason", "created_at")

    id: int
    kind: leads.NeverContactKind
    value: str
    label: str
    reason: str
    created_at: datetime


class RefusedEntry(Shape):
    """An entry that names nobody: its place in the request from 0, and why."""

    index: int
    entry: str
    message: str


class AddEntriesResult(Resource):
    """What became of the never-contact entries that were given."""

    added: int
    known: int
    refused: list[RefusedEntry]

    @classmethod
    def of(cls, result: Any) -> Json:
        """The counts and the refused entries."""
        refused = [{"index": line - 1, "entry": entry, "message": why} for line, entry, why in result.refused]
        return {"added": result.added, "known": result.known, "refused": refused}


class MeWorkspace(Shape):
    """The workspace a key belongs to; `now` is the moment on its own clock."""

    id: int
    name: str
    sandbox: bool
    timezone: str
    now: datetime


class MeKey(Shape):
    """The key of this request."""

    id: int
    scopes: list[str]


class Me(Resource):
    """Who asks, and what they may do."""

    workspace: MeWorkspace
    key: MeKey

    @classmethod
    def of(cls, workspace: Any, key_id: int, scopes: Sequence[str]) -> Json:  # type: ignore[override]
        """The workspace and the key."""
        return {
            "workspace": {
                "id": workspace.id,
                "name": workspace.name,
                "sandbox": workspace.sandbox,
                "timezone": workspace.timezone,
                "now": workspace.now(),
            },
            "key": {"id": key_id, "scopes": list(scopes)},
        }
