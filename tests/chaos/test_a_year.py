"""A year of twelve senders in four countries: they keep their hours, and the pace that docs/pace.md states."""

import os
import sys

from flask import Flask

from app.core.clock import Movable
from tests.simulation import a_year

WEEKS = int(os.environ.get("WEEKS", "52"))
SEED = int(os.environ.get("SEED", "7"))


def test_a_year_of_senders_keeps_their_days_and_their_pace(app: Flask, clock: Movable) -> None:
    team = a_year.work(clock, weeks=WEEKS)
    found = a_year.acts(team)
    wrong = list(a_year.breaches(team, found))
    paces = list(a_year.pace(team, found, SEED))
    together, by_chance = a_year.shared_seconds(found)
    sys.stdout.write(f"\n{len(found)} actions in {WEEKS} weeks, {len(wrong)} at a wrong time; seed {SEED}\n")
    for one in paces:
        sys.stdout.write(f"{one.name}: chi-squared {one.value:.1f}, at most {one.most:.1f}\n")
    sys.stdout.write(f"two senders in one second: {together}, by chance {by_chance:.1f}\n")
    assert wrong[:10] == []
    assert [one for one in paces if one.value > one.most] == []
    assert together <= by_chance + 4 * max(1.0, by_chance) ** 0.5
