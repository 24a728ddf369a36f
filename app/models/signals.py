"""Lookups paid with credits: buying signals, email addresses and phone numbers."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, IndexedOfWorkspace, Numbered, OfWorkspace, table_args
from app.core.row_rules import Leftovers, Personal
from app.core.state_machine import Machine, move


class Signal(Numbered, OfWorkspace, Base):
    """One answered lookup of a signal. `fingerprint` is equal for equal questions."""

    __tablename__ = "signal"
    __personal__ = Personal(
        ("full_name",),
        "A signal service.",
        ("kind", "full_name", "company_name", "job_title", "answer", "created_at"),
        {"full_name": "", "company_name": "", "job_title": "", "answer": {}},
        source="source",
    )
    __table_args__ = table_args(
        sa.Index("ix_signal_workspace_id_kind", "workspace_id", "kind"),
        sa.Index("ix_signal_workspace_id_fingerprint", "workspace_id", "fingerprint", "created_at"),
    )

    kind: Mapped[str]
    domain: Mapped[str] = mapped_column(default="")
    full_name: Mapped[str] = mapped_column(default="")
    company_name: Mapped[str] = mapped_column(default="")
    job_title: Mapped[str] = mapped_column(default="")
    fingerprint: Mapped[str]
    found: Mapped[bool]
    credits: Mapped[int]
    answer: Mapped[dict[str, Any]]
    source: Mapped[str] = mapped_column(default="")  # the service that answered
    created_at: Mapped[datetime]


class EnrichmentState(StrEnum):
    """The state of an enrichment."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELED = "canceled"
    FAILED = "failed"


class LookupState(StrEnum):
    """The result of one lookup; `missed`: nothing was found."""

    WAITING = "waiting"
    FOUND = "found"
    MISSED = "missed"
    SKIPPED = "skipped"
    CANCELED = "canceled"


class Enrichment(Numbered, IndexedOfWorkspace, Base):
    """A run that looks up missing values for the people of a list. `credits`: its cost so far, minus refunds."""

    __tablename__ = "enrichment"
    __table_args__ = table_args(sa.Index("ix_enrichment_list_id", "list_id"))

    list_id: Mapped[int | None] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="SET NULL"))
    what: Mapped[str]
    state: Mapped[str] = mapped_column(default=EnrichmentState.QUEUED)
    queued: Mapped[int] = mapped_column(default=0)
    found: Mapped[int] = mapped_column(default=0)
    missed: Mapped[int] = mapped_column(default=0)
    skipped: Mapped[int] = mapped_column(default=0)
    credits: Mapped[int] = mapped_column(default=0)
    max_credits: Mapped[int] = mapped_column(default=0)
    error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]

    @property
    def left_over(self) -> int:
        """Return how many lookups were not made: still to come, or left when the run ended."""
        return self.queued - self.found - self.missed - self.skipped


class ContactLookup(Numbered, OfWorkspace, Base):
    """One value of one person that is looked up: what was found, where, when, and what it cost.

    For an email address also whether it accepts mail (a `ports.Verdict`), since when, and according to whom.
    """

    __tablename__ = "contact_lookup"
    __personal__ = Personal(
        ("lead_id", "value"),
        "A service that looks up contacts.",
        ("kind", "value", "source", "verdict", "answered_at"),
        {"lead_id": None, "value": "", "source": ""},
        source="source",
    )
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(
        sa.UniqueConstraint("enrichment_id", "lead_id", "kind"),
        sa.Index("ix_contact_lookup_enrichment_id_state", "enrichment_id", "state", "id"),
        sa.Index("ix_contact_lookup_lead_id", "lead_id"),
        sa.Index("ix_contact_lookup_workspace_id_value", "workspace_id", "value"),
    )

    enrichment_id: Mapped[int] = mapped_column(sa.ForeignKey("enrichment.id", ondelete="CASCADE"))
    lead_id: Mapped[int | None] = mapped_column(sa.ForeignKey("lead.id", ondelete="SET NULL"))
    kind: Mapped[str]
    state: Mapped[str] = mapped_column(default=LookupState.WAITING)
    value: Mapped[str] = mapped_column(default="")
    source: Mapped[str] = mapped_column(default="")
    credits: Mapped[int] = mapped_column(default=0)
    verdict: Mapped[str] = mapped_column(default="")
    verified_by: Mapped[str] = mapped_column(default="")
    verified_at: Mapped[datetime | None]
    answered_at: Mapped[datetime | None]
    refunded_at: Mapped[datetime | None]


class AddressCheck(Numbered, OfWorkspace, Base):
    """What was found about an email address before the first email to it: a `ports.Verdict`, why, when, and by whom."""

    __tablename__ = "address_check"
    __personal__ = Personal(
        ("address",),
        "The address was checked before its first email.",
        ("address", "verdict", "reason", "checked_by", "checked_at"),
    )
    __table_args__ = table_args(sa.UniqueConstraint("workspace_id", "address"))

    address: Mapped[str]
    verdict: Mapped[str]
    reason: Mapped[str]  # a key of domain/enrichment/address_checks.REASONS
    checked_by: Mapped[str] = mapped_column(default="")  # the service that verified it
    checked_at: Mapped[datetime]


_UNDER_WAY = [EnrichmentState.QUEUED, EnrichmentState.RUNNING]
ENRICHMENT = Machine(
    "state",
    EnrichmentState,
    {
        "run": move(_UNDER_WAY, EnrichmentState.RUNNING, "These lookups are {state}."),
        "finish": move(_UNDER_WAY, EnrichmentState.FINISHED, "These lookups are {state}."),
        "fail": move(_UNDER_WAY, EnrichmentState.FAILED, "These lookups are {state}."),
        "cancel": move(_UNDER_WAY, EnrichmentState.CANCELED, "These lookups are {state}. There is nothing to cancel."),
    },
)
