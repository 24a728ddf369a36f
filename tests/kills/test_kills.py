"""`kill -9` of the processes of a running campaign: no action twice, none lost, every number right."""

import random
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.domain.leads import tags
from app.domain.workspace import workspaces
from app.models.accounts import Account
from app.models.campaigns import CampaignLead
from app.models.leads import Lead
from app.models.ledger import Action
from app.models.signals import Signal
from tests.kills.campaign import Ordeal
from tests.support.size import sized

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


@pytest.mark.postgres
def test_a_killed_worker_loses_and_repeats_no_action(url: str, tmp_path: Path, chance: random.Random) -> None:
    """The web process with its scheduler, and a process that moves the clock, die at random moments."""
    kills = sized(20)
    ordeal = Ordeal(url, tmp_path, chance)
    ordeal.begin(people=4 * kills)
    killed = ordeal.kill(kills)
    verdict = ordeal.verdict(days=5)
    sys.stdout.write(f"killed {dict(killed)}; {verdict}\n")
    verdict.hold()
    assert verdict.acts > kills


def test_a_killed_worker_keeps_each_person_on_one_side_and_at_one_text(
    url: str, tmp_path: Path, chance: random.Random
) -> None:
    """Who accepted gets both parts of one text, the others what is on the other side."""
    ordeal = Ordeal(url, tmp_path, chance)
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


ASKED: list[dict[str, Any]] = [
    {"type": "follow"},  # the condition of a first step is asked when people are enrolled
    {"type": "view_profile", "when": {"is": "tag", "value": "vip"}},
    {"type": "follow", "delay": HOURS, "when": {"is": "custom_field", "name": "team", "equals": "7", "not": True}},
    {"type": "view_profile", "delay": HOURS, "when": {"is": "signal", "kind": "hiring"}},
    {"type": "connection_request", "delay": HOURS},
    {"type": "follow", "delay": HOURS, "when": {"is": "sender", "value": "sales_navigator"}},
    {"type": "view_profile", "delay": HOURS, "when": {"is": "has_email"}},
    {"type": "follow", "delay": HOURS, "when": {"is": "has_profile", "not": True}},
    {"type": "view_profile", "delay": {"value": 1, "unit": "days"}, "when": {"is": "connected"}},
]


def test_a_killed_worker_asks_every_condition_once_and_gives_the_step_to_who_it_holds_for(
    url: str, tmp_path: Path, chance: random.Random
) -> None:
    """Each step was had or passed over, never both and never neither."""
    ordeal = Ordeal(url, tmp_path, chance)
    ordeal.begin(people=20, sequence=ASKED)
    with ordeal.inside():
        workspace = workspaces.get(ordeal.workspace)
        known: dict[str, Any] = {
            "workspace_id": workspace.id,
            "credits": 2,
            "answer": {},
            "created_at": workspace.now(),
        }
        tags.tag(workspace, session().scalars(sa.select(Lead.id).where(Lead.id % 2 == 0)).all(), add=["vip"])
        with transaction() as current:
            current.execute(sa.update(Account).values(has_sales_navigator=Account.id == ordeal.senders[0]))
            for number in range(0, 20, 3):
                domain = f"company-{number}.example"
                current.add(Signal(kind="hiring", found=True, domain=domain, fingerprint=domain, **known))
    ordeal.kill(3)
    ordeal.verdict(days=4).hold()
    with ordeal.inside():
        had = defaultdict(set)
        for action in session().scalars(sa.select(Action).where(Action.step >= 0)):
            had[action.campaign_lead_id].add(action.step)
        beyond = 0
        for person in session().scalars(sa.select(CampaignLead)):
            number = int(person.person.public_id.removeprefix("person-"))
            holds = {
                0: True,
                1: person.lead_id % 2 == 0,
                2: number != 7,
                3: number % 3 == 0,
                4: True,
                5: person.account_id == ordeal.senders[0],
                6: True,
                7: False,
            }
            passed = {int(key) for key in (person.route or {}).get("passed", {})}
            assert not had[person.id] & passed
            for step in range(min(person.step, len(ASKED))):
                assert (step in had[person.id]) == holds.get(step, step in had[person.id]), (number, step)
                assert step in had[person.id] | passed
            beyond += person.step == len(ASKED)
        end_read()
    assert beyond > 5
