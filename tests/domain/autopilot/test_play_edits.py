"""Rules that come of wishes: which are kept, how many and how long."""

from app.domain.autopilot.play_edits import LONGEST_RULE, MOST_RULES, merged


def test_a_new_rule_comes_after_those_that_hold() -> None:
    assert merged(["No emojis"], ["Be brief"]) == ["No emojis", "Be brief"]


def test_a_rule_that_holds_is_not_kept_twice() -> None:
    """Whatever its case and the space around it; its first wording stays."""
    assert merged(["No emojis"], [" NO EMOJIS ", "no emojis"]) == ["No emojis"]


def test_an_empty_rule_is_none() -> None:
    assert merged([], ["", "  \n"]) == []


def test_rules_are_bounded_in_length_and_number() -> None:
    """The oldest stay, because all writing followed them so far."""
    assert merged([], ["x" * 1000]) == ["x" * LONGEST_RULE]
    held = [f"Rule {number}" for number in range(MOST_RULES)]
    assert merged(held, ["One more"]) == held
