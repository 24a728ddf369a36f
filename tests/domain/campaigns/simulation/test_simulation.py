"""A campaign on a virtual clock: who does what when, and what people are assumed to do."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from app.domain.campaigns.simulation.simulation import SimulatedCampaign, SimulatedLead, SimulatedSender, Simulation
from app.domain.ledger.rates import Delays, Rates, Responses
from app.domain.rules.contact_rules import DAY, NO_CAPS, Caps
from app.domain.rules.next_step import REPLY_WAIT
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.schedules.working_hours import Window
from app.domain.rules.sequences.branches import Flow
from app.models.accounts import Budget, Channel
from app.models.campaigns import LeadState

START = datetime(2026, 3, 2, 9, tzinfo=UTC)  # a Monday
ALWAYS = Window("UTC", (1, 2, 3, 4, 5, 6, 7), "00:00", "23:59")
INVITE: dict[str, Any] = {"type": "connection_request"}
MESSAGE: dict[str, Any] = {"type": "message", "message": "Hello"}
ACCEPTS_AFTER, ANSWERS_AFTER = timedelta(days=2), timedelta(days=1)
LIMITS = {"invite": 15, "message": 30}
CAMPAIGN = CampaignView(1, "running", ALWAYS, None, None)


def ines() -> SimulatedSender:
    """A sender who has done nothing yet."""
    return SimulatedSender(SenderView(1, "connected", True, ALWAYS, LIMITS, None, {}, {}), Channel.SOCIAL, None)


class Run(Simulation):
    """A simulation of one campaign, and what came of it."""

    def __init__(
        self,
        campaign: SimulatedCampaign,
        senders: Sequence[SimulatedSender],
        people: Sequence[SimulatedLead],
        rates: Rates,
        caps: Caps = NO_CAPS,
    ) -> None:
        super().__init__([campaign], senders, people, START, Responses(rates), caps)
        self.actions, self.accepted = campaign.actions, campaign.accepted
        self.answered, self.ended, self.held = campaign.answered, campaign.ended, campaign.held


def rates(accepting: float = 0, answering: float = 0) -> Rates:
    """These shares, after one delay each."""
    return Rates(accepting, (answering,), Delays((ACCEPTS_AFTER,) * 2), Delays((ANSWERS_AFTER,) * 2))


def simulated(
    people: int,
    sequence: Sequence[dict[str, Any]] = (INVITE, MESSAGE),
    *,
    accepting: float = 0,
    answering: float = 0,
    days: float = 60,
    end: datetime | None = None,
    caps: Caps = NO_CAPS,
) -> Run:
    """So many new people, one sender, for so many days."""
    campaign = replace(CAMPAIGN, end_date=end)
    waiting = [
        SimulatedLead(number, 1, None, False, campaign_id=1, sender_id=1, next_budget=Budget.INVITE, due_at=START)
        for number in range(1, people + 1)
    ]
    made = Run(SimulatedCampaign(campaign, Flow(sequence)), [ines()], waiting, rates(accepting, answering), caps)
    made.run(START + timedelta(days=days))
    return made


def test_no_one_is_contacted_more_often_than_the_caps_allow() -> None:
    """A day lies between two contacts, or the third comes ten days after the first."""
    for caps, apart in [(Caps(0, 0, 1, 0), DAY), (Caps(2, 10, 0, 0), timedelta(days=10))]:
        steps = [
            INVITE,
            *({"type": "message", "message": "Hello", "delay": {"value": 1, "unit": "hours"}} for _ in "ab"),
        ]
        found = [action.at for action in simulated(3, steps, accepting=1, caps=caps).actions if action.person_id == 2]
        assert len(found) == 3, caps
        first, second, third = found
        assert (third - second >= apart and second - first >= apart) if caps.per_day else third - first >= apart, caps


def test_who_accepts_is_written_to_and_who_does_not_is_withdrawn() -> None:
    """Who answers is finished by the answer, others when none comes. A text of two parts is two messages."""
    made = simulated(1, accepting=1)
    invited, written = made.actions
    assert (invited.budget, written.budget) == (Budget.INVITE, Budget.MESSAGE)
    assert made.accepted == [invited.at + ACCEPTS_AFTER]
    assert written.at >= made.accepted[0]
    assert made.ended == [written.at + REPLY_WAIT]
    assert made.complete
    made = simulated(1, [INVITE, MESSAGE, {**MESSAGE, "delay": {"value": 5, "unit": "days"}}], accepting=1, answering=1)
    assert [action.budget for action in made.actions] == [Budget.INVITE, Budget.MESSAGE]
    assert made.answered == made.ended == [made.actions[1].at + ANSWERS_AFTER]
    invited, withdrawn = simulated(1).actions
    assert (withdrawn.budget, withdrawn.step) == ("withdraw", -1)
    assert withdrawn.at >= invited.at + timedelta(days=21)
    two = {"type": "message", "message": "Hello\n---\nOne more thing"}
    made = simulated(1, [INVITE, two], accepting=1)
    assert [action.step for action in made.actions] == [0, 1, 1]


def test_no_day_has_more_actions_than_the_limit_which_is_what_people_wait_for() -> None:
    made = simulated(60)
    for action in made.actions:
        within = [one for one in made.actions if action.at <= one.at < action.at + timedelta(days=1)]
        counted = Counter(one.budget for one in within)
        assert counted[Budget.INVITE] <= LIMITS["invite"]
    assert Counter(action.budget for action in made.actions)[Budget.INVITE] == 60
    held = made.held
    (sender, budget, code), waited = max(held.items(), key=lambda item: item[1])
    assert (sender, budget, code) == (1, Budget.INVITE, "daily_limit")
    assert waited > timedelta(days=60)


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
        at = START - timedelta(days=days)
        invited = {"state": LeadState.AWAITING_ACCEPT, "step": 1, "connection": "sent", "invited_at": at}
        due: dict[str, Any] = {"next_budget": "withdraw", "sender_id": 1, "due_at": at + timedelta(days=21)}
        waiting = [SimulatedLead(one, 1, None, False, campaign_id=1, **invited | due) for one in range(40)]
        even = Rates(0.5, (0.0,), Delays((timedelta(0), timedelta(days=14))))
        made = Run(SimulatedCampaign(CAMPAIGN, Flow([INVITE, MESSAGE])), [ines()], waiting, even)
        made.run(START + timedelta(days=15))
        return len(made.accepted)

    assert accepted(0) == 20
    assert accepted(7) == 13  # half of the time in which people accept is over, and half of those who do have done it
    assert accepted(14) == 0


def test_two_campaigns_of_a_sender_take_turns() -> None:
    """New people of the campaign served longest ago come first, and together they keep to the limit."""
    waiting = [
        SimulatedLead(
            number, 1, None, False, campaign_id=1 + number % 2, sender_id=1, next_budget="invite", due_at=START
        )
        for number in range(40)
    ]
    both = [SimulatedCampaign(replace(CAMPAIGN, id=one), Flow([INVITE])) for one in (1, 2)]
    made = Simulation(both, [ines()], waiting, START, Responses(rates()))
    made.run(START + timedelta(hours=23))
    first, second = (len(campaign.actions) for campaign in both)
    assert abs(first - second) <= 1
    assert 10 <= first + second <= LIMITS["invite"]
