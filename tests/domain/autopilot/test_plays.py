"""Plays in review: votes sharpen, steps change by hand or by asking, templates, and who may do what when."""

from typing import Any

import pytest
import sqlalchemy as sa

from app import ports
from app.core.db import session
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.autopilot import play_build, play_changes, play_design, play_people, plays, setup, sources, templates
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.models.leads import Lead
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import (
    ANSWERS,
    another_play,
    designed,
    targeted,
    the_play,
    the_setup,
    with_play,
    work,
)
from tests.domain.autopilot.writers import Died, NoOne, raises, search_at, with_model, writer_at
from tests.support.movable import Movable

STEPS = [
    {"kind": "invite", "text": "Hi {{first_name}}", "delay": {"count": 0, "unit": "days"}, "after": "previous"},
    {"kind": "social", "text": "Thanks!", "delay": {"count": 1, "unit": "days"}, "after": "accept"},
]


def test_every_open_angle_becomes_a_play_in_review(acme: Workspace) -> None:
    """Every angle that is open and fits is a play in review with people, reasons and whole messages."""
    found = designed(acme)
    assert [play.rank for play in found] == list(range(1, len(found) + 1))
    assert {play.angle for play in found} == {"cold", "new_role", "technology"}
    for play in found:
        assert (play.status, play.build, play.error) == ("review", None, "")
        assert (play.written_by, play.note) == ("built-in", "")
        assert play.audience > 0
        assert all([play.name, play.pitch, play.why, play.strategy, play.reaches])
        shown = play_people.samples(acme, play.id)
        assert 0 < len(shown) <= play_people.SHOWN
        assert all(one.reason and one.messages for one in shown)
        texts = " ".join(message["text"] + message["subject"] for one in shown for message in one.messages)
        assert "{{" not in texts


def test_sources_open_more_angles_and_come_first(acme: Workspace) -> None:
    """Site visitors with analytics, former customers with payments."""
    targeted(acme)
    sources.connect_analytics(acme, "phx_key")
    sources.connect_payments(acme, "rk_test_key")
    setup.save(acme, **ANSWERS)
    work()
    found = plays.every(acme)
    assert [play.angle for play in found[:2]] == ["former_customers", "site_visitors"]
    assert len(found) == 5
    connected = sources.get(acme)
    for play, source in ((found[0], connected.payments), (found[1], connected.analytics)):
        assert source
        brought = {
            lead.person.handle for lead in session().scalars(sa.select(Lead).where(Lead.list_id == source.list_id))
        }
        assert {one.person for one in play_people.samples(acme, play.id)} <= brought
        assert play.audience == len(brought)


def test_an_angle_that_is_not_open_is_refused(acme: Workspace) -> None:
    """With what it needs; designing before targets is a conflict."""
    with pytest.raises(Conflict):
        play_design.design(acme)
    targeted(acme)
    with pytest.raises(Conflict, match="No analytics source is connected"):
        play_design.design(acme, "site_visitors")
    with pytest.raises(InvalidRequest) as refusal:
        play_design.design(acme, "horoscope")
    assert refusal.value.fields[0].path == "angle"


def test_people_who_may_not_be_contacted_are_not_shown_and_without_anyone_only_this_play_fails(acme: Workspace) -> None:
    """A retry works once there is someone."""
    play, directory = with_play(acme), ports.sandbox_people()
    named = [one.person for one in play_people.samples(acme, play.id)]
    never_contact.add(acme, [("person", person) for person in named])
    plays.build(acme, play.id)
    work()
    assert not {one.person for one in play_people.samples(acme, play.id)} & set(named)
    ports.sandbox_people.connect(NoOne())
    plays.build(acme, play.id)
    work()
    failed = the_play(acme)
    assert (failed.status, failed.build) == ("failed", None)
    assert "Broaden the targeting" in failed.log[-1]["text"]
    assert (the_setup(acme).error or "").startswith(failed.name)
    ports.sandbox_people.connect(directory)
    plays.retry(acme, play.id)
    work()
    assert the_play(acme).status == "review"


def test_votes_sharpen_the_people_shown(acme: Workspace, rival: Workspace) -> None:
    """The bad one stays marked, none like them stays, and others take their place. Votes of others are refused."""
    play = with_play(acme)
    shown = play_people.samples(acme, play.id)
    bad = next(one for one in shown if one.found["title"] != shown[0].found["title"])
    title, bad_id = bad.found["title"], bad.id
    voted, _ = plays.vote(acme, play.id, bad_id, "bad")
    assert voted.working
    work()
    after = play_people.samples(acme, play.id)
    assert the_play(acme).working == ""
    assert {one.id for one in after if one.found["title"] == title} == {bad_id}
    assert len([one for one in after if one.fit != "bad"]) == play_people.SHOWN
    assert all(one.messages for one in after)
    gone = len({one.id for one in shown} - {one.id for one in after})
    assert the_play(acme).log[-1]["text"] == f"Your votes replaced {gone} {'person' if gone == 1 else 'people'}."
    plays.vote(acme, play.id, bad_id, None)
    work()
    assert [one.fit for one in play_people.samples(acme, play.id) if one.id == bad_id] == [""]
    other = another_play(acme, "hiring")
    theirs = play_people.samples(acme, other.id)[0].id
    for workspace, person in ((acme, theirs), (rival, bad_id)):
        with pytest.raises(NotFound):
            plays.vote(workspace, play.id, person, "good")
    with pytest.raises(InvalidRequest):
        plays.vote(acme, play.id, bad_id, "perfect")


def test_a_vote_and_a_wish_wait_for_each_other(acme: Workspace) -> None:
    """Whichever came first; a vote that comes when the work is done but not yet noted is followed too."""
    play = with_play(acme)
    shown = play_people.samples(acme, play.id)
    plays.vote(acme, play.id, shown[0].id, "good")
    with_model()
    asked, _ = play_changes.ask(acme, play.id, "As a limerick")
    assert asked.working == play_changes.THINKING
    work()
    assert ([entry["role"] for entry in the_play(acme).log], the_play(acme).working) == (["user", "agent"], "")
    play_changes.ask(acme, play.id, "As a sonnet")
    plays.vote(acme, play.id, shown[1].id, "bad")
    assert jobs.run_due(1) == 1
    assert the_play(acme).working == play_build.SHARPENING
    work()
    assert the_play(acme).working == ""
    shown = play_people.samples(acme, play.id)
    plays.vote(acme, play.id, shown[0].id, "bad")
    sharpening = jobs.KINDS["autopilot_sharpen"]

    def late(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
        answer = sharpening.work(workspace, payload, job)
        if the_play(acme).working == "" and not voted:
            voted.append(plays.vote(acme, play.id, shown[1].id, "good"))
        return answer

    voted: list[object] = []
    jobs.KINDS["autopilot_sharpen"] = jobs.Kind(late, sharpening.failed)
    try:
        work()
    finally:
        jobs.KINDS["autopilot_sharpen"] = sharpening
    assert voted
    assert the_play(acme).working == ""


def test_a_play_is_edited_approved_and_skipped_only_in_review(acme: Workspace) -> None:
    """People get the edited steps, the channel follows from them, and an approval has to be given again."""
    play = with_play(acme)
    plays.approve(acme, play.id)
    edited, shown = plays.edit(acme, play.id, STEPS)
    assert (edited.channel, edited.approved_at) == ("social", None)
    assert shown[0].messages[0]["text"] == f"Hi {shown[0].found['first_name']}"
    assert [one["kind"] for one in shown[0].messages] == ["invite", "social"]
    assert plays.skip(acme, play.id)[0].skipped_at
    approved, _ = plays.approve(acme, play.id)
    assert approved.approved_at
    assert approved.skipped_at is None
    for wish in ("", "  ", "x" * 2001, "a\0b"):
        with pytest.raises(InvalidRequest):
            play_changes.ask(acme, play.id, wish)
    plays.build(acme, play.id)
    for refused in (
        lambda: plays.edit(acme, play.id, STEPS),
        lambda: play_changes.ask(acme, play.id, "shorter"),
        lambda: plays.approve(acme, play.id),
        lambda: plays.retry(acme, play.id),
        lambda: plays.build(acme, play.id),
    ):
        with pytest.raises(Conflict) as refusal:
            refused()
        assert refusal.value.recovery


def test_a_killed_change_and_killed_votes_go_on_and_steps_edited_meanwhile_stay(
    acme: Workspace, clock: Movable
) -> None:
    """The log has one answer for each wish, and nothing is under way for ever."""
    play = with_play(acme)
    with_model()
    writer_at("change", raises(Died()))
    play_changes.ask(acme, play.id, "As a limerick")
    with pytest.raises(Died):
        work()
    clock.forward(seconds=61)
    work()
    assert [entry["role"] for entry in the_play(acme).log] == ["user", "agent"]
    search_at("find", raises(Died()))
    plays.vote(acme, play.id, play_people.samples(acme, play.id)[0].id, "bad")
    with pytest.raises(Died):
        work()
    clock.forward(seconds=61)
    work()
    assert the_play(acme).working == ""
    writer_at("change", lambda: plays.edit(acme, play.id, STEPS))
    play_changes.ask(acme, play.id, "As a limerick")
    work()
    after = the_play(acme)
    assert [step["kind"] for step in after.steps] == ["invite", "social"]
    assert "in the meantime" in after.log[-1]["text"]


def test_templates_are_saved_applied_and_deleted(acme: Workspace, rival: Workspace) -> None:
    """Steps of one play in another, with ids of their own."""
    first, second = with_play(acme), another_play(acme, "hiring")
    plays.edit(acme, first.id, STEPS)
    templates.save(acme, first.id, " Short and plain ")
    (kept,) = templates.every(acme)
    assert (kept.name, kept.channel) == ("Short and plain", "social")
    applied, _ = templates.apply(acme, second.id, kept.id)
    assert [step["text"] for step in applied.steps] == ["Hi {{first_name}}", "Thanks!"]
    assert {step["id"] for step in applied.steps}.isdisjoint(step["id"] for step in kept.steps)
    assert templates.every(rival) == []
    with pytest.raises(InvalidRequest):
        templates.apply(acme, second.id, kept.id + 1)
    with pytest.raises(NotFound):
        templates.delete(rival, kept.id)
    templates.delete(acme, kept.id)
    assert templates.every(acme) == []
