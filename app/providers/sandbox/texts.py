"""What the people of the sandbox network write: the wordings of texts.toml, and the forms of a day in them."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

_WRITTEN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
ANSWERS: Mapping[str, Sequence[str]] = _WRITTEN["answers"]
AWAY: Sequence[str] = _WRITTEN["away"]
COLLEAGUES: Sequence[str] = _WRITTEN["colleagues"]
HARD_BOUNCES: Sequence[str] = _WRITTEN["hard_bounces"]
SOFT_BOUNCES: Sequence[str] = _WRITTEN["soft_bounces"]
_MONTHS = "January February March April May June July August September October November December".split()
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
DAYS: tuple[Callable[[date], str], ...] = (
    lambda day: f"{day.day} {_MONTHS[day.month - 1]}",
    lambda day: f"{_MONTHS[day.month - 1]} {day.day}",
    lambda day: f"{_WEEKDAYS[day.weekday()]}, {_MONTHS[day.month - 1]} {day.day}",
    lambda day: f"{_WEEKDAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1][:3]}",
    lambda day: f"{_MONTHS[day.month - 1]} {day.day}, {day.year}",
    lambda day: f"{day.day}{_ordinal(day.day)} of {_MONTHS[day.month - 1]}",
    lambda day: f"{_MONTHS[day.month - 1][:3]} {day.day}{_ordinal(day.day)}",
    lambda day: f"{day:%Y-%m-%d}",
    lambda day: f"{day:%d.%m.%Y}",
    lambda day: f"{day.day} {_MONTHS[day.month - 1]} {day.year}",
)


def _ordinal(day: int) -> str:
    return "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
