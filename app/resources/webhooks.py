"""Webhooks and their deliveries."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import Field

from app.models import webhooks
from app.resources.base import Json, Resource, Shape


class Webhook(Resource):
    """An endpoint that gets one kind of event."""

    id: int
    name: str
    url: str
    event: str
    campaign_ids: list[int]
    active: bool
    created_at: datetime


class WebhookCreated(Webhook):
    """A new webhook with its signing secret, which is given out only now."""

    secret: str

    @classmethod
    def of(cls, webhook: webhooks.Webhook, secret: str) -> Json:  # type: ignore[override]
        """The webhook and its secret."""
        return {**Webhook.of(webhook), "secret": secret}


class Delivery(Resource):
    """One event on its way to a webhook, and how it went last time. `test` events have no number."""

    id: int
    webhook_id: int
    event_id: str
    event: str
    test: bool
    state: webhooks.DeliveryState
    attempts: int
    status: int | None = Field(description="What the endpoint answered last; null when it did not answer.")
    error: str
    milliseconds: int | None
    created_at: datetime
    last_attempt_at: datetime | None
    next_attempt_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def of(cls, delivery: Any) -> Json:
        """The delivery as its log has it."""
        return {
            "id": delivery.id,
            "webhookId": delivery.webhook_id,
            "eventId": delivery.ref,
            "event": delivery.kind,
            "test": bool(delivery.test),
            "state": delivery.state,
            "attempts": delivery.attempts,
            "status": delivery.last_status,
            "error": delivery.last_error,
            "milliseconds": delivery.milliseconds,
            "createdAt": delivery.created_at,
            "lastAttemptAt": delivery.last_at,
            "nextAttemptAt": delivery.due_at,
            "finishedAt": delivery.done_at,
        }


class DeliveryTry(Shape):
    """One try of a delivery: what was sent beside the body, and what came back."""

    at: datetime
    status: int | None = Field(description="What the endpoint answered; null when it did not answer.")
    milliseconds: int
    error: str
    request_headers: str
    response: str = Field(description="The beginning of the answer.")


class DeliveryDetail(Delivery):
    """A delivery with the body that is sent and its last tries, newest first."""

    body: str
    tries: list[DeliveryTry]

    @classmethod
    def of(cls, delivery: Any, tries: Sequence[Any]) -> Json:  # type: ignore[override]
        """The delivery and what was tried."""
        names = {name: field.alias or name for name, field in DeliveryTry.model_fields.items()}
        shown = [{alias: getattr(one, name) for name, alias in names.items()} for one in tries]
        return {**Delivery.of(delivery), "body": delivery.body, "tries": shown}


class ReplayResult(Resource):
    """How many events are on their way again."""

    deliveries: int

    @classmethod
    def of(cls, count: int) -> Json:
        """The count as a result."""
        return {"deliveries": count}
