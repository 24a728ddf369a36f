"""Signals and lookups as API resources."""

from datetime import datetime
from typing import Any, ClassVar, Literal

from app.models import signals
from app.models.signals import EnrichmentState, LookupState
from app.ports import Verdict
from app.resources.base import Columns, Json, Resource, Shape, Values, columns_of

SignalKind = Literal["hiring", "funding", "techStack", "news", "headcount", "jobChange"]


class SignalResult(Resource):
    """The result of looking up a signal.

    The fields of `data` depend on the signal; if nothing was found, `data` is `{}`. `hiring`: `openings` (title,
    location, department, url, postedAt) and `total`. `funding`: `rounds` (name, amountUsd, announcedAt, investors,
    url). `techStack`: `technologies` (name, category, version, evidence). `news`: `articles` (title, source, url,
    publishedAt). `headcount`: `current`, `growth6m`, `growth12m` and `byMonth` (month, count). `jobChange`: `person`,
    `from` (company, title), `to` (company, title, startedAt) and `profileUrl`.
    """

    signal: SignalKind
    """The kind of signal."""
    found: bool
    """Whether anything was found."""
    credits: int
    """The price in credits; 0 if nothing was found."""
    data: dict[str, Any]
    """The data that was found; `{}` if nothing was found."""
    repeat: bool
    """True if a result from the last seven days was returned again, at no cost."""

    @classmethod
    def of(cls, answered: Any) -> Json:
        return cls.filled(answered, data=answered.answer)


class SignalAsked(Shape):
    """The inputs of a signal lookup: a domain or a person. Unused inputs are empty."""

    domain: str
    """The domain of the company."""
    full_name: str
    """The person's name."""
    company_name: str
    """The name of the company."""
    job_title: str
    """The job title."""


class Signal(Resource):
    """A past signal lookup, with its inputs, result, cost and source."""

    id: int
    """The id of the lookup."""
    signal: SignalKind
    """The kind of signal."""
    asked: SignalAsked
    """The inputs of the lookup."""
    found: bool
    """Whether anything was found."""
    credits: int
    """The price in credits; 0 if nothing was found."""
    data: dict[str, Any]
    """The data that was found; `{}` if nothing was found."""
    source: str
    """The service that returned the result."""
    created_at: datetime
    """When the signal was looked up."""

    @classmethod
    def of(cls, signal: Any) -> Json:
        return cls.filled(signal, signal=signal.kind, asked=signal, data=signal.answer)


class EnrichmentResult(Values):
    """The enrichment run that was started."""

    id: int | None
    """The id of the run; null if there was nothing to look up."""
    queued: int
    """How many people the run covers."""
    max_credits: int
    """The maximum cost of the run, in credits."""


class ContactLookup(Resource):
    """A lookup of a person's email address or phone number."""

    columns: ClassVar[Columns] = columns_of(
        signals.ContactLookup,
        *"id lead_id kind state value source credits verdict verified_by verified_at answered_at refunded_at".split(),
    )

    id: int
    """The id of the lookup."""
    lead_id: int | None
    """The id of the lead; null if it was deleted."""
    kind: Literal["email", "phone"]
    """What was looked up."""
    state: LookupState
    """The result of the lookup."""
    value: str
    """The email address or phone number; empty if none was found."""
    source: str
    """The service that returned the result; empty if nothing was found."""
    credits: int
    """The price in credits; 0 if nothing was found."""
    verdict: Verdict
    """Whether the email address can receive email; empty if it was not checked."""
    verified_by: str
    """The service that checked the email address; empty if it was not checked."""
    verified_at: datetime | None
    """When the email address was checked; null if it was not checked."""
    answered_at: datetime | None
    """When the service responded; null if it has not responded."""
    refunded_at: datetime | None
    """When the price was refunded because the address bounced; null if it was not refunded."""


class Enrichment(Resource):
    """A run that looks up missing data about the people in a list.

    `found`, `missed`, `skipped` and `leftOver` add up to `queued`.
    """

    id: int
    """The id of the enrichment."""
    list_id: int | None
    """The id of the list; null if it was deleted."""
    what: Literal["email", "phone", "both"]
    """What is looked up."""
    state: EnrichmentState
    """The state of the run."""
    queued: int
    """How many people the run covers."""
    found: int
    """The number of people with a result."""
    missed: int
    """The number of people without a result."""
    skipped: int
    """How many people were skipped because they already had the value or must not be contacted."""
    left_over: int
    """The number of people not looked up: not yet, or not at all because the run stopped early."""
    credits: int
    """The cost so far in credits, minus refunds for bounced addresses."""
    max_credits: int
    """The maximum cost of the run, in credits."""
    error: str
    """Why the run failed; empty if it did not."""
    created_at: datetime
    """When the enrichment was created."""
    finished_at: datetime | None
    """When the run ended, successfully or not; null while it is running."""


class CheckedAddresses(Resource):
    """How many email addresses in a list can receive email."""

    people: int
    """How many people have an email address."""
    deliverable: int
    """How many addresses a connected service has verified as deliverable."""
    plausible: int
    """How many addresses have a domain that accepts email, but no service has verified the mailbox."""
    risky: int
    """How many addresses are role-based, disposable, or at a server that accepts any address."""
    undeliverable: int
    """How many addresses cannot receive email; these people get no emails."""
    unchecked: int
    """How many addresses have not been checked yet."""
    expected_bounces: float | None
    """The share of emails expected to bounce, from 0 to 1; null if there is no address to write to."""
    checked_at: datetime | None
    """When an address was last checked; null if no address has been checked."""
    under_way: bool
    """Whether the addresses are being checked now."""

    @classmethod
    def of(cls, found: Any) -> Json:
        return cls.filled(found, expected_bounces=found.expected)
