"""Four months of campaigns over the same people; `tests/chaos/test_four_months.py` is the long version."""

from flask import Flask

from app.core.clock import Movable
from tests.simulation import four_months


def test_four_months_of_campaigns_leave_everyone_alone_who_is_to_be_left_alone(app: Flask, clock: Movable) -> None:
    found = four_months.judge(four_months.live_through(clock, people=60, companies=12))
    assert not any(found.breaches.values()), found.breaches
    assert found.contacts > 90
    assert found.answered >= 6
    assert found.holds >= 4
    assert found.unproven == 0
    assert {"replied_before", "contacted_lately", "never_contact"} <= set(found.reasons)
