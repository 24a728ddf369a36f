"""A forecast's ranges hold, on people of the sandbox network; `tests/chaos/test_forecasts.py` asks many more."""

from datetime import UTC, datetime

from app.ports import AccountRef
from tests.simulation import forecasts, referee

ACCOUNT = AccountRef(1, 1, "sandbox", "Ada Lovelace", datetime(2026, 3, 2, tzinfo=UTC))


def test_what_was_foretold_is_near_what_happens() -> None:
    """Twelve campaigns of two networks: too few to tell the share that holds, enough to see a forecast that is off."""
    found = list(referee.campaigns([1001, 1002], ACCOUNT, each=6))
    assert sum(one.holds_replies for one in found) >= 6
    assert sum(one.holds_end for one in found) >= 9
    assert forecasts.median_error(found) < 0.05
