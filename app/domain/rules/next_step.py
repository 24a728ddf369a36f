"""The next step of a person in a sequence. Pure; shared by engine, replies, withdrawals and forecast."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from app.domain.rules.sequences import branches, conditions
from app.domain.rules.sequences.branches import OTHERWISE, WHEN, Flow, Route
from app.domain.rules.sequences.conditions import NOTHING_KNOWN, PersonFacts
from app.domain.rules.sequences.step_keys import key_of
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Channel
from app.models.campaigns import ASK, Connection, LeadState

REPLY_WAIT = timedelta(days=7)  # after the last message, before the person counts as finished without a reply


class LeadStatus(NamedTuple):
    """What the next place depends on: the person's senders, what is known of the connection, and their address.

    `wait_for_profile`: no profile is known, and steps that need one wait for it. `route` is what was decided for them
    on the way, `facts` what conditions ask of them, `skips` the keys of steps ahead that are not for them again.
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
    route: Route | None = None
    facts: PersonFacts = NOTHING_KNOWN
    skips: Sequence[int] = ()

    @classmethod
    def of(cls, row: Any, has_email: bool, facts: PersonFacts = NOTHING_KNOWN, **known: Any) -> "LeadStatus":
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
            row.route,
            facts,
            row.skip_steps or (),
        )
        return standing._replace(**known) if known else standing

    def sender_of(self, channel: str) -> int | None:
        """Return the sender of the person's steps of that channel; '' is whichever they have."""
        if channel == Channel.EMAIL:
            return self.mailbox_id
        return self.account_id if channel or self.account_id is not None else self.mailbox_id


class Position(NamedTuple):
    """A person's place in the sequence, as columns of the campaign lead. Without a `route` the stored one stays.

    `step_due_at`: when the next step is due, if the invitation is withdrawn during the wait before that step.
    """

    state: str
    step: int
    sender_id: int | None
    next_budget: str
    due_at: datetime | None
    reason: str
    part: int = 0
    route: Route | None = None
    step_due_at: datetime | None = None

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
            "step_due_at": self.step_due_at,
            **({"route": self.route} if self.route else {}),
        }

    def give(self, person: Any) -> None:
        """Write the columns to a loaded campaign lead."""
        for column, value in self.columns().items():
            setattr(person, column, value)


def delay(step: Mapping[str, Any]) -> timedelta:
    """Return the wait before a step."""
    wait = step.get("delay")
    return conditions.length(wait) if wait else timedelta(0)


def first_place(flow: Flow, standing: LeadStatus, at: datetime) -> Position:
    """Return the place of a newly enrolled person."""
    place = next_place(flow, 0, standing, at)
    if place.state == LeadState.ACTIVE and place.step in (0, flow.begins(place.route)) and place.next_budget != "end":
        return place._replace(state=LeadState.PENDING)
    return place


def next_place(
    flow: Flow,
    step: int,
    standing: LeadStatus,
    at: datetime,
    *,
    waited: bool = False,
    step_due_at: datetime | None = None,
) -> Position:
    """Return the place at `at` of a person whose steps before `step` are done, skipped or failed.

    `waited` says that the wait before `step` is over, `step_due_at` when it will be.
    """
    known = at if waited else step_due_at
    index = step
    while index < len(flow.sequence):
        route = standing.route
        standing, there, until = _take_sides(flow, index, standing, at)
        if until:
            return _waiting_for_answer(standing, index, until)
        known = known if standing.route is route else None
        if there != index:
            index = there
            continue
        if (key := key_of(flow.sequence, index)) in standing.skips:
            index += 1
            continue
        if when := flow.sequence[index].get("when"):
            answer = conditions.ask(when, standing, at)
            if answer.until:
                return _waiting_for_answer(standing, index, answer.until)
            if not answer.holds:
                standing = standing._replace(route=branches.passed(standing.route, key, at))
                index += 1
                continue
        place = _place_at(flow, index, standing, at, known if index == step else None)
        if place is not None:
            return place
        index += 1
    return _after_the_last(flow, standing, at)


def _take_sides(flow: Flow, index: int, standing: LeadStatus, at: datetime) -> tuple[LeadStatus, int, datetime | None]:
    """Decide which side of each branch around a step the person takes, where it is not decided yet, outermost first.

    Return the status with the sides taken, the step they lead to, and until when the answer to one is waited for.
    """
    for name, branch in flow.around(index):
        side = branches.side_of(standing.route, name)
        if not side:
            answer = conditions.ask(branch["when"], standing, at)
            if answer.until:
                return standing, index, answer.until
            side = WHEN if answer.holds else OTHERWISE
            standing = standing._replace(route=branches.decided(standing.route, name, side, at))
        if (there := branches.entered(branch, side, index)) != index:
            return standing, there, None
    return standing, index, None


def _place_at(
    flow: Flow, index: int, standing: LeadStatus, at: datetime, step_due_at: datetime | None
) -> Position | None:
    """Return the place of a person who reaches that step; None when they can't have it."""
    accepted = standing.connection == Connection.ACCEPTED
    kind = STEPS[flow.sequence[index]["type"]]
    if kind.needs_connection and not accepted:
        if standing.connection != Connection.SENT:  # never invited, or the invitation was withdrawn
            return None
        return _waiting_for_accept(flow, standing, index)
    if kind.channel == Channel.EMAIL and not (standing.has_email and standing.mailbox_id):
        return None
    if kind.channel == Channel.SOCIAL and standing.account_id is None:
        if standing.wait_for_profile:
            return Position(LeadState.ACTIVE, index, None, "", None, "no_profile", route=standing.route)
        return None
    if kind.name == "connection_request" and accepted:
        return None
    base = max(at, standing.accepted_at) if kind.needs_connection and standing.accepted_at else at
    sender = standing.sender_of(kind.channel)
    if sender is None:
        return None
    due = max(base, step_due_at) if step_due_at else base + delay(flow.sequence[index])
    place = Position(LeadState.ACTIVE, index, sender, kind.budget, due, "", route=standing.route)
    return withdrawn_before(flow, standing, place, at)


def withdrawn_before(flow: Flow, standing: LeadStatus, place: Position, at: datetime) -> Position:
    """Return the place, or the withdrawal of an open invitation whose time ends in the wait before that step."""
    if standing.connection != Connection.SENT or not place.due_at:
        return place
    if max(at, _withdrawn_at(flow, standing)) >= place.due_at:
        return place
    return _waiting_for_accept(flow, standing, place.step)._replace(step_due_at=place.due_at)


def _waiting_for_accept(flow: Flow, standing: LeadStatus, step: int) -> Position:
    due = _withdrawn_at(flow, standing)
    return Position(
        LeadState.AWAITING_ACCEPT, step, standing.account_id, "withdraw", due, "awaiting_accept", route=standing.route
    )


def _withdrawn_at(flow: Flow, standing: LeadStatus) -> datetime:
    assert standing.invited_at is not None
    return standing.invited_at + flow.withdraw_after(standing.route)


def _waiting_for_answer(standing: LeadStatus, step: int, until: datetime) -> Position:
    """Return the place of a person whose invitation may still be accepted in time for a condition."""
    return Position(
        LeadState.AWAITING_ACCEPT, step, standing.account_id, ASK, until, "awaiting_accept", route=standing.route
    )


def _after_the_last(flow: Flow, standing: LeadStatus, at: datetime) -> Position:
    """Return the place after the last step: an invitation may still be accepted, a message still answered."""
    end = len(flow.sequence)
    if standing.connection == Connection.SENT:
        return _waiting_for_accept(flow, standing, end)
    if standing.contacted:
        last = max(moment for moment in (standing.accepted_at, standing.last_action_at or at) if moment)
        return Position(LeadState.ACTIVE, end, None, "end", last + REPLY_WAIT, "awaiting_reply", route=standing.route)
    return Position(LeadState.ACTIVE, end, None, "end", at, "", route=standing.route)
