"""A play written before its profile was corrected says so, and is written again: shown first, then used, or undone."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.approvals import approvals
from app.domain.autopilot import play_changes, play_numbers, plays, setup
from app.domain.campaigns.changes import changes, revision_log
from app.domain.installation.sandbox import sandbox_clock
from app.models.approvals import Approval
from app.models.autopilot import Play
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import launched, the_play, the_setup, with_play, work
from tests.domain.autopilot.test_launch import the_campaign
from tests.domain.outreach import revise

DUCKS = "rubber ducks"


def corrected(workspace: Workspace, sells: str = DUCKS) -> None:
    """The owner corrects what they do."""
    setup.save(workspace, profile={"topic": sells, "pitch": f"We build {sells} for sailing schools."})
    end_read()


def outdated(workspace: Workspace) -> bool:
    """Whether the play is marked."""
    return play_numbers.view(workspace, the_play(workspace)).outdated


def shown(workspace: Workspace, play: Play) -> list[dict[str, Any]]:
    """The new texts beside the old ones."""
    end_read()
    kept = play_changes.rewrite(workspace, play.id).proposed
    end_read()
    return list(kept["texts"]) if kept else []


def used(workspace: Workspace, play: Play, steps: list[str] | None = None) -> Play:
    """The play after its new texts were used."""
    play_changes.use(workspace, play.id, steps)
    end_read()
    return the_play(workspace)


def words_of(steps: Any) -> str:
    return "\n".join(f"{step.get('subject', '')} {step.get('message', step.get('text', ''))}" for step in steps)


def sells(workspace: Workspace) -> str:
    profile = the_setup(workspace).profile
    assert profile
    return str(profile["topic"])


def test_a_corrected_profile_marks_what_was_written_before_and_changes_no_text(acme: Workspace) -> None:
    """Corrected back, nothing is older than it. What no message is built on marks nothing."""
    play, old = with_play(acme), sells(acme)
    assert not outdated(acme)
    setup.save(acme, profile={"summary": "In short.", "examples": ["Acme"]})
    assert not outdated(acme)
    before = the_setup(acme)
    corrected(acme)
    work()
    assert outdated(acme)
    assert the_play(acme).steps == play.steps
    after = the_setup(acme)
    assert (after.targets, after.customer_types) == (before.targets, before.customer_types)
    corrected(acme, old)
    assert not outdated(acme)


def test_new_texts_are_shown_before_they_are_used_and_can_be_taken_back(acme: Workspace) -> None:
    play, old = with_play(acme), sells(acme)
    with pytest.raises(Conflict):
        play_changes.use(acme, play.id)
    corrected(acme)
    texts = shown(acme, play)
    assert old in str([one["before"] for one in texts])
    assert DUCKS in str([one["after"] for one in texts])
    assert the_play(acme).steps == play.steps
    now = used(acme, play)
    assert [step["id"] for step in now.steps] == [step["id"] for step in play.steps]
    assert DUCKS in words_of(now.steps)
    assert old not in words_of(now.steps)
    assert DUCKS in words_of([one for sample in plays.get(acme, play.id)[1] for one in sample.messages])
    assert not outdated(acme)
    play_changes.undo(acme, play.id)
    assert (the_play(acme).steps, outdated(acme)) == (play.steps, True)
    with pytest.raises(Conflict):
        play_changes.undo(acme, play.id)


def test_a_text_that_a_person_edited_stays_unless_its_step_is_named(acme: Workspace) -> None:
    play, mine = with_play(acme), "My own words, {{first_name|there}}."
    number = next(at for at, step in enumerate(play.steps) if step["kind"] == "social")
    steps = [{**step, "text": mine} if at == number else step for at, step in enumerate(play.steps)]
    plays.edit(acme, play.id, steps)
    corrected(acme)
    (edited,) = [one for one in shown(acme, play) if one["edited"]]
    assert (edited["number"], edited["before"][0]) == (number + 1, mine)
    assert used(acme, play).steps[number]["text"] == mine
    corrected(acme, "glass swans")
    assert edited["step"] in [one["step"] for one in shown(acme, play)]
    with pytest.raises(InvalidRequest):
        play_changes.use(acme, play.id, ["nothing"])
    assert used(acme, play, [edited["step"]]).steps[number]["text"] != mine


def test_texts_that_were_changed_since_they_were_shown_are_not_overwritten(acme: Workspace) -> None:
    play = with_play(acme)
    corrected(acme)
    shown(acme, play)
    steps = [{**step, **({"text": "Mine, {{first_name|there}}."} if step.get("text") else {})} for step in play.steps]
    plays.edit(acme, play.id, steps)
    with pytest.raises(Conflict):
        play_changes.use(acme, play.id)
    assert the_play(acme).steps == steps


def test_without_another_text_the_play_is_up_to_date(acme: Workspace) -> None:
    """So it is once a person has seen the new texts and keeps the old ones."""
    play = with_play(acme)
    corrected(acme)
    assert shown(acme, play)
    assert (used(acme, play, []).steps, outdated(acme)) == (play.steps, False)
    with transaction():
        found = session().get_one(Play, play.id)
        found.written_from = {**(found.written_from or {}), "kind": "goods"}
    used_up = shown(acme, play)
    assert used_up
    used(acme, play, [one["step"] for one in used_up])
    with transaction():
        found = session().get_one(Play, play.id)
        found.written_from = {**(found.written_from or {}), "kind": "goods"}
    assert outdated(acme)
    assert shown(acme, play) == []
    assert not outdated(acme)


def test_a_running_campaign_gets_the_new_texts_as_one_change_of_its_steps(acme: Workspace) -> None:
    """The undo of the play is that of the change; what was undone there is not undone twice."""
    play, old = launched(acme), sells(acme)
    before = the_campaign(play).sequence
    assert play_changes.of_campaign(acme, the_campaign(play)) is None
    corrected(acme)
    marked = play_changes.of_campaign(acme, the_campaign(play))
    assert marked is not None
    assert marked.id == play.id
    shown(acme, play)
    assert the_campaign(play).sequence == before
    used(acme, play)
    now = the_campaign(play).sequence
    assert DUCKS in words_of(now)
    assert old not in words_of(now)
    assert play_changes.of_campaign(acme, the_campaign(play)) is None
    (revision,) = revision_log.newest(the_campaign(play), 5)
    assert (revision.kind, revision.apply_to) == ("steps", "all")
    play_changes.undo(acme, play.id)
    assert (the_campaign(play).sequence, the_play(acme).steps) == (before, play.steps)
    assert [one.undoes for one in revision_log.newest(the_campaign(play), 5)] == [1, None]
    shown(acme, play)
    used(acme, play)
    changes.undo(acme, play.campaign_id or 0, 3)
    play_changes.undo(acme, play.id)
    assert len(revision_log.newest(the_campaign(play), 9)) == 4


def test_drafts_that_wait_follow_and_an_edited_one_stays(acme: Workspace) -> None:
    play, old = launched(acme, approval=True), sells(acme)

    def waiting() -> list[Approval]:
        query = sa.select(Approval).where(Approval.campaign_id == play.campaign_id, Approval.status == "pending")
        fresh = query.order_by(Approval.id).execution_options(populate_existing=True)
        return [one for one in session().scalars(fresh) if one.text]

    while not any(old in draft.text for draft in waiting()):
        sandbox_clock.advance(acme, 24)
    mine = next(draft.id for draft in waiting() if old in draft.text)
    approvals.edit(acme, mine, text="My own words.")
    corrected(acme)
    assert any(old in draft.text for draft in waiting())
    shown(acme, play)
    used(acme, play)
    assert any(DUCKS in draft.text for draft in waiting())
    assert not any(old in draft.text for draft in waiting())
    assert session().get_one(Approval, mine).text == "My own words."


def test_a_step_edited_in_the_campaign_is_shown_as_it_stands_there(acme: Workspace) -> None:
    """A step that was put before it does not hide it."""
    play, mine = launched(acme), "My own words, {{first_name|there}}."
    sequence = the_campaign(play).sequence
    place = next(at for at, step in enumerate(sequence) if step["type"] == "message")
    steps = [{**step, "message": mine} if at == place else step for at, step in enumerate(sequence)]
    revise(acme, play.campaign_id or 0, [{"type": "like_post"}, *steps], "all")
    corrected(acme)
    (edited,) = [one for one in shown(acme, play) if one["edited"]]
    assert edited["before"][0] == mine
    used(acme, play)
    assert the_campaign(play).sequence[place + 1]["message"] == mine
    corrected(acme, "glass swans")
    (edited,) = [one for one in shown(acme, play) if one["edited"]]
    used(acme, play, [edited["step"]])
    assert the_campaign(play).sequence[place + 1]["message"] == edited["after"][0]


def test_steps_of_a_template_are_matched_by_their_kind(acme: Workspace) -> None:
    play = with_play(acme)
    plays.apply_steps(acme, play.id, play.steps)
    corrected(acme)
    texts = shown(acme, play)
    assert texts
    assert all(one["edited"] for one in texts)


def test_a_play_being_built_waits(acme: Workspace) -> None:
    play = with_play(acme)
    plays.build(acme, play.id)
    with pytest.raises(Conflict):
        play_changes.rewrite(acme, play.id)
