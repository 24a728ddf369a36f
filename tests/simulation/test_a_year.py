"""Two weeks of four senders; `tests/chaos/test_a_year.py` is the year of twelve."""

from flask import Flask

from app.core.clock import Movable
from tests.simulation import a_year


def test_senders_of_four_countries_keep_hours_holidays_and_absences(app: Flask, clock: Movable) -> None:
    team = a_year.work(clock, weeks=2, senders=4, limit=4)
    found = a_year.acts(team)
    assert list(a_year.breaches(team, found)) == []
    assert {act.campaign for act in found} == {team.inviting, team.bent}
    assert len(found) > 50
