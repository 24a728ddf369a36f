"""The autopilot: the setup, its plays with steps and sample people, documents and templates."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.models.autopilot import Phase, PlayChannel, PlayStatus, SetupStatus
from app.resources.base import Json, Resource, Shape

MessageKind = Literal["invite", "social", "email"]
StepKind = Literal["reaction", "invite", "social", "email", "comment", "manual"]
Reaction = Literal["match", "like", "celebrate", "support", "love", "insightful", "funny"]


class Profile(Shape):
    """A business as it was understood."""

    business: str
    summary: str


class CustomerType(Shape):
    """One kind of customer."""

    id: str
    title: str
    detail: str


class Chip(Shape):
    """One word of a targeting, in use or only suggested."""

    label: str
    on: bool


class TargetRow(Shape):
    """The chips of one question."""

    key: Literal["titles", "companyType", "size", "location"]
    chips: list[Chip]


class Targets(Shape):
    """Whom to reach."""

    summary: str
    rows: list[TargetRow]
    even_better: list[str]


class Offer(Shape):
    """What is offered to people."""

    kind: Literal["call", "other"]
    text: str


class Alerts(Shape):
    """Where alerts go; a chat's address is masked."""

    kind: Literal["email", "chat", "sms"]
    target: str
    replies: bool


class Progress(Shape):
    """How far the stage under way is."""

    phase: Phase
    pct: int
    done: list[str]
    active: str

    @classmethod
    def of(cls, progress: Mapping[str, Any]) -> Json:
        """What the setup keeps of it, without what only its page tells."""
        return {name: progress[name] for name in cls.model_fields}


class Senders(Shape):
    """How many senders of each channel can act."""

    social: int
    email: int


class PlayMessage(Shape):
    """What people get on a day, counted from the first, which is 1."""

    day: int
    kind: MessageKind
    subject: str
    text: str


class PlayBuild(Shape):
    """How far the building or the launch of a play is."""

    label: str
    step: int
    of: int


class PlaySummary(Resource):
    """A strategy: whom it reaches, why now, and what they get."""

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

    @classmethod
    def of(cls, play: Any) -> Json:
        """The play without its people and its log."""
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
        }


class PlayDelay(Shape):
    """The wait before a step."""

    count: int
    unit: Literal["minutes", "hours", "days"]


class PlayStep(Shape):
    """One step of a play. Which of text, subject and reaction are there depends on its kind."""

    id: str
    kind: StepKind
    delay: PlayDelay
    after: Literal["previous", "accept", "no_reply"]
    text: str | None = None
    subject: str | None = None
    reaction: Reaction | None = None


class SampleLead(Shape):
    """Somebody whom the play would reach, for review."""

    lead_id: int = Field(description="The id by which they are voted on; they become a lead when the play is launched.")
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
    """Something that was asked for, or the answer."""

    role: Literal["user", "agent"]
    text: str
    at: datetime


class PlayDetail(PlaySummary):
    """A play with its steps, its sample people and what was said about it."""

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

    @classmethod
    def of(cls, play: Any, sample: Any = ()) -> Json:
        """The play with its sample people."""
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
    """The autopilot of the workspace: every answer, and what was made of them."""

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
    error: str | None = Field(description="The last failed step in plain words; null once a step starts again.")
    progress: Progress | None
    plays: list[PlaySummary]
    senders: Senders
    never_contact: int
    started_at: datetime | None
    paused_at: datetime | None

    @classmethod
    def of(cls, view: Any) -> Json:
        """The setup with its plays and the senders."""
        setup, profile = view.setup, view.setup.profile
        return {
            "status": setup.status,
            "step": setup.step,
            "website": setup.website,
            "profile": profile and {"business": profile["business"], "summary": profile["summary"]},
            "profileState": setup.profile_state or None,
            "customerTypes": setup.customer_types,
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


class Audience(Resource):
    """About how many people the targeting reaches; when nobody, the row to drop and how many it reaches then."""

    audience: int
    without: str
    then: int


class Rules(Resource):
    """Wishes that all writing obeys."""

    rules: list[str]


class QuietHours(Shape):
    """From when to when nothing is sent, in the workspace's time zone."""

    start: str
    end: str


class AlertSettings(Resource):
    """Where alerts go and when. A problem says why the last one did not get through; broken, none is tried any more."""

    alerts: Alerts | None
    chat: str | None
    digest: Literal["immediately", "hourly", "daily"]
    quiet_hours: QuietHours | None
    problem: str | None
    broken_at: datetime | None

    @classmethod
    def of(cls, view: Any) -> Json:
        """Without the address of a chat."""
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
    """What became of a test alert."""

    delivered: bool
    sentence: str


class DocVersion(Resource):
    """One version of a document."""

    kind: Literal["icp", "style"]
    version: int
    markdown: str
    at: datetime


class Template(Resource):
    """Steps that were saved to be used again."""

    id: int
    name: str
    channel: PlayChannel
    steps: list[PlayStep]
    created_at: datetime
