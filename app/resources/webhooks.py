"""Webhooks and their deliveries."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.models import webhooks
from app.resources.base import Json, Resource, Shape
from app.resources.events import Event


class Webhook(Resource):
    """An endpoint for one or several kinds of events. It keeps its payload version until you change it."""

    id: int
    name: str
    url: str
    event: str = Field(description="The first of `events`.")
    events: list[str]
    campaign_ids: list[int]
    active: bool
    payload_version: int
    created_at: datetime


class WebhookCreated(Webhook):
    """A new webhook with its signing secret, which is shown only now."""

    secret: str

    @classmethod
    def of(cls, webhook: webhooks.Webhook, secret: str) -> Json:  # type: ignore[override]
        return {**Webhook.of(webhook), "secret": secret}


class Delivery(Resource):
    """The delivery of an event to a webhook, and its last attempt. `test` events have no number."""

    id: int
    webhook_id: int
    event_id: str
    event: str
    test: bool
    state: webhooks.DeliveryState
    attempts: int
    status: int | None = Field(description="The endpoint's last response; null when it did not respond.")
    error: str
    milliseconds: int | None
    created_at: datetime
    last_attempt_at: datetime | None
    next_attempt_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def of(cls, delivery: Any) -> Json:
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


class Gap(Resource):
    """An event the endpoint never received, in the format of `GET /v1/events`, and why."""

    delivery_id: int
    reason: Literal["given_up", "skipped"] = Field(
        description="`given_up`: no attempt succeeded. `skipped`: the webhook was off, or was switched off."
    )
    status: int | None = Field(description="The endpoint's last response; null when there was none.")
    error: str
    attempts: int
    missed_at: datetime
    event: Event

    @classmethod
    def of(cls, delivery: Any) -> Json:
        given_up = delivery.state == webhooks.DeliveryState.FAILED
        return {
            "deliveryId": delivery.id,
            "reason": "given_up" if given_up else "skipped",
            "status": delivery.last_status,
            "error": delivery.last_error,
            "attempts": delivery.attempts,
            "missedAt": delivery.done_at,
            "event": Event.of(delivery),
        }


class DeliveryTry(Shape):
    """One attempt of a delivery: request headers and response."""

    at: datetime
    status: int | None = Field(description="The endpoint's response; null when it did not respond.")
    milliseconds: int
    error: str
    request_headers: str
    response: str = Field(description="The first part of the response body.")


class DeliveryDetail(Delivery):
    """A delivery with its body and last attempts, newest first."""

    body: str
    tries: list[DeliveryTry]

    @classmethod
    def of(cls, delivery: Any, tries: Sequence[Any]) -> Json:  # type: ignore[override]
        names = {name: field.alias or name for name, field in DeliveryTry.model_fields.items()}
        shown = [{alias: getattr(one, name) for name, alias in names.items()} for one in tries]
        return {**Delivery.of(delivery), "body": delivery.body, "tries": shown}


class ReplayResult(Resource):
    """The number of events being sent again."""

    deliveries: int

    @classmethod
    def of(cls, count: int) -> Json:
        return {"deliveries": count}
