"""What was looked up for credits: buying signals, and what the people of a list lack."""

from datetime import datetime
from typing import Any, ClassVar, Literal

from app.models import signals
from app.models.signals import EnrichmentState, LookupState
from app.ports import Verdict
from app.resources.base import Columns, Json, Resource, Shape, columns_of

SignalKind = Literal["hiring", "funding", "techStack", "news", "headcount", "jobChange"]


class SignalResult(Resource):
    """What a look-up found: `credits` is its price on a hit, and 0 on a miss or when it is asked again within a week.

    `data` is `{}` on a miss. On a hit, hiring has `openings` (title, location, department, url, postedAt) and `total`;
    funding `rounds` (name, amountUsd, announcedAt, investors, url); techStack `technologies` (name, category, version,
    evidence); news `articles` (title, source, url, publishedAt); headcount `current`, `growth6m`, `growth12m` and
    `byMonth` (month, count); jobChange `person`, `from` (company, title), `to` (company, title, startedAt) and
    `profileUrl`.
    """

    signal: SignalKind
    found: bool
    credits: int
    data: dict[str, Any]

    @classmethod
    def of(cls, answered: Any) -> Json:
        """The kind, the price and what was found."""
        return {
            "signal": answered.signal,
            "found": answered.found,
            "credits": answered.credits,
            "data": answered.answer,
        }


class SignalAsked(Shape):
    """What was asked: a domain, or a person; "" for what the kind does not need."""

    domain: str
    full_name: str
    company_name: str
    job_title: str


class Signal(Resource):
    """A look-up that was answered, with what was asked, what it cost and who knew it."""

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
        """The question and the answer."""
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
    """How many look-ups were queued, and the most they can cost."""

    queued: int
    max_credits: int

    @classmethod
    def of(cls, queued: int, max_credits: int) -> Json:  # type: ignore[override]
        """The two numbers."""
        return {"queued": queued, "maxCredits": max_credits}


class ContactLookup(Resource):
    """One value that was, or will be, looked up: what was found, who knew it, when, and what it cost.

    Of an address `verdict` is deliverable, risky or undeliverable, or "" when nobody checked it, with who and when.
    `leadId` is null when the person is gone; `refundedAt` says that the address bounced and was given back.
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
    """Look-ups of what the people of a list lack.

    `skipped` are people who had the value by then, or must not be contacted. `credits` is what was paid so far, less
    what was refunded for addresses that bounced.
    """

    id: int
    list_id: int | None
    what: Literal["email", "phone", "both"]
    state: EnrichmentState
    queued: int
    found: int
    missed: int
    skipped: int
    credits: int
    max_credits: int
    error: str
    created_at: datetime
    finished_at: datetime | None
