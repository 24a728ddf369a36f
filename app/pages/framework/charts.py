"""Bars and legends of a campaign's chart, as the series component draws them."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from app.domain.ledger.charts import Chart

TONES = ("d1", "d2", "d3")


def shade(number: int, most: int) -> int:
    """Return the shade of a cell of a heat map, from 0 for none to 4 for the most."""
    return -(-4 * number // most) if number else 0


def days(chart: Chart) -> list[dict[str, Any]]:
    """Return one entry per bar, with its short name on the axis and its full name."""
    return [column(bar.date, bar.values, today=bar.today, week=bar.week) for bar in chart.bars]


def column(day: date, values: Sequence[int], *, today: bool, week: bool = False) -> dict[str, Any]:
    """Return the bars of one day, or of the week that begins with it."""
    short = f"{day.day} {day:%b}"
    full = f"Week of {short}" if week else f"{day:%a} {short}"
    return {"label": short, "full": full, "values": list(values), "today": today}


def legend(chart: Chart, link: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return the names with their sums; `link` gives the address of the people behind a filter."""
    return [
        {"label": name, "count": total, "tone": tone, "href": link(shown) if shown else None}
        for name, total, tone, shown in zip(chart.names, chart.sums, TONES, chart.filters, strict=False)
    ]


def delta(now: float, before: float | None, unit: str = "") -> dict[str, str]:
    """Return a tile's growth since the period before; {} when there is nothing to compare with."""
    if before is None:
        return {}
    change = round(now - before, 1 if unit == " pt" else 0)
    shown = f"{abs(change):.1f}{unit}" if unit == " pt" else f"{abs(change):.0f}{unit}"
    return {"delta": shown, "trend": "up" if change > 0 else "down" if change < 0 else "flat"}


def share_delta(part: int, whole: int, part_before: int, whole_before: int) -> dict[str, str]:
    """Return a share's growth in points; {} when one of the two is unknown."""
    if not whole or not whole_before or part > whole or part_before > whole_before:
        return {}
    return delta(100 * part / whole, 100 * part_before / whole_before, " pt")


def growth(now: int, before: int) -> dict[str, str]:
    """Return a number's growth in percent; {} when it was zero before."""
    return delta(100 * now / before, 100, "%") if before else {}
