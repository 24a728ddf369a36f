"""The order of plays: today's order until there is evidence, then what the reasons to write have brought."""

from app.domain.rules.responses import play_order
from app.domain.rules.responses.play_order import USUAL, Evidence

ANGLES = ["news", "cold", "hiring", "funded", "new_role"]


def test_without_evidence_the_usual_order_holds_and_many_people_move_much() -> None:
    """One answer of two is worth a place; twelve of eighty turn the order over."""
    assert play_order.order(reversed(USUAL), {}) == list(USUAL)
    assert play_order.order(["unknown", *ANGLES], {})[-1] == "unknown"
    few = {"news": Evidence(people=2, replies=1, positive=1)}
    assert play_order.order(ANGLES, few) == ["new_role", "hiring", "cold", "news", "funded"]
    many = {"news": Evidence(people=80, replies=14, positive=12)}
    assert play_order.order(ANGLES, many)[0] == "news"


def test_the_tone_of_replies_counts() -> None:
    """Positive ones in full, those that say neither yes nor no by half, negative ones like none."""
    tones = {tone: Evidence(people=100, replies=20, **{tone: 20}) for tone in ("positive", "negative")}
    neutral = Evidence(people=100, replies=20)
    rates = [play_order.expected(one, 0.1) for one in (tones["positive"], neutral, tones["negative"])]
    assert rates == sorted(rates, reverse=True)
    assert play_order.expected(tones["negative"], 0.1) == play_order.expected(Evidence(people=100), 0.1)


def test_votes_move_an_angle_both_ways_and_less_than_people() -> None:
    start = play_order.expected(Evidence(), 0.1)
    assert play_order.expected(Evidence(good=4), 0.1) > start > play_order.expected(Evidence(bad=4), 0.1)
    assert play_order.expected(Evidence(good=4), 0.1) < play_order.expected(
        Evidence(people=4, replies=4, positive=4), 0.1
    )


def test_a_play_begins_where_the_others_of_its_angle_stand() -> None:
    angles = {"cold": Evidence(people=200, replies=40, positive=40)}
    scores = play_order.scores({1: "cold", 2: "cold", 3: "news"}, {1: angles["cold"]}, angles)
    assert scores[2] > play_order.usual_rate(play_order.usual_place("cold"))
    assert scores[1] > scores[3]


def test_what_is_taken_back_counts_no_more_and_evidence_is_told_with_its_interval() -> None:
    whole = Evidence(90, 20, 10, 5, 3, 1)
    assert whole.without(Evidence(80, 14, 12, 5, 3, 0)) == Evidence(10, 6, 0, 0, 0, 1)
    found = Evidence(people=80, replies=12, positive=5, good=3, bad=1)
    assert play_order.told(found) == "12 of 80 answered (9–24 %), 5 positively; 3 good and 1 bad vote"
    assert play_order.told(Evidence(good=2)) == "2 good votes"
    assert play_order.told(Evidence()) == ""
