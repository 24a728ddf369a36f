"""Three weeks of three senders, through the real engine; `tests/chaos/test_ninety_days.py` is the long version."""

from datetime import UTC, datetime
from pathlib import Path

from flask import Flask

from app.core.clock import Movable
from tests.simulation import world
from tests.support.published import check_events

BEGIN = datetime(2026, 3, 23, 6, tzinfo=UTC)  # Berlin changes its clocks on 29 March, Sydney on 5 April


def test_three_weeks_keep_hours_limits_gaps_and_exclusions(app: Flask, clock: Movable, tmp_path: Path) -> None:
    """No act outside the hours, over a limit, too soon after another, or towards someone who is to be left alone."""
    journey = world.begin(clock, BEGIN, broad=90, narrow=30)
    for number in range(21):
        journey.day(number)
    acts = world.hold(journey, tmp_path)
    assert len(acts) > 200
    assert len(journey.silence) > 4
    assert len(journey.replies()) > 5
    assert check_events()["message_sent"]
