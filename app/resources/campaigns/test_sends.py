"""Tests of steps, and how they arrived, as API resources."""

from typing import Literal

from app.resources.base import Resource, Shape


class Arrival(Shape):
    """How a test email arrived, according to the headers that the receiving mail server added."""

    spam: bool
    """True if the test email is in the spam folder."""
    spf: str
    """The result of the SPF check, such as pass or fail; empty if not stated."""
    dkim: str
    """The result of the DKIM check, such as pass or fail; empty if not stated."""
    dmarc: str
    """The result of the DMARC check, such as pass or fail; empty if not stated."""
    signed_by: str
    """The domain of the DKIM signature; empty if the email is not signed."""
    unsubscribe: str
    """The List-Unsubscribe header; empty if there is none."""
    one_click: bool
    """Whether recipients can unsubscribe with one click (RFC 8058)."""


class TestSend(Resource):
    """A test of a step, sent by email to a member or to another mailbox."""

    id: int
    """The id of the test."""
    step: int
    """The position of the step in the sequence, starting at 0."""
    state: Literal["waiting", "sent", "failed", "unknown"]
    """The state of the test; `unknown` if it may or may not have been sent."""
    sender: str
    """The address of the mailbox that sends the test."""
    to: str
    """The address the test is sent to."""
    subject: str
    """The subject, which is marked as a test."""
    text: str
    """The text, with the lead's values filled in."""
    error: str
    """Why the test was not sent; empty if it was sent."""
    looking: bool
    """True while Overture is looking for the test email in the recipient's mailbox."""
    arrival: Arrival | None
    """How the test email arrived; null if it has not been found, or if `to` is not a connected mailbox."""
