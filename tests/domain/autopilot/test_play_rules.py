"""Plays in review follow the learnt rules: what a rule changed comes back when it is taken back."""

from app.core.db import session, transaction
from app.domain.autopilot import play_people, plays
from app.domain.learning import proposals
from app.models.autopilot import LearntRule, Play
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import the_play, with_play, work


def texts(play: Play) -> list[str]:
    """The texts of the play, and those that its sample people would get."""
    return [step.get("text", "") for step in play.steps]


def proposed(workspace: Workspace, old: str, new: str) -> int:
    """A rule that edits suggested."""
    with transaction():
        rule = LearntRule(
            workspace_id=workspace.id,
            kind="swap",
            detail=[old, new],
            words=f"Write “{new}” instead of “{old}”.",
            drafts=[],
            edits=3,
            proposed_at=workspace.now(),
        )
        session().add(rule)
        session().flush()
        return rule.id


def test_an_accepted_rule_holds_for_plays_in_review_until_it_is_taken_back(acme: Workspace) -> None:
    """Their texts, the messages of their sample people, and the log of the play say so."""
    before = with_play(acme)
    originals, word = texts(before), "Tidemark"
    assert any(word in text for text in originals)
    rule = proposed(acme, word, "Tidemark Ltd")
    proposals.accept(acme, rule)
    play = the_play(acme)
    assert texts(play) == [text.replace(word, "Tidemark Ltd") for text in originals]
    assert "follow" in play.log[-1]["text"]
    shown = [message["text"] for sample in play_people.samples(acme, play.id) for message in sample.messages]
    assert any("Tidemark Ltd" in text for text in shown)
    proposals.take_back(acme, rule)
    assert texts(the_play(acme)) == originals


def test_a_text_that_a_person_edited_stays_theirs(acme: Workspace) -> None:
    play = with_play(acme)
    steps = [{**step, **({"text": "Tidemark: a call?"} if step["kind"] == "social" else {})} for step in play.steps]
    plays.edit(acme, play.id, steps)
    work()
    proposals.accept(acme, proposed(acme, "Tidemark", "Tidemark Ltd"))
    made = the_play(acme)
    assert {step["text"] for step in made.steps if step["kind"] == "social"} == {"Tidemark: a call?"}
    assert any("Tidemark Ltd" in step["text"] for step in made.steps if step["kind"] in ("invite", "email"))
