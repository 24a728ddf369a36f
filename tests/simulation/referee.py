"""Campaigns drawn at random, foretold and then played by people of the sandbox network, without a database.

The same planner says when senders act; who accepts and replies, and when, is what each person of the network does. What
the forecast knows of them is what a first campaign showed. `forecasts.py` does the same with the real engine.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from app.domain.campaigns.simulation.simulation import SimulatedCampaign, SimulatedLead, SimulatedSender, Simulation
from app.domain.ledger.rates import (
    USUAL_ACCEPT,
    USUAL_REPLY,
    Delays,
    Rates,
    Responses,
    end_range,
    reply_range,
    spread_of,
    total_reply,
)
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.schedules.working_hours import Window
from app.domain.rules.sequences.branches import Flow
from app.models.accounts import Channel
from app.ports import AccountRef, PersonRef
from app.providers.sandbox.population import Person
from tests.simulation.forecasts import LONGEST, SEQUENCES, Result
from tests.simulation.world import ABSENCES

BEGIN = datetime(2026, 3, 2, 6, tzinfo=UTC)
NOON = datetime(2026, 3, 3, 15, tzinfo=UTC)  # when everyone is asked what they would do
DAY = timedelta(days=1)
LEARNED = 800
HOURS = Window("UTC", (1, 2, 3, 4, 5), "08:00", "18:00")


class Network(Responses):
    """People of the sandbox network: each time the next one is asked."""

    def __init__(self, seed: int, account: AccountRef) -> None:
        super().__init__(Rates(0, ()))
        self.seed, self.account, self.asked = seed, account, 0

    def _next(self) -> Person:
        self.asked += 1
        return Person.of(self.seed, PersonRef(f"person-{self.seed}-{self.asked}"))

    def accepts(self, age: timedelta = timedelta(0)) -> timedelta | None:
        """Return after how long the next one accepts, if they do before the invitation is withdrawn."""
        found = self._next().accepts(NOON)
        return found[0] - NOON if found and not found[1] else None

    def replies(self, number: int, age: timedelta = timedelta(0)) -> timedelta | None:
        """Return after how long the next one replies to such a message; a note of absence is no reply."""
        written = self._next().answers(self.account, "message", number, False, NOON)
        said = [one.at - NOON for one in written if not one.text.startswith(ABSENCES) and not one.automatic]
        return min(said, default=None)


def learned(network: Network) -> tuple[Rates, int, int]:
    """Return what a first campaign shows of the network, by how many invitations and people who were written to."""
    accepted = [after for _ in range(LEARNED) if (after := network.accepts())]
    had, answered, delays = Counter[int](), Counter[int](), []
    for _ in accepted:
        for number in (1, 2, 3):
            had[number] += 1
            if after := network.replies(number):
                answered[number] += 1
                delays.append(after)
                break
    by_number = tuple(answered[number] / had[number] for number in sorted(had))
    rates = Rates(len(accepted) / LEARNED, by_number, Delays.of(accepted, USUAL_ACCEPT), Delays.of(delays, USUAL_REPLY))
    return rates, LEARNED, had[1]


def campaigns(seeds: Sequence[int], account: AccountRef, each: int = 10) -> Iterator[Result]:
    """Yield what became of so many campaigns of each network."""
    for seed in seeds:
        network, chance = Network(seed, account), random.Random(seed)
        rates, invited, written = learned(network)
        for _ in range(each):
            yield _one(network, chance, rates, invited, written)


def _one(network: Network, chance: random.Random, rates: Rates, invited: int, written: int) -> Result:
    sequence, count = chance.randrange(len(SEQUENCES)), chance.choice([1, 2, 3])
    people = round(150 * 10 ** chance.random())
    new = chance.choice([5, 10, 20]) if chance.random() < 0.2 else None
    limit = chance.choice([10, 15, 20, 25])
    first_sender = chance.randrange(1, 1000)
    begins = BEGIN + chance.randrange(7) * DAY

    def run(responses: Responses) -> tuple[SimulatedCampaign, Simulation]:
        view = CampaignView(1, "running", HOURS, None, None, new_per_day=new)
        campaign = SimulatedCampaign(view, Flow(SEQUENCES[sequence]))
        senders = [_sender(first_sender + number, limit) for number in range(count)]
        course = Simulation([campaign], senders, _people(people, senders, SEQUENCES[sequence]), begins, responses)
        course.run(begins + LONGEST * DAY)
        return campaign, course

    foretold, _ = run(Responses(rates))
    happened, course = run(network)
    spread = spread_of(total_reply(rates.reply), written) ** 2
    if any(step["type"] == "connection_request" for step in SEQUENCES[sequence]):
        spread += spread_of(rates.accept, invited) ** 2
    between, ends = reply_range(len(foretold.answered), 0, spread**0.5), max(foretold.ended)
    low, high = end_range(begins, ends)
    sent = [action.at for action in foretold.actions if action.budget == "invite"]
    middle = sent[len(sent) // 2].date() if sent else begins.date()
    return Result(
        people=people,
        sequence=sequence,
        senders=count,
        replies=len(foretold.answered),
        replies_low=between.low,
        replies_high=between.high,
        replied=len(happened.answered),
        ends=(ends - begins) / DAY,
        ends_low=(low - begins) / DAY,
        ends_high=(high - begins) / DAY,
        ended=(max(happened.ended) - begins) / DAY,
        finished=course.complete,
        invitations=sum(at.date() <= middle for at in sent),
        invited=sum(one.at.date() <= middle for one in happened.actions if one.budget == "invite"),
        limit="",
    )


def _sender(number: int, limit: int) -> SimulatedSender:
    limits = {"invite": limit, "message": 30, "email": 50, "visit": 40, "follow": 15}
    view = SenderView(number, "connected", True, HOURS, limits, None, {}, {}, paced=True)
    return SimulatedSender(view, Channel.SOCIAL, None)


def _people(count: int, senders: Sequence[SimulatedSender], sequence: Sequence[dict[str, Any]]) -> list[SimulatedLead]:
    budgets = {"view_profile": "visit", "connection_request": "invite", "email": "email"}
    found = []
    for number in range(count):
        sender = senders[number % len(senders)].view.id
        person = SimulatedLead(number + 1, sender, sender, True, number + 1, 1, sender_id=sender, due_at=BEGIN)
        person.next_budget = budgets[sequence[0]["type"]]
        found.append(person)
    return found
