"""Forecasts and the calendar as API resources."""

from datetime import datetime
from typing import Any, Literal

from app.resources.base import Json, ReasonCode, Resource, Shape, Values
from app.resources.campaigns.campaigns import Waiting

Actions = Literal["invites", "messages", "inmails", "emails", "visits", "follows", "likes", "tasks", "withdrawals"]


class AssumedRate(Shape):
    """A rate measured in this workspace in the last 90 days or, if there is too little data, a typical rate."""

    share: float
    """The rate, from 0 to 1."""
    source: Literal["measured", "usual"]
    """Whether the rate was `measured` in this workspace, or is a typical (`usual`) rate."""


class Assumptions(Shape):
    """The assumptions that a forecast is based on."""

    acceptance_rate: AssumedRate
    """The share of connection requests that are accepted."""
    accepted_after_days: float
    """The average number of days until a connection request is accepted."""
    reply_rate: AssumedRate
    """The share of people who reply."""
    replied_after_days: float
    """The average number of days until people reply."""
    shared_with: int
    """How many other running campaigns use this campaign's most shared sender."""


class ReplyRange(Shape):
    """How many more replies are expected, as a range with a probability of 80%."""

    low: int
    """The lowest likely number of replies."""
    high: int
    """The highest likely number of replies."""


class EndRange(Values):
    """The period in which the campaign is expected to end, with a probability of 80%."""

    earliest: datetime
    """The earliest likely end of the campaign."""
    latest: datetime
    """The latest likely end of the campaign."""


class LimitedBy(Shape):
    """The limit that delays the most people, such as a daily limit."""

    code: ReasonCode
    """The reason as a stable code."""
    action: Actions | None
    """The action that is limited; null if the reason is not a limit on actions."""
    limit: int
    """The combined limit of the senders in `accounts`, per day or, for `weekly_limit`, per 7 days."""
    accounts: list[str]
    """The names of the senders that will reach the limit."""
    shared_with: list[str]
    """The names of other running campaigns that use the senders in `accounts`."""
    sentence: str
    """The reason as a sentence you can show to users."""

    @classmethod
    def of(cls, constraint: Any) -> Json:
        action = next((name for name, budget in _BUDGETS.items() if budget == constraint.budget), None)
        return cls.filled(constraint, action=action, accounts=constraint.senders)


class ForecastDay(Shape):
    """The forecast for one day."""

    date: str
    """The day in the workspace's time zone, such as 2027-05-03."""
    invites: int
    """How many connection requests are expected to be sent."""
    messages: int
    """How many messages are expected to be sent."""
    inmails: int
    """How many InMails are expected to be sent."""
    emails: int
    """How many emails are expected to be sent."""
    visits: int
    """How many profiles are expected to be visited."""
    follows: int
    """How many people are expected to be followed."""
    likes: int
    """How many posts are expected to be liked."""
    tasks: int
    """How many tasks are expected to become due for members."""
    withdrawals: int
    """How many connection requests are expected to be withdrawn."""
    accepted: int
    """How many connection requests are expected to be accepted."""
    replies: int
    """How many replies are expected."""
    finished: int
    """How many people are expected to reach the end of the sequence."""


class Stuck(Shape):
    """People who are waiting for you to do something."""

    people: int
    """How many people are waiting for the same thing."""
    waiting: Waiting
    """What the people are waiting for, and who must act."""


class Forecast(Resource):
    """How the campaign is expected to continue from now; nothing has been changed."""

    people: int
    """How many people the forecast covers."""
    days: list[ForecastDay]
    """What is expected on each day."""
    first_action_at: datetime | None
    """When the next action is expected; null if no action is expected."""
    first_reply_at: datetime | None
    """When the first reply is expected; null if no reply is expected."""
    finishes_at: datetime | None
    """When the last person is expected to finish; null if this is over a year away, or depends on you."""
    people_left: int
    """How many people are not expected to finish within the forecast."""
    stuck: list[Stuck]
    """People who are waiting for you to do something."""
    assumptions: Assumptions
    """The rates the forecast is based on."""
    warnings: list[str]
    """Warnings you can show to users, such as a sender whose hours never overlap with the campaign's."""
    replies_between: ReplyRange
    """How many more replies are expected, as a range."""
    finishes_between: EndRange | None
    """When the campaign is likely to end; null if `finishesAt` is null."""
    limited_by: LimitedBy | None
    """The limit that slows the campaign down most; null if there is none."""

    @classmethod
    def of(cls, forecast: Any) -> Json:
        assumed = forecast.assumptions
        return cls.filled(
            forecast,
            days=[_day(day) for day in forecast.days],
            people_left=forecast.left,
            stuck=[Stuck.filled(None, people=people, waiting=why) for why, people in forecast.stuck],
            assumptions=Assumptions.filled(
                assumed,
                acceptance_rate=assumed.acceptance,
                accepted_after_days=assumed.accepted_after.total_seconds() / 86_400,
                reply_rate=assumed.replies,
                replied_after_days=assumed.answered_after.total_seconds() / 86_400,
            ),
            replies_between=forecast.replies,
            limited_by=forecast.constraint,
        )


_BUDGETS = {
    "invites": "invite",
    "messages": "message",
    "inmails": "inmail",
    "emails": "email",
    "visits": "visit",
    "follows": "follow",
    "likes": "like",
    "tasks": "task",
    "withdrawals": "withdraw",
}


def _day(day: Any) -> Json:
    return {
        "date": day.date.isoformat(),
        **{name: day.done[budget] for name, budget in _BUDGETS.items()},
        "accepted": day.accepted,
        "replies": day.replies,
        "finished": day.ended,
    }


class ComparedCounts(Shape):
    """The numbers of one day."""

    invitations: int
    """The number of connection requests."""
    messages: int
    """The number of messages and InMails."""
    emails: int
    """The number of emails."""
    replies: int
    """The number of replies."""


class ComparedDay(Shape):
    """One day, with the saved forecast and what happened."""

    date: str
    """The day in the workspace's time zone, such as 2027-05-03."""
    foretold: ComparedCounts
    """What was expected by the last forecast saved before the day or, for the first day, at launch."""
    actual: ComparedCounts | None
    """What has happened so far; null for future days."""
    expected: ComparedCounts | None
    """What the current forecast expects for the day, or for the rest of today; null for past days."""


class KeptForecast(Shape):
    """When a forecast was saved, and why."""

    at: datetime
    """When the forecast was saved."""
    cause: Literal["began", "steps", "schedule", "senders", "people"]
    """Why it was saved: the campaign `began`, or its `steps`, `schedule`, `senders` or `people` (who joins) changed."""


class ForecastComparison(Resource):
    """Saved forecasts compared with what actually happened; both lists are empty if no forecast has been saved."""

    kept: list[KeptForecast]
    """The forecasts that are compared, oldest first."""
    days: list[ComparedDay]
    """The forecast and what happened, day by day."""

    @classmethod
    def of(cls, compared: Any) -> Json:
        return {
            "kept": [{"at": change.made_at, "cause": change.cause} for change in compared.changes] if compared else [],
            "days": [
                {
                    "date": day.date.isoformat(),
                    "foretold": _compared(day.foretold or {}),
                    "actual": None if day.actual is None else _compared(day.actual),
                    "expected": None if day.expected is None else _compared(day.expected),
                }
                for day in (compared.days if compared else ())
            ],
        }


def _compared(counts: Any) -> Json:
    return {name: counts.get(name, 0) for name in ("invitations", "messages", "emails", "replies")}


class ForecastChange(Shape):
    """A change to the campaign, and how it would affect the end of the campaign."""

    change: Literal["sender", "alone", "limit", "new", "weekend"]
    """The suggested change: add a sender (`sender`), use the senders only for this campaign (`alone`), raise a limit
    (`limit`), start with more new people per day (`new`), or send on weekends (`weekend`).
    """
    label: str
    """The change as a sentence you can show to users."""
    finishes_at: datetime | None
    """When the campaign would end; null if this is more than a year away."""
    days_earlier: int
    """How many days earlier the campaign would end; negative for a later end."""
    more_replies: int
    """How many more replies are expected by the end of the campaign."""

    @classmethod
    def of(cls, one: Any) -> Json:
        return cls.filled(
            one, change=one.change.key, label=one.change.label, days_earlier=one.days, more_replies=one.replies
        )


class ForecastChanges(Values):
    """Changes that would make a campaign end earlier or later. Nothing has been changed."""

    changes: list[ForecastChange]
    """The possible changes, most helpful first."""


class CalendarWork(Shape):
    """The expected number of actions of one kind for one campaign."""

    campaign_id: int
    """The id of the campaign."""
    campaign_name: str
    """The name of the campaign."""
    action: Actions
    """The kind of action."""
    count: int
    """The expected number of actions."""


class Idle(Shape):
    """Why a sender does nothing on a day, such as a holiday or a blackout date."""

    code: ReasonCode
    """The reason as a stable code."""
    sentence: str
    """The reason as a sentence you can show to users."""


class CalendarEntry(Shape):
    """One sender's actions on one day."""

    account_id: int
    """The id of the sender."""
    account_name: str
    """The name of the sender."""
    work: list[CalendarWork]
    """The actions expected from the sender on that day."""
    idle: Idle | None
    """Why the sender does nothing on that day; null if actions are expected."""


class CalendarDay(Shape):
    """One day, with the expected actions of each sender."""

    date: str
    """The day in the workspace's time zone, such as 2027-05-03."""
    accounts: list[CalendarEntry]
    """One entry per sender in the workspace."""


class Calendar(Resource):
    """What all running campaigns are expected to do in the next 14 days; paused campaigns are not included."""

    made_at: datetime
    """When the calendar was calculated."""
    days: list[CalendarDay]
    """The next 14 days, today first."""

    @classmethod
    def of(cls, calendar: Any) -> Json:
        return {
            "madeAt": calendar.made_at,
            "days": [
                {"date": day.date.isoformat(), "accounts": [_entry(calendar, entry) for entry in day.entries]}
                for day in calendar.days
            ],
        }


def _entry(calendar: Any, entry: Any) -> Json:
    names = {budget: name for name, budget in _BUDGETS.items()}
    work = [
        {
            "campaignId": one.campaign_id,
            "campaignName": calendar.campaigns.get(one.campaign_id, ""),
            "action": names[one.budget],
            "count": one.number,
        }
        for one in entry.work
    ]
    return {
        "accountId": entry.sender_id,
        "accountName": calendar.senders.get(entry.sender_id, ""),
        "work": work,
        "idle": {"code": entry.idle, "sentence": entry.sentence} if entry.idle else None,
    }
