"""Webhooks, their secrets and deliveries."""

from datetime import datetime
from typing import Annotated, Any

import sqlalchemy as sa

from app import resources
from app.api.framework.bodies import AtMost, Body, Moment
from app.api.framework.endpoint import Filter, endpoint, moment_of, one_of
from app.api.framework.schema_notes import A_NAME, AN_ID, RECEIVER, among, any_one_of, case, described_as, entries
from app.domain.webhooks import delivery_log, endpoints, payload_versions
from app.domain.webhooks.events import EVENTS
from app.domain.workspace.workspaces import Workspace

Webhook = Any  # a row of the domain's
URL: Any = described_as(pattern=r"^\s*https?://\S+\s*$", **RECEIVER)
EventName = Annotated[str, among(*EVENTS)]
SeveralEvents = Annotated[list[EventName], entries(least=1)]
PayloadVersion = Annotated[int, among(*payload_versions.VERSIONS)]
_EVENT = one_of(*EVENTS)
Campaigns = Annotated[list[Annotated[int, AN_ID]], AtMost(endpoints.MOST_CAMPAIGNS)]


class NewWebhook(Body):
    """An endpoint on your server, and the events it receives."""

    model_config = any_one_of(
        case("`event`, for one type of event.", "event"), case("`events`, for several types of events.", "events")
    )

    name: Annotated[str, A_NAME]
    """The name of the webhook."""
    url: Annotated[str, URL]
    """The URL that events are sent to."""
    event: EventName | None = None
    """One type of event; for several, send `events`."""
    events: SeveralEvents | None = None
    """The types of events; there is no word for all. If you also send `event`, that type comes first."""
    campaign_ids: Campaigns = []
    """The ids of the campaigns to receive events from; empty for all, including events without a campaign."""
    active: bool = True
    """Whether the webhook is active; a paused webhook receives no new events."""
    payload_version: PayloadVersion = payload_versions.CURRENT
    """The version of the payload: 2 or, for older receivers, 1 with fewer fields."""


class ChangedWebhook(Body):
    """The fields to change; fields you leave out stay the same."""

    name: Annotated[str, A_NAME] | None = None
    """The name of the webhook."""
    url: Annotated[str, URL] | None = None
    """The URL that events are sent to."""
    event: EventName | None = None
    """One type of event, which replaces all others; for several, send `events`."""
    events: SeveralEvents | None = None
    """The types of events, which replace all others. If you also send `event`, that type comes first."""
    campaign_ids: Campaigns | None = None
    """The ids of the campaigns to receive events from; empty for all, including events without a campaign."""
    active: bool | None = None
    """Whether the webhook is active; a paused webhook receives no new events."""
    payload_version: PayloadVersion | None = None
    """The version of the payload: 2 or, for older receivers, 1 with fewer fields."""


class Since(Body):
    """The time from which events are sent again."""

    since: Moment
    """The `createdAt` of the first event that is sent again, or an earlier time, even before the webhook was made."""


@endpoint("GET", "/webhooks", scope="webhooks:read", page_of=resources.Webhook)
def page(workspace: Workspace) -> sa.Select[Webhook]:
    """List webhooks without their secrets, newest first."""
    return endpoints.page(workspace)


@endpoint(
    "POST",
    "/webhooks",
    scope="webhooks:write",
    body=NewWebhook,
    returns=resources.WebhookCreated,
    status=201,
    example={"name": "Replies", "url": "https://example.com/hooks", "events": ["message_reply", "campaign_completed"]},
)
def create(workspace: Workspace, body: NewWebhook) -> tuple[Webhook, str]:
    """Create a webhook; its signing secret is only in this response.

    Your endpoint must respond with 2xx within 15 seconds; otherwise, delivery is retried for 3 days, after 5 seconds to
    24 hours; while your endpoint does not respond at all, one delivery is tried every minute and the others wait. A
    webhook whose endpoint fails for 5 days is switched off; if the endpoint responds with 410, the webhook is switched
    off immediately. Events may arrive twice or out of order: ignore events with a repeated `webhook-id`, and sort by
    `sequence`. If you lose the secret, repeat the request with the same `Idempotency-Key`, or rotate the secret.
    """
    return endpoints.create(workspace, **body.model_dump())


@endpoint("GET", "/webhooks/<id:webhook_id>", scope="webhooks:read", returns=resources.Webhook)
def get(workspace: Workspace, webhook_id: int) -> Webhook:
    """Get a webhook."""
    return endpoints.get(workspace, webhook_id)


@endpoint("PATCH", "/webhooks/<id:webhook_id>", scope="webhooks:write", body=ChangedWebhook, returns=resources.Webhook)
def update(workspace: Workspace, webhook_id: int, body: ChangedWebhook) -> Webhook:
    """Change a webhook. While a webhook is paused, no new events are sent; `…/gaps` lists the missed events.

    Test events, and events that you resend, are sent to a paused webhook, too, but only once. The secret does not
    change. If you change the URL, later attempts go to the new URL.
    """
    return endpoints.update(workspace, webhook_id, **body.model_dump(exclude_none=True))


@endpoint("DELETE", "/webhooks/<id:webhook_id>", scope="webhooks:write", returns=None)
def delete(workspace: Workspace, webhook_id: int) -> None:
    """Delete a webhook and its pending deliveries.

    Events are kept, and can still be read with `GET /v1/events`.
    """
    endpoints.delete(workspace, webhook_id)


@endpoint(
    "POST",
    "/webhooks/<id:webhook_id>/test",
    scope="webhooks:write",
    returns=resources.Delivery,
    status=201,
    filters={
        "event": Filter(_EVENT.parse, _EVENT.schema, "The type of event to send; by default, the webhook's first.")
    },
)
def send_test(workspace: Workspace, webhook_id: int, event: str | None = None) -> Any:
    """Send a test event to a webhook, marked as a test.

    The event is sent once, in the background; get its delivery to see the endpoint's response. `GET /v1/events` does
    not list test events.
    """
    return delivery_log.get(workspace, endpoints.send_test(workspace, webhook_id, event).id)


@endpoint("POST", "/webhooks/<id:webhook_id>/rotate-secret", scope="webhooks:write", returns=resources.WebhookCreated)
def rotate_secret(workspace: Workspace, webhook_id: int) -> tuple[Webhook, str]:
    """Rotate a webhook's secret; for 24 hours, events are signed with both the old and the new secret.

    The new secret is only in this response. Switch your receiver to the new secret within these 24 hours.
    """
    return endpoints.rotate_secret(workspace, webhook_id)


@endpoint(
    "GET",
    "/webhooks/<id:webhook_id>/deliveries",
    scope="webhooks:read",
    page_of=resources.Delivery,
    filters={"state": one_of(*delivery_log.STATES, about="Only deliveries in this state.")},
)
def log(workspace: Workspace, webhook_id: int, state: str | None = None) -> sa.Select[*tuple[Any, ...]]:
    """List a webhook's deliveries, newest first; by default, they are kept for 30 days."""
    return delivery_log.page(workspace, webhook_id, state)


@endpoint(
    "GET",
    "/webhooks/<id:webhook_id>/gaps",
    scope="webhooks:read",
    page_of=resources.Gap,
    filters={"since": moment_of("Only events whose `missedAt`, a real time also in a sandbox, is this time or later.")},
    oldest_first=True,
)
def gaps_page(workspace: Workspace, webhook_id: int, since: datetime | None = None) -> sa.Select[*tuple[Any, ...]]:
    """List the events that a webhook's endpoint never received, oldest first.

    To send an event again, use `POST /v1/deliveries/{deliveryId}/redeliver`; once the event arrives, it is no longer
    listed.
    """
    return delivery_log.gaps(workspace, webhook_id, since)


@endpoint(
    "POST",
    "/webhooks/<id:webhook_id>/replay",
    scope="webhooks:write",
    body=Since,
    returns=resources.ReplayResult,
    status=202,
    example={"since": "2026-03-02T09:00:00Z"},
)
def replay(workspace: Workspace, webhook_id: int, body: Since) -> int:
    """Resend every event of the webhook's types and campaigns since a given time, with the same `webhook-id`.

    A paused webhook receives them, too, each only once. Ignore repeated events by their `webhook-id`.
    """
    return delivery_log.replay(workspace, webhook_id, body.since)


@endpoint("GET", "/deliveries/<id:delivery_id>", scope="webhooks:read", returns=resources.DeliveryDetail)
def delivery(workspace: Workspace, delivery_id: int) -> tuple[Any, Any]:
    """Get a delivery with its request body and last 20 attempts."""
    return delivery_log.get(workspace, delivery_id), delivery_log.attempts(workspace, delivery_id)


@endpoint("POST", "/deliveries/<id:delivery_id>/redeliver", scope="webhooks:write", returns=resources.Delivery)
def redeliver(workspace: Workspace, delivery_id: int) -> Any:
    """Send an event again, with the same id and body.

    Returns 409 while the event is being sent, or if its content was deleted after the retention period.
    """
    return delivery_log.redeliver(workspace, delivery_id)
