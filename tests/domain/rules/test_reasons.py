"""Reasons: everything that can be said of waiting is in the table."""

import ast
from datetime import UTC, datetime

from app.domain.rules.reasons import REASONS, WaitReason
from tests.house.ours import files

GIVE_A_CODE = {"Throttle", "WaitReason"}


def given() -> dict[str, str]:
    """Return the codes that the program gives, with the file that gives them."""
    return {
        node.args[0].value: path.name
        for path in files("app")
        if any(f"{name}(" in path.read_text() for name in GIVE_A_CODE)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and (node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")) in GIVE_A_CODE
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }


def test_every_code_that_is_given_has_words() -> None:
    """A code without them would end in an error on the page that shows it."""
    found = given()
    assert {"daily_limit", "weekly_limit"} <= set(found)
    assert {code: file for code, file in found.items() if code not in REASONS} == {}


def test_every_reason_is_one_phrase_or_whole_sentences_and_says_who_must_act() -> None:
    """A detail is said instead of the usual sentence."""
    for code, (sentence, who) in REASONS.items():
        assert sentence[0].isupper(), code
        assert "!" not in sentence, code
        assert sentence.endswith(".") == (". " in sentence), code
        assert who in {"nobody", "you", "them", "network"}, code
    assert WaitReason("missing_value").sentence == REASONS["missing_value"][0]
    assert WaitReason("missing_value", detail="first_name has no value.").sentence == "first_name has no value."
    assert WaitReason("missing_value", detail="first_name has no value.").who == "you"
    needs = [WaitReason(code).needs_you for code in ("missing_value", "paused_by_you", "daily_limit")]
    assert needs == [True, False, False], "a pause that a member chose asks for nothing"


def test_behind_a_time_stands_what_ends_the_wait_and_whose_limit_it_is() -> None:
    until = datetime(2026, 12, 9, tzinfo=UTC)
    assert WaitReason("daily_limit", until, sender="Marek").then == ", when Marek’s daily limit allows more"
    assert WaitReason("sender_hours", until).then == ", when the sender’s working hours begin"
    assert WaitReason("pace", until).then == ". Actions are spread over working hours"
