"""A short version of tests/chaos/test_kill.py: twice `kill -9` of a running campaign."""

import random
from collections import defaultdict
from pathlib import Path

import sqlalchemy as sa

from app.core.db import end_read, session
from app.models.ledger import Action
from tests.chaos.kills import Ordeal

TEXTS = [
    {"key": "A", "message": "One\n---\nTwo", "share": 50},
    {"key": "B", "message": "Three\n---\nFour", "share": 50},
]
HOURS = {"value": 1, "unit": "hours"}
WAYS = [
    {"type": "connection_request"},
    {"type": "message", "delay": HOURS, "variants": TEXTS},
    {"type": "follow", "delay": HOURS},
    {"type": "view_profile", "delay": HOURS},
    {"type": "message", "delay": HOURS, "message": "Last"},
]
SPLIT = [{"at": 1, "otherwise": 2, "join": 4, "when": {"is": "accepted", "within": {"value": 1, "unit": "days"}}}]


def test_a_killed_worker_loses_and_repeats_no_action(migrated: str, tmp_path: Path) -> None:
    """No action twice, none lost, every number right."""
    ordeal = Ordeal(migrated, tmp_path, random.Random())
    ordeal.begin(people=30)
    assert ordeal.kill(2).total() >= 2
    ordeal.verdict(days=1).hold()


def test_a_killed_worker_keeps_each_person_on_one_side_and_at_one_text(migrated: str, tmp_path: Path) -> None:
    """Who accepted gets both parts of one text, the others what is on the other side."""
    ordeal = Ordeal(migrated, tmp_path, random.Random())
    ordeal.begin(people=20, sequence=WAYS, branches=SPLIT)
    ordeal.kill(2)
    ordeal.verdict(days=2).hold()
    ordeal.kill(1)
    ordeal.verdict(days=1).hold()
    with ordeal.inside():
        steps, texts = defaultdict(set), defaultdict(set)
        for action in session().scalars(sa.select(Action)):
            steps[action.campaign_lead_id].add(action.step)
            texts[action.campaign_lead_id] |= {action.variant} - {""}
        end_read()
    assert any(1 in had for had in steps.values())
    assert any(2 in had for had in steps.values())
    assert not any(1 in had and had & {2, 3} for had in steps.values())
    assert max(len(keys) for keys in texts.values()) == 1
