"""Calendly: meetings from its webhooks, each signed together with the moment of the call."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from app.ports import Booking, Credentials, Field, MeetingNews, Refused, Service
from app.providers.json_api import part_of
from app.providers.meetings import calls

SIGNATURE = "Calendly-Webhook-Signature"
TOLERANCE = 300  # seconds between its clock and ours
TOLD = {"invitee.created": Booking.BOOKED, "invitee.canceled": Booking.CANCELED}


class Calendly:
    """A `ports.MeetingService`."""

    service = Service(
        name="calendly",
        title="Calendly",
        serves=frozenset({"meetings"}),
        fields=(Field("secret", "Signing key", hint="The signing_key of the webhook; at least 16 characters."),),
        guide="Create a webhook with Calendly's API (POST /webhook_subscriptions): the address below as url, "
        "invitee.created and invitee.canceled as events, and a signing_key of your own. Paste the key here.",
        cost={},
        link="https://calendly.com/integrations/api_webhooks",
    )

    def check(self, credentials: Credentials) -> str:
        calls.require_long(credentials.values["secret"])
        return "Bookings appear once Calendly sends them."

    def hear(
        self, credentials: Credentials, headers: Mapping[str, str], body: bytes, now: datetime
    ) -> MeetingNews | None:
        _require_signed(credentials.values["secret"], calls.header(headers, SIGNATURE), body, now)
        told = calls.read(body)
        what, about = TOLD.get(str(told.get("event"))), told.get("payload")
        if what is None:
            return None
        if not isinstance(about, dict):
            raise ValueError("The request has no meeting data.")
        if what == Booking.CANCELED and about.get("rescheduled") is True:
            return None  # the call about the new meeting names this one
        return _news(what, about)


def _require_signed(secret: str, written: str, body: bytes, now: datetime) -> None:
    parts = [part.strip().partition("=") for part in written[:2000].split(",")]
    moments = [value for name, _, value in parts if name == "t"]
    at = moments[0] if len(moments) == 1 and moments[0].isascii() and moments[0].isdigit() else ""
    if not at:
        raise Refused(calls.UNSIGNED)
    calls.require_signed(secret, f"{at}.".encode() + body, [value for name, _, value in parts if name == "v1"][:5])
    if abs(int(at) - now.timestamp()) > TOLERANCE:
        raise Refused("This request is too old.")


def _news(what: Booking, about: dict[str, Any]) -> MeetingNews:
    meeting, former = about.get("scheduled_event"), about.get("old_invitee")
    return MeetingNews(
        what,
        calls.ref(about.get("uri")),
        former_ref=calls.ref(former) if former and what == Booking.BOOKED else "",
        name=calls.words(about.get("name")),
        addresses=calls.addresses([about.get("email")]),
        title=calls.words(part_of(meeting, "name")),
        starts_at=calls.moment(part_of(meeting, "start_time")),
        ends_at=calls.moment(part_of(meeting, "end_time")),
        marks=calls.marks(about.get("tracking")),
    )
