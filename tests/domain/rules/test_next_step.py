"""Where a person goes next in a sequence."""

from datetime import UTC, datetime, timedelta
from typing import Any

from app.domain.rules import next_step
from app.domain.rules.next_step import LeadStatus
from app.domain.rules.sequences.branches import Flow

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)
ADA = LeadStatus(
    account_id=1,
    mailbox_id=2,
    connection="none",
    invited_at=None,
    accepted_at=None,
    contacted=False,
    has_email=True,
    last_action_at=None,
)
INVITED = ADA._replace(connection="sent", invited_at=NOW, contacted=True, last_action_at=NOW)
ACCEPTED = INVITED._replace(connection="accepted", accepted_at=NOW + timedelta(hours=5))
STEPS: list[dict[str, Any]] = [
    {"type": "view_profile"},
    {"type": "connection_request", "delay": {"value": 2, "unit": "hours"}},
    {"type": "message", "delay": {"value": 1, "unit": "days"}},
    {"type": "email"},
]


def test_the_first_step_is_due_at_once_and_waits_are_kept_exactly_and_once() -> None:
    place = next_step.first_place(Flow(STEPS), ADA, NOW)
    assert (place.state, place.step, place.sender_id) == ("pending", 0, 1)
    assert (place.next_budget, place.due_at) == ("visit", NOW)
    place = next_step.next_place(Flow(STEPS), 1, ADA, NOW)
    assert (place.state, place.due_at) == ("active", NOW + timedelta(hours=2))
    assert next_step.next_place(Flow(STEPS), 1, ADA, NOW, waited=True).due_at == NOW
    for value, unit, wait in [
        (1.5, "days", timedelta(days=1, hours=12)),
        (0.1, "hours", timedelta(minutes=6)),
        (2.25, "hours", timedelta(hours=2, minutes=15)),
        (364.999, "days", timedelta(days=365) - timedelta(seconds=86.4)),
    ]:
        steps = [{"type": "view_profile"}, {"type": "follow", "delay": {"value": value, "unit": unit}}]
        assert next_step.next_place(Flow(steps), 1, ADA, NOW).due_at == NOW + wait, value


def test_an_acceptance_is_waited_for_and_the_next_wait_counts_from_it() -> None:
    place = next_step.next_place(Flow(STEPS), 2, INVITED, NOW)
    assert (place.state, place.next_budget) == ("awaiting_accept", "withdraw")
    assert place.due_at == NOW + timedelta(days=21)
    place = next_step.next_place(Flow(STEPS), 2, ACCEPTED, NOW)
    assert place.due_at == NOW + timedelta(hours=5, days=1)


def test_steps_that_cannot_be_done_are_left_out() -> None:
    """Messages without a connection, emails without an address or a mailbox, a request to who is connected."""
    withdrawn = INVITED._replace(connection="none")
    place = next_step.next_place(Flow(STEPS), 2, withdrawn, NOW)
    assert (place.step, place.next_budget, place.sender_id) == (3, "email", 2)
    for standing in (ACCEPTED._replace(has_email=False), ACCEPTED._replace(mailbox_id=None)):
        assert next_step.next_place(Flow(STEPS), 3, standing, NOW).next_budget == "end"
    assert next_step.next_place(Flow(STEPS), 1, ACCEPTED, NOW).step == 2


def test_after_the_last_step_answers_and_open_invitations_are_waited_for() -> None:
    place = next_step.next_place(Flow(STEPS), 4, ACCEPTED, NOW)
    assert (place.next_budget, place.reason) == ("end", "awaiting_reply")
    assert place.due_at == ACCEPTED.accepted_at + timedelta(days=7)  # type: ignore[operator]
    assert next_step.next_place(Flow(STEPS[:2]), 2, INVITED, NOW).state == "awaiting_accept"
    assert next_step.next_place(Flow(STEPS[:1]), 1, ADA._replace(last_action_at=NOW), NOW).due_at == NOW
