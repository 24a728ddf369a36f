"""Kinds of steps: what the table says fits the limits, the events and what the engine makes of it."""

import pytest

from app.domain.rules.limits import HARD_CAPS
from app.domain.rules.step_kinds import STEPS, Step
from app.domain.webhooks.events import EVENTS

every = pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)


@every
def test_a_step_spends_a_budget_that_is_bounded(step: Step) -> None:
    assert HARD_CAPS[step.budget] > 0


@every
def test_a_step_is_told_to_webhooks(step: Step) -> None:
    assert step.event in EVENTS


@every
def test_what_reaches_a_person_is_never_repeated(step: Step) -> None:
    """An action of unknown outcome is done again only where doing it twice harms no one."""
    assert not (step.reaches and step.repeatable)


@every
def test_a_step_with_a_text_says_how_long_it_may_be(step: Step) -> None:
    assert (step.max_text > 0) == (step.text != "none")
    assert step.text == "required" or not step.max_subject


@every
def test_a_message_needs_a_text(step: Step) -> None:
    assert not step.is_message or step.text == "required"
