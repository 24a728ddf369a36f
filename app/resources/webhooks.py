"""Webhooks, their deliveries, and events for polling."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from app.models import webhooks
from app.resources.base import Json, Resource, Shape


class Event(Resource):
    """An event, as sent to webhooks. `sequence` has no gaps in a workspace."""

    id: str
    """The id of the event."""
    sequence: int
    """The event's number; each event of a workspace has the next one."""
    type: str
    """The kind of event, such as `message_reply`."""
    version: int | None = None
    """The payload version; absent in events from before version 2."""
    created_at: datetime
    """When the event was created."""
    timestamp: datetime
    """The same time as `createdAt`, under the name of the Standard Webhooks specification."""
    workspace_id: int
    """The workspace."""
    data: dict[str, Any]
    """What happened; its fields depend on `type`, as described under the webhook of that name."""

    @classmethod
    def of(cls, event: Any) -> Json:
        body: Json = json.loads(event.body)
        return body


class Webhook(Resource):
    """An endpoint for one or several kinds of events. It keeps its payload version until you change it."""

    id: int
    """The id of the webhook."""
    name: str
    """The name of the webhook."""
    url: str
    """The address events are sent to."""
    event: str
    """The first of `events`."""
    events: list[str]
    """The kinds of event it gets."""
    campaign_ids: list[int]
    """The campaigns it gets events of; empty for all."""
    active: bool
    """False if you paused it; then events are not sent."""
    payload_version: int
    """The version of the payload: 2, or 1 with fewer fields for older receivers."""
    created_at: datetime
    """When the webhook was created."""


class WebhookCreated(Webhook):
    """A webhook with its new signing secret, which is shown only now."""

    secret: str
    """The signing secret: `whsec_` and the key in base64. `webhook-signature` describes how to verify with it."""

    @classmethod
    def of(cls, webhook: webhooks.Webhook, secret: str) -> Json:  # type: ignore[override]
        return {**Webhook.of(webhook), "secret": secret}


class Delivery(Resource):
    """The delivery of an event to a webhook, and its last attempt."""

    id: int
    """The id of the delivery."""
    webhook_id: int
    """The webhook."""
    event_id: str
    """The id of the event."""
    event: str
    """The kind of event."""
    test: bool
    """True for a test event, which has no `sequence`."""
    state: webhooks.DeliveryState
    """The state of the delivery."""
    attempts: int
    """How often it was tried."""
    status: int | None
    """The endpoint's last response; null when it did not respond."""
    error: str
    """Why the last attempt failed; empty if it did not."""
    milliseconds: int | None
    """How long the last attempt took; null before the first."""
    created_at: datetime
    """When the delivery was created."""
    last_attempt_at: datetime | None
    """When it was last tried; null before the first attempt."""
    next_attempt_at: datetime | None
    """When it is tried again; null if it is not."""
    finished_at: datetime | None
    """When it ended, whatever the outcome; null while it is tried."""

    @classmethod
    def of(cls, delivery: Any) -> Json:
        return cls.filled(
            delivery,
            event_id=delivery.ref,
            event=delivery.kind,
            test=bool(delivery.test),
            status=delivery.last_status,
            error=delivery.last_error,
            last_attempt_at=delivery.last_at,
            next_attempt_at=delivery.due_at,
            finished_at=delivery.done_at,
        )


class Gap(Resource):
    """An event the endpoint never received, in the format of `GET /v1/events`, and why."""

    delivery_id: int
    """The delivery that failed."""
    reason: Literal["given_up", "skipped"]
    """`given_up`: no attempt succeeded. `skipped`: the webhook was off, or was switched off."""
    status: int | None
    """The endpoint's last response; null when there was none."""
    error: str
    """Why the last attempt failed."""
    attempts: int
    """How often it was tried."""
    missed_at: datetime
    """When we stopped trying, or the webhook was off."""
    event: Event
    """The event."""

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
    """When it was tried."""
    status: int | None
    """The endpoint's response; null when it did not respond."""
    milliseconds: int
    """How long it took."""
    error: str
    """Why it failed; empty if it did not."""
    request_headers: str
    """The headers that were sent."""
    response: str
    """The first part of the response body."""


class DeliveryDetail(Delivery):
    """A delivery with its body and last attempts, newest first."""

    body: str
    """The body that is sent, as text."""
    tries: list[DeliveryTry]
    """The last attempts, newest first."""

    @classmethod
    def of(cls, delivery: Any, tries: Sequence[Any]) -> Json:  # type: ignore[override]
        shown = [DeliveryTry.filled(one) for one in tries]
        return {**Delivery.of(delivery), "body": delivery.body, "tries": shown}


class ReplayResult(Resource):
    """The number of events being sent again."""

    deliveries: int
    """How many events are sent again."""

    @classmethod
    def of(cls, count: int) -> Json:
        return {"deliveries": count}
