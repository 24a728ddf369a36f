"""Cal.com: meetings from its webhooks, each signed over its whole body."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from app.ports import Booking, Credentials, Field, MeetingNews, Service
from app.providers.json_api import part_of
from app.providers.meetings import calls

SIGNATURE = "X-Cal-Signature-256"
TOLD = {
    "BOOKING_CREATED": Booking.BOOKED,
    "BOOKING_RESCHEDULED": Booking.BOOKED,
    "BOOKING_CANCELLED": Booking.CANCELED,
    "BOOKING_REJECTED": Booking.CANCELED,
}


class CalCom:
    """A `ports.MeetingService`."""

    service = Service(
        name="cal",
        title="Cal.com",
        serves=frozenset({"meetings"}),
        fields=(Field("secret", "Secret", hint="The same as in the webhook at Cal.com; at least 16 characters."),),
        guide="In Cal.com, open Settings → Developer → Webhooks and create a webhook with the address below, a secret "
        "of your own, and the triggers Booking created, rescheduled, canceled and rejected. Paste the secret here.",
        cost={},
        link="https://app.cal.com/settings/developer/webhooks",
    )

    def check(self, credentials: Credentials) -> str:
        calls.require_long(credentials.values["secret"])
        return "Bookings appear once Cal.com sends them."

    def hear(
        self, credentials: Credentials, headers: Mapping[str, str], body: bytes, now: datetime
    ) -> MeetingNews | None:
        calls.require_signed(credentials.values["secret"], body, [calls.header(headers, SIGNATURE)])
        told = calls.read(body)
        what, about = TOLD.get(str(told.get("triggerEvent"))), told.get("payload")
        if what is None:
            return None
        if not isinstance(about, dict):
            raise ValueError("The request has no meeting data.")
        return _news(what, about)


def _news(what: Booking, about: dict[str, Any]) -> MeetingNews:
    coming = about.get("attendees")
    people = [one for one in coming if isinstance(one, dict)] if isinstance(coming, list) else []
    booker = part_of(about, "responses", "email", "value")
    former = about.get("rescheduleUid")
    return MeetingNews(
        what,
        calls.ref(about.get("uid")),
        former_ref=calls.ref(former) if former and what == Booking.BOOKED else "",
        name=calls.words(people[0].get("name")) if people else "",
        addresses=calls.addresses([booker, *(one.get("email") for one in people)]),
        title=calls.words(about.get("title")),
        starts_at=calls.moment(about.get("startTime")),
        ends_at=calls.moment(about.get("endTime")),
        marks=calls.marks(about.get("metadata"), about.get("tracking"), about),
    )
