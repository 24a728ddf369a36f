"""How far a forecast can be trusted: 200 campaigns drawn at random, by the planner alone, and some by the real engine.

`FORECAST_SEEDS=20-30` asks other networks; `FORECAST_ENGINE=10` says how many campaigns the real engine runs.
"""

import os
import sys

from flask import Flask

from app.core.clock import Movable
from tests.simulation import forecasts, referee
from tests.simulation.test_forecasts import ACCOUNT

FIRST, LAST = (int(one) for one in os.environ.get("FORECAST_SEEDS", "1-20").split("-"))
ENGINE = int(os.environ.get("FORECAST_ENGINE", "10"))
EACH = 10


def _say(title: str, found: list[forecasts.Result]) -> None:
    sys.stdout.write("\n".join(["", title, *forecasts.lines(found)]) + "\n")


def test_ranges_hold_for_four_of_five_campaigns() -> None:
    """People do what those of the sandbox network do; the forecast knows them from a first campaign."""
    found = list(referee.campaigns(range(FIRST, LAST + 1), ACCOUNT, each=EACH))
    _say(f"Networks {FIRST} to {LAST}, planner alone", found)
    assert forecasts.share(one.holds_replies for one in found) >= 0.8
    assert forecasts.share(one.holds_end for one in found) >= 0.8
    assert forecasts.reply_width(found) <= 0.6
    assert forecasts.end_width(found) <= 0.6
    assert forecasts.median_error(found) < 0.05


def test_the_real_engine_does_what_was_foretold(app: Flask, clock: Movable) -> None:
    """With everything that the forecast leaves out: bounces, absences, stopped senders."""
    found = list(forecasts.world(clock, FIRST, ENGINE))
    _say(f"Network {FIRST}, real engine", found)
    assert forecasts.share(one.holds_replies for one in found) >= 0.6
    assert forecasts.share(one.holds_end for one in found) >= 0.6
