"""The autopilot as API resources: setup, plays, documents and templates."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.models.autopilot import Phase, PlayChannel, PlayStatus, SetupStatus
from app.resources.base import Json, Resource, Shape
from app.resources.campaigns.campaign_statistics import StepVariants, step_variants
from app.resources.play_changes import PlayProposal

MessageKind = Literal["invite", "social", "email"]
StepKind = Literal["reaction", "invite", "social", "email", "comment", "manual"]
Reaction = Literal["match", "like", "celebrate", "support", "love", "insightful", "funny"]


class ProfileFact(Shape):
    """A fact of the profile with its source page and quote; `owner` for your own facts."""

    text: str
    page: str
    quote: str
    kind: str
    quotable: bool = Field(description="Whether messages may quote the fact; you decide.")


class ProfileQuestion(Shape):
    """What you need to add because your website doesn't say."""

    field: str
    question: str


class PitchCandidate(Shape):
    """A sentence from your website's own words, with its page and quote."""

    pitch: str
    topic: str
    page: str
    quote: str


class Profile(Shape):
    """The business profile. About you, messages use only pitch, change and proof."""

    business: str
    summary: str
    name: str
    pitch: str = Field(description="What you do, and who it is for: one sentence, as in “We …”.")
    topic: str = Field(description="The topic for subject lines: one to four words.")
    change: str = Field(description="What customers gain: one sentence, or empty.")
    proof: str = Field(description="One thing that can be checked: one sentence, or empty.")
    kind: Literal["", "service", "software", "goods"]
    area: str = Field(description="Where you work; we search for people there.")
    confirmed: bool = Field(description="Whether you confirmed the pitch; before that it is a guess.")
    candidates: list[PitchCandidate] = Field(description="Pitches to choose from, the best first.")
    needs: list[Literal["pitch", "topic"]] = Field(description="Missing data that plays wait for.")
    tone: Literal["", "formal", "casual"]
    language: str
    examples: list[str]
    typed: list[str] = Field(description="Fields you set; later readings don't overwrite them.")
    asks: list[ProfileQuestion]
    facts: list[ProfileFact]

    @classmethod
    def of(cls, kept: Mapping[str, Any], asks: Mapping[str, str]) -> Json:
        """Build it from what is kept; what an earlier version did not keep is empty."""
        texts = ("business", "summary", "name", "pitch", "topic", "kind", "area", "tone", "language")
        whole = ("change", "proof") if "pitch" in kept else ()
        return {
            **{name: kept.get(name) or "" for name in texts},
            **{name: kept[name] if name in whole else "" for name in ("change", "proof")},
            "confirmed": kept.get("confirmed", False),
            "candidates": [{"topic": "", **one} for one in kept.get("candidates") or ()],
            "needs": [name for name in ("pitch", "topic") if not kept.get(name)],
            "examples": list(kept.get("examples") or ()),
            "typed": list(kept.get("typed") or ()),
            "asks": [{"field": name, "question": text} for name, text in asks.items()],
            "facts": [{"quotable": False, **fact} for fact in kept.get("facts", ()) if fact["kind"] != "offer"],
        }


class CustomerType(Shape):
    """A customer type; a guess unless your website or you named it. The detail says why they are customers."""

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
    """Where notifications go; a chat's address is masked."""

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
    """What people get on each day, from day 1."""

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
    """The results of a play or a reason to write; the range is the 95 % interval of the reply rate."""

    people: int = Field(description="People who replied or had time to reply.")
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
    because: str = Field(description="Why the play has this rank.")
    outdated: bool = Field(description="Written before you corrected your profile.")

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
            "outdated": play.outdated,
        }


class PlayDelay(Shape):
    """The wait before a step."""

    count: int
    unit: Literal["minutes", "hours", "days"]


class PlayStep(Shape):
    """One step of a play. The kind decides whether it has text, subject or reaction."""

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
    """A request for a change, or the reply."""

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
    choices: list[str] = Field(description="Changes you can ask for by name, without a model.")
    audience: int
    credits_per_lead: int
    steps: list[PlayStep]
    sample: list[SampleLead]
    log: list[PlayLogEntry]
    working: str
    launched_at: datetime | None
    variants: list[PlayVariants] = Field(description="Steps of its campaign with several texts.")
    proposed: PlayProposal | None
    can_undo: bool = Field(description="Whether the last change can be taken back.")

    @classmethod
    def of(cls, play: Any, sample: Any = (), variants: Any = (), standing: Any = None) -> Json:
        return {
            **PlaySummary.of(play),
            "strategy": play.strategy,
            "reaches": play.reaches,
            "choices": [one.label for one in standing.offered] if standing else [],
            "audience": play.audience,
            "creditsPerLead": play.credits_per_lead,
            "steps": play.steps,
            "sample": [_sample(one) for one in sample],
            "log": play.log,
            "working": play.working,
            "launchedAt": play.launched_at,
            "variants": [{"step": one.step, **step_variants(one)} for one in variants],
            "proposed": PlayProposal.of(standing.proposal) if standing and standing.proposal else None,
            "canUndo": bool(standing and standing.can_undo),
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


class NewText(Shape):
    """The texts of one step, before and after rewriting."""

    step_id: str
    kind: MessageKind
    edited: bool = Field(description="Someone edited the text; it stays unless you name its step.")
    subject_before: str
    before: str
    subject_after: str
    after: str


class NewTexts(Resource):
    """A play's texts, rewritten from the current profile; empty when nothing changes."""

    texts: list[NewText]
    written_by: str
    note: str = Field(description="Why another writer stood in.")

    @classmethod
    def of(cls, play: Any) -> Json:
        kept = play.anew or {"texts": [], "by": play.written_by, "note": ""}
        return {"texts": [_new_text(**one) for one in kept["texts"]], "writtenBy": kept["by"], "note": kept["note"]}


def _new_text(step: str, kind: str, edited: bool, before: list[str], after: list[str], **_: Any) -> Json:
    texts = {"before": before[0], "subjectBefore": before[1], "after": after[0], "subjectAfter": after[1]}
    return {"stepId": step, "kind": kind, "edited": edited, **texts}


class Audience(Resource):
    """The estimated audience; if no one matches, the row to drop and the audience without it."""

    audience: int
    without: str
    then: int


class Rules(Resource):
    """Your rules for all texts."""

    rules: list[str]


class QuietHours(Shape):
    """Quiet hours without notifications, in the workspace's time zone."""

    start: str
    end: str


class AlertSettings(Resource):
    """Where and when notifications are sent.

    `problem` says why the last one failed; `broken` means we stopped trying.
    """

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
    """The result of a test notification."""

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
