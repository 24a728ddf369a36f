"""Plays stand in the order of positive replies once enough people had time to reply, and say so."""

from datetime import datetime, timedelta

from app.core.db import end_read, transaction
from app.domain.autopilot import play_numbers, plays, setup
from app.domain.autopilot.play_numbers import FEW, Numbers, ordered
from app.models.autopilot import Play
from app.models.campaigns import CampaignLead
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import another_play, launched

ENOUGH = 100
MANY = Numbers(people=ENOUGH, replies=30, positive=20, negative=5)
NONE = Numbers(people=ENOUGH, replies=10, negative=10)


def placed(found: dict[int, Numbers], *angles: str) -> list[tuple[int, str]]:
    """The plays with these reasons to write, best first: each by its place in the writer's order, and why."""
    given = [Play(id=number, angle=angle, audience=FEW) for number, angle in enumerate(angles, 1)]
    return [(play.id, why) for play, why in ordered(given, found)]


def order(found: dict[int, Numbers], *angles: str) -> list[int]:
    return [number for number, _ in placed(found, *angles)]


def test_a_play_moves_once_enough_people_had_time_to_answer() -> None:
    """Up with positive replies, down without; with fewer people the writer's order holds."""
    assert order({}, "new_role", "hiring", "cold") == [1, 2, 3]
    assert order({3: Numbers(people=ENOUGH - 1, replies=50, positive=50)}, "new_role", "hiring", "cold") == [1, 2, 3]
    assert order({3: MANY, 1: NONE}, "new_role", "hiring", "cold") == [3, 2, 1]
    (_, first), (_, second), *_ = placed({3: MANY}, "new_role", "hiring", "cold")
    assert first == "because 30 of 100 replied (22–40%), 20 positively."
    assert second == "by default, because fewer than 100 people have had time to reply."


def test_a_new_play_stands_where_the_others_with_its_reason_to_write_do() -> None:
    found = placed({2: MANY}, "new_role", "cold", "hiring", "cold")
    assert [number for number, _ in found] == [2, 4, 1, 3]
    assert found[1][1].startswith("because for its reason to write, 30 of 100 replied")


def test_a_play_for_few_people_comes_last() -> None:
    few, other = Play(id=1, angle="cold", audience=FEW - 1), Play(id=2, angle="news", audience=FEW)
    assert [play.id for play, _ in ordered([few, other], {1: MANY})] == [2, 1]


def replied(play: Play, replies: int, tone: str, at: datetime) -> int:
    """So many people of the play's campaign replied in that tone; how many were reached, last at that time."""
    with transaction() as current:
        people = current.query(CampaignLead).filter_by(campaign_id=play.campaign_id).order_by(CampaignLead.id).all()
        for number, person in enumerate(people):
            person.contacted, person.last_action_at = True, at
            if number < replies:
                person.replied, person.replied_at, person.sentiment = True, at, tone
    return len(people)


def test_people_count_once_they_answered_or_had_their_time(acme: Workspace, rival: Workspace) -> None:
    """Seven days without anything new are their time; the tone of a reply counts, and a vote is told apart."""
    play = launched(acme)
    replied(play, 5, "positive", acme.now())
    found = play_numbers.view(acme, play).found
    assert (found.people, found.replies, found.positive, found.negative) == (5, 5, 5, 0)
    reached = replied(play, 5, "negative", acme.now() - timedelta(days=8))
    end_read()
    found = play_numbers.view(acme, play).found
    assert (found.people, found.replies, found.positive, found.negative) == (reached, 5, 0, 5)
    assert setup.view(acme).plays[0].because == f"Ranked first {play_numbers.USUAL}"
    other = another_play(acme, "hiring")
    plays.vote(acme, other.id, plays.get(acme, other.id)[1][0].id, "good")
    assert play_numbers.view(acme, other).found == Numbers(good=1)
    assert play_numbers.views(rival) == []
