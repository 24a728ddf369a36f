"""Signals and lookups as API resources."""

from datetime import datetime
from typing import Any, ClassVar, Literal

from pydantic import Field

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
    found: bool
    credits: int
    data: dict[str, Any]
    repeat: bool = Field(description="Reused from the last seven days, at no cost.")

    @classmethod
    def of(cls, answered: Any) -> Json:
        return {
            "signal": answered.signal,
            "found": answered.found,
            "credits": answered.credits,
            "data": answered.answer,
            "repeat": answered.repeat,
        }


class SignalAsked(Shape):
    """The inputs: a domain or a person; \"\" for unused inputs."""

    domain: str
    full_name: str
    company_name: str
    job_title: str


class Signal(Resource):
    """A past lookup with its inputs, cost and source."""

    id: int
    signal: SignalKind
    asked: SignalAsked
    found: bool
    credits: int
    data: dict[str, Any]
    source: str
    created_at: datetime

    @classmethod
    def of(cls, signal: Any) -> Json:
        return {
            "id": signal.id,
            "signal": signal.kind,
            "asked": {
                "domain": signal.domain,
                "fullName": signal.full_name,
                "companyName": signal.company_name,
                "jobTitle": signal.job_title,
            },
            "found": signal.found,
            "credits": signal.credits,
            "data": signal.answer,
            "source": signal.source,
            "createdAt": signal.created_at,
        }


class EnrichmentResult(Resource):
    """The number of lookups started, and their maximum cost."""

    queued: int
    max_credits: int

    @classmethod
    def of(cls, queued: int, max_credits: int) -> Json:  # type: ignore[override]
        return {"queued": queued, "maxCredits": max_credits}


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
    lead_id: int | None
    kind: Literal["email", "phone"]
    state: LookupState
    value: str
    source: str
    credits: int
    verdict: Verdict
    verified_by: str
    verified_at: datetime | None
    answered_at: datetime | None
    refunded_at: datetime | None


class Enrichment(Resource):
    """Lookups of missing data for the people of a list.

    `queued` is `found` + `missed` + `skipped` + `leftOver`. `skipped` counts people who already had the value or must
    not be contacted. `credits` is the cost so far, less refunds for bounced addresses.
    """

    id: int
    list_id: int | None
    what: Literal["email", "phone", "both"]
    state: EnrichmentState
    queued: int
    found: int
    missed: int
    skipped: int
    left_over: int = Field(
        description="Not looked up yet, or left when the run ended at `maxCredits`, by cancel or an error."
    )
    credits: int
    max_credits: int
    error: str
    created_at: datetime
    finished_at: datetime | None
