"""State machines: what a table says, and that every machine of the house is sound."""

import itertools
from dataclasses import dataclass
from enum import StrEnum

import pytest

from app.core.errors import Conflict
from app.core.state_machine import Machine, move
from app.models.accounts import ACCOUNT
from app.models.autopilot import PLAY
from app.models.campaigns import CAMPAIGN, CAMPAIGN_LEAD
from app.models.leads import IMPORT
from app.models.webhooks import DELIVERY

MACHINES = (ACCOUNT, CAMPAIGN, CAMPAIGN_LEAD, IMPORT, PLAY, DELIVERY)


class Light(StrEnum):
    RED = "red"
    GREEN = "green"


LIGHT = Machine(
    "colour", Light, {"go": move([Light.RED], Light.GREEN, "A {state} light cannot go.", "Wait until it is red.")}
)


@dataclass
class Lamp:
    colour: str = Light.RED


def test_a_legal_move_is_made_and_an_illegal_one_is_refused_with_what_to_do() -> None:
    lamp = Lamp()
    assert LIGHT.allows(lamp, "go")
    LIGHT.move(lamp, "go")
    assert lamp.colour == Light.GREEN
    with pytest.raises(Conflict, match="A green light cannot go") as caught:
        LIGHT.move(lamp, "go")
    assert caught.value.recovery == "Wait until it is red."
    assert (lamp.colour, LIGHT.allows(lamp, "go")) == (Light.GREEN, False)


def test_every_state_and_move_either_leads_on_or_says_why_not() -> None:
    """The page asks `allows`, the verb calls `move`: they agree, and a refusal is a whole sentence."""
    failures = []
    for machine in MACHINES:
        known = {str(state) for state in machine.states}
        for state, (name, step) in itertools.product(machine.states, machine.moves.items()):
            thing = type("Thing", (), {machine.column: str(state)})()
            allowed, said = machine.allows(thing, name), "."
            try:
                machine.move(thing, name)
                expected = step.target
            except Conflict as refusal:
                allowed, said, expected = not allowed, refusal.message, state
            right = allowed and getattr(thing, machine.column) == expected and said.endswith(".") and "{" not in said
            if not (right and step.sources <= known and step.target in known):
                failures.append((machine.column, state, name, said))
    assert failures == []
