"""Events, webhook endpoints and deliveries."""

from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, IndexedOfWorkspace, Numbered, OfWorkspace, partial_index, table_args
from app.core.row_rules import Body, Leftovers, ids, sealed_for
from app.core.state_machine import Machine, move

_LEAD, _APPROVAL = ("data", "lead"), ("data", "approval")
_NAMED_BY_EVENTS = Body(
    {
        ("workspaceId",): "workspace",
        ("data", "campaign", "id"): "campaign",
        (*_LEAD, "id"): "lead",
        (*_LEAD, "list", "id"): "lead_list",
        (*_LEAD, "conversationUrl"): (r".+/conversations/(\d+)", ("conversation",)),
        (*_APPROVAL, "id"): "approval",
        (*_APPROVAL, "url"): (r".+/approvals/(\d+)", ("approval",)),
        ("data", "import", "id"): {"file": "lead_import", "search": "search_import"},
        ("data", "import", "list", "id"): "lead_list",
        ("data", "enrichment", "id"): "enrichment",
        ("data", "enrichment", "list", "id"): "lead_list",
        ("data", "account", "id"): "account",
        ("data", "meeting", "id"): "meeting",
        ("data", "message", "id"): "message",
        ("data", "message", "conversationId"): "conversation",
    }
)


class Event(Numbered, OfWorkspace, Base):
    """An event, with the exact body that each receiver gets. `sequence` has no gaps within a workspace."""

    __tablename__ = "event"
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(
        sa.UniqueConstraint("workspace_id", "sequence"),
        sa.UniqueConstraint("workspace_id", "once"),
        sa.Index("ix_event_workspace_id_lead_id", "workspace_id", "lead_id"),
    )

    sequence: Mapped[int]
    ref: Mapped[str] = mapped_column(unique=True)
    kind: Mapped[str]
    campaign_id: Mapped[int | None] = mapped_column(sa.ForeignKey("campaign.id", ondelete="SET NULL"))
    # the lead it is about; kept after the lead's deletion
    lead_id: Mapped[int | None] = mapped_column(info=ids("lead"))
    # a unique key for events that may happen only once; None for others
    once: Mapped[str | None] = mapped_column(
        info=ids(
            (
                (r"campaign_completed:(\d+)", ("campaign",)),
                (r"email_bounced:(\d+)", ("action",)),
                (r"email_bounced:(\d+):.+", ("account",)),
                (r"meeting:(\d+)", ("meeting",)),
            )
        )
    )
    body: Mapped[str] = mapped_column(info=ids(_NAMED_BY_EVENTS))
    created_at: Mapped[datetime]


class Webhook(Numbered, IndexedOfWorkspace, Base):
    """An endpoint that receives chosen kinds of events, of all or some campaigns, in one payload version."""

    __tablename__ = "webhook"

    name: Mapped[str]
    url: Mapped[str]
    event: Mapped[str]
    more_events: Mapped[list[str] | None] = mapped_column(sa.JSON(none_as_null=True))  # after the first
    payload_version: Mapped[int] = mapped_column(server_default=sa.text("1"))  # older webhooks: 1
    campaign_ids: Mapped[list[int]] = mapped_column(default=list, info=ids("campaign"))
    active: Mapped[bool] = mapped_column(default=True)
    secret: Mapped[bytes] = mapped_column(info=sealed_for("webhook|secret|{id}|{workspace_id}"))  # sealed
    # sealed; deliveries are also signed with it until `former_until`
    former_secret: Mapped[bytes | None] = mapped_column(info=sealed_for("webhook|secret|{id}|{workspace_id}"))
    former_until: Mapped[datetime | None]
    failing_since: Mapped[datetime | None]
    failures: Mapped[int] = mapped_column(default=0)  # in a row
    unanswered: Mapped[int] = mapped_column(default=0)  # tries in a row without any response
    probe_at: Mapped[datetime | None]  # while the endpoint does not respond: when one delivery is tried; others wait
    off_reason: Mapped[str] = mapped_column(default="")  # why we switched it off; '' when its owner did
    off_at: Mapped[datetime | None]
    last_at: Mapped[datetime | None]
    last_status: Mapped[int | None]  # None though `last_at` is set: no response
    created_at: Mapped[datetime]

    @property
    def events(self) -> list[str]:
        """Return all its kinds of events."""
        return [self.event, *(self.more_events or ())]


class WebhookHour(Base):
    """How many tries of a webhook succeeded and failed in one hour, counted when they happen."""

    __tablename__ = "webhook_hour"

    webhook_id: Mapped[int] = mapped_column(sa.ForeignKey("webhook.id", ondelete="CASCADE"), primary_key=True)
    hour: Mapped[datetime] = mapped_column(primary_key=True)
    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    delivered: Mapped[int] = mapped_column(default=0)
    failed: Mapped[int] = mapped_column(default=0)


class DeliveryState(StrEnum):
    """The state of a delivery. `failed`: every attempt failed. `canceled`: the webhook was switched off."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    CANCELED = "canceled"


class Delivery(Numbered, OfWorkspace, Base):
    """One event on its way to one webhook. `event_id` is None for a test event, whose kind and body are kept here.

    It keeps the payload version that its webhook had at first, so that a repeat has the same body.

    A pending delivery without `due_at` waits until its endpoint answers again.
    """

    __tablename__ = "delivery"
    __table_args__ = table_args(
        sa.UniqueConstraint("webhook_id", "event_id"),
        partial_index("ix_delivery_due", "due_at", "webhook_id", "claimed_until", where="due_at IS NOT NULL"),
        partial_index("ix_delivery_pending", "webhook_id", "id", where="state = 'pending'"),
        partial_index("ix_delivery_failed", "done_at", where="state = 'failed'"),
        sa.Index("ix_delivery_webhook_id_id", "webhook_id", "id"),
    )

    webhook_id: Mapped[int] = mapped_column(sa.ForeignKey("webhook.id", ondelete="CASCADE"))
    event_id: Mapped[int | None] = mapped_column(sa.ForeignKey("event.id", ondelete="CASCADE"), index=True)
    payload_version: Mapped[int] = mapped_column(server_default=sa.text("1"))
    test_kind: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    test_ref: Mapped[str] = mapped_column(default="")
    test_body: Mapped[str] = mapped_column(default="", info=ids(Body({("workspaceId",): "workspace"})))
    state: Mapped[str] = mapped_column(default=DeliveryState.PENDING)
    attempts: Mapped[int] = mapped_column(default=0)  # those since the last manual repeat; the log has all
    last_at: Mapped[datetime | None]
    last_status: Mapped[int | None]
    last_error: Mapped[str] = mapped_column(default="")
    milliseconds: Mapped[int | None]
    due_at: Mapped[datetime | None]
    claimed_until: Mapped[datetime | None]
    created_at: Mapped[datetime]
    done_at: Mapped[datetime | None]


class DeliveryAttempt(Numbered, Base):
    """One try: what was answered, how long it took, or why there was no answer."""

    __tablename__ = "delivery_attempt"
    __leftovers__ = Leftovers.NOTHING

    delivery_id: Mapped[int] = mapped_column(sa.ForeignKey("delivery.id", ondelete="CASCADE"), index=True)
    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    at: Mapped[datetime]
    status: Mapped[int | None]
    milliseconds: Mapped[int]
    error: Mapped[str] = mapped_column(default="")
    request_headers: Mapped[str] = mapped_column(default="")
    response: Mapped[str] = mapped_column(default="")


D = DeliveryState
DELIVERY = Machine(
    "state",
    DeliveryState,
    {
        "deliver": move([D.PENDING], D.DELIVERED, "This delivery has already ended ({state})."),
        "fail": move([D.PENDING], D.FAILED, "This delivery has already ended ({state})."),
        "cancel": move([D.PENDING], D.CANCELED, "This delivery has already ended ({state})."),
        "redeliver": move([D.DELIVERED, D.FAILED, D.CANCELED], D.PENDING, "This delivery is already being sent."),
    },
)
