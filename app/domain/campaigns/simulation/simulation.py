"""Simulate campaigns on a virtual clock: the planner decides what senders do, people respond at measured rates.

Several campaigns that share senders are simulated together, as senders serve them in turn.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from typing import Any

from app.domain.ledger import acceptance
from app.domain.ledger.acceptance import WINDOW, Invitation
from app.domain.ledger.rates import Responses
from app.domain.rules import limits, message_templates, next_step, planner
from app.domain.rules.contact_rules import NO_CAPS, Caps, capped
from app.domain.rules.limits import DAY, WEEK, Usage, WindowUsage
from app.domain.rules.next_step import LeadStatus, Position
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.reasons import WaitReason
from app.domain.rules.schedules import places
from app.domain.rules.schedules.places import Place
from app.domain.rules.sequences.branches import Flow, Route
from app.domain.rules.sequences.conditions import NOTHING_KNOWN, PersonFacts
from app.domain.rules.sequences.step_keys import key_of
from app.domain.rules.step_kinds import STEPS
from app.domain.rules.variants.assignment import draw, variants_of
from app.models.accounts import Budget
from app.models.campaigns import ASK, TIMERS, Connection, LeadState

MEASURED_EVERY = timedelta(hours=12)
MOST_ACTIONS = 12_000
# Reasons of a wait that are counted as another: the spread over the day follows from the daily limit.
HELD_BY = {"pace": "daily_limit", "kept_for_openers": "daily_limit"}
NOT_HELD = ("not_due", "before_start", "campaign_ended", "ends_before")
STEP_DUE = "step"  # the event that their step is due, for people whose invitation is still open then
NEVER, FAR = timedelta(days=365), datetime.max.replace(tzinfo=UTC)


@dataclass
class SimulatedInvitation:
    """An invitation of a sender: when it was sent, and when it is accepted or withdrawn, if it is."""

    at: datetime
    accepted_at: datetime | None = None
    withdrawn_at: datetime | None = None

    def as_of(self, at: datetime) -> Invitation:
        """Return the invitation as acceptance is measured at that time: its age, and when it was accepted."""
        accepted = self.accepted_at - self.at if self.accepted_at and self.accepted_at <= at else None
        return Invitation((self.withdrawn_at or at) - self.at, accepted)


@dataclass
class SimulatedLead:
    """The state of one person in the simulation."""

    id: int
    account_id: int | None
    mailbox_id: int | None
    has_email: bool
    person_id: int = 0
    campaign_id: int = 0
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
    step_due_at: datetime | None = None
    messages: int = 0  # messages they got; a text in several parts counts as one
    touches: tuple[datetime, ...] = ()
    place: Place = places.NOWHERE
    variants: Mapping[int, str] = field(default_factory=dict)  # by step key: the variant that they got
    invitation: SimulatedInvitation | None = None
    moves: int = 0  # how often they moved; queue entries with a smaller number are void

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
    campaign_id: int = 0


QueueKey = tuple[int, str, str, Place, bool]


class SimulatedCampaign:
    """A campaign on the virtual clock, and what came of it."""

    def __init__(self, view: CampaignView, flow: Flow) -> None:
        self.view, self.flow, self.sequence = view, flow, flow.sequence
        self.new: set[int] = set()  # people without an action yet; the campaign may start only so many a day
        self.parts = [
            {one.get("key", ""): max(1, len(message_templates.split(one.get("message", "")))) for one in variants}
            for variants in ((variants_of(step) or [step]) for step in flow.sequence)
        ]
        self.actions: list[SimulatedAction] = []
        self.accepted: list[datetime] = []
        self.answered: list[datetime] = []
        self.ended: list[datetime] = []
        # total time that due people waited, by sender, budget and reason
        self.held: defaultdict[tuple[int, str, str], timedelta] = defaultdict(timedelta)

    def parts_of(self, person: SimulatedLead, step: int) -> int:
        """Return how many messages the person's text of that step has."""
        parts = self.parts[step]
        if len(parts) == 1:
            return next(iter(parts.values()))
        key = key_of(self.sequence, step)
        had = person.variants.get(key, "")
        return parts[had if had in parts else draw(self.sequence[step], person.person_id, key)]

    def begin(self, person: SimulatedLead, at: datetime) -> None:
        """Count a person's first action towards the campaign's new people of the day."""
        self.new.discard(person.id)
        if self.view.new_per_day is not None:
            day = self.view.window.day_of(at)
            former = self.view.begun[1] if self.view.begun and self.view.begun[0] == day else 0
            self.view = replace(self.view, begun=(day, former + 1))


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
    # by campaign and place: whether people there may be contacted now, and until when that holds
    times: dict[tuple[int, Place], tuple[bool, datetime]] = field(default_factory=dict)
    turn_at: datetime | None = None
    served: dict[int, datetime] = field(default_factory=dict)  # by campaign: when the sender last acted for it
    holds: list[tuple[int, str, str, int]] = field(default_factory=list)  # waits since its last turn
    looked_at: datetime | None = None
    invitations: list[SimulatedInvitation] = field(default_factory=list)
    measured_at: datetime | None = None

    def measure(self, at: datetime) -> None:
        """Measure the acceptance of the sender's invitations again, at most once in MEASURED_EVERY."""
        if self.measured_at and at - self.measured_at < MEASURED_EVERY:
            return
        self.measured_at = at
        self.invitations = [one for one in self.invitations if one.at > at - WINDOW]
        found = acceptance.measure(one.as_of(at) for one in self.invitations)
        self.view = replace(self.view, health={**self.view.health, **found._asdict()})

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


class Simulation:
    """Campaigns simulated from a start time. `run` advances it until all people are finished or the end is reached."""

    def __init__(
        self,
        campaigns: Iterable[SimulatedCampaign],
        senders: Iterable[SimulatedSender],
        people: Iterable[SimulatedLead],
        at: datetime,
        responses: Responses,
        caps: Caps = NO_CAPS,
    ) -> None:
        self.caps, self.at, self.responses = caps, at, responses
        self.campaigns = {campaign.view.id: campaign for campaign in campaigns}
        self.senders = {sender.view.id: sender for sender in senders}
        self.people = {person.id: person for person in people}
        self.happens: list[tuple[datetime, int, str, int, int]] = []
        self.turns: list[tuple[datetime, int]] = []
        self.numbers = count()
        self.acted = 0
        for person in list(self.people.values()):
            campaign = self.campaigns[person.campaign_id]
            if campaign.view.new_per_day is not None and person.last_action_at is None:
                campaign.new.add(person.id)
            self._queue(person)
            self._still_may(person)
        for sender in self.senders.values():
            self._turn(sender, max(at, sender.free_at or at))
            self._others(sender)

    def _others(self, sender: SimulatedSender) -> None:
        """Plan acceptances of the sender's invitations to people who are not simulated."""
        ours = {id(person.invitation) for person in self.people.values() if person.invitation}
        for one in sender.invitations:
            if id(one) in ours or one.accepted_at or one.withdrawn_at:
                continue
            if after := self.responses.accepts(self.at - one.at):
                one.accepted_at = one.at + after

    @property
    def complete(self) -> bool:
        """Return whether all people have finished."""
        return not self.people

    def _still_may(self, person: SimulatedLead) -> None:
        """Plan acceptances and replies of people contacted before: the longer ago, the less likely."""
        if person.connection == Connection.SENT and person.invited_at:
            if after := self.responses.accepts(self.at - person.invited_at):
                self._happens("accept", person, max(self.at, person.invited_at + after))
            return
        last = person.last_action_at if person.messages else None
        if last and (after := self.responses.replies(person.messages, self.at - last)):
            self._happens("answer", person, max(self.at, last + after))

    def _happens(self, what: str, person: SimulatedLead, at: datetime) -> None:
        heappush(self.happens, (at, next(self.numbers), what, person.id, person.moves))

    def run(self, until: datetime) -> None:
        """Advance to that time, or until nothing is left to happen or the simulation grows too long."""
        while self.acted < MOST_ACTIONS and self.people:
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
        if self.acted < MOST_ACTIONS:
            for person in list(self.people.values()):
                campaign = self.campaigns[person.campaign_id]
                if campaign.view.end_date and campaign.view.end_date <= until:
                    campaign.ended.append(campaign.view.end_date)
                    del self.people[person.id]

    def _turn(self, sender: SimulatedSender, at: datetime) -> None:
        if sender.turn_at is None or at < sender.turn_at:
            sender.turn_at = at
            heappush(self.turns, (at, sender.view.id))

    def _queue(self, person: SimulatedLead) -> None:
        """Queue the person for their sender, or until their due time."""
        if person.step_due_at and person.next_budget == "withdraw":
            self._happens(STEP_DUE, person, person.step_due_at)
        if person.next_budget in TIMERS:
            self._happens(person.next_budget, person, person.due_at or self.at)
            return
        sender = self.senders.get(person.sender_id or 0)
        if sender is None or person.due_at is None:
            return
        line = sender.queues[self._key(person)]
        heappush(line, (person.due_at, person.id, person.moves))
        self._turn(sender, max(self.at, person.due_at, sender.free_at or self.at))

    def _key(self, person: SimulatedLead) -> QueueKey:
        """Return the queue that a person waits in: people at one place have the same hours and holidays."""
        campaign = self.campaigns[person.campaign_id]
        timed = campaign.view.recipient_time or (campaign.view.holidays and person.place.region)
        place = person.place if timed else places.NOWHERE
        return person.campaign_id, person.state, person.next_budget, place, person.id in campaign.new

    def _happen(self, what: str, person_id: int, moves: int) -> None:
        person = self.people.get(person_id)
        if person is None or (what in (*TIMERS, STEP_DUE) and person.moves != moves):
            return
        if what in (ASK, "back", STEP_DUE):
            self._go_on(person, person.step)
            return
        if what == "accept":
            self._accept(person)
            return
        campaign = self.campaigns[person.campaign_id]
        if what == "answer":
            campaign.answered.append(self.at)
        campaign.ended.append(self.at)
        del self.people[person_id]

    def _accept(self, person: SimulatedLead) -> None:
        if person.connection != Connection.SENT:
            return
        person.connection, person.accepted_at = Connection.ACCEPTED, self.at
        if person.invitation:
            person.invitation.accepted_at = self.at
        self.campaigns[person.campaign_id].accepted.append(self.at)
        self._pending(person.account_id, -1)
        if person.state == LeadState.AWAITING_ACCEPT:
            self._go_on(person, person.step)

    def _pending(self, account_id: int | None, more: int) -> None:
        sender = self.senders.get(account_id or 0)
        if sender is not None:
            health = {**sender.view.health, "pending": max(0, sender.view.health.get("pending", 0) + more)}
            sender.view = replace(sender.view, health=health)
            if more < 0:
                sender.measure(self.at)

    def _go_on(self, person: SimulatedLead, step: int) -> None:
        standing = LeadStatus.of(person, person.has_email, person.facts)
        flow = self.campaigns[person.campaign_id].flow
        due = person.step_due_at if person.next_budget == "withdraw" else None
        person.goes_to(next_step.next_place(flow, step, standing, self.at, step_due_at=due))
        self._queue(person)

    def _take_turn(self, turn: tuple[datetime, int]) -> None:
        at, sender_id = turn
        sender = self.senders[sender_id]
        if sender.turn_at != at:
            return
        sender.turn_at = None
        self._count_holds(sender)
        if not limits.share_left(sender.view.health):
            sender.measure(self.at)
        view = sender.as_of(self.at)
        heads, again = self._heads(sender, view)
        full = {campaign.view.id: campaign.view.is_full(self.at) for campaign in self.campaigns.values()}
        openers = {
            person.next_budget
            for person in heads
            if person.state == LeadState.PENDING and not (full[person.campaign_id] and self._is_new(person))
        }
        for person in sorted(heads, key=lambda one: _rank(one, sender)):
            line = sender.queues[self._key(person)]
            if until := self._capped(person):
                heappop(line)
                person.due_at, person.moves = until, person.moves + 1
                self._queue(person)
                again.append(self.at)
                continue
            why = planner.decide(
                view,
                self.campaigns[person.campaign_id].view,
                person.next_budget,
                person.due_at or self.at,
                self.at,
                parts=self._parts_left(person),
                keep_for_openers=person.state == LeadState.ACTIVE and person.next_budget in openers,
                continues=person.part > 0,
                begins=self._is_new(person),
            )
            if why is None:
                heappop(line)
                self._act(sender, person)
                return
            if why.until is not None and why.until > self.at:
                again.append(why.until)
            self._hold(sender, person, why, len(line))
        if again:
            self._turn(sender, min(again))

    def _is_new(self, person: SimulatedLead) -> bool:
        return person.id in self.campaigns[person.campaign_id].new

    def _hold(self, sender: SimulatedSender, person: SimulatedLead, why: WaitReason, people: int) -> None:
        """Record that the people of a queue, who are due, wait from this turn of their sender to the next."""
        if person.due_at and person.due_at <= self.at and why.code not in NOT_HELD:
            code = HELD_BY.get(why.code, why.code)
            sender.holds.append((person.campaign_id, person.next_budget, code, people))

    def _count_holds(self, sender: SimulatedSender) -> None:
        passed = self.at - (sender.looked_at or self.at)
        for campaign_id, budget, code, people in sender.holds:
            self.campaigns[campaign_id].held[sender.view.id, budget, code] += passed * people
        sender.holds.clear()
        sender.looked_at = self.at

    def _capped(self, person: SimulatedLead) -> datetime | None:
        """Return until when the contact caps hold back the person's next step; None when they do not."""
        sequence = self.campaigns[person.campaign_id].sequence
        if person.next_budget == "withdraw" or person.part or person.step >= len(sequence):
            return None
        if person.due_at and person.due_at > self.at:
            return None  # the planner answers for people who are not due
        if not STEPS[sequence[person.step]["type"]].reaches:
            return None
        person.touches = person.touches[-max(self.caps.touches, self.caps.per_day, 1) :]
        return max((one.until for one in capped(person.touches, self.caps, self.at) if one.until), default=None)

    def _heads(self, sender: SimulatedSender, view: SenderView) -> tuple[list[SimulatedLead], list[datetime]]:
        """Return the first person of each queue in contact hours, and the times at which the other queues open."""
        found: dict[tuple[int, str, str, bool], SimulatedLead] = {}
        again = []
        for (campaign_id, state, budget, place, new), line in sender.queues.items():
            while line and ((person := self.people.get(line[0][1])) is None or person.moves != line[0][2]):
                heappop(line)
            if not line:
                continue
            head = self.people[line[0][1]]
            if until := self._closed_until(sender, view, self.campaigns[campaign_id].view, place):
                again.append(max(until, head.due_at or until))
                continue
            kind = (campaign_id, state, budget, new)
            if (former := found.get(kind)) is None or _earlier(head, former):
                found[kind] = head
        return list(found.values()), again

    def never_meets(self, person: SimulatedLead) -> bool:
        """Return whether the hours where the person is never overlap with those of their sender."""
        campaign, sender = self.campaigns[person.campaign_id], self.senders[person.sender_id or 0]
        why = planner.recipient_wait(sender.view, campaign.view, person.place, self.at)
        return why is not None and why.code == "recipient_never_open"

    def _closed_until(
        self, sender: SimulatedSender, view: SenderView, campaign: CampaignView, place: Place
    ) -> datetime | None:
        """Return until when people at `place` may not be contacted for the hour there; None when they may be."""
        if place == places.NOWHERE and not campaign.recipient_time:
            return None
        is_open, until = sender.times.get((campaign.id, place), (True, self.at))
        if until <= self.at:
            why = planner.recipient_wait(view, campaign, place, self.at)
            opens = (why.until or self.at + NEVER) if why else None
            is_open, until = why is None, opens or planner.closes(view, campaign, place, self.at)
            sender.times[campaign.id, place] = is_open, until
        return None if is_open else until

    def _parts_left(self, person: SimulatedLead) -> int:
        campaign = self.campaigns[person.campaign_id]
        whole = person.next_budget == Budget.MESSAGE and not person.part and person.step < len(campaign.parts)
        return campaign.parts_of(person, person.step) if whole else 1

    def _act(self, sender: SimulatedSender, person: SimulatedLead) -> None:
        at, budget, step, campaign = self.at, person.next_budget, person.step, self.campaigns[person.campaign_id]
        withdrawal = budget == "withdraw"
        done = SimulatedAction(at, sender.view.id, person.id, budget, -1 if withdrawal else step, person.campaign_id)
        campaign.actions.append(done)
        self.acted += 1
        sender.served[person.campaign_id] = at
        sender.did(budget, at, not withdrawal and person.last_action_at is not None)
        if person.id in campaign.new:
            campaign.begin(person, at)
        more = not withdrawal and person.part + 1 < campaign.parts_of(person, step)
        sender.free_at = planner.gap_after(sender.view.id, sender.channel, budget, False, at)
        if withdrawal:
            person.connection = Connection.NONE
            if person.invitation:
                person.invitation.withdrawn_at = at
            self._pending(person.account_id, -1)
            self._go_on(person, step)
        else:
            self._reached(person, STEPS[campaign.sequence[step]["type"]])
            person.last_action_at = at
            if more:
                person.goes_to(Position(LeadState.ACTIVE, step, sender.view.id, budget, at, "", person.part + 1))
                self._queue(person)
            else:
                self._go_on(person, step + 1)
        sender.turn_at = None
        self._turn(sender, planner.gap_after(sender.view.id, sender.channel, budget, more, at))

    def _reached(self, person: SimulatedLead, kind: Any) -> None:
        """Plan what follows from the action: an acceptance or a reply, for the share of people who do."""
        if kind.name == "connection_request":
            person.connection, person.invited_at = Connection.SENT, self.at
            person.invitation = SimulatedInvitation(self.at)
            if sender := self.senders.get(person.account_id or 0):
                sender.invitations.append(person.invitation)
            self._pending(person.account_id, 1)
            if after := self.responses.accepts():
                self._happens("accept", person, self.at + after)
        person.contacted = person.contacted or kind.reaches
        if kind.reaches and not person.part:
            person.touches += (self.at,)
        if kind.is_message and not person.part:
            person.messages += 1
            if after := self.responses.replies(person.messages):
                self._happens("answer", person, self.at + after)


def _earlier(one: SimulatedLead, other: SimulatedLead) -> bool:
    return (one.due_at or FAR, one.id) < (other.due_at or FAR, other.id)


def _rank(person: SimulatedLead, sender: SimulatedSender) -> tuple[Any, ...]:
    """Order people: texts with a part sent, follow-ups, then new people of the campaign served longest ago."""
    opener = person.state == LeadState.PENDING
    served = sender.served.get(person.campaign_id) if opener else None
    return (person.part == 0, opener, served.timestamp() if served else 0.0, person.due_at, person.id)
