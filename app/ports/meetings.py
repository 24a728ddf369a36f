"""Services at which people book meetings, and what they tell of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from app.ports.services import Credentials, Service


class Booking(StrEnum):
    """What became of a meeting."""

    BOOKED = "booked"
    CANCELED = "canceled"


@dataclass(frozen=True)
class MeetingNews:
    """A service's report about one meeting. `former_ref` is the meeting that this one replaces.

    `addresses`: those of the participants, the one who booked first. `marks`: texts that may hold our link's token.
    """

    what: Booking
    ref: str
    former_ref: str = ""
    name: str = ""
    addresses: tuple[str, ...] = ()
    title: str = ""
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    marks: tuple[str, ...] = ()


class MeetingService(Protocol):
    """Reads the webhooks of a service, which serves `meetings`."""

    @property
    def service(self) -> Service:
        """Return the service it connects to."""

    def check(self, credentials: Credentials) -> str:
        """Return a sentence about what is left to do at the service."""

    def hear(
        self, credentials: Credentials, headers: Mapping[str, str], body: bytes, now: datetime
    ) -> MeetingNews | None:
        """Return what a signed call tells, None for what is about no meeting.

        Raise Refused without a right signature, and ValueError for a signed call that can't be read.
        """
