"""Kinds of steps: what the table says fits the limits, the events, the words and what the engine makes of it."""

from app.domain.rules.limits import HARD_CAPS
from app.domain.rules.step_kinds import BUDGET_WORDS, STEPS, action_words, is_action
from app.domain.webhooks.events import EVENTS
from app.models.accounts import MAILBOX_LIMITS, SOCIAL_LIMITS, Budget
from app.pages.framework.words import step_word
from app.resources.field_docs import docs_of
from app.resources.subjects import TimelineEntry


def test_every_step_fits_what_limits_webhooks_and_the_engine_make_of_it() -> None:
    for name, step in STEPS.items():
        assert HARD_CAPS[step.budget] > 0, name
        assert step.event in EVENTS, name
        # An action of unknown outcome is done again only where doing it twice harms no one.
        assert not (step.reaches and step.repeatable), name
        assert (step.max_text > 0) == (step.text != "none"), name
        assert step.text == "required" or not (step.max_subject or step.is_message), name


def test_every_daily_limit_has_words_and_a_number_for_new_senders() -> None:
    assert set(Budget) - set(BUDGET_WORDS) == set()
    assert set(Budget) - {*SOCIAL_LIMITS, *MAILBOX_LIMITS} == {Budget.TASK}


def test_every_step_has_words_of_its_own_and_is_documented_in_the_timeline() -> None:
    assert len({step.label for step in STEPS.values()}) == len(STEPS)
    for name, step in STEPS.items():
        assert step_word(name).label == step.label
        assert (step_word(name).icon, is_action(name)) == (action_words(name).icon, True)
        assert all((step.words.icon, step.words.noun, step.words.done, step.words.did, step.words.do)), name
    documented = docs_of(TimelineEntry)["kind"]
    assert [name for name in (*STEPS, "withdraw") if f"`{name}`" not in documented] == []
