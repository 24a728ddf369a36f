"""A campaign on a virtual clock: who does what when, and what people are assumed to do."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.domain.rules.contact_rules import DAY, NO_CAPS, Caps
from app.domain.rules.next_step import REPLY_WAIT
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.schedules.working_hours import Window
from app.domain.rules.sequences.branches import Flow
from app.domain.rules.simulation import (
    ACCEPTS_AFTER,
    ANSWERS_AFTER,
    EvenShare,
    SimulatedLead,
    SimulatedSender,
    Simulation,
)
from app.models.accounts import Budget, Channel
from app.models.campaigns import LeadState

START = datetime(2026, 3, 2, 9, tzinfo=UTC)  # a Monday
ALWAYS = Window("UTC", (1, 2, 3, 4, 5, 6, 7), "00:00", "23:59")
INVITE: dict[str, Any] = {"type": "connection_request"}
MESSAGE: dict[str, Any] = {"type": "message", "message": "Hello"}
LIMITS = {"invite": 15, "message": 30}


def simulated(
    people: int,
    sequence: Sequence[dict[str, Any]] = (INVITE, MESSAGE),
    *,
    accepting: float = 0,
    answering: float = 0,
    days: float = 60,
    end: datetime | None = None,
    caps: Caps = NO_CAPS,
) -> Simulation:
    """So many new people, one sender, for so many days."""
    view = SenderView(1, "connected", True, ALWAYS, LIMITS, None, {}, {})
    campaign = CampaignView(1, "running", ALWAYS, None, end)
    waiting = [
        SimulatedLead(number, 1, None, False, sender_id=1, next_budget=Budget.INVITE, due_at=START)
        for number in range(1, people + 1)
    ]
    made = Simulation(
        campaign,
        Flow(sequence),
        [SimulatedSender(view, Channel.SOCIAL, None)],
        waiting,
        START,
        accepting=accepting,
        answering=answering,
        caps=caps,
    )
    made.run(START + timedelta(days=days))
    return made


@pytest.mark.parametrize(("caps", "apart"), [(Caps(0, 0, 1, 0), DAY), (Caps(2, 10, 0, 0), timedelta(days=10))])
def test_no_one_is_contacted_more_often_than_the_caps_allow(caps: Caps, apart: timedelta) -> None:
    """A day lies between two contacts, or the third comes ten days after the first."""
    steps = [INVITE, *({"type": "message", "message": "Hello", "delay": {"value": 1, "unit": "hours"}} for _ in "ab")]
    found = [action.at for action in simulated(3, steps, accepting=1, caps=caps).actions if action.person_id == 2]
    assert len(found) == 3
    first, second, third = found
    assert (third - second >= apart and second - first >= apart) if caps.per_day else third - first >= apart


@pytest.mark.parametrize(("share", "of", "does"), [(0, 100, 0), (0.25, 100, 25), (0.3, 10, 3), (1, 10, 10)])
def test_a_share_of_people_is_spread_evenly_and_the_same_every_time(share: float, of: int, does: int) -> None:
    first, again = EvenShare(share), EvenShare(share)
    found = [first.next() for _ in range(of)]
    assert sum(found) == does
    assert found == [again.next() for _ in range(of)]
    halves = sum(found[: of // 2]), sum(found[of // 2 :])
    assert abs(halves[0] - halves[1]) <= 1


def test_who_accepts_is_written_to_and_finishes_when_no_answer_comes() -> None:
    made = simulated(1, accepting=1)
    invited, written = made.actions
    assert (invited.budget, written.budget) == (Budget.INVITE, Budget.MESSAGE)
    assert made.accepted == [invited.at + ACCEPTS_AFTER]
    assert written.at >= made.accepted[0]
    assert made.ended == [written.at + REPLY_WAIT]
    assert made.complete


def test_who_answers_is_finished_by_the_answer() -> None:
    made = simulated(1, [INVITE, MESSAGE, {**MESSAGE, "delay": {"value": 5, "unit": "days"}}], accepting=1, answering=1)
    assert [action.budget for action in made.actions] == [Budget.INVITE, Budget.MESSAGE]
    assert made.answered == made.ended == [made.actions[1].at + ANSWERS_AFTER]


def test_an_invitation_without_an_answer_is_withdrawn() -> None:
    invited, withdrawn = simulated(1).actions
    assert (withdrawn.budget, withdrawn.step) == ("withdraw", -1)
    assert withdrawn.at >= invited.at + timedelta(days=21)


def test_no_day_has_more_actions_than_the_limit() -> None:
    made = simulated(60)
    for action in made.actions:
        within = [one for one in made.actions if action.at <= one.at < action.at + timedelta(days=1)]
        counted = Counter(one.budget for one in within)
        assert counted[Budget.INVITE] <= LIMITS["invite"]
    assert Counter(action.budget for action in made.actions)[Budget.INVITE] == 60


def test_a_text_of_two_parts_is_two_messages() -> None:
    two = {"type": "message", "message": "Hello\n---\nOne more thing"}
    made = simulated(1, [INVITE, two], accepting=1)
    assert [action.step for action in made.actions] == [0, 1, 1]


def test_at_the_end_of_the_campaign_all_are_finished() -> None:
    end = START + timedelta(days=1)
    made = simulated(40, end=end)
    assert made.complete
    assert made.ended == [end] * 40
    assert all(action.at <= end for action in made.actions)


def test_a_part_of_the_time_is_the_beginning_of_the_whole() -> None:
    """Going on gives what one long run gives."""
    whole, parts = simulated(30, accepting=0.5, answering=0.5), simulated(30, accepting=0.5, answering=0.5, days=3)
    for days in (10, 60):
        parts.run(START + timedelta(days=days))
    assert parts.actions == whole.actions
    assert parts.ended == whole.ended


def test_an_old_invitation_is_accepted_less_often_than_a_new_one() -> None:
    def accepted(days: int) -> int:
        view = SenderView(1, "connected", True, ALWAYS, LIMITS, None, {}, {})
        invited = START - timedelta(days=days)
        waiting = [
            SimulatedLead(
                number,
                1,
                None,
                False,
                state=LeadState.AWAITING_ACCEPT,
                step=1,
                connection="sent",
                invited_at=invited,
                next_budget="withdraw",
                sender_id=1,
                due_at=invited + timedelta(days=21),
            )
            for number in range(40)
        ]
        campaign = CampaignView(1, "running", ALWAYS, None, None)
        senders = [SimulatedSender(view, Channel.SOCIAL, None)]
        made = Simulation(campaign, Flow([INVITE, MESSAGE]), senders, waiting, START, accepting=0.5, answering=0)
        made.run(START + timedelta(days=3))
        return len(made.accepted)

    assert accepted(0) == 20
    assert accepted(7) == 10
    assert accepted(14) == 0
