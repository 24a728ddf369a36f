"""Webhooks: whether a request to your endpoint comes from Overture, by its Standard Webhooks signature."""

from collections.abc import Mapping

from standardwebhooks import Webhook, WebhookVerificationError

from .core.models import Event

__all__ = ["WebhookVerificationError", "verify_webhook"]


def verify_webhook(secret: str, body: bytes | str, headers: Mapping[str, str]) -> Event:
    """Return the event of a request; raise WebhookVerificationError if it is forged, changed or older than 5 minutes.

    `body` is the request's body as it arrived, not parsed and written again. An event can arrive twice: store its `id`.
    """
    return Event.from_dict(Webhook(secret).verify(body, dict(headers)))
