"""What new steps mean for a person in a campaign."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from app.domain.campaigns.changes import revision_effects
from app.domain.campaigns.changes.revision_effects import ALL, NEW, Change, Revision, StepChange
from app.domain.rules.sequences import step_keys
from app.models.accounts import Budget
from app.models.campaigns import Connection, LeadState

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)
IN_A_DAY = NOW + timedelta(days=1)


def view(days: int = 0) -> dict[str, Any]:
    """A step without text."""
    return {"type": "view_profile", **wait(days)}


def mail(text: str, days: int = 0) -> dict[str, Any]:
    """A step with one."""
    return {"type": "email", "subject": "Hi", "message": text, **wait(days)}


def wait(days: int) -> dict[str, Any]:
    """The wait before a step, where there is one."""
    return {"delay": {"value": days, "unit": "days"}} if days else {}


@dataclass(frozen=True)
class Person:
    """A row of a campaign's leads: by default one who waits a day for the second step."""

    id: int = 1
    account_id: int | None = 1
    mailbox_id: int | None = 2
    has_email: bool = True
    state: str = LeadState.ACTIVE
    paused_from: str | None = None
    step: int = 1
    part: int = 0
    sender_id: int | None = 2
    next_budget: str = Budget.EMAIL
    due_at: datetime | None = IN_A_DAY
    reason: str = ""
    error: str = ""
    kept: Mapping[str, Any] | None = None
    connection: str = Connection.NONE
    invited_at: datetime | None = None
    accepted_at: datetime | None = None
    contacted: bool = True
    last_action_at: datetime | None = field(default=NOW)
    wait_for_profile: bool = False
    route: dict[str, Any] | None = None
    person_id: int = 1
    skip_steps: list[int] | None = None
    step_due_at: datetime | None = None


BEFORE = [view(), mail("One", 2), mail("Two", 3)]


def revised(after: list[dict[str, Any]], fixed: int = 2, to: str = ALL, **more: Any) -> Revision:
    """The steps were BEFORE, and the first `fixed` keep their places."""
    return Revision(BEFORE, step_keys.with_keys(BEFORE, after), fixed, to, NOW, **more)


def change(revision: Revision, **columns: Any) -> Change:
    """What it means for that person."""
    return revision_effects.effect_on_lead(replace(Person(), **columns), revision)


def test_a_new_text_is_theirs_who_wait_for_it_when_it_is_for_all_and_not_when_it_is_for_new_people() -> None:
    assert change(revised(BEFORE)) == Change({}, False)
    new = [BEFORE[0], mail("New", 2), BEFORE[2]]
    assert change(revised(new)) == Change({}, True)
    kept = {"kept": {"step": 1, "message": "One", "subject": "Hi"}}
    assert change(revised(new, to=NEW)) == Change(kept, False, kept=True)


def test_a_text_of_which_a_part_was_sent_ends_as_it_began_and_a_kept_one_is_dropped_only_for_all() -> None:
    for begun in [{"part": 1}, {"id": 7}]:
        sent = revised([BEFORE[0], mail("New", 2), BEFORE[2]], in_flight=frozenset({7}))
        assert change(sent, **begun).columns == {"kept": {"step": 1, "message": "One", "subject": "Hi"}}, begun
    kept = {"step": 1, "message": "Older", "subject": "Hi"}
    new = [BEFORE[0], mail("New", 2), BEFORE[2]]
    assert change(revised(new, to=NEW), kept=kept) == Change({}, False, kept=True)
    assert change(revised(new), kept=kept).columns == {"kept": None}
    assert change(revised(BEFORE), kept=kept) == Change({"kept": None}, True)


def test_a_wait_that_outlasts_an_open_invitation_has_it_withdrawn_before() -> None:
    new = revised([BEFORE[0], mail("One", 5), BEFORE[2]])
    invited = {"connection": Connection.SENT, "invited_at": NOW - timedelta(days=20, hours=6)}
    due, over = IN_A_DAY + timedelta(days=3), NOW + timedelta(hours=18)
    found = change(new, **invited).columns
    assert found["state"] == LeadState.AWAITING_ACCEPT
    assert (found["next_budget"], found["due_at"], found["step_due_at"]) == ("withdraw", over, due)
    waits = {"state": LeadState.AWAITING_ACCEPT, "next_budget": "withdraw", "due_at": over, "step_due_at": IN_A_DAY}
    assert change(new, **invited, **waits) == Change({"step_due_at": due}, True, placed=True)
    removed = change(revised([BEFORE[0], BEFORE[2]]), **invited, **waits).columns
    assert removed["step_due_at"] == IN_A_DAY + timedelta(days=1)  # from when they arrived there


def test_a_longer_wait_moves_the_moment_and_a_new_text_frees_those_who_lacked_a_value() -> None:
    new = revised([BEFORE[0], mail("One", 5), BEFORE[2]])
    assert change(new) == Change({"due_at": IN_A_DAY + timedelta(days=3)}, True, placed=True)
    new = revised([BEFORE[0], mail("New", 2), BEFORE[2]])
    held = change(new, reason="missing_value", error="first_name")
    assert held == Change({"due_at": NOW, "reason": "", "error": ""}, True, placed=True)


def test_a_step_put_in_moves_those_who_wait_there_and_affects_those_before_it() -> None:
    new = revised([*BEFORE[:2], view(1), BEFORE[2]])
    assert change(new) == Change({}, True)
    found = change(new, step=2, due_at=NOW + timedelta(days=2))
    assert (found.affected, found.placed) == (True, True)
    arrived = NOW + timedelta(days=2) - timedelta(days=3)
    assert found.columns == {"sender_id": 1, "next_budget": Budget.VISIT, "due_at": arrived + timedelta(days=1)}


def test_who_has_every_step_behind_them_goes_on_only_when_it_is_for_all() -> None:
    longer = [*BEFORE, mail("Three", 1)]
    behind = {"step": 3, "next_budget": "end", "sender_id": None, "due_at": NOW + timedelta(days=7)}
    assert change(revised(longer, fixed=3, to=NEW), **behind) == Change({"step": 4}, False)
    found = change(revised(longer, fixed=3), **behind)
    assert (found.columns["next_budget"], found.columns["due_at"]) == (Budget.EMAIL, IN_A_DAY)


def test_who_is_away_stays_so_until_they_are_back() -> None:
    new = revised([*BEFORE[:2], view(1)])
    away = {"step": 2, "state": LeadState.PAUSED, "paused_from": LeadState.ACTIVE, "reason": "out_of_office"}
    found = change(new, **away, next_budget="back", due_at=IN_A_DAY)
    assert set(found.columns) & {"due_at", "next_budget", "state", "reason"} == set()


def test_changed_and_moved_steps_are_named_by_their_place() -> None:
    for after, changes in [
        (BEFORE, []),
        ([BEFORE[0], mail("New", 2), BEFORE[2]], [StepChange(1, "email", "text")]),
        ([BEFORE[0], mail("One", 4), BEFORE[2]], [StepChange(1, "email", "wait")]),
        ([*BEFORE[:2], mail("New", 3)], [StepChange(2, "email", "text")]),
        ([*BEFORE[:2], view(1)], [StepChange(2, "view_profile", "new"), StepChange(2, "email", "removed")]),
        (BEFORE[:2], [StepChange(2, "email", "removed")]),
        ([*BEFORE, view(1)], [StepChange(3, "view_profile", "new")]),
    ]:
        assert revision_effects.step_changes(revised(after)) == changes, after
    found = revision_effects.step_changes(revised([BEFORE[0], BEFORE[2], BEFORE[1]], fixed=1))
    assert {one.change for one in found} == {"moved"}


def test_people_are_counted_by_what_they_get() -> None:
    new = revised([BEFORE[0], mail("One", 5), BEFORE[2]])
    people = [Person(), Person(id=2, step=2), Person(id=3, part=1)]
    effect = revision_effects.preview_effect(new, [(one, revision_effects.effect_on_lead(one, new)) for one in people])
    assert (effect.fixed, effect.affected, effect.placed, effect.kept, effect.untouched) == (2, 1, 1, 0, 2)
