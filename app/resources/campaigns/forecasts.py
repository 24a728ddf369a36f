"""Forecasts and the calendar as API resources."""

from datetime import datetime
from typing import Any, Literal

from app.resources.base import Json, ReasonCode, Resource, Shape
from app.resources.campaigns.campaigns import Waiting

Actions = Literal["invites", "messages", "inmails", "emails", "visits", "follows", "likes", "tasks", "withdrawals"]


class AssumedRate(Shape):
    """A rate from this workspace's last 90 days or, with too little data, a typical one."""

    share: float
    """The rate, from 0 to 1."""
    source: Literal["measured", "usual"]
    """`measured` if it comes from this workspace, `usual` if it is a typical value."""


class Assumptions(Shape):
    """The assumptions of a forecast. `sharedWith` is the largest number of other running campaigns that use a sender"""

    acceptance_rate: AssumedRate
    """The share of connection requests that are accepted."""
    accepted_after_days: float
    """After how many days a request is accepted, on average."""
    reply_rate: AssumedRate
    """The share of people who reply."""
    replied_after_days: float
    """After how many days they reply, on average."""
    shared_with: int
    """How many other running campaigns use the busiest of the senders."""


class ReplyRange(Shape):
    """How many more replies come in four of five cases."""

    low: int
    """The lower end."""
    high: int
    """The upper end."""


class EndRange(Shape):
    """Between which dates the campaign ends in four of five cases."""

    earliest: datetime
    """The early end."""
    latest: datetime
    """The late end."""


class LimitedBy(Shape):
    """What due people mostly wait for, such as a daily limit."""

    code: ReasonCode
    """The reason as a stable code."""
    action: Actions | None
    """The action that is limited; null if the reason is no limit on actions."""
    limit: int
    """The limit per day over all these senders, or per 7 days for `weekly_limit`."""
    accounts: list[str]
    """The names of the senders that reach this limit."""
    shared_with: list[str]
    """The names of other running campaigns that use these senders."""
    sentence: str
    """The reason as a sentence to show."""


class ForecastDay(Shape):
    """The forecast of one day of the workspace."""

    date: str
    """The day in the workspace's time zone, such as 2027-05-03."""
    invites: int
    """Connection requests expected to be sent."""
    messages: int
    """Messages expected to be sent."""
    inmails: int
    """InMails expected to be sent."""
    emails: int
    """Emails expected to be sent."""
    visits: int
    """Profiles expected to be visited."""
    follows: int
    """People expected to be followed."""
    likes: int
    """Posts expected to be liked."""
    tasks: int
    """Tasks expected for members."""
    withdrawals: int
    """Connection requests expected to be withdrawn."""
    accepted: int
    """Connection requests expected to be accepted."""
    replies: int
    """Replies expected."""
    finished: int
    """People expected to reach the end of the sequence."""


class Stuck(Shape):
    """People waiting for you to act."""

    people: int
    """How many people wait for this."""
    waiting: Waiting
    """What they wait for, and what you can do."""


class Forecast(Resource):
    """How the campaign would continue from now; nothing was changed.

    `finishesAt` is null when some people would not finish within a year or within the forecast.
    """

    people: int
    """How many people the forecast is about."""
    days: list[ForecastDay]
    """The expected numbers, day by day."""
    first_action_at: datetime | None
    """When the next action is expected; null if none is."""
    first_reply_at: datetime | None
    """When the first reply is expected; null if none is."""
    finishes_at: datetime | None
    """When the last person is expected to finish; null if that is more than a year away or depends on you."""
    people_left: int
    """How many people would not be finished by the end of the forecast."""
    stuck: list[Stuck]
    """People waiting for you to act."""
    assumptions: Assumptions
    """The rates the forecast is based on."""
    warnings: list[str]
    """Senders whose working hours never overlap with the campaign's hours."""
    replies_between: ReplyRange
    """How many more replies are likely; true in four of five cases."""
    finishes_between: EndRange | None
    """When the campaign is likely to end; null if `finishesAt` is."""
    limited_by: LimitedBy | None
    """The limit that slows the campaign most; null without one."""

    @classmethod
    def of(cls, forecast: Any) -> Json:
        assumed = forecast.assumptions
        return cls.filled(
            forecast,
            days=[_day(day) for day in forecast.days],
            people_left=forecast.left,
            stuck=[{"people": people, "waiting": Waiting.filled(why)} for why, people in forecast.stuck],
            assumptions={
                "acceptanceRate": {"share": assumed.acceptance.share, "source": assumed.acceptance.source},
                "acceptedAfterDays": assumed.accepted_after.total_seconds() / 86_400,
                "replyRate": {"share": assumed.replies.share, "source": assumed.replies.source},
                "repliedAfterDays": assumed.answered_after.total_seconds() / 86_400,
                "sharedWith": assumed.shared_with,
            },
            warnings=list(forecast.warnings),
            replies_between={"low": forecast.replies.low, "high": forecast.replies.high},
            finishes_between=_between(forecast.finishes_between),
            limited_by=forecast.constraint and _limited_by(forecast.constraint),
        )


def _between(moments: Any) -> Json | None:
    return moments and {"earliest": moments[0], "latest": moments[1]}


def _limited_by(constraint: Any) -> Json:
    return {
        "code": constraint.code,
        "action": next((name for name, budget in _BUDGETS.items() if budget == constraint.budget), None),
        "limit": constraint.limit,
        "accounts": list(constraint.senders),
        "sharedWith": list(constraint.shared_with),
        "sentence": constraint.sentence,
    }


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
    """The compared numbers; InMails count as messages."""

    invitations: int
    """Connection requests."""
    messages: int
    """Messages and InMails."""
    emails: int
    """Emails."""
    replies: int
    """Replies."""


class ComparedDay(Shape):
    """One day of the workspace. `actual` is null for days to come, `expected` for days that are over."""

    date: str
    """The day in the workspace's time zone, such as 2027-05-03."""
    foretold: ComparedCounts
    """What the saved forecast said for the day."""
    actual: ComparedCounts | None
    """Actual actions, up to now."""
    expected: ComparedCounts | None
    """The current forecast, for the rest."""


class KeptForecast(Shape):
    """When and why a forecast was saved: the launch or a change."""

    at: datetime
    """When the forecast was made."""
    cause: Literal["began", "steps", "schedule", "senders", "people"]
    """The reason: the start, or a change."""


class ForecastComparison(Resource):
    """The forecast at launch or at a change, and what happened. Empty without a saved forecast."""

    kept: list[KeptForecast]
    """The forecasts that are compared, oldest first."""
    days: list[ComparedDay]
    """Forecast and outcome, day by day."""

    @classmethod
    def of(cls, compared: Any) -> Json:
        return {
            "kept": [{"at": change.at, "cause": change.cause} for change in compared.changes] if compared else [],
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
    """How one change moves the campaign's end."""

    change: Literal["sender", "alone", "limit", "new", "weekend"]
    """What would be changed: add a sender, free the senders of other campaigns, raise a limit, take more new people a
    day, or send on weekends."""
    label: str
    """The change as a sentence to show."""
    finishes_at: datetime | None
    """When the campaign would end; null if that is more than a year away."""
    days_earlier: int
    """How many days earlier the campaign would end; below 0: later."""
    more_replies: int
    """How many more replies are expected by then."""


class ForecastChanges(Resource):
    """What would change the end of a campaign, the most helpful first. Nothing was changed."""

    changes: list[ForecastChange]
    """The possible changes, the most helpful first."""

    @classmethod
    def of(cls, effects: Any) -> Json:
        changes = [
            {
                "change": one.change.key,
                "label": one.change.label,
                "finishesAt": one.finishes_at,
                "daysEarlier": one.days,
                "moreReplies": one.replies,
            }
            for one in effects
        ]
        return {"changes": changes}


class CalendarWork(Shape):
    """The number of actions of one kind for one campaign."""

    campaign_id: int
    """The campaign."""
    campaign_name: str
    """The name of the campaign."""
    action: Actions
    """The kind of action."""
    count: int
    """How many are expected."""


class Idle(Shape):
    """Why a sender does nothing on a day, such as a holiday or a blackout date."""

    code: ReasonCode
    """The reason as a stable code."""
    sentence: str
    """The reason as a sentence to show."""


class CalendarEntry(Shape):
    """One sender's actions on one day."""

    account_id: int
    """The sender."""
    account_name: str
    """The name of the sender."""
    work: list[CalendarWork]
    """What is expected of the sender on the day."""
    idle: Idle | None
    """Why the sender does nothing; null if something is expected."""


class CalendarDay(Shape):
    """One day of the workspace, with each of its senders."""

    date: str
    """The day in the workspace's time zone, such as 2027-05-03."""
    accounts: list[CalendarEntry]
    """The senders and their work."""


class Calendar(Resource):
    """What all running campaigns do in the next two weeks, without paused ones."""

    made_at: datetime
    """When the calendar was computed."""
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
