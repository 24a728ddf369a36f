"""Simulate a campaign on a virtual clock: senders act by the planner, people accept and reply at assumed rates."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from typing import Any

from app.domain.rules import message_templates, next_step, planner
from app.domain.rules.acceptance import DECIDED_AFTER
from app.domain.rules.contact_rules import NO_CAPS, Caps, capped
from app.domain.rules.limits import DAY, WEEK, Usage, WindowUsage
from app.domain.rules.next_step import LeadStatus, Position
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.schedules import places
from app.domain.rules.schedules.places import Place
from app.domain.rules.sequences.branches import Flow, Route
from app.domain.rules.sequences.conditions import NOTHING_KNOWN, PersonFacts
from app.domain.rules.sequences.step_keys import key_of
from app.domain.rules.step_kinds import STEPS
from app.domain.rules.variants.assignment import draw, variants_of
from app.models.accounts import Budget
from app.models.campaigns import ASK, Connection, LeadState

ACCEPTS_AFTER, ANSWERS_AFTER = timedelta(days=2), timedelta(days=1)
MOST_ACTIONS = 12_000
NEVER, FAR = timedelta(days=365), datetime.max.replace(tzinfo=UTC)


@dataclass
class SimulatedLead:
    """One person on their virtual way."""

    id: int
    account_id: int | None
    mailbox_id: int | None
    has_email: bool
    person_id: int = 0
    state: str = LeadState.PENDING
    step: int = 0
    part: int = 0
    sender_id: int | None = None
    next_budget: str = ""
    due_at: datetime | None = None
    connection: str = Connection.NONE
    invited_at: datetime | None = None
    accepted_at: datetime | None = None
    contacted: bool = False
    last_action_at: datetime | None = None
    wait_for_profile: bool = False
    route: Route | None = None
    facts: PersonFacts = NOTHING_KNOWN
    skip_steps: Sequence[int] | None = None
    messaged: bool = False
    touches: tuple[datetime, ...] = ()
    place: Place = places.NOWHERE
    variants: Mapping[int, str] = field(default_factory=dict)  # of the texts written for them, by step
    moves: int = 0  # an entry of a queue that was made before the last move is void

    def goes_to(self, place: Position) -> None:
        """Move the person to the place."""
        for name, value in place.columns().items():
            if name != "reason":
                setattr(self, name, value)
        self.moves += 1


@dataclass(frozen=True)
class SimulatedAction:
    """An action of the simulation: what a sender does, to which person and when."""

    at: datetime
    sender_id: int
    person_id: int
    budget: str
    step: int


QueueKey = tuple[str, str, Place, bool]


@dataclass
class SimulatedSender:
    """A sender on the virtual clock: what it did lately, and who waits for it."""

    view: SenderView
    channel: str
    free_at: datetime | None
    done: dict[str, deque[tuple[datetime, bool]]] = field(default_factory=lambda: defaultdict(deque))
    invites: deque[datetime] = field(default_factory=deque)
    today: Counter[tuple[date, str]] = field(default_factory=Counter)
    queues: dict[QueueKey, list[tuple[datetime, int, int]]] = field(default_factory=lambda: defaultdict(list))
    # whether it is the time for people at a place, and until when
    times: dict[Place, tuple[bool, datetime]] = field(default_factory=dict)
    turn_at: datetime | None = None

    def did(self, budget: str, at: datetime, follow_up: bool) -> None:
        """Record an action in the simulated ledger."""
        self.done[budget].append((at, follow_up))
        self.today[self.view.window.day_of(at), budget] += 1
        if budget == Budget.INVITE:
            self.invites.append(at)

    def as_of(self, at: datetime) -> SenderView:
        """Return the planner's view of the sender at that time."""
        for entries in self.done.values():
            while entries and entries[0][0] <= at - DAY:
                entries.popleft()
        while self.invites and self.invites[0] <= at - WEEK:
            self.invites.popleft()
        day = {
            budget: WindowUsage(len(entries), sum(later for _, later in entries), entries[0][0])
            for budget, entries in self.done.items()
            if entries
        }
        week = WindowUsage(len(self.invites), 0, self.invites[0]) if self.invites else WindowUsage()
        view = replace(self.view, usage=Usage(day, week, self.today), free_at=self.free_at)
        view.targets.update(self.view.targets)
        return view


class EvenShare:
    """Who of many does something that a share of them does: evenly spread, the same every time."""

    def __init__(self, share: float) -> None:
        self.share, self.sum = share, 0.5

    def next(self, weight: float = 1) -> bool:
        """Return whether the next person does it; `weight` is what is left of their chance."""
        self.sum += self.share * weight
        if self.sum >= 1:
            self.sum -= 1
            return True
        return False


class Simulation:
    """A campaign simulated from a start time. `run` advances it until all people are finished or the end is reached."""

    def __init__(
        self,
        campaign: CampaignView,
        flow: Flow,
        senders: Iterable[SimulatedSender],
        people: Iterable[SimulatedLead],
        at: datetime,
        *,
        accepting: float,
        answering: float,
        caps: Caps = NO_CAPS,
    ) -> None:
        self.caps = caps
        self.campaign, self.flow, self.sequence, self.at = campaign, flow, flow.sequence, at
        self.senders = {sender.view.id: sender for sender in senders}
        self.people = {person.id: person for person in people}
        # of whom the campaign takes up so many a day
        counted = campaign.new_per_day is not None
        self.new = {one.id for one in self.people.values() if counted and one.last_action_at is None}
        self.accepting, self.answering = EvenShare(accepting), EvenShare(answering)
        self.parts = [
            {one.get("key", ""): max(1, len(message_templates.split(one.get("message", "")))) for one in variants}
            for variants in ((variants_of(step) or [step]) for step in flow.sequence)
        ]
        self.happens: list[tuple[datetime, int, str, int, int]] = []
        self.turns: list[tuple[datetime, int]] = []
        self.numbers = count()
        self.actions: list[SimulatedAction] = []
        self.accepted: list[datetime] = []
        self.answered: list[datetime] = []
        self.ended: list[datetime] = []
        for person in list(self.people.values()):
            self._queue(person)
            self._still_may(person)
        for sender in self.senders.values():
            self._turn(sender, max(at, sender.free_at or at))

    @property
    def complete(self) -> bool:
        """Return whether everyone has finished."""
        return not self.people

    def _still_may(self, person: SimulatedLead) -> None:
        """Plan acceptances and replies of people contacted before: the longer ago, the less likely."""
        if person.connection == Connection.SENT and person.invited_at:
            if self.accepting.next(_left(self.at - person.invited_at, DECIDED_AFTER)):
                moment = max(self.at, person.invited_at + ACCEPTS_AFTER)
                heappush(self.happens, (moment, next(self.numbers), "accept", person.id, 0))
            return
        last = person.last_action_at if person.messaged else None
        if last and self.answering.next(_left(self.at - last, next_step.REPLY_WAIT)):
            heappush(self.happens, (max(self.at, last + ANSWERS_AFTER), next(self.numbers), "answer", person.id, 0))

    def run(self, until: datetime) -> None:
        """Advance to that time, or until nothing is left to happen or the simulation grows too long."""
        while len(self.actions) < MOST_ACTIONS and self.people:
            next_turn = self.turns[0][0] if self.turns else None
            next_event = self.happens[0][0] if self.happens else None
            moment = min((one for one in (next_turn, next_event) if one), default=None)
            if moment is None or moment > until:
                break
            self.at = max(self.at, moment)
            if next_event == moment:
                self._happen(*heappop(self.happens)[2:])
            else:
                self._take_turn(heappop(self.turns))
        if self.campaign.end_date and self.campaign.end_date <= until and len(self.actions) < MOST_ACTIONS:
            self.ended += [self.campaign.end_date] * len(self.people)
            self.people.clear()

    def _turn(self, sender: SimulatedSender, at: datetime) -> None:
        if sender.turn_at is None or at < sender.turn_at:
            sender.turn_at = at
            heappush(self.turns, (at, sender.view.id))

    def _queue(self, person: SimulatedLead) -> None:
        """Queue the person for their sender, or until their due time."""
        if person.next_budget in ("end", ASK):
            moment = (person.due_at or self.at, next(self.numbers), person.next_budget, person.id, person.moves)
            heappush(self.happens, moment)
            return
        sender = self.senders.get(person.sender_id or 0)
        if sender is None or person.due_at is None:
            return
        line = sender.queues[self._key(person)]
        heappush(line, (person.due_at, person.id, person.moves))
        self._turn(sender, max(self.at, person.due_at, sender.free_at or self.at))

    def _key(self, person: SimulatedLead) -> QueueKey:
        """Return the queue that a person waits in: people of one place have the same hours and holidays."""
        timed = self.campaign.recipient_time or (self.campaign.holidays and person.place.region)
        place = person.place if timed else places.NOWHERE
        return person.state, person.next_budget, place, person.id in self.new

    def _happen(self, what: str, person_id: int, moves: int) -> None:
        person = self.people.get(person_id)
        if person is None or (what in ("end", ASK) and person.moves != moves):
            return
        if what == ASK:
            self._go_on(person, person.step)
            return
        if what == "accept":
            self._accept(person)
            return
        if what == "answer":
            self.answered.append(self.at)
        self.ended.append(self.at)
        del self.people[person_id]

    def _accept(self, person: SimulatedLead) -> None:
        if person.connection != Connection.SENT:
            return
        person.connection, person.accepted_at = Connection.ACCEPTED, self.at
        self.accepted.append(self.at)
        self._pending(person.account_id, -1)
        if person.state == LeadState.AWAITING_ACCEPT:
            self._go_on(person, person.step)

    def _pending(self, account_id: int | None, more: int) -> None:
        sender = self.senders.get(account_id or 0)
        if sender is not None:
            health = {**sender.view.health, "pending": max(0, sender.view.health.get("pending", 0) + more)}
            sender.view = replace(sender.view, health=health)

    def _go_on(self, person: SimulatedLead, step: int) -> None:
        standing = LeadStatus.of(person, person.has_email, person.facts)
        person.goes_to(next_step.next_place(self.flow, step, standing, self.at))
        self._queue(person)

    def _take_turn(self, turn: tuple[datetime, int]) -> None:
        at, sender_id = turn
        sender = self.senders[sender_id]
        if sender.turn_at != at:
            return
        sender.turn_at = None
        view = sender.as_of(self.at)
        heads, again = self._heads(sender, view)
        full = self.campaign.is_full(self.at)
        openers = {
            person.next_budget
            for person in heads
            if person.state == LeadState.PENDING and not (full and person.id in self.new)
        }
        for person in sorted(heads, key=_rank):
            if until := self._capped(person):
                heappop(sender.queues[self._key(person)])
                person.due_at, person.moves = until, person.moves + 1
                self._queue(person)
                again.append(self.at)
                continue
            why = planner.decide(
                view,
                self.campaign,
                person.next_budget,
                person.due_at or self.at,
                self.at,
                parts=self._parts_left(person),
                keep_for_openers=person.state == LeadState.ACTIVE and person.next_budget in openers,
                continues=person.part > 0,
                begins=person.id in self.new,
            )
            if why is None:
                heappop(sender.queues[self._key(person)])
                self._act(sender, person)
                return
            if why.until is not None and why.until > self.at:
                again.append(why.until)
        if again:
            self._turn(sender, min(again))

    def _capped(self, person: SimulatedLead) -> datetime | None:
        """Return until when the person rests before the next contact; None when they need not."""
        if person.next_budget == "withdraw" or person.part or person.step >= len(self.sequence):
            return None
        if person.due_at and person.due_at > self.at:
            return None  # as the planner says
        if not STEPS[self.sequence[person.step]["type"]].reaches:
            return None
        person.touches = person.touches[-max(self.caps.touches, self.caps.per_day, 1) :]
        return max((one.until for one in capped(person.touches, self.caps, self.at) if one.until), default=None)

    def _heads(self, sender: SimulatedSender, view: SenderView) -> tuple[list[SimulatedLead], list[datetime]]:
        """Return the first person of each queue whose time it is, and when it is the time of others."""
        found: dict[tuple[str, str, bool], SimulatedLead] = {}
        again = []
        for (state, budget, place, new), line in sender.queues.items():
            while line and ((person := self.people.get(line[0][1])) is None or person.moves != line[0][2]):
                heappop(line)
            if not line:
                continue
            head = self.people[line[0][1]]
            if until := self._closed_until(sender, view, place):
                again.append(max(until, head.due_at or until))
            elif (former := found.get((state, budget, new))) is None or _earlier(head, former):
                found[state, budget, new] = head
        return list(found.values()), again

    def never_meets(self, person: SimulatedLead) -> bool:
        """Return whether the hours where the person is never overlap with those of their sender."""
        why = planner.recipient_wait(self.senders[person.sender_id or 0].view, self.campaign, person.place, self.at)
        return why is not None and why.code == "recipient_never_open"

    def _closed_until(self, sender: SimulatedSender, view: SenderView, place: Place) -> datetime | None:
        """Return until when it is not the time for people at that place; None when it is, or is not for anyone."""
        if place == places.NOWHERE and not self.campaign.recipient_time:
            return None
        is_open, until = sender.times.get(place, (True, self.at))
        if until <= self.at:
            why = planner.recipient_wait(view, self.campaign, place, self.at)
            opens = (why.until or self.at + NEVER) if why else None
            is_open, until = why is None, opens or planner.closes(view, self.campaign, place, self.at)
            sender.times[place] = is_open, until
        return None if is_open else until

    def _parts_left(self, person: SimulatedLead) -> int:
        whole = person.next_budget == Budget.MESSAGE and not person.part and person.step < len(self.parts)
        return self._parts_of(person, person.step) if whole else 1

    def _parts_of(self, person: SimulatedLead, step: int) -> int:
        """Return how many messages the person's text of that step has."""
        parts = self.parts[step]
        if len(parts) == 1:
            return next(iter(parts.values()))
        key = key_of(self.sequence, step)
        had = person.variants.get(key, "")
        return parts[had if had in parts else draw(self.sequence[step], person.person_id, key)]

    def _act(self, sender: SimulatedSender, person: SimulatedLead) -> None:
        at, budget, step = self.at, person.next_budget, person.step
        withdrawal = budget == "withdraw"
        self.actions.append(SimulatedAction(at, sender.view.id, person.id, budget, -1 if withdrawal else step))
        sender.did(budget, at, not withdrawal and step > 0)
        if person.id in self.new:
            self._begin(person)
        more = not withdrawal and person.part + 1 < self._parts_of(person, step)
        sender.free_at = planner.gap_after(sender.view.id, sender.channel, budget, False, at)
        if withdrawal:
            person.connection = Connection.NONE
            self._pending(person.account_id, -1)
            self._go_on(person, step)
        else:
            self._reached(person, STEPS[self.sequence[step]["type"]])
            person.last_action_at = at
            if more:
                person.goes_to(Position(LeadState.ACTIVE, step, sender.view.id, budget, at, "", person.part + 1))
                self._queue(person)
            else:
                self._go_on(person, step + 1)
        sender.turn_at = None
        self._turn(sender, planner.gap_after(sender.view.id, sender.channel, budget, more, at))

    def _begin(self, person: SimulatedLead) -> None:
        """Count a person's first action towards the campaign's new people of the day."""
        self.new.discard(person.id)
        if self.campaign.new_per_day is not None:
            day = self.campaign.window.day_of(self.at)
            former = self.campaign.begun[1] if self.campaign.begun and self.campaign.begun[0] == day else 0
            self.campaign = replace(self.campaign, begun=(day, former + 1))

    def _reached(self, person: SimulatedLead, kind: Any) -> None:
        """Plan what follows from the action: an acceptance or a reply, for the share of people who do."""
        if kind.name == "connection_request":
            person.connection, person.invited_at = Connection.SENT, self.at
            self._pending(person.account_id, 1)
            if self.accepting.next():
                heappush(self.happens, (self.at + ACCEPTS_AFTER, next(self.numbers), "accept", person.id, 0))
        person.contacted = person.contacted or kind.reaches
        if kind.reaches and not person.part:
            person.touches += (self.at,)
        if kind.is_message and not person.messaged:
            person.messaged = True
            if self.answering.next():
                heappush(self.happens, (self.at + ANSWERS_AFTER, next(self.numbers), "answer", person.id, 0))


def _earlier(one: SimulatedLead, other: SimulatedLead) -> bool:
    return (one.due_at or FAR, one.id) < (other.due_at or FAR, other.id)


def _left(passed: timedelta, whole: timedelta) -> float:
    """Return the fraction of the time that is left."""
    return max(0.0, 1 - passed / whole)


def _rank(person: SimulatedLead) -> tuple[Any, ...]:
    """Order people as senders do: texts with a part sent, then follow-ups, then new people."""
    return (person.part == 0, person.state == LeadState.PENDING, person.due_at, person.id)
