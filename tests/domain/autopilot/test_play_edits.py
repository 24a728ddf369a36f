"""Rules that come of wishes: which are kept, how many and how long."""

from app.domain.autopilot.play_edits import LONGEST_RULE, MOST_RULES, merged


def test_new_rules_are_kept_once_each_behind_those_that_hold() -> None:
    """The first wording stays, and of too many the oldest, because all writing followed them so far."""
    assert merged(["No emojis"], ["Be brief"]) == ["No emojis", "Be brief"]
    assert merged(["No emojis"], [" NO EMOJIS ", "no emojis"]) == ["No emojis"]
    assert merged([], ["", "  \n"]) == []
    assert merged([], ["x" * 1000]) == ["x" * LONGEST_RULE]
    held = [f"Rule {number}" for number in range(MOST_RULES)]
    assert merged(held, ["One more"]) == held
