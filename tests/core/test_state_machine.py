"""State machines: what a table says, and that every machine of the house is sound."""

from dataclasses import dataclass
from enum import StrEnum

import pytest

from app.core.errors import Conflict
from app.core.state_machine import Machine, move
from app.models.accounts import ACCOUNT
from app.models.campaigns import CAMPAIGN, CAMPAIGN_LEAD
from app.models.leads import IMPORT
from app.models.webhooks import DELIVERY

MACHINES = {"account": ACCOUNT, "campaign": CAMPAIGN, "person": CAMPAIGN_LEAD, "import": IMPORT, "delivery": DELIVERY}
WALK = [(name, state, step) for name, one in MACHINES.items() for state in one.states for step in one.moves]


class Light(StrEnum):
    """A traffic light."""

    RED = "red"
    GREEN = "green"


LIGHT = Machine(
    "colour", Light, {"go": move([Light.RED], Light.GREEN, "A {state} light cannot go.", "Wait until it is red.")}
)


@dataclass
class Lamp:
    """A thing with a state."""

    colour: str = Light.RED


def test_a_legal_move_is_made() -> None:
    """A legal move is made."""
    lamp = Lamp()
    assert LIGHT.allows(lamp, "go")
    LIGHT.move(lamp, "go")
    assert lamp.colour == Light.GREEN


def test_an_illegal_move_is_refused_with_what_to_do() -> None:
    """And changes nothing."""
    lamp = Lamp(Light.GREEN)
    with pytest.raises(Conflict, match="A green light cannot go") as caught:
        LIGHT.move(lamp, "go")
    assert caught.value.recovery == "Wait until it is red."
    assert (lamp.colour, LIGHT.allows(lamp, "go")) == (Light.GREEN, False)


@pytest.mark.parametrize(("name", "state", "step"), WALK)
def test_every_state_and_move_either_leads_on_or_says_why_not(name: str, state: str, step: str) -> None:
    """The page asks `allows`, the verb calls `move`: they agree, and a refusal is a whole sentence."""
    machine = MACHINES[name]
    thing = type("Thing", (), {machine.column: str(state)})()
    if machine.allows(thing, step):
        machine.move(thing, step)
        assert getattr(thing, machine.column) == machine.moves[step].target in list(machine.states)
    else:
        with pytest.raises(Conflict) as caught:
            machine.move(thing, step)
        assert getattr(thing, machine.column) == state
        assert caught.value.message.endswith(".")
        assert "{" not in caught.value.message


@pytest.mark.parametrize("name", MACHINES)
def test_no_move_begins_or_ends_in_a_state_that_is_none(name: str) -> None:
    """A typing mistake would be a move that never happens."""
    machine = MACHINES[name]
    known = {str(state) for state in machine.states}
    assert all(step.sources <= known and step.target in known for step in machine.moves.values())
