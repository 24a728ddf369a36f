"""Splits inside splits in the editor's form: whatever is pressed, steps keep together and none is lost."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.campaigns.branch_validation import MAX_DEPTH, check_branches
from app.domain.rules.sequences.branches import Flow
from app.pages.campaigns.branch_form import drafts_of, when_of
from app.pages.campaigns.form_data import Draft
from tests.domain.rules.sequences.test_branches import HAS_EMAIL, MAIL, VIEW, VIP, flows


def form_of(flow: Flow) -> Draft:
    """The form with these steps and branches."""
    draft = Draft(schedule={"more": [], "blackouts": []})
    draft.take(flow.sequence, flow.branches)
    return draft


def places(draft: Draft) -> list[tuple[int, int, int]]:
    return [(one["at"], one["otherwise"], one["join"]) for one in draft.layout.spans()]


def wrong(draft: Draft) -> list[str]:
    """What a save would say of the branches, but for their depth."""
    told: list[str] = []
    check_branches(draft.layout.arguments()[:10], len(draft.steps), lambda _, sentence: told.append(sentence))
    return [sentence for sentence in told if str(MAX_DEPTH) not in sentence]


@settings(max_examples=40, deadline=None)
@given(flow=flows())
def test_what_is_stored_is_read_and_saved_unchanged(flow: Flow) -> None:
    draft = form_of(flow)
    draft.layout.tidy()
    assert [step.type for step in draft.steps] == [step["type"] for step in flow.sequence]
    assert places(draft) == [(one["at"], one["otherwise"], one["join"]) for one in flow.branches]
    assert [when_of(one.when) for one in draft.branches] == [when_of(drafts_of(one["when"])) for one in flow.branches]


@settings(max_examples=60, deadline=None)
@given(
    flow=flows(),
    presses=st.lists(st.tuples(st.sampled_from(("up", "down", "split", "join", "add")), st.integers(0, 9))),
)
def test_no_press_makes_sides_that_cross_or_loses_a_step(flow: Flow, presses: list[tuple[str, int]]) -> None:
    draft = form_of(flow)
    for verb, number in presses:
        keys = {step.key for step in draft.steps}
        at = number % len(draft.steps)
        here = draft.steps[at]
        side = f":{here.branch}:{here.side}" if here.branch else ""
        do = {"split": f"split:{at}{side}", "join": f"join:{here.branch}", "add": f"add:{at}:email{side}"}
        if verb != "split" or draft.layout.may_split(here.branch):
            draft.change(do.get(verb, f"{verb}:{at + 1}"))
        assert keys <= {step.key for step in draft.steps}
        assert len(draft.steps) == len(keys) + (verb == "add")
        assert wrong(draft) == []


NESTED: list[dict[str, Any]] = [
    {"at": 1, "otherwise": 4, "join": 5, "when": VIP},
    {"at": 2, "otherwise": 3, "join": 4, "when": HAS_EMAIL},
]


def test_a_step_moves_through_every_side_and_back() -> None:
    """Into the outer split, past its step, into the inner one, out of it, to the other side, and behind it all."""
    draft = form_of(Flow([VIEW, MAIL, MAIL, VIEW, MAIL], NESTED))
    first = draft.steps[0].key
    ways = []
    for press in ("down", "up"):
        for _ in range(9):
            at = next(number for number, step in enumerate(draft.steps, 1) if step.key == first)
            ways.append((at, "/".join(side for _, side in draft.layout.way(draft.steps[at - 1]))))
            draft.change(f"{press}:{at}")
    there = [
        *((1, ""), (1, "when"), (2, "when"), (2, "when/when"), (3, "when/when"), (3, "when/otherwise")),
        *((4, "when/otherwise"), (4, "when"), (4, "otherwise")),
    ]
    assert ways[:9] == there
    assert ways[10:][::-1][:8] == there[1:]


def test_a_side_is_split_and_a_removed_split_leaves_its_steps_in_place() -> None:
    """A split before another one takes that in; the third level offers no further one."""
    draft = form_of(Flow([VIEW, MAIL, MAIL, VIEW, MAIL], NESTED))
    outer, inner = (branch.key for branch in draft.branches)
    draft.change(f"split:1:{outer}:when")
    assert places(draft) == [(1, 4, 5), (1, 2, 2), (2, 3, 4)]
    draft.change(f"join:{draft.branches[1].key}")
    draft.change(f"split:2:{outer}:when")
    made = next(branch.key for branch in draft.branches if branch.key not in (outer, inner))
    assert places(draft) == [(1, 4, 5), (2, 4, 4), (2, 3, 4)]
    assert [draft.layout.may_split(key) for key in ("", outer, made, inner)] == [True, True, True, False]
    draft.change(f"join:{made}")
    assert places(draft) == [(1, 4, 5), (2, 3, 4)]
    draft.change(f"join:{outer}")
    assert places(draft) == [(2, 3, 4)]
    assert len(draft.steps) == 5
    for where, steps in ((f":{inner}:otherwise", 6), ("", 7)):  # at the end of a path and of all, with a first step
        draft.change(f"split:{4 if where else 6}{where}")
        assert len(draft.steps) == steps
    assert places(draft) == [(2, 3, 5), (4, 5, 5), (6, 7, 7)]


def test_the_days_of_a_sequence_are_those_of_its_longest_path() -> None:
    """The sides of a split are not added up; of nested ones, the longest counts."""
    waits = [{**MAIL, "delay": {"value": days, "unit": "days"}} for days in (0, 3, 1, 5, 2)]
    assert form_of(Flow(waits, [])).layout.days() == 11
    assert form_of(Flow(waits, [{"at": 1, "otherwise": 3, "join": 4, "when": VIP}])).layout.days() == 7
    assert form_of(Flow(waits, NESTED)).layout.days() == 8
