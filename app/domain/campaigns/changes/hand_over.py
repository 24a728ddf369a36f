"""Hand-over: which sender continues with a person when a campaign's senders change. Pure; for preview and change.

Who has a conversation or a connection with a sender keeps it, for no other sender can write there. An invitation that
is still open is withdrawn before the next sender invites. So two senders never write to one person at the same time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from app.models.campaigns import Connection

WAIT, SKIP = "wait", "skip"
# What happens to a person in a hand-over: the names used in counts and texts.
MOVED, WITHDRAWN, STAYS, WAITS, SKIPPED, BUSY = "moved", "withdrawn", "stays", "waits", "skipped", "busy"


@dataclass(frozen=True)
class Plan:
    """Who leaves, each with the sender who takes over (None: all that remain, evenly), and who stays or joins."""

    leaving: Mapping[int, int | None]
    remaining: Sequence[int]  # of the same channel, in order
    joining: frozenset[int] = frozenset()
    able: frozenset[int] = frozenset()  # leaving senders that are still connected and switched on
    stranded: str = WAIT  # what happens to people whom only a sender can reach who is not able

    def heir(self, campaign_lead_id: int, sender_id: int, talks: Sequence[int] = ()) -> int | None:
        """Return who takes a person over: who talks with them already, the named one, or one of all in turn."""
        partner = next((one for one in talks if one in self.remaining), None)
        named = self.leaving.get(sender_id)
        if partner or named or not self.remaining:
            return partner or named
        return self.remaining[campaign_lead_id % len(self.remaining)]


@dataclass(frozen=True)
class Standing:
    """What the hand-over depends on: a person, and the sender of this channel whom they have."""

    id: int
    sender_id: int
    social: bool
    connection: str = Connection.NONE
    begun: bool = False  # the campaign has done something for this person
    busy: bool = False  # an action has no known outcome, or only a part of a text was sent
    talks: Sequence[int] = field(default_factory=tuple)  # senders with whom they have a conversation


class Decision(NamedTuple):
    """What happens to a person, and which sender continues with them."""

    what: str
    sender_id: int | None


def decide(person: Standing, plan: Plan) -> Decision | None:
    """Return what becomes of the person; None when nothing changes for them."""
    if person.sender_id not in plan.leaving:
        return _share(person, plan)
    if person.busy:
        return Decision(BUSY, person.sender_id)
    able = person.sender_id in plan.able
    connected = person.social and person.connection == Connection.ACCEPTED
    if connected or person.sender_id in person.talks:
        return Decision(STAYS, person.sender_id) if able else _stranded(person, plan)
    heir = plan.heir(person.id, person.sender_id, person.talks)
    if person.social and person.connection == Connection.SENT:
        return Decision(WITHDRAWN, heir) if able else _stranded(person, plan)
    return Decision(MOVED, heir)


def _stranded(person: Standing, plan: Plan) -> Decision:
    return Decision(SKIPPED, None) if plan.stranded == SKIP else Decision(WAITS, person.sender_id)


def _share(person: Standing, plan: Plan) -> Decision | None:
    """Give new senders an even share of the people whom the campaign has not started with."""
    if not plan.joining or person.begun or person.busy or person.talks or person.sender_id not in plan.remaining:
        return None
    heir = plan.remaining[person.id % len(plan.remaining)]
    return Decision(MOVED, heir) if heir in plan.joining else None
