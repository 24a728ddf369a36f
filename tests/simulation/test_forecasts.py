"""How far a forecast can be trusted: campaigns drawn at random, by the planner alone, and some by the real engine."""

import os
import sys
from datetime import UTC, datetime

from flask import Flask

from app.ports import AccountRef
from tests.simulation import forecasts, referee
from tests.support.movable import Movable
from tests.support.size import sized

ACCOUNT = AccountRef(1, 1, "sandbox", "Ada Lovelace", datetime(2026, 3, 2, tzinfo=UTC))
FIRST = int(os.environ.get("SEED") or 1)  # another one asks other networks


def _say(title: str, found: list[forecasts.Result]) -> None:
    sys.stdout.write("\n".join(["", title, *forecasts.lines(found)]) + "\n")


def test_ranges_hold_for_four_of_five_campaigns() -> None:
    """People do what those of the sandbox network do; the forecast knows them from a first campaign."""
    found = list(referee.campaigns(range(FIRST, FIRST + sized(10)), ACCOUNT, each=10))
    _say(f"Networks from {FIRST}, planner alone", found)
    assert forecasts.share(one.holds_replies for one in found) >= 0.8
    assert forecasts.share(one.holds_end for one in found) >= 0.8
    assert forecasts.reply_width(found) <= 0.6
    assert forecasts.end_width(found) <= 0.6
    assert forecasts.median_error(found) < 0.05


def test_the_real_engine_does_what_was_expected(app: Flask, clock: Movable) -> None:
    """With everything that the forecast leaves out: bounces, absences, stopped senders."""
    found = list(forecasts.world(clock, FIRST, sized(5)))
    _say(f"Network {FIRST}, real engine", found)
    assert forecasts.share(one.holds_replies for one in found) >= 0.6
    assert forecasts.share(one.holds_end for one in found) >= 0.6
