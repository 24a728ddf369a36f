"""Campaigns and campaign leads as API resources."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, ClassVar, Literal

import sqlalchemy as sa
from pydantic import Field
from pydantic.alias_generators import to_camel

from app.models import campaigns, leads, people
from app.models.campaigns import CampaignStatus, Connection, LeadState
from app.resources.base import (
    Columns,
    Json,
    ReasonCode,
    Resource,
    Shape,
    SignalKind,
    StepKind,
    TaskType,
    Values,
    columns_of,
)

CAMPAIGN_STATES = tuple(CampaignStatus)
LEAD_STATES = tuple(LeadState)


class Delay(Shape):
    """How long to wait before a step."""

    value: float
    """How many units to wait; fractions are allowed."""
    unit: Literal["hours", "days"]
    """The unit of `value`."""


class Condition(Shape):
    """A condition on a person, or `all` with several conditions. The other fields depend on `is`."""

    is_: str | None = Field(default=None, alias="is")
    """The condition, such as `accepted` or `has_email`; absent if `all` is present."""
    not_: bool | None = Field(default=None, alias="not")
    """True if the condition must not hold."""
    within: Delay | None = None
    """How long to wait for the connection request to be accepted; only for `accepted`."""
    value: str | None = None
    """The value to compare with, such as a tag."""
    name: str | None = None
    """The name of the custom field; only for `custom_field`."""
    equals: str | None = None
    """The value the custom field must have; absent if any value is enough."""
    kind: SignalKind | None = None
    """The kind of signal; only for `signal`."""
    all: list["Condition"] | None = None
    """Several conditions that must all hold."""


class Branch(Shape):
    """A point where the sequence splits. People who meet `when` get the steps from `at`, everyone else the steps from
    `otherwise`; both paths continue at `join`.
    """

    at: int
    """The position of the first step for people who meet `when`, starting at 0."""
    otherwise: int
    """The position of the first step for everyone else."""
    join: int
    """The position of the step at which both paths continue."""
    when: Condition
    """The condition that decides the path."""


class ReplyRule(Shape):
    """What to do after a reply with a certain sentiment."""

    sentiment: Literal["positive", "generic", "negative", "not_now"]
    """The sentiment of the reply: `generic` is neutral, `not_now` asks to wait (elsewhere, it counts as `generic`)."""
    do: Literal["tag", "list", "task", "alert"]
    """The action: add a tag, add to a list, create a task, or notify."""
    value: str | None = None
    """The tag to add, or the text of the task or notification."""
    list_id: int | None = None
    """The id of the list the person is added to; only for `list`."""


class Variant(Shape):
    """A variant of a step's text."""

    key: Literal["A", "B", "C", "D", "E"]
    """The letter of the variant."""
    message: str
    """The text, with variables."""
    subject: str
    """The subject; empty unless the step is an email or InMail."""
    share: int
    """The relative share of people who get this variant: with shares of 2 and 1, two thirds and one third."""


class Step(Shape):
    """A step of a campaign. If there are `variants`, `message` and `subject` are those of the first variant."""

    type: StepKind
    """What the step does."""
    delay: Delay | None = None
    """How long to wait before the step; absent if there is no wait."""
    message: str | None = None
    """The text, with variables; absent for steps without text."""
    subject: str | None = None
    """The subject; absent unless the step is an email or InMail with one."""
    variants: list[Variant] | None = None
    """Two to five variants of the text, which are compared; absent if there is only one text."""
    when: Condition | None = None
    """The condition that a person must meet to get the step; absent if the step is for everyone."""
    withdraw_after: Delay | None = None
    """How long the connection request stays open before it is withdrawn; 21 days if absent."""
    task_type: TaskType | None = None
    """What a member does by hand, such as `call`; absent unless the step is a task."""
    continue_after: Delay | None = None
    """When the sequence continues if the task is still open; absent if the sequence waits for the task."""


class Window(Shape):
    """A sending window: certain hours on certain days."""

    days: list[int]
    """The days on which the window starts, as ISO weekdays: 1 is Monday, 7 is Sunday."""
    start: str
    """When the window starts, such as 09:00."""
    end: str
    """When the window ends, such as 17:30; if this is before `start`, on the next day."""


class Blackout(Shape):
    """A period in which nothing is sent."""

    name: str
    """The name of the blackout, such as “Christmas”."""
    first_day: date
    """The first day on which nothing is sent."""
    last_day: date
    """The last day on which nothing is sent."""


class Blackouts(Values):
    """The blackout dates of a workspace."""

    blackouts: list[Blackout]
    """All blackout dates, earliest first."""


class Schedule(Shape):
    """When a campaign may send."""

    timezone: str
    """The IANA name of the schedule's time zone, such as Europe/Berlin."""
    days: list[int]
    """The ISO weekdays covered by any sending window."""
    start_time: str
    """When the earliest window of the day starts."""
    end_time: str
    """When the latest window of the day ends; if this is not after `startTime`, on the next day."""
    start_date: datetime | None
    """The earliest time at which the campaign sends; null to send as soon as the campaign is started."""
    end_date: datetime | None
    """When the campaign stops sending; null to run until everyone is finished."""
    windows: list[Window]
    """The hours in which the campaign sends; the senders' working hours apply, too."""
    recipient_time: bool
    """Whether the windows are in each person's own time zone."""
    holidays: bool
    """Whether nothing is sent on public holidays in the sender's or the person's country."""
    blackouts: list[Blackout]
    """Periods in which this campaign sends nothing, in addition to the workspace's blackout dates."""
    new_people_per_day: int | None
    """The maximum number of people who start the campaign per day, in its time zone; null for no limit."""


def schedule(campaign: Any) -> Json:
    one = {"days": campaign.days, "start": campaign.start_time, "end": campaign.end_time}
    return Schedule.filled(
        campaign,
        windows=campaign.windows or [one],
        blackouts=campaign.blackouts or [],
        new_people_per_day=campaign.new_per_day,
    )


class CampaignStats(Shape):
    """How many people are in each state, and how much was sent. The states add up to `leads`."""

    leads: int
    """How many people are in the campaign."""
    pending: int
    """How many people have not started yet."""
    active: int
    """How many people have had or skipped the first step, including those in `awaiting_accept`."""
    paused: int
    """How many people are paused."""
    finished: int
    """How many people replied, or reached the end of the steps, done or skipped."""
    failed: int
    """How many people were stopped because a step failed permanently."""
    stopped: int
    """How many people were stopped before the last step."""
    excluded: int
    """How many people were excluded by a rule or a member."""
    invites_sent: int
    """How many connection requests were sent."""
    accepted: int
    """How many connection requests were accepted."""
    messages_sent: int
    """How many messages, InMails and emails were sent, not counting those by hand."""
    replies: int
    """How many people replied."""


class Exclusions(Shape):
    """Rules that exclude people from a campaign. Rules that are null follow the workspace's contact rules."""

    contacted_days: int | None
    """How many days people stay excluded after another campaign or a member contacted them; 0 to turn off."""
    replied: bool | None
    """Whether to exclude people who replied to any campaign."""
    said_no: bool | None
    """Whether to exclude people who said “no” or “not now”."""
    colleague_talks: bool | None
    """Whether to exclude people who are already in conversation with another of your senders."""
    customers: bool | None
    """Whether to exclude people who are customers, or have an open deal, in the connected CRM."""
    company_days: int | None
    """How many days people stay excluded after their company was contacted; 0 to turn off."""
    list_ids: list[int]
    """The ids of lists whose people are excluded."""
    campaign_ids: list[int]
    """The ids of campaigns; people who are or were in one of them are excluded."""
    tags: list[str] | None
    """People with any of these tags are excluded."""
    company_stop: bool
    """Whether a reply puts everyone else at the same company on hold until you decide; never null."""


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
    """A campaign: steps that senders do for the people in its lists."""

    selected: ClassVar[Columns] = (
        *columns_of(
            campaigns.Campaign,
            *"id name status list_id account_ids sequence timezone days start_time end_time start_date".split(),
            *"end_date created_at started_at contact_rules stop_company_on_reply skip_expired".split(),
            *"wait_for_profile windows recipient_time holidays blackouts new_per_day branches on_reply".split(),
            "approval",
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
    """The id of the campaign."""
    name: str
    """The name of the campaign."""
    status: CampaignStatus
    """The state of the campaign."""
    list_id: int | None
    """The id of the first of the campaign's lists; null if it was deleted."""
    account_ids: list[int]
    """The ids of the senders: LinkedIn accounts and mailboxes. If none is a mailbox, all connected mailboxes send the
    emails.
    """
    sequence: list[Step]
    """The steps, in order."""
    schedule: Schedule
    """The campaign's schedule."""
    stats: CampaignStats
    """How many people are in each state, and how much was sent."""
    created_at: datetime
    """When the campaign was created."""
    started_at: datetime | None
    """When the campaign was started; null if it has not been started."""
    exclude: Exclusions
    """Rules that exclude people from the campaign."""
    approval: bool
    """Whether each message needs approval before it is sent."""
    skip_expired: bool
    """Whether people skip a message whose draft expired, and continue."""
    wait_for_profile: bool
    """True if people without a LinkedIn profile wait at steps that need a profile; false if they skip these steps."""
    branches: list[Branch]
    """The points where the sequence splits."""
    on_reply: list[ReplyRule]
    """What to do after a reply with a certain sentiment."""
    pick_winner: bool
    """Whether the winning variant is automatically used for everyone else."""
    list_ids: list[int]
    """The ids of all lists of the campaign: `listId` first, then lists added later."""

    @classmethod
    def of(cls, campaign: Any, counters: Any = None) -> Json:
        stats = counters or campaign
        return cls.filled(
            campaign,
            sequence=steps(campaign.sequence),
            schedule=schedule(campaign),
            stats=CampaignStats.filled(stats, active=stats.active + stats.awaiting_accept),
            exclude=exclusions(campaign),
            branches=campaign.branches or [],
            on_reply=campaign.on_reply or [],
            pick_winner=campaign.pick_winner_at is not None,
            list_ids=_list_ids(campaign),
        )


class CampaignPerson(Shape):
    """The person behind a campaign lead."""

    public_id: str
    """The last part of the LinkedIn profile's URL; empty if no profile is known."""
    profile_url: str
    """The URL of the LinkedIn profile; empty if it is not known."""
    first_name: str
    """The first name; empty if not known."""
    last_name: str
    """The last name; empty if not known."""
    headline: str
    """The headline of the profile; empty if not known."""
    company_name: str
    """The name of the company; empty if not known."""


_OWN = "state connection replied messages_sent error".split()
_AFTER = ("last_action_at", "finished_at", "person_id", "reason")
_WHO = "public_id profile_url first_name last_name headline company_name".split()
_WHO_NAMES = tuple(to_camel(name) for name in _WHO)


class CampaignLead(Resource):
    """A lead in a campaign."""

    columns: ClassVar[Columns] = (
        *columns_of(campaigns.CampaignLead, "id", "lead_id"),
        sa.func.coalesce(campaigns.CampaignLead.account_id, campaigns.CampaignLead.mailbox_id).label("account_id"),
        *columns_of(campaigns.CampaignLead, *_OWN),
        *columns_of(people.Person, *_WHO),
        *columns_of(campaigns.CampaignLead, *_AFTER),
    )

    id: int
    """The id of the campaign lead."""
    lead_id: int
    """The id of the person's lead in the list."""
    account_id: int | None
    """The id of the LinkedIn account that contacts this person or, without one, of the mailbox; null if neither is
    assigned.
    """
    state: LeadState
    """The person's state in the campaign."""
    connection: Connection
    """Whether the person and the LinkedIn account are connected."""
    replied: bool
    """Whether the person has replied in this campaign."""
    messages_sent: int
    """How many messages, InMails and emails of this campaign the person received, not counting those by hand."""
    error: str
    """Why the last step failed; empty if it did not."""
    lead: CampaignPerson
    """The person's name, company and profile."""
    last_action_at: datetime | None
    """When the person's last step was carried out; null if none was."""
    finished_at: datetime | None
    """When the campaign ended for the person; null if it has not ended."""
    person_id: int
    """The id of the person, which is the same in all lists."""
    reason: ReasonCode
    """Why the person is excluded, paused or stuck, waits for an acceptance or, for 7 days after the last message, for a
    reply, or why the campaign ended. Empty while the person only waits for a date, a limit or the sender; for this, see
    `waiting` of `GET /v1/campaigns/{campaignId}/leads/{campaignLeadId}`.
    """

    @classmethod
    def of(cls, person: campaigns.CampaignLead, lead: leads.Lead) -> Json:  # type: ignore[override]
        return cls.filled(person, lead=lead, account_id=person.account_id or person.mailbox_id)

    @classmethod
    def many(cls, things: Sequence[Any]) -> list[Json]:
        """Build the campaign leads of a page, read as `columns`."""
        after = len(cls.columns) - len(_AFTER)
        who = slice(after - len(_WHO), after)
        leads = [dict(zip(_WHO_NAMES, row[who], strict=True)) for row in things]
        return [
            dict(zip(cls._names, (*row[: who.start], lead, *row[who.stop :]), strict=True))
            for row, lead in zip(things, leads, strict=True)
        ]


class Waiting(Shape):
    """Why a person is waiting, until when, and who must act."""

    code: ReasonCode
    """The reason as a stable code."""
    sentence: str
    """The reason as a sentence you can show to users."""
    until: datetime | None
    """The earliest time the campaign can continue; null if not known."""
    who: Literal["nobody", "you", "them", "network"]
    """Who must act: no one, you, the person (`them`) or the provider (`network`)."""


class StepAhead(Shape):
    """An upcoming step as this person will get it."""

    step: int
    """The position of the step, starting at 0."""
    type: StepKind
    """The type of the step."""
    earliest: datetime | None
    """The earliest time at which the step can be carried out; null if it is not known, or if the step is skipped."""
    after: Literal["", "accepted", "resumed"]
    """What must happen first: the person accepts (`accepted`) or is resumed (`resumed`); otherwise empty."""
    skipped: str
    """Why the step will be skipped, as a sentence; empty if it will not be skipped."""
    subject: str
    """The subject this person gets; empty if the step has none."""
    messages: list[str]
    """The messages this person gets; each is sent separately."""
    problems: list[str]
    """What would keep the step from being sent, as sentences you can show to users."""
    variant: str
    """The letter of the variant this person gets; empty if the step has only one version."""

    @classmethod
    def of(cls, step: Any) -> Json:
        own = {"step": step.index, "earliest": step.at, "after": step.after, "skipped": step.skipped}
        return cls.filled(step.said, **own, messages=step.said.parts)


class CampaignLeadDetail(CampaignLead):
    """A campaign lead, with the reason for waiting and the planned dates of the remaining steps."""

    waiting: Waiting
    """What the person is waiting for right now."""
    plan: list[StepAhead]
    """The remaining steps, with the earliest time of each."""

    @classmethod
    def of(cls, person: campaigns.CampaignLead, lead: leads.Lead, why: Any, plan: Any) -> Json:  # type: ignore[override]
        sender = person.account_id or person.mailbox_id
        return cls.filled(person, lead=lead, account_id=sender, waiting=why, plan=plan)


class EnrolResult(Resource):
    """The result of adding people to a campaign."""

    added: int
    """How many people were added to the campaign, including those who are excluded."""
    skipped: int
    """How many people were already in the campaign, from any list."""
    excluded: int
    """How many of `added` are excluded and will not be contacted."""


class LeftOutToday(Shape):
    """A reason why new people did not join today, with the number of people."""

    code: ReasonCode
    """The reason as a stable code."""
    sentence: str
    """The reason as a sentence you can show to users."""
    people: int
    """How many people the reason applies to."""


class Joiners(Resource):
    """Whether people who are added to a campaign's lists join the campaign, and how many joined today."""

    per_day: int | None
    """The maximum number of new people who join per day; null if none join."""
    joined_today: int
    """How many new people joined since midnight in the campaign's time zone."""
    left_out_today: list[LeftOutToday]
    """Why people did not join today, most frequent reason first. These people do not count towards `perDay`."""
    waiting: int
    """How many people in the lists have yet to join or be excluded."""
    joins_at: datetime | None
    """When the next person will join; null if no one is waiting, or if the campaign is not running."""
