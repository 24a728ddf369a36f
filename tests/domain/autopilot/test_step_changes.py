"""What a change of a play's steps did, by comparing them."""

from typing import Any

from app.domain.autopilot.differences import compare, report

HELLO = "Hi {{first_name|there}},"


def step(name: str, text: str, kind: str = "social", **more: Any) -> dict[str, Any]:
    return {"id": name, "kind": kind, "delay": {"count": 1, "unit": "days"}, "after": "previous", "text": text, **more}


def test_a_comparison_says_of_each_step_what_came_went_and_moved() -> None:
    before = [
        step("a", f"{HELLO} we do payroll. It is quick. Who does yours?"),
        step("b", "Either answer helps. Shall we talk?"),
        step("c", f"{HELLO} last one.", "email", subject="Payroll"),
    ]
    after = [
        step("a", f"{HELLO} who does yours? We do payroll. It is quick."),
        step("b", "Shall we talk? Mondays suit me.", delay={"count": 2, "unit": "days"}),
        step("d", "New here."),
    ]
    assert report(compare(before, after)) == (
        "Step 1: 1 sentence moved. Step 2: 1 sentence removed, 1 sentence added, waits 2 days instead of 1 day. "
        "Step 3: added. Step 3: dropped."
    )
    sides = [(one.side, one.text) for one in compare(before, after)[1].sentences]
    assert sides == [("old", "Either answer helps."), ("same", "Shall we talk?"), ("new", "Mondays suit me.")]
    assert report(compare(before, before)) == ""
    fewer = [
        {**one, "text": one["text"].replace(" It is quick.", "").replace("Either answer helps. ", "")} for one in before
    ]
    assert report(compare(before, fewer)) == "Steps 1 and 2: 1 sentence removed."
