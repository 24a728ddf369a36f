"""`kill -9` of the process that changes a running campaign, and of the one that carries the change out."""

import random
from pathlib import Path
from typing import NamedTuple

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.operations import sandbox_clock
from app.domain.rules.sequences.step_keys import keys
from app.domain.rules.variants import assignment
from app.domain.workspace import workspaces
from app.models.campaigns import Campaign, LeadState, ReplyAction, VariantChoice
from app.models.conversations import Message
from app.models.ledger import Action
from app.models.people import Person
from app.models.platform.audit import AuditEntry
from tests.kills import made_changes
from tests.kills.campaign import Ordeal
from tests.kills.changes import EXCLUDED, MORE, PEOPLE, Change


@pytest.mark.parametrize("kind", made_changes.REVISED)
def test_a_killed_change_is_made_whole_or_not_at_all_and_goes_on(
    kind: str, url: str, tmp_path: Path, chance: random.Random
) -> None:
    """Nothing is half-changed, everyone is looked at once, and no action is lost or repeated."""
    trial = Change(Ordeal(url, tmp_path, chance), kind)
    trial.begin()
    before = trial.seen()
    trial.run(kind, chance.uniform(0, 0.2))
    if trial.noted() is None:
        assert trial.seen() == before
        trial.run(kind, None)
    trial.run("advance", chance.uniform(0, 0.1))
    trial.run("advance", None)
    noted, (steps, (_, rules, ends), people) = trial.noted(), trial.seen()
    assert noted is not None
    assert (noted.number, noted.is_open) == (1, False)
    match kind:
        case "hours":
            assert ends == "22:00"
        case "lists":
            assert noted.effect["added"] == noted.people == noted.looked == MORE
            assert len(people) == PEOPLE + MORE
        case "exclusions":
            assert noted.effect["let_in"] == noted.people == noted.looked == EXCLUDED
            assert rules == made_changes.RULES
            assert not any(state == LeadState.EXCLUDED for _, state, *_ in people)
        case "steps":
            assert keys(steps) != keys(before[0])
            assert [step["type"] for step in steps] == [step["type"] for step in made_changes.AFTER]
            assert all(step <= len(steps) for _, _, step, _ in people)
    trial.ordeal.verdict(days=1).hold()


def test_a_killed_choice_of_a_winner_is_made_whole_or_not_at_all(
    url: str, tmp_path: Path, chance: random.Random
) -> None:
    """Who has a text keeps it, everyone else gets the winner, and it is written down once."""
    ordeal = Ordeal(url, tmp_path, chance)
    ordeal.begin(people=60, sequence=made_changes.TWO_TEXTS)
    trial = Change(ordeal, "winner")
    with ordeal.inside():
        sandbox_clock.advance(workspaces.get(ordeal.workspace), 36)
        end_read()
    before, had = _chosen(ordeal), _texts(ordeal)
    assert set(had.values()) == {"A", "B"}
    trial.run("winner", chance.uniform(0, 0.2))
    if _chosen(ordeal) == before:
        trial.run("winner", None)
    winner = {"A": 0, "B": 100}
    assert _chosen(ordeal) == (before.revision + 1, winner, ["B"], ["campaign.variant_chosen"])
    trial.run("advance", chance.uniform(0, 1))
    ordeal.verdict(days=3).hold()
    now = _texts(ordeal)
    assert len(now) > len(had)
    assert now == dict.fromkeys(now, "B") | had


class Chosen(NamedTuple):
    """What a choice changes: the revision and the shares, and where it is written down."""

    revision: int
    shares: dict[str, int]
    choices: list[str]
    audited: list[str]


def _chosen(ordeal: Ordeal) -> Chosen:
    with ordeal.inside():
        campaign = session().scalars(sa.select(Campaign)).one()
        audited = sa.select(AuditEntry.kind).where(AuditEntry.kind.like("campaign.variant%"))
        found = Chosen(
            campaign.revision,
            assignment.shares_of(campaign.sequence[made_changes.VARIED]),
            list(session().scalars(sa.select(VariantChoice.variant))),
            list(session().scalars(audited)),
        )
        end_read()
        return found


def _texts(ordeal: Ordeal) -> dict[int, str]:
    """Return which text each person got or is getting; no one has two."""
    with ordeal.inside():
        query = sa.select(Action.campaign_lead_id, Action.variant).where(Action.variant != "").distinct()
        rows = session().execute(query).all()
        end_read()
    assert len({person for person, _ in rows}) == len(rows)
    return {person or 0: variant for person, variant in rows}


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
