"""Weeks of senders in four countries: they keep their hours, and the pace that docs/pace.md states."""

import os
import sys

from flask import Flask

from app.core.clock import Movable
from tests.simulation import a_year
from tests.support.size import sized

SEED = int(os.environ.get("SEED") or 7)


def test_senders_of_four_countries_keep_their_days_and_their_pace(app: Flask, clock: Movable) -> None:
    """Hours, holidays, absences and blackout dates; and no two act in one second more often than chance has it."""
    weeks = sized(10)
    team = a_year.work(clock, weeks=weeks, senders=8, limit=8)
    found = a_year.acts(team)
    wrong = list(a_year.breaches(team, found))
    paces = list(a_year.pace(team, found, SEED, limit=8))
    together, by_chance = a_year.shared_seconds(found)
    sys.stdout.write(f"\n{len(found)} actions in {weeks} weeks, {len(wrong)} at a wrong time; SEED={SEED}\n")
    for one in paces:
        sys.stdout.write(f"{one.name}: chi-squared {one.value:.1f}, at most {one.most:.1f}\n")
    sys.stdout.write(f"two senders in one second: {together}, by chance {by_chance:.1f}\n")
    assert wrong[:10] == []
    assert {act.campaign for act in found} == {team.inviting, team.bent}
    assert [one for one in paces if one.value > one.most] == []
    assert together <= by_chance + 4 * max(1.0, by_chance) ** 0.5
