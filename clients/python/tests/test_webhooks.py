"""What comes to an endpoint is believed only with a fresh signature of Overture's."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from overture_client import WebhookVerificationError, verify_webhook
from standardwebhooks import Webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = json.dumps(
    {
        "id": "evt_1",
        "sequence": 4,
        "type": "message_reply",
        "version": 2,
        "createdAt": "2026-03-02T09:30:15.000Z",
        "timestamp": "2026-03-02T09:30:15.000Z",
        "workspaceId": 1,
        "data": {"lead": {"id": 3}},
    }
)


def headers(at: datetime, secret: str = SECRET) -> dict[str, str]:
    """What Overture sends along, in any spelling."""
    signature = Webhook(secret).sign("evt_1", at, BODY)
    return {"Webhook-Id": "evt_1", "Webhook-Timestamp": str(int(at.timestamp())), "Webhook-Signature": signature}


def test_a_signed_event_is_read() -> None:
    """From bytes, as frameworks give them."""
    event = verify_webhook(SECRET, BODY.encode(), headers(datetime.now(UTC)))
    assert (event.id, event.type_, event.data["lead"]) == ("evt_1", "message_reply", {"id": 3})


def test_what_is_forged_changed_or_old_is_refused() -> None:
    """A secret of someone else's, another body, a recording."""
    now = datetime.now(UTC)
    other = "whsec_" + "A" * 32
    for body, sent in [
        (BODY, headers(now, other)),
        (BODY.replace("evt_1", "evt_2"), headers(now)),
        (BODY, headers(now - timedelta(minutes=6))),
        (BODY, {}),
    ]:
        with pytest.raises(WebhookVerificationError):
            verify_webhook(SECRET, body, sent)
