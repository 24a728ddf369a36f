"""Changes of a play: compared by sentence, proposed, used or left, taken back, and told in the log as they were."""

from dataclasses import replace

import pytest

from app.core.errors import Conflict
from app.domain.autopilot import play_changes, play_people, plays
from app.models.autopilot import Play
from app.models.workspaces import Workspace
from app.ports import Unreachable
from tests.domain.autopilot.steering import the_play, with_play, work
from tests.domain.autopilot.writers import raises, with_model, writer_at


def told(play: Play) -> list[str]:
    """The answers in the log."""
    return [entry["text"] for entry in play.log if entry["role"] == "agent"]


def test_a_proposed_change_is_used_or_left_and_the_last_one_taken_back(acme: Workspace) -> None:
    """The people get the new messages, an approval has to be given again, and all of it comes back."""
    play = with_play(acme)
    first, written = play.steps, play.written
    shown = [one.messages for one in play_people.samples(acme, play.id)]
    plays.approve(acme, play.id)
    play_changes.ask(acme, play.id, "No email", preview=True)
    standing = play_changes.standing(acme, the_play(acme))
    assert standing.proposal is not None
    assert "dropped" in standing.proposal.says
    assert (the_play(acme).steps, told(the_play(acme)), standing.can_undo) == (first, [], False)
    play_changes.leave(acme, play.id)
    assert (the_play(acme).proposed, told(the_play(acme))) == (None, [play_changes.LEFT])
    with pytest.raises(Conflict):
        play_changes.use(acme, play.id)
    play_changes.ask(acme, play.id, "no_email", preview=True)
    play_changes.use(acme, play.id)
    used = the_play(acme)
    assert (used.channel, used.approved_at, told(used)[-1]) == ("social", None, standing.proposal.says)
    assert "email" not in {one["kind"] for sample in play_people.samples(acme, play.id) for one in sample.messages}
    play_changes.undo(acme, play.id)
    back = the_play(acme)
    assert (back.steps, back.written, back.channel) == (first, written, "social_email")
    assert [one.messages for one in play_people.samples(acme, play.id)] == shown
    assert told(back)[-1].startswith("Undone.")
    with pytest.raises(Conflict):
        play_changes.undo(acme, play.id)


def test_what_was_edited_since_is_neither_overwritten_nor_taken_back(acme: Workspace) -> None:
    play = with_play(acme)
    play_changes.ask(acme, play.id, "Wait longer")
    longer = the_play(acme).steps
    assert play_changes.standing(acme, the_play(acme)).can_undo
    play_changes.ask(acme, play.id, "No email", preview=True)
    plays.edit(acme, play.id, longer[:-1])
    standing = play_changes.standing(acme, the_play(acme))
    assert (standing.proposal, standing.can_undo) == (None, False)
    for late in (play_changes.use, play_changes.undo):
        with pytest.raises(Conflict):
            late(acme, play.id)


def test_words_of_ones_own_are_for_a_model_and_the_answer_says_what_changed_not_what_was_asked(acme: Workspace) -> None:
    """Without one nothing changes and the answer lists what can be asked; a failure is told as it is."""
    play = with_play(acme)
    play_changes.ask(acme, play.id, "Never mention AI")
    assert told(the_play(acme))[-1].startswith("Nothing changed: Your own instructions need an AI model")
    assert "Shorter" in told(the_play(acme))[-1]
    assert not play_changes.takes_words()
    with_model(lambda steps: [*steps[:2], replace(steps[2], text=f"{steps[2].text} A joke about cats."), *steps[3:]])
    for preview in (True, False):
        asked, _ = play_changes.ask(acme, play.id, "Mention our free trial", preview=preview)
        assert asked.working == play_changes.THINKING
        with pytest.raises(Conflict):
            play_changes.ask(acme, play.id, "shorter")
        work()
        changed = the_play(acme)
        assert changed.working == ""
    assert told(changed)[-1] == "Step 3: 1 sentence added."
    with_model()
    play_changes.ask(acme, play.id, "Ring twice")
    work()
    assert told(the_play(acme))[-1] == "Nothing changed: the model had no other text."
    writer_at("change", raises(Unreachable("It is down.")))
    play_changes.ask(acme, play.id, "Ring twice")
    work()
    assert told(the_play(acme))[-1] == "Nothing changed: It is down."
