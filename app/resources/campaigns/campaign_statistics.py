"""Campaign statistics, previews and forecasts as API resources."""

from datetime import datetime
from typing import Any, Literal

from pydantic.alias_generators import to_camel

from app.resources.base import Json, Resource, Shape, StepKind
from app.resources.campaigns.campaigns import LeftOutToday


class CampaignTotals(Shape):
    """The totals of a campaign. Rates are null until they can be calculated."""

    leads: int
    """How many people are in the campaign."""
    contacted: int
    """How many people received a connection request, message, InMail or email, or had a task done, such as a call."""
    invites_sent: int
    """How many connection requests were sent."""
    accepted: int
    """How many connection requests were accepted."""
    messages_sent: int
    """How many messages, InMails and emails were sent, not counting those by hand."""
    replies: int
    """How many people replied."""
    positive: int
    """How many people's last reply is positive, not counting neutral replies."""
    neutral: int
    """How many people sent only neutral replies."""
    negative: int
    """How many people's last reply is negative, not counting neutral replies."""
    meetings: int
    """How many people have a booked meeting, not counting canceled meetings."""
    bounced: int
    """How many people have at least one bounced email."""
    failed: int
    """How many people were stopped by an error, such as a bounce or a missing email address."""
    unsubscribed: int
    """How many people unsubscribed, with the link in an email or in a reply."""
    acceptance_rate: float | None
    """`accepted` divided by `invitesSent`, from 0 to 1."""
    reply_rate: float | None
    """`replies` divided by `contacted`, from 0 to 1."""
    positive_rate: float | None
    """`positive` divided by `replies`, from 0 to 1."""


class ComparedVariant(Shape):
    """The results of one variant of a step's text. Rates are shares of `counted`, and null while `counted` is 0."""

    key: Literal["A", "B", "C", "D", "E"]
    """The letter of the variant."""
    share: int
    """The relative share of people who get this variant: shares of 2 and 1 mean two thirds and one third."""
    sent: int
    """How often this variant was sent."""
    counted: int
    """How many people have replied, received a later message, or had enough time to reply."""
    accepted: int
    """How many connection requests with this variant were accepted."""
    replies: int
    """How many people replied after receiving this variant."""
    positive: int
    """How many people replied positively after receiving this variant."""
    accepted_rate: float | None
    """`accepted` as a share of `counted`, from 0 to 1."""
    accepted_range: list[float] | None
    """The lower and upper end of the 95% confidence interval of `acceptedRate`."""
    reply_rate: float | None
    """`replies` as a share of `counted`, from 0 to 1."""
    reply_range: list[float] | None
    """The lower and upper end of the 95% confidence interval of `replyRate`."""
    positive_rate: float | None
    """`positive` as a share of `counted`, from 0 to 1."""
    positive_range: list[float] | None
    """The lower and upper end of the 95% confidence interval of `positiveRate`."""
    chance: float | None
    """The probability that this variant is the best, from 0 to 1; null if no new people get the variant."""


class VariantChosen(Shape):
    """The choice of one variant for everyone who has not received the step yet, which you can undo."""

    variant: str
    """The letter of the chosen variant."""
    automatic: bool
    """True if the variant was chosen automatically, false if a member chose it."""
    by: str
    """Who chose the variant; empty if it was chosen automatically."""
    at: datetime
    """When the variant was chosen."""


class StepVariants(Shape):
    """A comparison of the variants of a step."""

    goal: Literal["replies", "accepted"]
    """The result that decides which variant wins: `accepted` for connection requests, otherwise `replies`."""
    variants: list[ComparedVariant]
    """The variants, in alphabetical order."""
    winner: str | None
    """The letter of the winning variant; null until there is one."""
    missing: Literal["", "people", "replies", "difference", "positive"]
    """Why there is no winner yet: too few `people` or `replies`, too small a `difference`, or another variant has more
    `positive` replies. Empty if there is a winner.
    """
    more_people: int | None
    """The estimated number of further people needed to find a winner; null if unknown."""
    chosen: VariantChosen | None
    """The variant chosen for everyone else; null if no variant has been chosen."""


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
    """The statistics of one day, step or sender. Fields that do not apply are null."""

    date: str | None
    """The day, in the workspace's time zone; null unless `by` is `day`."""
    step: int | None
    """The step's position in the sequence, starting at 0; null unless `by` is `step`."""
    type: StepKind | None
    """The type of the step; null unless `by` is `step`."""
    account_id: int | None
    """The id of the sender; null unless `by` is `account`."""
    account_name: str | None
    """The name of the sender; null unless `by` is `account`."""
    invites_sent: int
    """How many connection requests were sent."""
    accepted: int
    """How many connection requests were accepted."""
    messages_sent: int
    """How many messages, InMails and emails were sent, not counting those by hand."""
    replies: int
    """How many people replied; for a sender, to messages from this sender."""
    leads: int | None
    """How many people are assigned to the sender; null unless `by` is `account`."""
    done: int | None
    """How many people the step was done for; null unless `by` is `step`."""
    waiting: int | None
    """How many people are waiting for the step; null unless `by` is `step`."""
    failed: int | None
    """How many people the step failed for, also if they moved on; bounces don't count. Null unless `by` is `step`."""
    skipped: int | None
    """How many people skipped the step because a member skipped their task, or they were connected already. People who
    never get the step, such as those without a profile, don't count. Null unless `by` is `step`.
    """
    expired: int | None
    """How many people moved on because the step's task was not done in time; null unless `by` is `step`."""
    variants: StepVariants | None
    """A comparison of the step's variants; null if it has only one version, or `by` is not `step`."""


class CampaignNumbers(Resource):
    """The statistics of a campaign, in total and, optionally, by day, step or sender."""

    by: Literal["day", "step", "account"] | None
    """How the statistics are broken down: by day, step or sender (`account`); null for totals only."""
    totals: CampaignTotals
    """The statistics of the whole campaign."""
    parts: list[StatsPart]
    """The statistics of each day with activity, step or sender; empty if `by` is null."""

    @classmethod
    def of(cls, numbers: Any) -> Json:
        totals = CampaignTotals.filled(
            numbers.counters,
            meetings=numbers.meetings,
            bounced=numbers.bounced,
            unsubscribed=numbers.unsubscribed,
            acceptance_rate=numbers.acceptance,
            reply_rate=numbers.replies,
            positive_rate=numbers.positive,
        )
        return cls.filled(numbers, totals=totals, parts=[_part(numbers.by, part) for part in numbers.parts])


class PipelineCounts(Shape):
    """How many people reached each stage, in all campaigns. A person counts once per campaign."""

    leads: int
    """How many people are in campaigns."""
    contacted: int
    """How many people received a connection request, message, InMail or email, or had a task done, such as a call."""
    invited: int
    """How many people received a connection request."""
    accepted: int
    """How many people accepted their connection request."""
    replied: int
    """How many people replied."""
    positive: int
    """How many people's last reply is positive, not counting neutral replies."""
    meetings: int
    """How many people have a booked meeting."""


class WeekdayReplies(Shape):
    """The number of replies on one weekday, by hour of the day."""

    weekday: int
    """The ISO weekday: 1 is Monday, 7 is Sunday."""
    hours: list[int]
    """The number of replies in each of the 24 hours, starting at midnight."""


class SentCounts(Shape):
    """What campaigns sent in a period, and the results. Opens and clicks are not tracked."""

    sent: int
    """How many connection requests, messages, InMails and emails were sent."""
    replied: int
    """How many people replied in the period."""
    positive: int
    """For how many of `replied` the last reply is positive, not counting neutral replies."""
    bounced: int
    """How many of the emails sent in the period bounced."""
    unsubscribed: int
    """How many people unsubscribed, with the link in an email or in a reply."""


class CampaignCounts(SentCounts):
    """What one campaign sent in the period, and the results."""

    campaign_id: int
    """The id of the campaign."""
    name: str
    """The name of the campaign."""


class AccountCounts(SentCounts):
    """What one sender sent in the period, and the results."""

    account_id: int | None
    """The id of the sender; null if the sender has been removed."""
    name: str
    """The name of the sender; empty if the sender has been removed."""


class WeekCounts(SentCounts):
    """What was sent in one week, and the results."""

    week: str
    """The Monday of the week, in the workspace's time zone."""


class WorkspaceNumbers(Resource):
    """Combined statistics for all campaigns, and the times at which people replied in the last 90 days."""

    pipeline: PipelineCounts
    """How many people reached each stage, in all campaigns."""
    timezone: str
    """The time zone of `repliesByHour`."""
    replies_since: datetime
    """The start of the 90 days that `repliesByHour` covers."""
    replies_by_hour: list[WeekdayReplies]
    """Replies by weekday and hour, in the workspace's time zone."""
    since: datetime
    """The start of the period that `totals`, `byCampaign`, `byAccount` and `byWeek` cover."""
    totals: SentCounts
    """What all campaigns sent in the period, and the results."""
    by_campaign: list[CampaignCounts]
    """The numbers of `totals` by campaign, most sent first."""
    by_account: list[AccountCounts]
    """The numbers of `totals` by sender, most sent first. A reply counts for the sender that received it."""
    by_week: list[WeekCounts]
    """The numbers of `totals` by week, newest first. The earliest week may be incomplete."""

    @classmethod
    def of(cls, timezone: str, found: Any, hours: Any, counted: Any) -> Json:  # type: ignore[override]
        def counts(of: Any) -> Json:
            return {name: of[name] for name in SentCounts.model_fields}

        return {
            "since": counted.since,
            "totals": counts(counted.totals),
            "byCampaign": [
                {"campaignId": row.key, "name": row.name, **counts(row.counts)} for row in counted.campaigns
            ],
            "byAccount": [
                {"accountId": row.key if row.name else None, "name": row.name, **counts(row.counts)}
                for row in counted.senders
            ],
            "byWeek": [{"week": row.key.isoformat(), **counts(row.counts)} for row in counted.weeks],
            "pipeline": PipelineCounts.filled(found),
            "timezone": timezone,
            "repliesSince": hours.since,
            "repliesByHour": [{"weekday": day, "hours": list(row)} for day, row in enumerate(hours.days, 1)],
        }


def _part(by: str, part: Any) -> Json:
    counts = part.counts
    own = {name: counts.get(name) for name in ("leads", "done", "waiting", "failed", "skipped", "expired")}
    return {
        "date": part.key.isoformat() if by == "day" else None,
        "step": part.key if by == "step" else None,
        "type": part.name if by == "step" else None,
        "accountId": part.key if by == "account" else None,
        "accountName": part.name if by == "account" else None,
        **{to_camel(name): counts.get(name, 0) for name in ("invites_sent", "accepted", "messages_sent", "replies")},
        **own,
        "variants": part.variants and step_variants(part.variants),
    }


class RenderedStep(Shape):
    """A step as one person would get it."""

    step: int
    """The position of the step, starting at 0."""
    type: StepKind
    """The type of the step."""
    subject: str
    """The subject this person gets; empty if the step has none."""
    messages: list[str]
    """The messages that this person gets; each entry is sent as a separate message."""
    problems: list[str]
    """What would keep the step from being sent, as sentences you can show to users; empty if there is no problem."""
    variant: str
    """The letter of the variant this person gets; empty if the step has only one version."""
    gets: bool
    """False if the branches and conditions lead this person past the step, or if no profile or address for it is known.
    """
    only_if: str
    """The condition this person does not meet or, if `gets` is true, one that is open yet; empty if there is none."""

    @classmethod
    def of(cls, step: int, said: Any) -> Json:
        return cls.filled(said, step=step, messages=said.parts)


class LeftOutLead(Shape):
    """A lead that would be excluded."""

    lead_id: int
    """The id of the lead."""
    name: str
    """First and last name."""
    saw: str
    """What the reason is about: a date, list, sender, campaign or do-not-contact entry; empty if there is nothing."""

    @classmethod
    def of(cls, one: Any) -> Json:
        return cls.filled(one, lead_id=one.lead.id, name=one.lead.name)


class LeftOutReason(LeftOutToday):
    """A reason why people would be excluded, and who they are."""

    leads: list[LeftOutLead]
    """Up to 50 people with this reason."""

    @classmethod
    def of(cls, reason: Any) -> Json:
        return cls.filled(reason, leads=reason.named)


class LeftOut(Shape):
    """Who would be excluded if the campaign started now; nothing has been changed."""

    people: int
    """How many people would be excluded."""
    reasons: list[LeftOutReason]
    """The reasons, most frequent first."""
    checked: int
    """How many people in the lists were checked."""
    total: int
    """How many people are in the lists."""
    complete: bool
    """False if the lists are too long to be checked in one request."""

    @classmethod
    def of(cls, counted: Any, reasons: Any) -> Json:
        return cls.filled(counted, reasons=reasons)


class SequencePreview(Resource):
    """A preview: the sequence as one person would get it, and the people in the lists who would be excluded."""

    lead_id: int
    """The id of the lead the preview is for."""
    steps: list[RenderedStep]
    """The steps as the person would get them."""
    left_out: LeftOut | None
    """Who would be excluded; null once people have joined the campaign."""

    @classmethod
    def of(cls, lead_id: int, said: Any, counted: Any) -> Json:  # type: ignore[override]
        return cls.filled(None, lead_id=lead_id, steps=list(enumerate(said)), left_out=counted)
