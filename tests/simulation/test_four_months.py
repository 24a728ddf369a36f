"""Four months of six campaigns over the same people: no one hears from us who must not."""

import sys

from flask import Flask

from app.core.clock import Movable
from tests.simulation import four_months
from tests.support.size import sized


def test_six_campaigns_over_the_same_people_leave_everyone_alone_who_is_to_be_left_alone(
    app: Flask, clock: Movable
) -> None:
    """The ledger is held against the network's log and what members decided."""
    people = sized(240)
    found = four_months.judge(four_months.live_through(clock, people, companies=20, senders=3))
    sys.stdout.write("\n" + "\n".join(found.lines()) + "\n")
    assert not any(found.breaches.values()), found.breaches
    assert found.contacts > 1.5 * people
    assert found.answered >= people / 10
    assert found.holds >= 4
    assert len(found.by_campaign) == len(four_months.RULES)
    assert found.unasked == 0
    assert {"replied_before", "contacted_lately", "never_contact"} <= set(found.reasons)
