"""Days that are named by their first and last one: blackout dates and absences, as they are given and kept."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from app.core import clock, text

MOST, LONGEST = 50, 366  # ranges, and days of one
Kept = list[dict[str, Any]]
Wrong = list[tuple[str, str]]


def check(given: Sequence[Mapping[str, Any]], path: str, *, named: bool = False) -> tuple[Kept, Wrong]:
    """Return the ranges as they are kept, in order, and what is wrong with them."""
    kept: Kept = []
    wrong: Wrong = [(path, f"Use at most {MOST} entries.")] if len(given) > MOST else []
    for index, one in enumerate(given[:MOST]):
        place = f"{path}[{index}]"
        first, last = (_day(one.get(name), f"{place}.{name}", wrong) for name in ("firstDay", "lastDay"))
        if first and last and last < first:
            wrong.append((f"{place}.lastDay", "The last day can't be before the first."))
        elif first and last and (last - first).days >= LONGEST:
            wrong.append((f"{place}.lastDay", f"Use at most {LONGEST} days."))
        row = {**one, "firstDay": first and first.isoformat(), "lastDay": last and last.isoformat()}
        if named:
            row["name"] = text.squeeze(one.get("name") or "")
            if problem := text.name_problem(row["name"]):
                wrong.append((f"{place}.name", problem))
        kept.append(row)
    return (kept if wrong else sorted(kept, key=lambda row: (row["firstDay"], row["lastDay"]))), wrong


def _day(given: Any, path: str, wrong: Wrong) -> date | None:
    try:
        day = given if isinstance(given, date) else date.fromisoformat(given or "")
        if clock.is_shown(day):
            return day
    except (TypeError, ValueError):
        pass
    wrong.append((path, "Use a date such as 2026-12-24."))
    return None
