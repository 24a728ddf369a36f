"""`kill -9` of the process that changes a running campaign, and of the one that carries the change out."""

import random
from pathlib import Path

import sqlalchemy as sa

from app.core.db import end_read, session
from app.models.campaigns import ReplyAction
from app.models.conversations import Message
from app.models.people import Person
from tests.kills.campaign import Ordeal
from tests.kills.changes import MORE, PEOPLE, Change


def test_a_killed_change_is_made_whole_or_not_at_all_and_goes_on(
    url: str, tmp_path: Path, chance: random.Random
) -> None:
    """Nothing is half-changed, everyone is looked at once, and no action is lost or repeated."""
    trial = Change(Ordeal(url, tmp_path, chance))
    trial.begin()
    before = trial.seen()
    trial.run("lists", chance.uniform(0, 0.2))
    if trial.noted() is None:
        assert trial.seen() == before
        trial.run("lists", None)
    trial.run("advance", chance.uniform(0, 0.1))
    trial.run("advance", None)
    noted = trial.noted()
    assert noted is not None
    assert (noted.number, noted.is_open) == (1, False)
    assert noted.effect["added"] == noted.people == noted.looked == MORE
    assert len(trial.seen()[1]) == PEOPLE + MORE
    trial.ordeal.verdict(days=1).hold()


def test_a_reply_is_tagged_once_by_its_tone_through_kills(url: str, tmp_path: Path, chance: random.Random) -> None:
    """Each reply of the tone has one row that says so, and its person the tag."""
    ordeal = Ordeal(url, tmp_path, chance)
    tones = ("positive", "negative", "generic", "not_now")
    ordeal.begin(people=40, on_reply=[{"sentiment": tone, "do": "tag", "value": tone} for tone in tones])
    ordeal.kill(3)
    ordeal.verdict(days=4).hold()
    with ordeal.inside():
        toned = sa.select(Message).where(Message.direction == "in", Message.sentiment.in_(tones))
        replies = {message.id: message.sentiment for message in session().scalars(toned)}
        acted = session().scalars(sa.select(ReplyAction)).all()
        assert replies
        assert {one.message_id: one.value for one in acted} == replies
        assert len(acted) == len(replies)
        for one in acted:
            assert one.value in session().get_one(Person, one.person_id).tags
        end_read()
