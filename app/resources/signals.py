"""Signals and lookups as API resources."""

from datetime import datetime
from typing import Any, ClassVar, Literal

from app.models import signals
from app.models.signals import EnrichmentState, LookupState
from app.ports import Verdict
from app.resources.base import Columns, Json, Resource, Shape, columns_of

SignalKind = Literal["hiring", "funding", "techStack", "news", "headcount", "jobChange"]


class SignalResult(Resource):
    """The result of a lookup: `credits` is its price; 0 if nothing was found or it was repeated within a week.

    `data` is `{}` if nothing was found. Otherwise hiring has `openings` (title, location, department, url, postedAt)
    and `total`; funding `rounds` (name, amountUsd, announcedAt, investors, url); techStack `technologies` (name,
    category, version, evidence); news `articles` (title, source, url, publishedAt); headcount `current`, `growth6m`,
    `growth12m` and `byMonth` (month, count); jobChange `person`, `from` (company, title), `to` (company, title,
    startedAt) and `profileUrl`.
    """

    signal: SignalKind
    """The kind of signal."""
    found: bool
    """Whether something was found."""
    credits: int
    """The price in credits."""
    data: dict[str, Any]
    """What was found; `{}` if nothing."""
    repeat: bool
    """Reused from the last seven days, at no cost."""

    @classmethod
    def of(cls, answered: Any) -> Json:
        return cls.filled(answered, data=answered.answer)


class SignalAsked(Shape):
    """The inputs: a domain or a person; \"\" for unused inputs."""

    domain: str
    """The domain of the company."""
    full_name: str
    """The person's name."""
    company_name: str
    """The name of the company."""
    job_title: str
    """The job title."""


class Signal(Resource):
    """A past lookup with its inputs, cost and source."""

    id: int
    """The id of the signal."""
    signal: SignalKind
    """The kind of signal."""
    asked: SignalAsked
    """The inputs of the lookup."""
    found: bool
    """Whether something was found."""
    credits: int
    """The price in credits."""
    data: dict[str, Any]
    """What was found; `{}` if nothing."""
    source: str
    """The service with the result."""
    created_at: datetime
    """When the signal was created."""

    @classmethod
    def of(cls, signal: Any) -> Json:
        return cls.filled(
            signal,
            signal=signal.kind,
            asked={
                "domain": signal.domain,
                "fullName": signal.full_name,
                "companyName": signal.company_name,
                "jobTitle": signal.job_title,
            },
            data=signal.answer,
        )


class EnrichmentResult(Resource):
    """The run that was started, its lookups and their maximum cost."""

    id: int | None
    """The id of the run; null if there was nothing to look up."""
    queued: int
    """How many people are looked up."""
    max_credits: int
    """The most it can cost, in credits."""

    @classmethod
    def of(cls, run_id: int | None, queued: int, max_credits: int) -> Json:  # type: ignore[override]
        return {"id": run_id, "queued": queued, "maxCredits": max_credits}


class ContactLookup(Resource):
    """One looked-up value: the result, its source, time and cost.

    For an email address, `verdict` is deliverable, risky or undeliverable, or "" when it was not verified. `leadId`
    is null when the person was deleted; `refundedAt` is set when the address bounced and was refunded.
    """

    columns: ClassVar[Columns] = columns_of(
        signals.ContactLookup,
        *"id lead_id kind state value source credits verdict verified_by verified_at answered_at refunded_at".split(),
    )

    id: int
    """The id of the lookup."""
    lead_id: int | None
    """The lead; null if it was deleted."""
    kind: Literal["email", "phone"]
    """What was looked up."""
    state: LookupState
    """How it ended."""
    value: str
    """The email address or phone number; empty if none was found."""
    source: str
    """The service with the result; empty without one."""
    credits: int
    """The price in credits."""
    verdict: Verdict
    """Whether an email address can be delivered to; empty if that was not checked."""
    verified_by: str
    """The service that checked the address; empty if none did."""
    verified_at: datetime | None
    """When the address was checked; null if it was not."""
    answered_at: datetime | None
    """When the service responded; null before."""
    refunded_at: datetime | None
    """When the price was refunded because the address bounced; null if it was not."""


class Enrichment(Resource):
    """Lookups of missing data for the people of a list.

    `queued` is `found` + `missed` + `skipped` + `leftOver`. `skipped` counts people who already had the value or must
    not be contacted. `credits` is the cost so far, less refunds for bounced addresses.
    """

    id: int
    """The id of the enrichment."""
    list_id: int | None
    """The list; null if it was deleted."""
    what: Literal["email", "phone", "both"]
    """What is looked up."""
    state: EnrichmentState
    """The state of the run."""
    queued: int
    """How many people the lookups are for."""
    found: int
    """For how many something was found."""
    missed: int
    """For how many nothing was found."""
    skipped: int
    """People who already had the value or must not be contacted."""
    left_over: int
    """Not looked up yet, or left when the run ended at `maxCredits`, by cancel or an error."""
    credits: int
    """The cost so far, in credits."""
    max_credits: int
    """The most it may cost, in credits."""
    error: str
    """Why it failed; empty if it did not."""
    created_at: datetime
    """When the enrichment was created."""
    finished_at: datetime | None
    """When it ended, whatever the outcome; null while it runs."""


class CheckedAddresses(Resource):
    """How many email addresses of a list can receive email."""

    people: int
    """People with an email address."""
    deliverable: int
    """Verified by a connected service."""
    plausible: int
    """The domain takes email; no service verified the mailbox."""
    risky: int
    """Role and disposable addresses, and servers that accept everything."""
    undeliverable: int
    """They can't receive email and are on the do-not-contact list."""
    unchecked: int
    """Not checked yet."""
    expected_bounces: float | None
    """The share of emails expected to bounce, from 0 to 1; null without anyone to write to."""
    checked_at: datetime | None
    """When the last of them was checked; null if none was."""
    under_way: bool
    """Whether the addresses are being checked now."""

    @classmethod
    def of(cls, found: Any) -> Json:
        return cls.filled(found, expected_bounces=found.expected)
