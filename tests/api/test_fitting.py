"""What is made up for the tests of requests keeps the rules that no schema can say."""

from dataclasses import replace
from typing import Any

import pytest

from app.domain.campaigns.validation import Problems, check_sequence
from app.domain.rules.step_kinds import STEPS
from tests.api.fitting import fitted


@pytest.mark.parametrize("like", STEPS)
def test_a_made_up_sequence_with_an_added_step_type_is_accepted(like: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever of today's types the added one is like."""
    added = replace(STEPS[like], name="added")
    monkeypatch.setitem(STEPS, added.name, added)
    plain: dict[str, Any] = {"type": "added"}
    if added.text != "none":
        plain["message"] = "Hello"
    compared = dict(plain)
    if added.text != "none":
        compared["variants"] = [{"message": "Hello"}, {"message": "Good day"}]
    if added.max_subject:
        compared["subject"] = "Your plans"
    problems = Problems()
    check_sequence(fitted({"sequence": [plain, compared]})["sequence"], [], problems)
    assert problems.fields == []
