"""Four months of six campaigns over 1,000 people of 40 companies: no one hears from us who must not."""

import sys

import pytest
from flask import Flask

from app.core.clock import Movable
from tests.simulation import four_months


@pytest.mark.postgres
def test_six_campaigns_over_the_same_people_keep_every_rule_by_the_ledger(app: Flask, clock: Movable) -> None:
    """The ledger is held against the network's log and what members decided."""
    found = four_months.judge(four_months.live_through(clock, people=1000, companies=40, senders=6))
    sys.stdout.write("\n" + "\n".join(found.lines()) + "\n")
    assert not any(found.breaches.values()), found.breaches
    assert found.contacts > 1500
    assert sum(number > 75 for number in found.by_campaign.values()) >= 4
    assert len(found.by_campaign) == len(four_months.RULES)
    assert found.unproven == 0
