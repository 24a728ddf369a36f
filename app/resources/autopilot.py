"""The autopilot as API resources: setup, plays, documents and templates."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from app.models.autopilot import Phase, PlayChannel, SetupStatus
from app.resources.base import Json, Resource, Shape
from app.resources.plays import PlaySummary


class ProfileFact(Shape):
    """A fact in the business profile, with its source."""

    text: str
    """The fact, in one sentence."""
    page: str
    """The URL of the page with the fact; `owner` if you entered the fact yourself."""
    quote: str
    """The exact words on that page."""
    kind: str
    """The topic: `name`, `for`, `audience`, `outcome`, `price`, `customer`, `place` or `claim`; empty for others."""
    quotable: bool
    """Whether you allow messages to quote the fact."""


class ProfileQuestion(Shape):
    """A question that your website does not answer."""

    field: str
    """The field of `profile` in `PATCH /v1/autopilot` that takes your answer."""
    question: str
    """The question, to show to your users."""


class PitchCandidate(Shape):
    """A suggested pitch in your website's own words, with the page and quote it is based on."""

    pitch: str
    """The pitch, in one sentence such as “We print menus for cafés”."""
    topic: str
    """The topic for subject lines, one to four words; empty if the website does not suggest one."""
    page: str
    """The URL of the page that the pitch is based on."""
    quote: str
    """The exact words on that page."""


class Profile(Shape):
    """The business profile. In messages, only the fields `pitch`, `change` and `proof` describe you."""

    business: str
    """What the business does, in the words of its website."""
    summary: str
    """A short summary of the business, based on the website."""
    name: str
    """The name of the business as it appears in messages."""
    pitch: str
    """What you do and for which customers, in one sentence such as “We print menus for cafés”."""
    topic: str
    """The topic for subject lines, one to four words."""
    change: str
    """What customers gain, in one sentence; can be empty."""
    proof: str
    """One claim that recipients can verify, in one sentence; can be empty."""
    kind: Literal["", "service", "software", "goods"]
    """What the business sells; empty if not known."""
    area: str
    """The area you serve; people are searched for in this area."""
    confirmed: bool
    """Whether you have confirmed the pitch; false if the pitch is a guess."""
    candidates: list[PitchCandidate]
    """Suggested pitches, best first."""
    needs: list[Literal["pitch", "topic"]]
    """The missing fields, without which no plays are designed."""
    tone: Literal["", "formal", "casual"]
    """How formally messages address people; empty for the usual tone of the language."""
    language: str
    """The language of messages, such as `en`; empty for the language of the website."""
    examples: list[str]
    """Good customers, or businesses that refer customers to you; customer types are based on them."""
    typed: list[str]
    """The fields you have set, which later analyses do not overwrite."""
    asks: list[ProfileQuestion]
    """Questions that the website did not answer; answer them with `PATCH /v1/autopilot`."""
    facts: list[ProfileFact]
    """Facts from the website or entered by you."""

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
    """A type of customer that your business could address."""

    id: str
    """The id to send as `customerTypeId`."""
    title: str
    """The customers in everyday words, such as “Facility managers of office buildings”."""
    detail: str
    """Why these customers would buy from you."""
    guess: bool
    """Whether this customer type is a guess, because neither you nor your website mentioned it."""


class Chip(Shape):
    """A targeting value that is selected or only suggested."""

    label: str
    """The value, such as a job title or a place."""
    on: bool
    """True if the value is used in the search; false if it is only a suggestion."""


class TargetRow(Shape):
    """The targeting values of one kind, such as job titles."""

    key: Literal["titles", "companyType", "size", "location"]
    """The kind of values in this row: job titles, kinds of company, company sizes or locations."""
    chips: list[Chip]
    """The values. A person must match at least one of the selected values."""


class Targets(Shape):
    """The target audience."""

    summary: str
    """The audience in one sentence."""
    rows: list[TargetRow]
    """The values to search by, grouped by kind. A person must match every row that has a selected value."""
    even_better: list[str]
    """What would make a person an even better fit; used to rank people, not to exclude them."""


class Offer(Shape):
    """Your offer."""

    kind: Literal["call", "other"]
    """What you offer: a short call (`call`), or what `text` says (`other`)."""
    text: str
    """The offer in your own words; empty if the offer is a call."""


class Alerts(Shape):
    """Where notifications go; the URL of a chat is masked."""

    kind: Literal["email", "chat", "sms"]
    """Where notifications go."""
    target: str
    """An email address, a phone number, or the masked URL of a chat."""
    replies: bool
    """True if you are notified of every reply, false if only of positive replies."""


class Progress(Shape):
    """The progress of the current stage."""

    phase: Phase
    """The setup stage that is running."""
    pct: int
    """The progress of the stage in percent, from 0 to 100."""
    done: list[str]
    """What has been completed, as sentences you can show to users."""
    active: str
    """What is being done now, as a sentence you can show to users."""

    @classmethod
    def of(cls, progress: Mapping[str, Any]) -> Json:
        """Build it without what only the page shows."""
        return {name: progress[name] for name in cls.model_fields}


class Senders(Shape):
    """How many senders can send, by channel."""

    social: int
    """How many LinkedIn accounts can send."""
    email: int
    """How many mailboxes can send."""


class AutopilotSetup(Resource):
    """The workspace's autopilot: all setup answers and results."""

    status: SetupStatus
    """The state of the setup."""
    step: int
    """The page of the setup wizard that is shown next, starting at 1."""
    website: str
    """The URL of your website; empty if you sent a description."""
    profile: Profile | None
    """The business profile; null until the website has been read."""
    profile_state: Literal["reading", "understanding", "writing", "done", "failed"] | None
    """The progress of the business analysis; null before the analysis starts."""
    customer_types: list[CustomerType]
    """The customer types to choose from, best first."""
    customer_type_id: str
    """The id of the chosen customer type; empty until one is chosen."""
    targets: Targets | None
    """The target audience; null until a customer type is chosen."""
    channel: PlayChannel | None
    """The channels that plays use; null until they are chosen."""
    country: str
    """The country in which to search for people, as you set it or as an ISO code from your website; empty for anywhere.
    """
    offer: Offer | None
    """The offer made in messages; null until it is chosen."""
    alerts: Alerts | None
    """Where notifications go; null if no destination is set."""
    rules: list[str]
    """Your rules for how messages are written, such as “Never mention prices”."""
    error: str | None
    """Why the last setup stage failed; null if it did not fail, or if another stage has started since then."""
    progress: Progress | None
    """The progress of the setup stage that is running; null if no stage is running."""
    plays: list[PlaySummary]
    """The plays, most promising first."""
    senders: Senders
    """The number of senders that can send, by channel."""
    never_contact: int
    """How many do-not-contact entries the workspace has."""
    started_at: datetime | None
    """When the autopilot was started; null if it has not been started."""
    paused_at: datetime | None
    """When the autopilot was paused; null if it is not paused."""

    @classmethod
    def of(cls, view: Any) -> Json:
        setup, profile = view.setup, view.setup.profile
        return cls.filled(
            setup,
            profile=profile and Profile.of(profile, view.asks),
            profile_state=setup.profile_state or None,
            customer_types=[{"guess": True, **one} for one in setup.customer_types],
            progress=setup.progress and Progress.of(setup.progress),
            plays=view.plays,
            senders=dict(view.senders),
            never_contact=view.never_contact,
        )


class Audience(Resource):
    """The estimated audience. If no one matches, `without` and `then` say which targeting row to leave out."""

    audience: int
    """The estimated number of people who match."""
    without: str
    """The `key` of the targeting row to leave out if no one matches; otherwise empty."""
    then: int
    """The estimated number of people if you leave out the row named in `without`; otherwise 0."""


class Rules(Resource):
    """Your rules for how messages are written."""

    rules: list[str]
    """All rules, in the order you set."""


class QuietHours(Shape):
    """Hours in which no notifications are sent, in the workspace's time zone."""

    start: str
    """When quiet hours start, such as 22:00."""
    end: str
    """When quiet hours end, such as 07:00."""


class AlertSettings(Resource):
    """Where and when notifications are sent."""

    alerts: Alerts | None
    """Where notifications go; null if no destination is set."""
    chat: str | None
    """The name of the chat app, such as Slack; null unless notifications go to a chat."""
    digest: Literal["immediately", "hourly", "daily"]
    """Whether notifications are sent one by one or as a summary."""
    quiet_hours: QuietHours | None
    """The hours in which no notifications are sent; null if there are none."""
    problem: str | None
    """Why the last notification could not be delivered; null if it was delivered."""
    broken_at: datetime | None
    """When notifications were switched off after too many failures; null if that did not happen."""

    @classmethod
    def of(cls, view: Any) -> Json:
        """Build it with a chat's address masked."""
        setup = view.setup
        return cls.filled(
            setup,
            chat=view.chat.title if view.chat else None,
            digest=setup.alerts_digest,
            quiet_hours=setup.alerts_quiet,
            problem=setup.alerts_problem or None,
            broken_at=setup.alerts_broken_at,
        )


class AlertTest(Resource):
    """The result of a test notification."""

    delivered: bool
    """Whether the test notification was accepted for delivery."""
    sentence: str
    """The result, as a sentence you can show to users."""


class DocVersion(Resource):
    """A version of a document."""

    kind: Literal["icp", "style"]
    """`icp` describes the ideal customer, and `style` how messages are written."""
    version: int
    """The number of the version, which starts at 1."""
    markdown: str
    """The whole document in Markdown."""
    at: datetime
    """When this version was saved."""
