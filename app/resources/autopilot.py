"""The autopilot as API resources: setup, plays, documents and templates."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.models.autopilot import Phase, PlayChannel, PlayStatus, SetupStatus
from app.resources.base import Json, Resource, Shape
from app.resources.campaigns.campaign_statistics import StepVariants, step_variants

MessageKind = Literal["invite", "social", "email"]
StepKind = Literal["reaction", "invite", "social", "email", "comment", "manual"]
Reaction = Literal["match", "like", "celebrate", "support", "love", "insightful", "funny"]


class ProfileFact(Shape):
    """A fact of the profile, with the page and the words it rests on; the page of yours is `owner`."""

    text: str
    page: str
    quote: str
    kind: str
    quotable: bool = Field(description="Whether messages may quote it; you tick it.")


class ProfileQuestion(Shape):
    """What you have to say because your website does not."""

    field: str
    question: str


class Profile(Shape):
    """The business profile; messages say what is sold, for which customers, what changes and one proof, and no more."""

    business: str
    summary: str
    name: str
    sells: str
    for_: str = Field(alias="for")
    change: str
    proof: str
    tone: Literal["", "formal", "casual"]
    language: str
    examples: list[str]
    typed: list[str] = Field(description="The fields that you gave; no later reading overwrites them.")
    asks: list[ProfileQuestion]
    facts: list[ProfileFact]

    @classmethod
    def of(cls, kept: Mapping[str, Any], asks: Mapping[str, str]) -> Json:
        """Build it from what is kept; what an earlier version did not keep is empty."""
        texts = ("business", "summary", "name", "sells", "change", "proof", "tone", "language")
        return {
            **{name: kept.get(name) or "" for name in texts},
            "for": kept.get("audience") or "",
            "examples": list(kept.get("examples") or ()),
            "typed": list(kept.get("typed") or ()),
            "asks": [{"field": name, "question": text} for name, text in asks.items()],
            "facts": [{"quotable": False, **fact} for fact in kept.get("facts", ()) if fact["kind"] != "offer"],
        }


class CustomerType(Shape):
    """A customer type; a guess unless your website or you named it. The detail says why it is one."""

    id: str
    title: str
    detail: str
    guess: bool


class Chip(Shape):
    """A targeting value, selected or only suggested."""

    label: str
    on: bool


class TargetRow(Shape):
    """The values of one targeting row."""

    key: Literal["titles", "companyType", "size", "location"]
    chips: list[Chip]


class Targets(Shape):
    """The target audience."""

    summary: str
    rows: list[TargetRow]
    even_better: list[str]


class Offer(Shape):
    """Your offer."""

    kind: Literal["call", "other"]
    text: str


class Alerts(Shape):
    """Where alerts go; a chat's address is masked."""

    kind: Literal["email", "chat", "sms"]
    target: str
    replies: bool


class Progress(Shape):
    """The progress of the current stage."""

    phase: Phase
    pct: int
    done: list[str]
    active: str

    @classmethod
    def of(cls, progress: Mapping[str, Any]) -> Json:
        """Build it without what only the page shows."""
        return {name: progress[name] for name in cls.model_fields}


class Senders(Shape):
    """The number of active senders per channel."""

    social: int
    email: int


class PlayMessage(Shape):
    """What people get on a day; the first day is 1."""

    day: int
    kind: MessageKind
    subject: str
    text: str


class PlayBuild(Shape):
    """The progress of building or launching a play."""

    label: str
    step: int
    of: int


class PlayNumbers(Shape):
    """What a play or a reason to write has brought; the range is the 95 % interval of the reply rate."""

    people: int = Field(description="People who answered, or had their time to answer.")
    replies: int
    positive: int
    negative: int
    reply_rate: float | None
    reply_range: list[float] | None
    good_votes: int
    bad_votes: int

    @classmethod
    def of(cls, found: Any) -> Json:
        return {
            "people": found.people,
            "replies": found.replies,
            "positive": found.positive,
            "negative": found.negative,
            "replyRate": round(found.replies / found.people, 4) if found.people else None,
            "replyRange": [round(edge, 4) for edge in found.interval] if found.interval else None,
            "goodVotes": found.good,
            "badVotes": found.bad,
        }


class PlaySummary(Resource):
    """A strategy: its audience, its reason to write, and its messages."""

    id: int
    rank: int
    name: str
    angle: str
    pitch: str
    why: str
    chips: list[str]
    channel: PlayChannel
    status: PlayStatus
    start_at: datetime | None
    campaign_id: int | None
    list_id: int | None
    sequence: list[PlayMessage]
    build: PlayBuild | None
    numbers: PlayNumbers
    because: str = Field(description="Why the play stands at its rank.")

    @classmethod
    def of(cls, play: Any) -> Json:
        """Build the play without its people and log."""
        return {
            "id": play.id,
            "rank": play.rank,
            "name": play.name,
            "angle": play.angle,
            "pitch": play.pitch,
            "why": play.why,
            "chips": play.chips,
            "channel": play.channel,
            "status": play.status,
            "startAt": play.start_at,
            "campaignId": play.campaign_id,
            "listId": play.list_id,
            "sequence": play.sequence,
            "build": play.build,
            "numbers": PlayNumbers.of(play.found),
            "because": play.because,
        }


class PlayDelay(Shape):
    """The wait before a step."""

    count: int
    unit: Literal["minutes", "hours", "days"]


class PlayStep(Shape):
    """One step of a play. Its kind decides which of text, subject and reaction it has."""

    id: str
    kind: StepKind
    delay: PlayDelay
    after: Literal["previous", "accept", "no_reply"]
    text: str | None = None
    subject: str | None = None
    reaction: Reaction | None = None


class SampleLead(Shape):
    """A sample person of the play, for review."""

    lead_id: int = Field(description="The id to vote with; the person becomes a lead at launch.")
    name: str
    title: str
    company: str
    headline: str
    summary: str = Field(description="Why they fit.")
    image_url: str
    social_url: str
    location: str
    industry: str
    fit: Literal["good", "bad"] | None
    messages: list[PlayMessage]


class PlayLogEntry(Shape):
    """A request for a change, or its answer."""

    role: Literal["user", "agent"]
    text: str
    at: datetime


class PlayVariants(StepVariants):
    """The variants of a step, with its place in the campaign's sequence; the first step is 0."""

    step: int


class PlayDetail(PlaySummary):
    """A play with its steps, sample people and log."""

    strategy: str
    reaches: str
    choices: list[str]
    audience: int
    credits_per_lead: int
    steps: list[PlayStep]
    sample: list[SampleLead]
    log: list[PlayLogEntry]
    working: str
    launched_at: datetime | None
    variants: list[PlayVariants] = Field(description="Of its campaign's steps that have several texts.")

    @classmethod
    def of(cls, play: Any, sample: Any = (), variants: Any = ()) -> Json:
        return {
            **PlaySummary.of(play),
            "strategy": play.strategy,
            "reaches": play.reaches,
            "choices": play.choices,
            "audience": play.audience,
            "creditsPerLead": play.credits_per_lead,
            "steps": play.steps,
            "sample": [_sample(one) for one in sample],
            "log": play.log,
            "working": play.working,
            "launchedAt": play.launched_at,
            "variants": [{"step": one.step, **step_variants(one)} for one in variants],
        }


def _sample(one: Any) -> Json:
    found = one.found
    return {
        "leadId": one.id,
        "name": f"{found['first_name']} {found['last_name']}".strip(),
        "title": found["title"],
        "company": found["company"],
        "headline": found["headline"],
        "summary": one.reason,
        "imageUrl": found["image_url"],
        "socialUrl": found["profile_url"],
        "location": found["location"],
        "industry": found["industry"],
        "fit": one.fit or None,
        "messages": one.messages,
    }


class AutopilotSetup(Resource):
    """The workspace's autopilot: all answers and results."""

    status: SetupStatus
    step: int
    website: str
    profile: Profile | None
    profile_state: Literal["reading", "understanding", "writing", "done", "failed"] | None
    customer_types: list[CustomerType]
    customer_type_id: str
    targets: Targets | None
    channel: PlayChannel | None
    country: str
    offer: Offer | None
    alerts: Alerts | None
    rules: list[str]
    error: str | None = Field(description="Why the last step failed; null when a step starts again.")
    progress: Progress | None
    plays: list[PlaySummary]
    senders: Senders
    never_contact: int
    started_at: datetime | None
    paused_at: datetime | None

    @classmethod
    def of(cls, view: Any) -> Json:
        setup, profile = view.setup, view.setup.profile
        return {
            "status": setup.status,
            "step": setup.step,
            "website": setup.website,
            "profile": profile and Profile.of(profile, view.asks),
            "profileState": setup.profile_state or None,
            "customerTypes": [{"guess": True, **one} for one in setup.customer_types],
            "customerTypeId": setup.customer_type_id,
            "targets": setup.targets,
            "channel": setup.channel,
            "country": setup.country,
            "offer": setup.offer,
            "alerts": setup.alerts,
            "rules": setup.rules,
            "error": setup.error,
            "progress": setup.progress and Progress.of(setup.progress),
            "plays": PlaySummary.many(view.plays),
            "senders": dict(view.senders),
            "neverContact": view.never_contact,
            "startedAt": setup.started_at,
            "pausedAt": setup.paused_at,
        }


class CorrectedField(Shape):
    """A field of the profile with its old and its new value."""

    field: str
    before: str
    after: str


class Titles(Shape):
    """The titles of the customer types, before and after."""

    before: list[str]
    after: list[str]


class TargetsChange(Shape):
    """The targets before and after."""

    before: Targets
    after: Targets


class TextChange(Shape):
    """A text before and after."""

    play_id: int
    kind: MessageKind
    subject_before: str
    before: str
    subject_after: str
    after: str


class KeptText(Shape):
    """A text that a person edited and that still says an old value; `id` is that of its kind, `step` counts from 1."""

    kind: Literal["campaign", "play", "draft", "template"]
    id: int
    name: str
    step: int | None
    words: str

    @classmethod
    def of(cls, kept: Any) -> Json:
        return {"kind": kept.kind, "id": kept.id, "name": kept.name, "step": kept.step, "words": kept.words}


class KeptTexts(Resource):
    """Texts that you edited and that still say what you corrected in the profile."""

    texts: list[KeptText]

    @classmethod
    def of(cls, kept: Any) -> Json:
        return {"texts": [KeptText.of(one) for one in kept]}


class CorrectionPreview(Resource):
    """What a correction of the profile would change; nothing was changed."""

    fields: list[CorrectedField]
    exact: bool = Field(description="Whether all texts were written for it; with a model only the first play was.")
    customer_types: Titles | None = Field(description="null if they stay or, with a model, are not known yet.")
    customer_type: CorrectedField | None = Field(description="The chosen one, if another takes its place.")
    targets: TargetsChange | None = Field(description="null if they stay: a person edited them, or nothing changes.")
    play_ids: list[int] = Field(description="Plays without a live campaign whose texts are written again.")
    campaign_ids: list[int] = Field(description="Campaigns that get a revision.")
    texts: int
    drafts: int = Field(description="Drafts that wait for approval and are written again.")
    approved: int = Field(description="Approved drafts that are written again, and wait again where approval is on.")
    first: list[TextChange]
    kept: list[KeptText]
    note: str

    @classmethod
    def of(cls, effect: Any) -> Json:
        types, chosen, targets = effect.types, effect.chosen, effect.targets
        return {
            "fields": [_field(*one) for one in effect.fields],
            "exact": effect.exact,
            "customerTypes": types and {"before": list(types[0]), "after": list(types[1])},
            "customerType": chosen and _field("customerType", *chosen),
            "targets": targets and {"before": targets[0], "after": targets[1]},
            "playIds": [play.id for play in effect.plays],
            "campaignIds": [campaign.id for campaign in effect.campaigns],
            "texts": effect.texts,
            "drafts": effect.drafts,
            "approved": effect.approved,
            "first": [_text(one) for one in effect.first],
            "kept": [KeptText.of(one) for one in effect.kept],
            "note": effect.note,
        }


def _field(name: str, before: str, after: str) -> Json:
    return {"field": name, "before": before, "after": after}


def _text(one: Any) -> Json:
    (before, subject_before), (after, subject_after) = one.before, one.after
    texts = {"subjectBefore": subject_before, "before": before, "subjectAfter": subject_after, "after": after}
    return {"playId": one.play.id, "kind": one.kind, **texts}


class CorrectedPlay(Shape):
    """What a correction did to a play and its campaign; `error` says why it could not."""

    play_id: int
    campaign_id: int | None
    revision: int | None = Field(description="The number of the campaign's change.")
    texts: int = Field(description="Texts that were written again.")
    approved: int = Field(description="Approved drafts that were written again.")
    done: bool
    error: str


class ProfileCorrection(Resource):
    """A correction of the profile, and what followed it."""

    number: int
    at: datetime
    by: str = Field(description="The member or API key.")
    fields: list[CorrectedField]
    plays: list[CorrectedPlay]
    done: bool = Field(description="Whether everything built on the profile has followed.")
    undoes: int | None = Field(description="The number of the correction that this one took back.")
    undone_by: int | None = Field(description="The number of the correction that took this one back.")

    @classmethod
    def of(cls, correction: Any) -> Json:
        return {
            "number": correction.number,
            "at": correction.at,
            "by": correction.by,
            "fields": [_field(*one) for one in correction.fields],
            "plays": [_play(one) for one in correction.plays],
            "done": not correction.is_open,
            "undoes": correction.undoes,
            "undoneBy": correction.undone_by,
        }


def _play(one: Any) -> Json:
    return {
        "playId": one.play_id,
        "campaignId": one.campaign_id,
        "revision": one.revision,
        "texts": one.texts,
        "approved": one.drafts,
        "done": not one.is_open,
        "error": one.error,
    }


class Audience(Resource):
    """The estimated audience; if no one matches, the row to drop and the audience without it."""

    audience: int
    without: str
    then: int


class Rules(Resource):
    """Your rules for all texts."""

    rules: list[str]


class QuietHours(Shape):
    """When no alerts are sent, in the workspace's time zone."""

    start: str
    end: str


class AlertSettings(Resource):
    """Where and when alerts are sent. A problem says why the last alert failed; broken means we stopped trying."""

    alerts: Alerts | None
    chat: str | None
    digest: Literal["immediately", "hourly", "daily"]
    quiet_hours: QuietHours | None
    problem: str | None
    broken_at: datetime | None

    @classmethod
    def of(cls, view: Any) -> Json:
        """Build it with a chat's address masked."""
        setup = view.setup
        return {
            "alerts": setup.alerts,
            "chat": view.chat.title if view.chat else None,
            "digest": setup.alerts_digest,
            "quietHours": setup.alerts_quiet,
            "problem": setup.alerts_problem or None,
            "brokenAt": setup.alerts_broken_at,
        }


class AlertTest(Resource):
    """The result of a test alert."""

    delivered: bool
    sentence: str


class DocVersion(Resource):
    """One version of a document."""

    kind: Literal["icp", "style"]
    version: int
    markdown: str
    at: datetime


class Template(Resource):
    """Saved steps to reuse."""

    id: int
    name: str
    channel: PlayChannel
    steps: list[PlayStep]
    created_at: datetime
