"""Webhooks, their deliveries, and events for polling."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from app.models import webhooks
from app.resources.base import EventKind, Json, Resource, Shape, Values


class Event(Resource):
    """An event, as sent to webhooks."""

    id: str
    """The id of the event."""
    sequence: int
    """The event's number in the workspace, one higher than for the previous event."""
    type: EventKind
    """The kind of event, such as `message_reply`."""
    version: int | None = None
    """The version of the payload; absent in events created before version 2."""
    created_at: datetime
    """When it happened. Events can be recorded later than that, so sort by `sequence`."""
    timestamp: datetime
    """The same time as `createdAt`, under the name of the Standard Webhooks specification."""
    workspace_id: int
    """The id of the workspace in which the event happened."""
    data: dict[str, Any]
    """The data of the event. The fields depend on `type`; see the webhook with that name."""

    @classmethod
    def of(cls, event: Any) -> Json:
        body: Json = json.loads(event.body)
        return body


class Webhook(Resource):
    """A URL on your server to which events are sent."""

    id: int
    """The id of the webhook."""
    name: str
    """The name of the webhook."""
    url: str
    """The URL that events are sent to."""
    event: EventKind
    """The first of `events`."""
    events: list[EventKind]
    """The types of events that the webhook receives."""
    campaign_ids: list[int]
    """The ids of the campaigns to receive events from; empty for all, including events without a campaign."""
    active: bool
    """Whether the webhook is active; a paused webhook receives no new events."""
    payload_version: int
    """The version of the payload: 2 or, for older receivers, 1 with fewer fields."""
    created_at: datetime
    """When the webhook was created."""


class WebhookCreated(Webhook):
    """A webhook with a new signing secret, which is returned only here."""

    secret: str
    """The signing secret: `whsec_` and the key in base64. To use the secret, see the header `webhook-signature`."""

    @classmethod
    def of(cls, webhook: webhooks.Webhook, secret: str) -> Json:  # type: ignore[override]
        return cls.filled(webhook, secret=secret)


class Delivery(Resource):
    """The delivery of an event to a webhook, with its last attempt."""

    id: int
    """The id of the delivery."""
    webhook_id: int
    """The id of the webhook."""
    event_id: str
    """The id of the event."""
    event: EventKind
    """The kind of event."""
    test: bool
    """True for a test event, which has no `sequence`."""
    state: webhooks.DeliveryState
    """The state of the delivery."""
    attempts: int
    """The attempts since the event was last queued; checks of whether your endpoint responds again don't count."""
    status: int | None
    """The HTTP status of your endpoint's last response; null if there was no response."""
    error: str
    """Why the last attempt failed; empty if it succeeded."""
    milliseconds: int | None
    """How many milliseconds the last attempt took; null before the first attempt."""
    created_at: datetime
    """When the delivery was created. In a sandbox, too, all times of a delivery are real times."""
    last_attempt_at: datetime | None
    """When the last attempt was made; null before the first attempt."""
    next_attempt_at: datetime | None
    """When the next attempt is made; null if there will be none. Also null for a `pending` delivery to an endpoint that
    does not respond: the next attempt follows the first event that it accepts again.
    """
    finished_at: datetime | None
    """When the delivery succeeded or was given up; null while attempts continue."""

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
    """An event that your endpoint did not receive."""

    delivery_id: int
    """The id of the delivery that failed."""
    reason: Literal["given_up", "skipped"]
    """Why the event was not received: `given_up` if every attempt failed, `skipped` if the webhook was off."""
    status: int | None
    """The HTTP status of your endpoint's last response; null if there was no response."""
    error: str
    """Why the last attempt failed."""
    attempts: int
    """The number of attempts, as in a delivery."""
    missed_at: datetime
    """When the last attempt failed or, if the webhook was off, when the event was skipped: a real time."""
    event: Event
    """The event, in the format of `GET /v1/events`."""

    @classmethod
    def of(cls, delivery: Any) -> Json:
        return cls.filled(
            delivery,
            delivery_id=delivery.id,
            reason="given_up" if delivery.state == webhooks.DeliveryState.FAILED else "skipped",
            status=delivery.last_status,
            error=delivery.last_error,
            missed_at=delivery.done_at,
            event=delivery,
        )


class DeliveryTry(Shape):
    """An attempt to deliver an event, with the request headers and the response."""

    at: datetime
    """When the attempt was made."""
    status: int | None
    """The HTTP status of your endpoint's response; null if there was no response."""
    milliseconds: int
    """How many milliseconds the attempt took."""
    error: str
    """Why the attempt failed; empty if it succeeded."""
    request_headers: str
    """The request headers that were sent."""
    response: str
    """The first 4,096 bytes of the response body."""


class DeliveryDetail(Delivery):
    """A delivery, with its request body and last attempts."""

    body: str
    """The request body, as text."""
    tries: list[DeliveryTry]
    """The last 20 attempts, newest first."""

    @classmethod
    def of(cls, delivery: Any, tries: Sequence[Any]) -> Json:  # type: ignore[override]
        return {**Delivery.of(delivery), "body": delivery.body, "tries": [DeliveryTry.filled(one) for one in tries]}


class ReplayResult(Values):
    """The events that are being sent again."""

    deliveries: int
    """How many events are being sent again, not counting those that were waiting to be sent already."""
