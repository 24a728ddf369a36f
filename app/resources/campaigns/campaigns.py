"""Campaigns and campaign leads as API resources."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, ClassVar, Literal

from pydantic import Field
from pydantic.alias_generators import to_camel

from app.models import campaigns, leads, people
from app.models.campaigns import CampaignStatus, Connection, LeadState
from app.resources.base import Columns, Json, Resource, Shape, columns_of

CAMPAIGN_STATES = tuple(CampaignStatus)
LEAD_STATES = tuple(LeadState)


class Delay(Shape):
    """The wait before a step."""

    value: float
    unit: Literal["hours", "days"]


class Condition(Shape):
    """A condition on a person, or `all` that must hold; the fields depend on `is`."""

    is_: str | None = Field(default=None, alias="is")
    not_: bool | None = Field(default=None, alias="not")
    within: Delay | None = None
    value: str | None = None
    name: str | None = None
    equals: str | None = None
    kind: str | None = None
    all: list["Condition"] | None = None


class Branch(Shape):
    """A split: the steps from `at` are for people who meet `when`, from `otherwise` for others, up to `join`."""

    at: int
    otherwise: int
    join: int
    when: Condition


class ReplyRule(Shape):
    """What to do after a reply, by sentiment."""

    sentiment: Literal["positive", "generic", "negative", "not_now"]
    do: Literal["tag", "list", "task", "alert"]
    value: str | None = None
    list_id: int | None = None


class Variant(Shape):
    """One of several texts of a step, and its share of people who haven't received the step."""

    key: Literal["A", "B", "C", "D", "E"]
    message: str
    subject: str
    share: int = Field(description="In proportion to the other shares.")


class Step(Shape):
    """One step of a campaign. With `variants`, `message` and `subject` are from the first variant."""

    type: str
    delay: Delay | None = None
    message: str | None = None
    subject: str | None = None
    variants: list[Variant] | None = None
    when: Condition | None = None
    withdraw_after: Delay | None = None


class Window(Shape):
    """Hours on some days; an end before the start means the next day."""

    days: list[int]
    start: str
    end: str


class Blackout(Shape):
    """Days on which nothing is sent, including the first and last."""

    name: str
    first_day: date
    last_day: date


class Blackouts(Resource):
    """The blackout dates of a workspace."""

    blackouts: list[Blackout]

    @classmethod
    def of(cls, blackouts: Sequence[Json]) -> Json:
        return {"blackouts": list(blackouts)}


class Schedule(Shape):
    """A campaign's schedule: ISO weekdays, times such as 09:00, an IANA time zone."""

    timezone: str
    days: list[int] = Field(description="The days of all windows.")
    start_time: str = Field(description="When the earliest window starts.")
    end_time: str = Field(description="When the latest window ends; not after `startTime` when that is the next day.")
    start_date: datetime | None
    end_date: datetime | None
    windows: list[Window]
    recipient_time: bool = Field(description="Whether the windows apply in each person's time zone.")
    holidays: bool = Field(description="Whether public holidays of sender and person are skipped.")
    blackouts: list[Blackout]
    new_people_per_day: int | None


def schedule(campaign: Any) -> Json:
    one = {"days": campaign.days, "start": campaign.start_time, "end": campaign.end_time}
    return {
        "timezone": campaign.timezone,
        "days": campaign.days,
        "startTime": campaign.start_time,
        "endTime": campaign.end_time,
        "startDate": campaign.start_date,
        "endDate": campaign.end_date,
        "windows": campaign.windows or [one],
        "recipientTime": campaign.recipient_time,
        "holidays": campaign.holidays,
        "blackouts": campaign.blackouts or [],
        "newPeoplePerDay": campaign.new_per_day,
    }


class CampaignStats(Shape):
    """The number of people in each state, and of actions done. The states add up to `leads`."""

    leads: int
    pending: int
    active: int = Field(description="Includes people whose connection request is pending.")
    paused: int
    finished: int
    failed: int
    stopped: int
    excluded: int
    invites_sent: int
    accepted: int
    messages_sent: int
    replies: int


class Exclusions(Shape):
    """Who is left out of a campaign; null follows the workspace's contact rules."""

    contacted_days: int | None = Field(description="Contacted by another campaign in these days; 0: off.")
    replied: bool | None = Field(description="People who have ever replied.")
    said_no: bool | None = Field(description="People who said no, or not now.")
    colleague_talks: bool | None = Field(description="People in conversation with a sender of other campaigns.")
    customers: bool | None = Field(description="Customers and open deals of the connected CRM.")
    company_days: int | None = Field(description="A colleague was contacted in these days.")
    list_ids: list[int]
    campaign_ids: list[int]
    tags: list[str] | None
    company_stop: bool = Field(description="After a reply, everyone else at the company is held until you decide.")


def exclusions(campaign: Any) -> Json:
    kept = campaign.contact_rules or {}
    rules = {to_camel(name): kept.get(name) for name in Exclusions.model_fields if name != "company_stop"}
    named = {name: kept.get(name, []) for name in ("list_ids", "campaign_ids")}
    return (
        rules | {to_camel(name): ids for name, ids in named.items()} | {"companyStop": campaign.stop_company_on_reply}
    )


def _list_ids(campaign: Any) -> list[int]:
    first = [campaign.list_id] if campaign.list_id else []
    return [*first, *sorted(int(one) for one in (campaign.more_lists or "").split(",") if one)]


def steps(sequence: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Return stored steps as they are shown: the key by which the ledger knows a step is ours."""
    return [{name: value for name, value in step.items() if name != "key"} for step in sequence]


class Campaign(Resource):
    """A sequence of steps that senders run for the people of a list."""

    selected: ClassVar[Columns] = (
        *columns_of(
            campaigns.Campaign,
            *"id name status list_id account_ids sequence timezone days start_time end_time start_date".split(),
            *"end_date created_at started_at contact_rules stop_company_on_reply skip_expired".split(),
            *"wait_for_profile windows recipient_time holidays blackouts new_per_day branches on_reply".split(),
            "pick_winner_at",
        ),
        campaigns.Campaign.more_lists.label("more_lists"),
        *columns_of(
            campaigns.CampaignStats,
            *"leads pending active awaiting_accept paused finished failed stopped excluded invites_sent".split(),
            *"accepted messages_sent replies".split(),
        ),
    )

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
    exclude: Exclusions
    skip_expired: bool = Field(description="Whether people continue without a message whose draft expired.")
    wait_for_profile: bool
    branches: list[Branch]
    on_reply: list[ReplyRule]
    pick_winner: bool = Field(description="Whether the winning variant is used automatically.")
    list_ids: list[int] = Field(description="All lists: `listId` first, then those that were added.")

    @classmethod
    def of(cls, campaign: Any, counters: Any = None) -> Json:
        stats = counters or campaign
        return {
            "id": campaign.id,
            "name": campaign.name,
            "status": campaign.status,
            "listId": campaign.list_id,
            "accountIds": campaign.account_ids,
            "sequence": steps(campaign.sequence),
            "schedule": schedule(campaign),
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
            "exclude": exclusions(campaign),
            "skipExpired": campaign.skip_expired,
            "waitForProfile": campaign.wait_for_profile,
            "branches": campaign.branches or [],
            "onReply": campaign.on_reply or [],
            "pickWinner": campaign.pick_winner_at is not None,
            "listIds": _list_ids(campaign),
        }


class CampaignPerson(Shape):
    """The person behind a campaign lead."""

    public_id: str
    profile_url: str
    first_name: str
    last_name: str
    headline: str
    company_name: str


_OWN = "id lead_id account_id state connection replied messages_sent error".split()
_AFTER = ("last_action_at", "finished_at", "person_id", "reason")

_WHO = "public_id profile_url first_name last_name headline company_name".split()

_WHO_NAMES = tuple(to_camel(name) for name in _WHO)


class CampaignLead(Resource):
    """One lead in one campaign."""

    columns: ClassVar[Columns] = (
        *columns_of(campaigns.CampaignLead, *_OWN, *_AFTER),
        *columns_of(people.Person, *_WHO),
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
    person_id: int
    reason: str = Field(description='The reason code, such as `replied_before`; "" for none.')

    @classmethod
    def of(cls, person: campaigns.CampaignLead, lead: leads.Lead) -> Json:  # type: ignore[override]
        own = [getattr(person, name) for name in (*_OWN, *_AFTER)]
        return cls._made((*own, *(getattr(lead, name) for name in _WHO)))

    @classmethod
    def many(cls, things: Sequence[Any]) -> list[Json]:
        """Build the campaign leads of a page, read as `columns`."""
        return [cls._made(row) for row in things]

    @classmethod
    def _made(cls, row: Any) -> Json:
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
            person_id,
            reason,
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
            "personId": person_id,
            "reason": reason,
        }


class Waiting(Shape):
    """Why a lead waits, the earliest time it continues, and who must act."""

    code: str
    sentence: str
    until: datetime | None
    who: Literal["nobody", "you", "them", "network"]


class StepAhead(Shape):
    """An upcoming step as this person gets it.

    `earliest` is null when it is unknown or the step is skipped; `after` says what must happen first.
    """

    step: int
    type: str
    earliest: datetime | None
    after: Literal["", "accepted", "resumed"]
    skipped: str = Field(description="Why the step is skipped; empty when it is not.")
    subject: str
    messages: list[str]
    problems: list[str]
    variant: str = Field(description='Key of the variant this person gets; "" when the step has one text.')


class CampaignLeadDetail(CampaignLead):
    """A campaign lead with wait reason and the dated plan of the remaining steps."""

    waiting: Waiting
    plan: list[StepAhead]

    @classmethod
    def of(cls, person: campaigns.CampaignLead, lead: leads.Lead, why: Any, plan: Any) -> Json:  # type: ignore[override]
        waiting = {"code": why.code, "sentence": why.sentence, "until": why.until, "who": why.who}
        return {**CampaignLead.of(person, lead), "waiting": waiting, "plan": [_ahead(step) for step in plan]}


def _ahead(step: Any) -> Json:
    return {
        "step": step.index,
        "type": step.said.type,
        "earliest": step.at,
        "after": step.after,
        "skipped": step.skipped,
        "subject": step.said.subject,
        "messages": list(step.said.parts),
        "problems": list(step.said.problems),
        "variant": step.said.variant,
    }


class EnrolResult(Resource):
    """The result of adding people."""

    added: int = Field(description="Added to the campaign, including excluded people.")
    skipped: int = Field(description="Already in the campaign, from any list.")
    excluded: int = Field(description="Of those added, people who are not contacted; see their state and reason.")
