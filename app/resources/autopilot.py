"""The autopilot as API resources: setup, plays, documents and templates."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

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
    """What is claimed, in one sentence."""
    page: str
    """The address of the page it was read on; `owner` when you wrote it yourself."""
    quote: str
    """The exact quote from that page."""
    kind: str
    """What it is about: `name`, `for`, `outcome`, `price`, `customer`, `place` or `claim`; empty for anything else."""
    quotable: bool
    """Whether messages may quote the fact; you decide."""


class ProfileQuestion(Shape):
    """What you need to add because your website doesn't say."""

    field: str
    """The profile field your answer belongs in, as `PATCH /v1/autopilot` takes it under `profile`."""
    question: str
    """The question to show to the owner."""


class PitchCandidate(Shape):
    """A sentence from your website's own words, with its page and quote."""

    pitch: str
    """The sentence, as in “We …”."""
    topic: str
    """The topic for subject lines: one to four words; empty if the website does not say."""
    page: str
    """The address of the page the sentence was made from."""
    quote: str
    """The exact quote from that page."""


class Profile(Shape):
    """The business profile. About you, messages use only pitch, change and proof."""

    business: str
    """What the business does, in its own words."""
    summary: str
    """A short summary of the business, made from the website."""
    name: str
    """The name of the business as messages write it."""
    pitch: str
    """What you do, and who it is for: one sentence, as in “We …”."""
    topic: str
    """The topic for subject lines: one to four words."""
    change: str
    """What customers gain: one sentence, or empty."""
    proof: str
    """One thing that can be checked: one sentence, or empty."""
    kind: Literal["", "service", "software", "goods"]
    """What is sold; empty when it is not known."""
    area: str
    """Where you work; we search for people there."""
    confirmed: bool
    """Whether you confirmed the pitch; before that it is a guess."""
    candidates: list[PitchCandidate]
    """Pitches to choose from, the best first."""
    needs: list[Literal["pitch", "topic"]]
    """Missing data that plays wait for."""
    tone: Literal["", "formal", "casual"]
    """How messages address people; empty leaves it to the language's custom."""
    language: str
    """The language that messages are written in, such as `en`; empty for the language of the website."""
    examples: list[str]
    """Sentences of your website that show how you write."""
    typed: list[str]
    """Fields you set; later readings don't overwrite them."""
    asks: list[ProfileQuestion]
    """What the website did not say; set each with `PATCH /v1/autopilot`."""
    facts: list[ProfileFact]
    """Facts read from the website or given by you."""

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
    """The id to send as `customerTypeId`."""
    title: str
    """Who they are, as people speak: “Facility managers of office buildings”."""
    detail: str
    """Why they are customers."""
    guess: bool
    """True if neither your website nor you named them."""


class Chip(Shape):
    """A targeting value, selected or only suggested."""

    label: str
    """The value, such as a job title or a place."""
    on: bool
    """True if it is used in the search; false if it is only suggested."""


class TargetRow(Shape):
    """The values of one targeting row."""

    key: Literal["titles", "companyType", "size", "location"]
    """The row: job titles, kind of company, company size or place."""
    chips: list[Chip]
    """The values of this row. Selected values are alternatives."""


class Targets(Shape):
    """The target audience."""

    summary: str
    """The audience in one sentence."""
    rows: list[TargetRow]
    """The values to search by. A person must match every row with a selected value."""
    even_better: list[str]
    """What would make a person fit even better; used to sort, never to leave anyone out."""


class Offer(Shape):
    """Your offer."""

    kind: Literal["call", "other"]
    """`call` offers a short call; `other` offers what `text` says."""
    text: str
    """The offer in your own words; empty for a call."""


class Alerts(Shape):
    """Where notifications go; a chat's address is masked."""

    kind: Literal["email", "chat", "sms"]
    """Where notifications go."""
    target: str
    """An email address, a phone number, or the masked address of a chat."""
    replies: bool
    """Whether you are notified of every reply, not only of positive ones."""


class Progress(Shape):
    """The progress of the current stage."""

    phase: Phase
    """The stage that runs."""
    pct: int
    """How much of the stage is done, from 0 to 100."""
    done: list[str]
    """What is finished, as sentences to show."""
    active: str
    """What is being done now, as a sentence to show."""

    @classmethod
    def of(cls, progress: Mapping[str, Any]) -> Json:
        """Build it without what only the page shows."""
        return {name: progress[name] for name in cls.model_fields}


class Senders(Shape):
    """The number of active senders per channel."""

    social: int
    """Connected LinkedIn accounts that may send."""
    email: int
    """Connected mailboxes that may send."""


class PlayMessage(Shape):
    """What people get on each day, from day 1."""

    day: int
    """The day it is sent; the person's first day is 1."""
    kind: MessageKind
    """How it is sent: with a connection request, as a LinkedIn message, or as an email."""
    subject: str
    """The subject of an email; empty for other kinds."""
    text: str
    """The text, with variables such as `{{first_name}}`."""


class PlayBuild(Shape):
    """The progress of building or launching a play."""

    label: str
    """What is being done now, as a sentence to show."""
    step: int
    """The number of the current step, from 1."""
    of: int
    """How many steps there are."""


class PlayNumbers(Shape):
    """The results of a play or a reason to write; the range is the 95 % interval of the reply rate."""

    people: int
    """People who replied or had time to reply."""
    replies: int
    """How many of these people replied."""
    positive: int
    """How many replies were positive."""
    negative: int
    """How many replies were negative."""
    reply_rate: float | None
    """`replies` divided by `people`, from 0 to 1; null while `people` is 0."""
    reply_range: list[float] | None
    """The lower and upper end of the 95 % interval of `replyRate`; null while `people` is 0."""
    good_votes: int
    """Sample people you marked as a good fit."""
    bad_votes: int
    """Sample people you marked as a bad fit."""

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
    """The id of the play."""
    rank: int
    """The play's place among the plays; 1 is the most promising."""
    name: str
    """The play's short name, at most 30 characters."""
    angle: str
    """The code of the reason to write, such as a new role, for `POST /v1/autopilot/plays`."""
    pitch: str
    """The reason to write and the offer in one sentence."""
    why: str
    """Why this reason suits your business."""
    chips: list[str]
    """The audience in short labels."""
    channel: PlayChannel
    """Where the messages are sent."""
    status: PlayStatus
    """The state of the play, from design to a running campaign."""
    start_at: datetime | None
    """When a scheduled play starts; null for immediately or undecided."""
    campaign_id: int | None
    """The campaign made by the launch; null before."""
    list_id: int | None
    """The list of the play's people; null before the launch."""
    sequence: list[PlayMessage]
    """The messages in order."""
    build: PlayBuild | None
    """The progress while it is built or launched; null otherwise."""
    numbers: PlayNumbers
    """The results so far."""
    because: str
    """Why the play has this rank."""
    outdated: bool
    """Written before you corrected your profile."""

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
    """How many units to wait; 0 for none."""
    unit: Literal["minutes", "hours", "days"]
    """The unit of `count`."""


class PlayStep(Shape):
    """One step of a play. The kind decides whether it has text, subject or reaction."""

    id: str
    """The id of the step, unique within the play."""
    kind: StepKind
    """What is done."""
    delay: PlayDelay
    """The wait before the step."""
    after: Literal["previous", "accept", "no_reply"]
    """What the wait counts from: the previous step, the accepted connection request, or a message without a reply."""
    text: str | None = None
    """The text with variables; absent for a reaction."""
    subject: str | None = None
    """The subject; only for emails."""
    reaction: Reaction | None = None
    """The reaction to the person's post; only for reactions."""


class SampleLead(Shape):
    """A sample person of the play, for review."""

    lead_id: int
    """The id to vote with; the person becomes a lead at launch."""
    name: str
    """First and last name."""
    title: str
    """The job title."""
    company: str
    """The name of the company."""
    headline: str
    """The headline of the profile."""
    summary: str
    """Why they fit."""
    image_url: str
    """The address of the profile picture; empty if there is none."""
    social_url: str
    """The address of the LinkedIn profile."""
    location: str
    """Where the person is, as the profile says it."""
    industry: str
    """The industry of the company."""
    fit: Literal["good", "bad"] | None
    """Your vote; null if you have not voted."""
    messages: list[PlayMessage]
    """The play's messages with this person's values in them."""


class PlayLogEntry(Shape):
    """A request for a change, or the reply."""

    role: Literal["user", "agent"]
    """Who wrote it: you (`user`) or Overture (`agent`)."""
    text: str
    """What was written."""
    at: datetime
    """When it was written."""


class PlayVariants(StepVariants):
    """The variants of a step, with its place in the campaign's sequence; the first step is 0."""

    step: int
    """The position of the step in the campaign's sequence, from 0."""


class PlayDetail(PlaySummary):
    """A play with its steps, sample people and log."""

    strategy: str
    """How the play works, in a few sentences."""
    reaches: str
    """Who the play reaches, in one sentence."""
    choices: list[str]
    """Changes you can ask for by name, without a model."""
    audience: int
    """The estimated number of people."""
    credits_per_lead: int
    """What finding one person costs, in credits."""
    steps: list[PlayStep]
    """All steps, in order, as `PUT /v1/autopilot/plays/{id}/steps` takes them."""
    sample: list[SampleLead]
    """People the play would write to, for you to vote on."""
    log: list[PlayLogEntry]
    """The changes you asked for and the answers, oldest first."""
    working: str
    """What is happening with the play now, as a sentence; can be empty."""
    launched_at: datetime | None
    """When it was launched; null before."""
    variants: list[PlayVariants]
    """Steps of its campaign with several texts."""
    proposed: PlayProposal | None
    """A change that waits for you to use or discard it; null if there is none."""
    can_undo: bool
    """Whether you can undo the last change."""

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
    """The state of the setup."""
    step: int
    """The page of the wizard the owner is on, from 1."""
    website: str
    """The address of the website that was read; empty if a description was given instead."""
    profile: Profile | None
    """The business profile; null before the website was read."""
    profile_state: Literal["reading", "understanding", "writing", "done", "failed"] | None
    """The progress of reading the website; null before it starts."""
    customer_types: list[CustomerType]
    """The customer types to choose from, the best first."""
    customer_type_id: str
    """The chosen customer type; empty until one is chosen."""
    targets: Targets | None
    """The target audience; null until a customer type is chosen."""
    channel: PlayChannel | None
    """Where plays send; null until it is chosen."""
    country: str
    """The country to search in."""
    offer: Offer | None
    """What messages offer; null until it is chosen."""
    alerts: Alerts | None
    """Where notifications go; null if nowhere."""
    rules: list[str]
    """Your rules for all texts, such as “Never mention prices”."""
    error: str | None
    """Why the last step failed; null when a step starts again."""
    progress: Progress | None
    """The progress of the stage that runs; null when none does."""
    plays: list[PlaySummary]
    """The plays, by rank."""
    senders: Senders
    """How many senders can send, by channel."""
    never_contact: int
    """How many do-not-contact entries the workspace has."""
    started_at: datetime | None
    """When the autopilot was started; null before."""
    paused_at: datetime | None
    """When it was paused; null while it is not."""

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
    """The id of the play's step."""
    kind: MessageKind
    """How the text is sent."""
    edited: bool
    """Someone edited the text; it stays unless you name its step."""
    subject_before: str
    """The present subject; empty unless it is an email."""
    before: str
    """The present text."""
    subject_after: str
    """The newly written subject; empty unless it is an email."""
    after: str
    """The newly written text."""


class NewTexts(Resource):
    """A play's texts, rewritten from the current profile; empty when nothing changes."""

    texts: list[NewText]
    """One entry per step whose text would change."""
    written_by: str
    """Who wrote them: the built-in writer or the name of the connected model."""
    note: str
    """Why another writer stood in."""

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
    """The estimated number of people who match."""
    without: str
    """The row to leave out when no one matches; empty otherwise."""
    then: int
    """The estimated number of people without that row; 0 unless `without` names one."""


class Rules(Resource):
    """Your rules for all texts."""

    rules: list[str]
    """All rules, in the order you gave them."""


class QuietHours(Shape):
    """Quiet hours without notifications, in the workspace's time zone."""

    start: str
    """When they begin, such as 22:00."""
    end: str
    """When they end, such as 07:00."""


class AlertSettings(Resource):
    """Where and when notifications are sent.

    `problem` says why the last one failed; `broken` means we stopped trying.
    """

    alerts: Alerts | None
    """Where notifications go; null if nowhere."""
    chat: str | None
    """The name of the chat program, such as Slack; null unless notifications go to a chat."""
    digest: Literal["immediately", "hourly", "daily"]
    """Whether notifications are sent one by one or collected."""
    quiet_hours: QuietHours | None
    """When nothing is sent; null if there are no quiet hours."""
    problem: str | None
    """Why the last notification could not be delivered; null if it was."""
    broken_at: datetime | None
    """When we stopped sending notifications after too many failures; null while they are sent."""

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
    """Whether the notification was accepted."""
    sentence: str
    """The result in words: what went wrong, or where to look."""


class DocVersion(Resource):
    """One version of a document."""

    kind: Literal["icp", "style"]
    """`icp` describes the ideal customer, `style` how messages are written."""
    version: int
    """The version's number; each save adds one."""
    markdown: str
    """The whole text in Markdown."""
    at: datetime
    """When this version was saved."""


class Template(Resource):
    """Saved steps to reuse."""

    id: int
    """The id of the template."""
    name: str
    """The name of the template."""
    channel: PlayChannel
    """Where its steps send."""
    steps: list[PlayStep]
    """The steps, in order."""
    created_at: datetime
    """When the template was created."""
