"""The next step of a person in a sequence. Pure; shared by engine, replies, withdrawals and forecast."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Channel
from app.models.campaigns import Connection, LeadState

WITHDRAW_AFTER = timedelta(days=21)  # and the network blocks a new invitation for about as long
REPLY_WAIT = timedelta(days=7)  # after the last message, before the way counts as finished without a reply
UNITS = {"hours": timedelta(hours=1), "days": timedelta(days=1)}


class LeadStatus(NamedTuple):
    """What the next place depends on: the person's senders, what is known of the connection, and their address.

    `wait_for_profile`: no profile is known, and steps that need one wait for it.
    """

    account_id: int | None
    mailbox_id: int | None
    connection: str
    invited_at: datetime | None
    accepted_at: datetime | None
    contacted: bool
    has_email: bool
    last_action_at: datetime | None
    wait_for_profile: bool = False

    @classmethod
    def of(cls, row: Any, has_email: bool, **known: Any) -> "LeadStatus":
        """Return the status of a campaign lead row; `known` overrides the row."""
        standing = cls(
            row.account_id,
            row.mailbox_id,
            row.connection,
            row.invited_at,
            row.accepted_at,
            row.contacted,
            has_email,
            row.last_action_at,
            row.wait_for_profile,
        )
        return standing._replace(**known) if known else standing


class Position(NamedTuple):
    """Where a person stands: columns of the campaign lead."""

    state: str
    step: int
    sender_id: int | None
    next_budget: str
    due_at: datetime | None
    reason: str
    part: int = 0

    def columns(self) -> dict[str, Any]:
        """Return the columns to write."""
        return {
            "state": self.state,
            "step": self.step,
            "part": self.part,
            "sender_id": self.sender_id,
            "next_budget": self.next_budget,
            "due_at": self.due_at,
            "reason": self.reason,
        }


def delay(step: Mapping[str, Any]) -> timedelta:
    """Return the wait before a step."""
    wait = step.get("delay")
    return wait["value"] * UNITS[wait["unit"]] if wait else timedelta(0)


def first_place(sequence: Sequence[Mapping[str, Any]], standing: LeadStatus, at: datetime) -> Position:
    """Return the place of a newly enrolled person."""
    place = next_place(sequence, 0, standing, at)
    if place.state == LeadState.ACTIVE and place.step == 0:
        return Position(LeadState.PENDING, 0, place.sender_id, place.next_budget, place.due_at, place.reason)
    return place


def next_place(
    sequence: Sequence[Mapping[str, Any]], step: int, standing: LeadStatus, at: datetime, *, waited: bool = False
) -> Position:
    """Return the place at `at` of a person whose steps before `step` are done, skipped or failed.

    `waited` says that the wait before `step` is over.
    """
    accepted = standing.connection == Connection.ACCEPTED
    for index in range(step, len(sequence)):
        kind = STEPS[sequence[index]["type"]]
        if kind.needs_connection and not accepted:
            if standing.connection != Connection.SENT:  # never invited, or the invitation was withdrawn
                continue
            return _waiting_for_accept(standing, index)
        if kind.channel == Channel.EMAIL and not (standing.has_email and standing.mailbox_id):
            continue
        if kind.channel == Channel.SOCIAL and standing.account_id is None:
            if standing.wait_for_profile:
                return Position(LeadState.ACTIVE, index, None, "", None, "no_profile")
            continue
        if kind.name == "connection_request" and accepted:
            continue
        base = max(at, standing.accepted_at) if kind.needs_connection and standing.accepted_at else at
        sender = standing.mailbox_id if kind.channel == Channel.EMAIL else standing.account_id
        wait = timedelta(0) if waited and index == step else delay(sequence[index])
        return Position(LeadState.ACTIVE, index, sender, kind.budget, base + wait, "")
    return _after_the_last(sequence, standing, at)


def _waiting_for_accept(standing: LeadStatus, step: int) -> Position:
    assert standing.invited_at is not None
    return Position(
        LeadState.AWAITING_ACCEPT,
        step,
        standing.account_id,
        "withdraw",
        standing.invited_at + WITHDRAW_AFTER,
        "awaiting_accept",
    )


def _after_the_last(sequence: Sequence[Mapping[str, Any]], standing: LeadStatus, at: datetime) -> Position:
    """Return the place after the last step: an invitation may still be accepted, a message still answered."""
    end = len(sequence)
    if standing.connection == Connection.SENT:
        return _waiting_for_accept(standing, end)
    if standing.contacted:
        last = max(moment for moment in (standing.accepted_at, standing.last_action_at or at) if moment)
        return Position(LeadState.ACTIVE, end, None, "end", last + REPLY_WAIT, "awaiting_reply")
    return Position(LeadState.ACTIVE, end, None, "end", at, "")
