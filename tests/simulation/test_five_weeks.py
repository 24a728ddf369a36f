"""Five weeks of three senders on three continents, through the real engine: what must never happen did not."""

from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from flask import Flask

from app.core.db import session
from app.models.campaigns import ENDED_STATES, CampaignLead
from tests.simulation import world
from tests.support.movable import Movable
from tests.support.published import check_events
from tests.support.size import sized

BEGIN = datetime(2026, 3, 2, 6, tzinfo=UTC)  # New York changes its clocks on 8 March, Berlin on 29 March
DAYS = 36  # until Sydney has changed its clocks, too


def test_five_weeks_keep_hours_limits_gaps_and_exclusions(app: Flask, clock: Movable, tmp_path: Path) -> None:
    """No act outside the hours, over a limit, too soon after another, or towards someone who is to be left alone."""
    people = sized(800)
    journey = world.begin(clock, BEGIN, broad=people * 3 // 4, narrow=people // 4)
    for number in range(DAYS):
        journey.day(number)
    acts = world.hold(journey, tmp_path)
    assert len(acts) > 2 * people
    assert len(journey.silence) > 10
    assert len(journey.replies()) > people / 20
    assert journey.reconnected > 0
    assert check_events()["message_sent"]
    ended = sa.select(sa.func.count()).where(CampaignLead.state.in_(ENDED_STATES))
    assert (session().scalar(ended) or 0) > people / 4
