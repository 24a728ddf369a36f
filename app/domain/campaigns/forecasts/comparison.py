"""A campaign's forecast against what happened, day by day: expected then, actual, and expected now.

On each day the forecast counts that was in force as the day began: the first, until a change of the campaign made
another.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core.db import session
from app.domain.campaigns.simulation import forecast_shape, kept_forecasts
from app.domain.campaigns.simulation.forecast_shape import Day, Forecast
from app.domain.leads.campaign_leads import filters
from app.models.campaigns import Campaign, KeptForecast
from app.models.ledger import Action
from app.models.workspaces import Workspace

# What is compared, and the budgets that count towards it.
KINDS = {"invitations": ("invite",), "messages": ("message", "inmail"), "emails": ("email",), "replies": ()}
NOTHING: Counter[str] = Counter()


@dataclass(frozen=True)
class ComparedDay:
    """One day: as it was foretold, as it went by now, and what is expected of the rest of it; None where there is none.

    All are counts by kind.
    """

    date: date
    foretold: Counter[str] | None
    actual: Counter[str] | None
    expected: Counter[str] | None


@dataclass(frozen=True)
class Comparison:
    """The days of a campaign, the forecasts that were kept, and the sums up to the end of yesterday."""

    days: Sequence[ComparedDay]
    changes: Sequence[KeptForecast]
    today: date
    kinds: Sequence[str] = ()
    people: Mapping[str, int] = field(default_factory=dict)  # who got a message or email by then, as the funnel counts

    def so_far(self, kind: str) -> tuple[int, int]:
        """Return how many were expected until yesterday, and how many there were."""
        past = [day for day in self.days if day.date < self.today]
        return sum((day.foretold or NOTHING)[kind] for day in past), sum((day.actual or NOTHING)[kind] for day in past)


def compare(workspace: Workspace, campaign: Campaign, ahead: Forecast | None = None) -> Comparison | None:
    """Return the campaign's days; None when no forecast of it was kept. `ahead` is its forecast of now."""
    known = kept_forecasts.of_campaign(campaign.id)
    if not known:
        return None
    zone = ZoneInfo(workspace.timezone)
    today = workspace.now().astimezone(zone).date()
    plans = [(row.made_at.astimezone(zone).date(), forecast_shape.from_body(row.body)) for row in known]
    foretold = _in_force(plans)
    actual = _happened(workspace, campaign)
    expected = {day.date: _counts(day) for day in (ahead.days if ahead else ())}
    dates = sorted({*foretold, *actual, *expected, today if not campaign.ended_at else plans[0][0]})
    days = []
    for offset in range((dates[-1] - dates[0]).days + 1):
        day = dates[0] + timedelta(days=offset)
        done = actual.get(day, Counter()) if day <= today else None
        days.append(ComparedDay(day, foretold.get(day, Counter()), done, expected.get(day) if day >= today else None))
    shown = [
        kind
        for kind in KINDS
        if any(counts and counts[kind] for day in days for counts in (day.foretold, day.actual, day.expected))
    ]
    by_now = _of_steps(campaign).where(Action.at < datetime.combine(today, time(), zone))
    return Comparison(days, known, today, shown, {kind: people for kind, _, people in session().execute(by_now)})


def _in_force(plans: Sequence[tuple[date, Forecast]]) -> dict[date, Counter[str]]:
    """Return the forecast of each day, from the forecast that was current when the day began."""
    found: dict[date, Counter[str]] = {}
    for number, (made, plan) in enumerate(plans):
        begins = made if number == 0 else made + timedelta(days=1)
        found = {day: counts for day, counts in found.items() if day < begins}
        found |= {day.date: _counts(day) for day in plan.days if day.date >= begins}
    return found


def _counts(day: Day) -> Counter[str]:
    counted = Counter({kind: sum(day.done[budget] for budget in budgets) for kind, budgets in KINDS.items()})
    counted["replies"] = day.replies
    return counted


_KIND = {name: kind for kind, names in KINDS.items() for name in names}


def _of_steps(campaign: Campaign, *columns: Any) -> sa.Select[Any]:
    """Select from what the campaign's steps did, by the kind of what was done and these columns."""
    kind = sa.case(_KIND, value=Action.budget).label("kind")
    return (
        sa.select(kind, sa.func.count(), sa.func.count(Action.campaign_lead_id.distinct()), *columns)
        .where(Action.campaign_id == campaign.id, Action.campaign_lead_id.is_not(None), filters.DONE)
        .where(Action.step >= 0, Action.budget.in_(_KIND))
        .group_by(kind, *columns)
    )


def _happened(workspace: Workspace, campaign: Campaign) -> dict[date, Counter[str]]:
    """Return what the ledger says of each day of the workspace's time zone."""
    zone, found = ZoneInfo(workspace.timezone), dict[date, Counter[str]]()
    quarter = filters.quarter_of(Action.at).label("quarter")
    for kind, count, _, number in session().execute(_of_steps(campaign, quarter)):
        day = datetime.fromtimestamp(int(number) * filters.QUARTER, UTC).astimezone(zone).date()
        found.setdefault(day, Counter())[kind] += int(count)
    for day, count in filters.by_day(workspace, campaign, ["replies"])[0].items():
        found.setdefault(day, Counter())["replies"] += count
    return found
