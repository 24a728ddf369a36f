"""Plays stand in the order of what their reasons to write have brought; a change is recorded and can be taken back."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from app.core.db import end_read, session, transaction
from app.core.errors import Conflict
from app.domain.autopilot import play_design, play_people, plays, setup
from app.domain.engine import lifecycle
from app.domain.learning import learnt, play_numbers, ranking
from app.models.autopilot import Play, PlaySample
from app.models.campaigns import CampaignLead
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import designed, launched, the_setup, work
from tests.domain.outreach import forward


@pytest.fixture(autouse=True)
def _few_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half as many as usual, for the sake of time."""
    monkeypatch.setattr(play_people, "SHOWN", 4)


def order(workspace: Workspace) -> list[str]:
    """The angles of the plays, first the best."""
    found = [play.angle for play in plays.every(workspace)]
    end_read()
    return found


def vote(workspace: Workspace, angle: str, fit: str) -> None:
    """Each sample person of the play is judged alike."""
    play = next(one for one in plays.every(workspace) if one.angle == angle)
    for sample in plays.get(workspace, play.id)[1]:
        plays.vote(workspace, play.id, sample.id, fit)


def answered(workspace: Workspace, play: Play, replies: int, tone: str, at: datetime) -> int:
    """So many people of the play's campaign replied in that tone; how many were reached, last at that time."""
    with transaction() as current:
        people = current.query(CampaignLead).filter_by(campaign_id=play.campaign_id).order_by(CampaignLead.id).all()
        for number, person in enumerate(people):
            person.contacted, person.last_action_at = True, at
            if number < replies:
                person.replied, person.replied_at, person.sentiment = True, at, tone
    return len(people)


def changes(workspace: Workspace) -> list[Any]:
    """What moved, oldest first."""
    found = [change for change, _ in learnt.view(workspace).ranking][::-1]
    end_read()
    return found


def test_votes_move_a_play_at_once_and_say_so(acme: Workspace, rival: Workspace) -> None:
    """What is taken back counts no more, and new votes do; those of one workspace are not those of another."""
    designed(acme)
    before = order(acme)
    last = before[-1]
    vote(acme, last, "good")
    after = order(acme)
    assert after.index(last) < before.index(last)
    assert {one.angle for one in changes(acme)} == {last}
    view = next(one for one in setup.view(acme).plays if one.angle == last)
    assert view.because == f"Here because of {play_people.SHOWN} good votes."
    assert setup.view(acme).plays[0].because == "First by the usual order: no answers or votes yet."
    assert (play_numbers.of_angles(rival), learnt.view(rival).ranking) == ({}, [])
    *_, latest = changes(acme)
    ranking.take_back(acme, latest.id)
    assert order(acme) == before
    with pytest.raises(Conflict):
        ranking.take_back(acme, latest.id)
    vote(acme, last, "bad")
    assert play_numbers.of_angles(acme)[last].bad > 0


def test_votes_on_plays_that_are_designed_again_still_count(acme: Workspace) -> None:
    designed(acme)
    last = order(acme)[-1]
    vote(acme, last, "good")
    moved = order(acme)
    work()
    play_design.design(acme)
    work()
    assert session().query(PlaySample).filter(PlaySample.fit != "").count() == 0
    assert order(acme) == moved


def test_people_count_once_they_answered_or_had_their_time(acme: Workspace) -> None:
    """Seven days without anything new are their time; the tone of a reply counts. The order is looked at once a day."""
    play = launched(acme)
    reached = answered(acme, play, 5, "positive", acme.now())
    found = play_numbers.of_angles(acme)["cold"]
    assert (found.people, found.replies, found.positive, found.negative) == (5, 5, 5, 0)
    answered(acme, play, 5, "negative", acme.now() - timedelta(days=8))
    found = play_numbers.of_angles(acme)["cold"]
    assert (found.people, found.replies, found.positive, found.negative) == (reached, 5, 0, 5)
    end_read()
    assert setup.view(acme).plays[0].because.startswith(f"First because 5 of {reached} answered (")
    due = the_setup(acme).ranked_at
    assert due is not None
    assert lifecycle.next_moment(acme.id) is not None
    assert ranking.look_daily(acme, due - timedelta(minutes=1)) == 0
    assert ranking.look_daily(acme, due) == 1
    assert the_setup(acme).ranked_at == due + ranking.LOOKED_AT
    forward(acme, days=2)
    assert (the_setup(acme).ranked_at or due) > due + ranking.LOOKED_AT
