"""The autopilot as API resources: setup, plays, documents and templates."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from app.models.autopilot import Phase, PlayChannel, SetupStatus
from app.resources.base import Json, Resource, Shape
from app.resources.plays import PlaySummary


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
    """Whether to notify you about every reply, or only positive ones."""


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
        return cls.filled(
            setup,
            profile=profile and Profile.of(profile, view.asks),
            profile_state=setup.profile_state or None,
            customer_types=[{"guess": True, **one} for one in setup.customer_types],
            progress=setup.progress and Progress.of(setup.progress),
            plays=PlaySummary.many(view.plays),
            senders=dict(view.senders),
            never_contact=view.never_contact,
        )


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
