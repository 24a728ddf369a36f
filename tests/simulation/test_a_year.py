"""Weeks of senders in four countries: they keep their hours, each at a pace of their own."""

import sys

from flask import Flask

from tests.simulation import a_year
from tests.support.movable import Movable
from tests.support.size import sized


def test_senders_of_four_countries_keep_their_days_and_none_is_in_step(app: Flask, clock: Movable) -> None:
    """Hours, holidays, absences and blackout dates; and no two act in one second more often than chance has it."""
    weeks = sized(10)
    team = a_year.work(clock, weeks=weeks, senders=8, limit=8)
    found = a_year.acts(team)
    wrong = list(a_year.breaches(team, found))
    together, by_chance = a_year.shared_seconds(found)
    sys.stdout.write(f"\n{len(found)} actions in {weeks} weeks, {len(wrong)} at a wrong time\n")
    sys.stdout.write(f"two senders in one second: {together}, by chance {by_chance:.1f}\n")
    assert wrong[:10] == []
    assert {act.campaign for act in found} == {team.inviting, team.bent}
    assert together <= by_chance + 4 * max(1.0, by_chance) ** 0.5
