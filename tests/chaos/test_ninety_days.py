"""Ninety days of three senders on three continents and 2,000 people: what must never happen did not."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from flask import Flask

from app.core.clock import Movable
from app.core.db import session
from app.models.campaigns import ENDED_STATES, CampaignLead, LeadState
from tests.simulation import world

BEGIN = datetime(2026, 2, 23, 6, tzinfo=UTC)  # New York changes its clocks on 8 March, Berlin and Sydney later


def test_ninety_days_keep_every_rule_by_the_networks_log(app: Flask, clock: Movable, tmp_path: Path) -> None:
    """The network's log is held against every rule."""
    journey = world.begin(clock, BEGIN, broad=1500, narrow=500)
    for number in range(90):
        journey.day(number)
    acts = world.hold(journey, tmp_path)
    assert len(acts) > 4000
    assert len(journey.silence) > 100
    assert len(journey.replies()) > 100
    assert journey.reconnected > 0
    stand = Counter(tuple(row) for row in session().execute(sa.select(CampaignLead.state, CampaignLead.reason)))
    ended = sum(number for (state, _), number in stand.items() if state in ENDED_STATES)
    held = stand[LeadState.PAUSED, "company_held"]  # of whose ten colleagues someone answered: an owner decides
    assert ended > 800, stand
    assert ended + held > 1700, stand
