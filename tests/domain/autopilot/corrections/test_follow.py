"""What was launched follows a correction: campaigns as one revision each, and the drafts that wait."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.clock import Movable
from app.core.db import end_read, session, transaction
from app.domain.approvals import approvals, bulk
from app.domain.autopilot import plays, profile_corrections, setup
from app.domain.autopilot.corrections import follow, kept_texts, old_words, preview
from app.domain.campaigns import campaigns, changes, revision_log, revisions
from app.domain.operations import sandbox_clock
from app.models.approvals import Approval
from app.models.autopilot import CorrectedPlay, Play
from app.models.campaigns import Campaign, CampaignRevision
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import launched, the_play, the_setup, work
from tests.domain.autopilot.writers import Died, raises, writer_at

DUCKS = "rubber ducks"


def corrected(workspace: Workspace, **given: Any) -> None:
    """The owner corrects the profile, and what follows is done."""
    setup.save(workspace, profile=given or {"sells": DUCKS})
    work()


def the_campaign(play: Play) -> Campaign:
    return session().get_one(Campaign, play.campaign_id, populate_existing=True)


def words_of(steps: Any) -> str:
    return "\n".join(f"{step.get('subject', '')} {step.get('message', step.get('text', ''))}" for step in steps)


def drafts(play: Play, status: str = "pending") -> list[Approval]:
    query = sa.select(Approval).where(Approval.campaign_id == play.campaign_id, Approval.status == status)
    return list(session().scalars(query.order_by(Approval.id).execution_options(populate_existing=True)))


def changed_steps(play: Play) -> list[CampaignRevision]:
    query = sa.select(CampaignRevision).where(CampaignRevision.campaign_id == play.campaign_id)
    return list(session().scalars(query.order_by(CampaignRevision.number)))


def sells(workspace: Workspace) -> str:
    profile = the_setup(workspace).profile
    assert profile
    return str(profile["sells"]).rstrip(".")


def test_a_running_campaign_says_what_was_corrected_in_one_revision(acme: Workspace) -> None:
    """As the preview said; taken back, it says what it said before."""
    play = launched(acme)
    before, old = the_campaign(play).sequence, sells(acme)
    assert old in words_of(before)
    effect = preview_of(acme)
    assert ([one.id for one in effect.campaigns], effect.plays) == ([play.campaign_id], [])
    (first, *_) = effect.first
    assert old in " ".join(first.before)
    assert DUCKS in " ".join(first.after)
    assert the_campaign(play).sequence == before
    corrected(acme)
    campaign = the_campaign(play)
    assert campaign.status == "running"
    assert DUCKS in words_of(campaign.sequence)
    assert old not in words_of(campaign.sequence)
    assert {one.after[0] for one in effect.first} <= {step.get("message", "") for step in campaign.sequence}
    (row,) = session().scalars(sa.select(CorrectedPlay)).all()
    assert (row.is_open, row.texts, row.error) == (False, effect.texts, "")
    (revision,) = changed_steps(play)
    assert (revision.kind, revision.apply_to) == ("steps", "all")
    assert DUCKS in words_of(the_play(acme).steps)
    shown = words_of([one for sample in plays.get(acme, play.id)[1] for one in sample.messages])
    assert DUCKS in shown
    assert old not in shown
    assert kept_texts.every(acme, old_words.of_workspace(acme)) == []
    back = profile_corrections.take_back(acme, 1)
    assert (back.number, back.undoes) == (2, 1)
    work()
    assert (sells(acme), the_campaign(play).sequence) == (old, before)
    assert [(one.number, one.undoes) for one in changed_steps(play)] == [(1, None), (2, 1)]
    first_one = profile_corrections.get(acme, 1)
    assert first_one.undone_by == 2
    assert profile_corrections.why_not_undone(acme, first_one)


def test_a_paused_campaign_follows_and_stays_paused_and_a_locked_one_follows_later(
    acme: Workspace, clock: Movable
) -> None:
    play = launched(acme)
    campaigns.pause(acme, play.campaign_id or 0)
    corrected(acme)
    assert the_campaign(play).status == "paused"
    assert DUCKS in words_of(the_campaign(play).sequence)
    with transaction():
        the_campaign(play).status = "locked"
    corrected(acme, sells="glass swans")
    assert "glass swans" not in words_of(the_campaign(play).sequence)
    with transaction():
        the_campaign(play).status = "paused"
    clock.forward(minutes=11)
    work()
    assert "glass swans" in words_of(the_campaign(play).sequence)


def test_an_edited_step_is_kept_and_named(acme: Workspace) -> None:
    play = launched(acme)
    old, campaign = sells(acme), the_campaign(play)
    place = next(at for at, step in enumerate(campaign.sequence) if old in step.get("message", ""))
    mine = f"My own words about {old}, {{{{first_name|there}}}}."
    steps = [{**step, "message": mine} if at == place else step for at, step in enumerate(campaign.sequence)]
    revisions.revise(acme, campaign.id, steps, "all")
    end_read()
    found = preview.preview(acme, {"sells": DUCKS}).kept
    assert [(one.kind, one.id, one.step, one.words) for one in found] == [("campaign", campaign.id, place + 1, old)]
    corrected(acme)
    now = the_campaign(play).sequence
    assert now[place]["message"] == mine
    assert old not in words_of([step for at, step in enumerate(now) if at != place])
    assert [(one.step, one.words) for one in kept_texts.every(acme, old_words.of_workspace(acme))] == [(place + 1, old)]


def waiting(workspace: Workspace) -> Play:
    """A play whose messages wait for approval, some of them already."""
    play = launched(workspace, approval=True)
    for _ in range(8):
        if any(sells(workspace) in draft.text for draft in drafts(play)):
            break
        sandbox_clock.advance(workspace, 24)
    end_read()
    assert any(sells(workspace) in draft.text for draft in drafts(play))
    return play


@pytest.mark.parametrize("on", [True, False])
def test_waiting_drafts_are_written_again_and_edited_ones_marked(acme: Workspace, on: bool) -> None:
    """An approved one does not go out with the old words either; it waits again where approval is on."""
    play = waiting(acme)
    old = sells(acme)
    edited, approved, *_ = [draft.id for draft in drafts(play) if old in draft.text and not draft.warned]
    approvals.edit(acme, edited, text=f"My own words about {old}.")
    approvals.edit(acme, approved, text=session().get_one(Approval, approved).text, approve=True)
    effect = preview_of(acme)
    assert ("draft", edited) in [(one.kind, one.id) for one in effect.kept]
    assert effect.drafts > 0
    assert effect.approved >= 1
    if not on:
        bulk.switch(acme, play.campaign_id or 0, False)
    corrected(acme)
    again = session().get_one(Approval, approved, populate_existing=True)
    assert again.status == ("pending" if on else "approved")
    assert old not in again.text
    assert DUCKS in again.text
    if on:
        mine = session().get_one(Approval, edited)
        assert mine.text == f"My own words about {old}."
        assert "corrected" in [one["code"] for one in mine.warnings]
        assert [draft.id for draft in drafts(play) if old in draft.text] == [edited]
        approvals.edit(acme, edited, text="About something else.")
        assert "corrected" not in [one["code"] for one in session().get_one(Approval, edited).warnings]


def preview_of(workspace: Workspace) -> preview.Effect:
    end_read()
    return preview.preview(workspace, {"sells": DUCKS})


def test_a_killed_job_goes_on_with_the_plays_that_are_left(acme: Workspace, clock: Movable) -> None:
    """Of two corrections in a row only the last words are left."""
    play = launched(acme)
    old = sells(acme)
    writer_at("sequence", raises(Died()))
    setup.save(acme, profile={"sells": DUCKS})
    with pytest.raises(Died):
        work()
    assert DUCKS not in words_of(the_campaign(play).sequence)
    clock.forward(seconds=61)
    work()
    assert DUCKS in words_of(the_campaign(play).sequence)
    assert len(changed_steps(play)) == 1
    (correction,) = profile_corrections.newest(acme, 5)
    assert not correction.is_open
    follow.follow(acme, {"correction": correction.id}, None)  # type: ignore[arg-type]
    assert len(changed_steps(play)) == 1
    for words in ("paper boats", "glass swans"):
        setup.save(acme, profile={"sells": words})
    work()
    now = words_of(the_campaign(play).sequence)
    assert [one for one in (old, DUCKS, "paper boats", "glass swans") if one in now] == ["glass swans"]


def test_what_cannot_be_undone_in_the_campaign_is_written_again(acme: Workspace) -> None:
    play = launched(acme)
    old = sells(acme)
    corrected(acme)
    steps = the_campaign(play).sequence
    revisions.revise(acme, play.campaign_id or 0, [*steps, {"type": "like_post"}], "all")
    profile_corrections.take_back(acme, 1)
    work()
    now = words_of(the_campaign(play).sequence)
    assert old in now
    assert DUCKS not in now


def test_changes_of_the_way_can_undo_it_in_one_campaign(acme: Workspace) -> None:
    play = launched(acme)
    before = the_campaign(play).sequence
    corrected(acme)
    changes.undo(acme, play.campaign_id or 0, 1)
    assert the_campaign(play).sequence == before
    assert revision_log.get(the_campaign(play), 1).undone_by == 2
