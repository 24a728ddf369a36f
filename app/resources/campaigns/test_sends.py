"""Tests of steps, and how they arrived, as API resources."""

from typing import Any, Literal

from app.resources.base import Json, Resource, Shape


class Arrival(Shape):
    """How a test arrived, as the receiving mail server states it in the headers."""

    spam: bool
    """True if it is in the spam folder."""
    spf: str
    """The verdict on SPF, such as pass or fail; empty if not stated."""
    dkim: str
    """The verdict on DKIM, such as pass or fail; empty if not stated."""
    dmarc: str
    """The verdict on DMARC, such as pass or fail; empty if not stated."""
    signed_by: str
    """The domain of its DKIM signature; empty if not signed."""
    unsubscribe: str
    """The List-Unsubscribe header; empty if there is none."""
    one_click: bool
    """Whether one click unsubscribes (RFC 8058)."""


class TestSend(Resource):
    """A test of a step, sent by email to a member or to another mailbox."""

    id: int
    """The id of the test."""
    step: int
    """The position of the step, from 0."""
    state: Literal["waiting", "sent", "failed", "unknown"]
    """Where the test stands; `unknown` when the mail server’s answer was lost."""
    sender: str
    """The address of the mailbox that sends it."""
    to: str
    """Where it goes."""
    subject: str
    """The subject, marked as a test."""
    text: str
    """The text with the values of the lead."""
    error: str
    """Why it was not sent; empty otherwise."""
    looking: bool
    """Whether it is still expected in the mailbox it was sent to."""
    arrival: Arrival | None
    """How it arrived; null if not found yet, or `to` is not a connected mailbox."""

    @classmethod
    def of(cls, test: Any) -> Json:
        return cls.filled(test, arrival=Arrival.filled(test.arrival) if test.arrival else None)
