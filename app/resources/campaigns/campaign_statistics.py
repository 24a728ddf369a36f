"""Campaign statistics, previews and forecasts as API resources."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.resources.base import Json, Resource, Shape
from app.resources.campaigns.campaigns import Waiting


class CampaignTotals(Shape):
    """The campaign's counters. Shares are null until they can be calculated."""

    leads: int
    contacted: int
    invites_sent: int
    accepted: int
    messages_sent: int
    replies: int
    positive: int
    neutral: int
    negative: int
    meetings: int = Field(description="People with a booked meeting that is not canceled.")
    acceptance_rate: float | None = Field(description="accepted / invitesSent")
    reply_rate: float | None = Field(description="replies / contacted")
    positive_rate: float | None = Field(description="positive / replies")


class ComparedVariant(Shape):
    """One text of a step. Rates are of `counted`, with 95 % intervals; null until there are any."""

    key: Literal["A", "B", "C", "D", "E"]
    share: int = Field(description="In proportion to the other shares.")
    sent: int
    counted: int = Field(description="People who replied, got a later text, or had time to reply.")
    accepted: int
    replies: int
    positive: int
    accepted_rate: float | None
    accepted_range: list[float] | None
    reply_rate: float | None
    reply_range: list[float] | None
    positive_rate: float | None
    positive_range: list[float] | None
    chance: float | None = Field(description="How likely it is the best; null when it gets no more people.")


class VariantChosen(Shape):
    """The choice of one variant for everyone who hasn't received the step; you can undo it."""

    variant: str
    automatic: bool
    by: str = Field(description='Who chose; "" for the rule.')
    at: datetime


class StepVariants(Shape):
    """The variants of a step side by side. `winner` is null until the difference is significant."""

    goal: Literal["replies", "accepted"] = Field(
        description="What they are compared by; connection requests by acceptances."
    )
    variants: list[ComparedVariant]
    winner: str | None
    missing: Literal["", "people", "replies", "difference", "positive"] = Field(
        description="Why there is no winner yet; `positive` when another variant has more positive replies."
    )
    more_people: int | None = Field(description="About how many more are needed at these rates; null when unknown.")
    chosen: VariantChosen | None


def step_variants(found: Any) -> Json:
    verdict = found.verdict
    return {
        "goal": found.goal,
        "variants": [_variant(one) for one in found.variants],
        "winner": found.winner.key if found.winner else None,
        "missing": verdict.missing if verdict else "",
        "morePeople": verdict.more if verdict else None,
        "chosen": found.choice
        and {
            "variant": found.choice.variant,
            "automatic": found.choice.automatic,
            "by": found.choice.actor,
            "at": found.choice.at,
        },
    }


def _variant(one: Any) -> Json:
    shown = {name: getattr(one, name) for name in "key share sent accepted replies positive".split()}
    for name, goal in (("accepted", "accepted"), ("reply", "replies"), ("positive", "positive")):
        rate = one.rate(goal)
        shown[f"{name}Rate"] = rate and round(rate.share, 4)
        shown[f"{name}Range"] = rate and [round(rate.low, 4), round(rate.high, 4)]
    return shown | {"counted": one.people, "chance": None if one.chance is None else round(one.chance, 4)}


class StatsPart(Shape):
    """One day, step or account. The first four counts add up to those of `totals`; null does not apply."""

    date: str | None = Field(description="By day: the day in the workspace's time zone.")
    step: int | None = Field(description="By step: its position in the sequence, from 0.")
    type: str | None
    account_id: int | None
    account_name: str | None
    invites_sent: int
    accepted: int
    messages_sent: int
    replies: int
    leads: int | None = Field(description="By account: how many people are assigned to it.")
    done: int | None = Field(description="By step: the number of people it was done for.")
    waiting: int | None = Field(description="By step: the number of people waiting at it.")
    failed: int | None = Field(description="By step: the number of people it failed for.")
    variants: StepVariants | None = Field(description="By step: its texts side by side, if it has several.")


class CampaignNumbers(Resource):
    """Campaign statistics, in total and by day, step or account."""

    by: Literal["day", "step", "account"] | None
    totals: CampaignTotals
    parts: list[StatsPart]

    @classmethod
    def of(cls, numbers: Any) -> Json:
        counters = numbers.counters
        counts = ("leads", "contacted", "invites_sent", "accepted", "messages_sent", "replies", "positive", "neutral")
        totals = {_camel(name): getattr(counters, name) for name in (*counts, "negative")}
        totals |= {
            "meetings": numbers.meetings,
            "acceptanceRate": numbers.acceptance,
            "replyRate": numbers.replies,
            "positiveRate": numbers.positive,
        }
        return {"by": numbers.by, "totals": totals, "parts": [_part(numbers.by, part) for part in numbers.parts]}


class PipelineCounts(Shape):
    """How far people came in all campaigns; a person counts once per campaign."""

    leads: int
    contacted: int
    invited: int
    accepted: int
    replied: int
    positive: int
    meetings: int


class WeekdayReplies(Shape):
    """The replies of one weekday, 1 for Monday, by hour of the day."""

    weekday: int
    hours: list[int] = Field(description="24 numbers; the first is the hour from midnight.")


class WorkspaceNumbers(Resource):
    """The statistics of all campaigns together, and when people replied in the last 90 days."""

    pipeline: PipelineCounts
    timezone: str = Field(description="The time zone of the hours.")
    replies_since: datetime
    replies_by_hour: list[WeekdayReplies]

    @classmethod
    def of(cls, timezone: str, found: Any, hours: Any) -> Json:  # type: ignore[override]
        return {
            "pipeline": {name: getattr(found, name) for name in PipelineCounts.model_fields},
            "timezone": timezone,
            "repliesSince": hours.since,
            "repliesByHour": [{"weekday": day, "hours": list(row)} for day, row in enumerate(hours.days, 1)],
        }


def _part(by: str, part: Any) -> Json:
    counts = part.counts
    own = {name: counts.get(name) for name in ("leads", "done", "waiting", "failed")}
    return {
        "date": part.key.isoformat() if by == "day" else None,
        "step": part.key if by == "step" else None,
        "type": part.name if by == "step" else None,
        "accountId": part.key if by == "account" else None,
        "accountName": part.name if by == "account" else None,
        **{_camel(name): counts.get(name, 0) for name in ("invites_sent", "accepted", "messages_sent", "replies")},
        **own,
        "variants": part.variants and step_variants(part.variants),
    }


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


class RenderedStep(Shape):
    """A step as one person gets it: each of `messages` is sent separately; with `problems`, it is held."""

    step: int
    type: str
    subject: str
    messages: list[str]
    problems: list[str]
    variant: str = Field(description='Key of the variant this person gets; "" when the step has one text.')


class LeftOutLead(Shape):
    """A lead who would be left out."""

    lead_id: int
    name: str
    saw: str = Field(description="The detail of the rule, such as a date, a list or a sender; can be empty.")


class LeftOutReason(Shape):
    """One reason, for how many people, and the first of them."""

    code: str
    sentence: str
    people: int
    leads: list[LeftOutLead] = Field(description="At most 50.")


class LeftOut(Shape):
    """Who of the list would be left out if the campaign started now. Nothing is changed."""

    people: int
    reasons: list[LeftOutReason] = Field(description="The reason with the most people first.")
    checked: int = Field(description="People of the list who were checked.")
    total: int
    complete: bool = Field(description="False: the list is longer than what one request counts.")


class SequencePreview(Resource):
    """A sequence as one person gets it, and who of the list would be left out."""

    lead_id: int
    steps: list[RenderedStep]
    left_out: LeftOut | None = Field(description="Null once the campaign has enrolled its people.")

    @classmethod
    def of(cls, lead_id: int, said: Any, counted: Any) -> Json:  # type: ignore[override]
        steps = [rendered(index, one) for index, one in enumerate(said)]
        return {"leadId": lead_id, "steps": steps, "leftOut": _left_out(*counted) if counted else None}


def _left_out(counted: Any, why: Any) -> Json:
    reasons = [
        {
            "code": reason.code,
            "sentence": reason.sentence,
            "people": reason.people,
            "leads": [{"leadId": one.lead.id, "name": one.lead.name, "saw": one.saw} for one in reason.named],
        }
        for reason in why
    ]
    return {
        "people": counted.people,
        "reasons": reasons,
        "checked": counted.checked,
        "total": counted.total,
        "complete": counted.complete,
    }


def rendered(index: int, said: Any) -> Json:
    return {
        "step": index,
        "type": said.type,
        "subject": said.subject,
        "messages": list(said.parts),
        "problems": list(said.problems),
        "variant": said.variant,
    }


class AssumedRate(Shape):
    """A rate from this workspace's last 90 days or, with too little data, a typical one."""

    share: float
    source: Literal["measured", "usual"]


class Assumptions(Shape):
    """The assumptions of a forecast. `sharedWith` is the largest number of other running campaigns that use a sender"""

    acceptance_rate: AssumedRate
    accepted_after_days: float
    reply_rate: AssumedRate
    replied_after_days: float
    shared_with: int


class ReplyRange(Shape):
    """The range of further replies, in four of five cases."""

    low: int
    high: int


class EndRange(Shape):
    """The range of end dates, in four of five cases."""

    earliest: datetime
    latest: datetime


class LimitedBy(Shape):
    """What due people mostly wait for, such as a daily limit."""

    code: str
    action: Literal["invites", "messages", "inmails", "emails", "visits", "follows", "likes", "withdrawals"] | None
    limit: int = Field(description="Per day, over all these senders; for `weekly_limit` per 7 days.")
    accounts: list[str] = Field(description="The senders that people wait for.")
    shared_with: list[str] = Field(description="Other running campaigns of these senders.")
    sentence: str


class ForecastDay(Shape):
    """The forecast of one day of the workspace."""

    date: str
    invites: int
    messages: int
    inmails: int
    emails: int
    visits: int
    follows: int
    likes: int
    withdrawals: int
    accepted: int
    replies: int
    finished: int


class Stuck(Shape):
    """People who wait until you act."""

    people: int
    waiting: Waiting


class Forecast(Resource):
    """How the campaign would continue from now; nothing was changed.

    `finishesAt` is null when some people would not finish within a year or within the forecast.
    """

    people: int
    days: list[ForecastDay]
    first_action_at: datetime | None
    first_reply_at: datetime | None
    finishes_at: datetime | None
    people_left: int
    stuck: list[Stuck]
    assumptions: Assumptions
    warnings: list[str] = Field(description="Senders whose working hours never overlap with the campaign's hours.")
    replies_between: ReplyRange
    finishes_between: EndRange | None
    limited_by: LimitedBy | None = Field(description="Null when no limit holds people up for long.")

    @classmethod
    def of(cls, forecast: Any) -> Json:
        assumed = forecast.assumptions
        return {
            "people": forecast.people,
            "days": [_day(day) for day in forecast.days],
            "firstActionAt": forecast.first_action_at,
            "firstReplyAt": forecast.first_reply_at,
            "finishesAt": forecast.finishes_at,
            "peopleLeft": forecast.left,
            "stuck": [{"people": people, "waiting": waits(why)} for why, people in forecast.stuck],
            "assumptions": {
                "acceptanceRate": {"share": assumed.acceptance.share, "source": assumed.acceptance.source},
                "acceptedAfterDays": assumed.accepted_after.total_seconds() / 86_400,
                "replyRate": {"share": assumed.replies.share, "source": assumed.replies.source},
                "repliedAfterDays": assumed.answered_after.total_seconds() / 86_400,
                "sharedWith": assumed.shared_with,
            },
            "warnings": list(forecast.warnings),
            "repliesBetween": {"low": forecast.replies.low, "high": forecast.replies.high},
            "finishesBetween": _between(forecast.finishes_between),
            "limitedBy": forecast.constraint and _limited_by(forecast.constraint),
        }


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


def waits(why: Any) -> Json:
    return {"code": why.code, "sentence": why.sentence, "until": why.until, "who": why.who}


class ComparedCounts(Shape):
    """What is compared; InMails count as messages."""

    invitations: int
    messages: int
    emails: int
    replies: int


class ComparedDay(Shape):
    """One day of the workspace. Null: still to come, or over."""

    date: str
    foretold: ComparedCounts
    actual: ComparedCounts | None = Field(description="Actual actions, up to now.")
    expected: ComparedCounts | None = Field(description="The current forecast, for the rest.")


class KeptForecast(Shape):
    """When and why a forecast was saved: the launch or a change."""

    at: datetime
    cause: Literal["began", "steps", "schedule", "senders", "people"]


class ForecastComparison(Resource):
    """The forecast at launch or at a change, and what happened. Empty without a saved forecast."""

    kept: list[KeptForecast]
    days: list[ComparedDay]

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
    label: str
    finishes_at: datetime | None
    days_earlier: int = Field(description="Below 0: later.")
    more_replies: int


class ForecastChanges(Resource):
    """What would change the end of a campaign, the most helpful first. Nothing was changed."""

    changes: list[ForecastChange]

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
    campaign_name: str
    action: Literal["invites", "messages", "inmails", "emails", "visits", "follows", "likes", "withdrawals"]
    count: int


class Idle(Shape):
    """Why a sender does nothing on a day, such as a holiday or a blackout date."""

    code: str
    sentence: str


class CalendarEntry(Shape):
    """One sender's actions on one day."""

    account_id: int
    account_name: str
    work: list[CalendarWork]
    idle: Idle | None


class CalendarDay(Shape):
    """One day of the workspace, with each of its senders."""

    date: str
    accounts: list[CalendarEntry]


class Calendar(Resource):
    """What all running campaigns do in the next two weeks, without paused ones."""

    made_at: datetime
    days: list[CalendarDay]

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
