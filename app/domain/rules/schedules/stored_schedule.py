"""Schedules as they are kept: windows of campaigns and senders, their holidays, blackout dates and absences."""

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from app.domain.rules.schedules import places, working_hours
from app.domain.rules.schedules.working_hours import Closure, Span, Window

Kept = Sequence[Mapping[str, Any]] | None
NO_REGION = "none"  # a sender that keeps no public holidays


def of_campaign(campaign: Any, blackouts: Kept = None) -> Window:
    """Return a campaign's window; `blackouts` are those of its workspace."""
    spans = _spans(json.dumps(campaign.windows)) if campaign.windows else ()
    dates = [*(campaign.blackouts or ()), *(blackouts or ())]
    closed = _blackouts(json.dumps(dates)) if dates else ()
    return Window(campaign.timezone, tuple(campaign.days), campaign.start_time, campaign.end_time, spans, closed)


def of_sender(account: Any) -> Window:
    """Return a sender's window, without its public holidays, which a campaign may leave aside."""
    away = _absences(json.dumps(account.absences)) if account.absences else ()
    days = tuple(account.work_days)
    return Window(account.timezone, days, account.work_start, account.work_end, closures=away)


class HandOver(NamedTuple):
    """From when until when another sender takes the new people of one that is away."""

    begins: datetime
    ends: datetime
    to: int


def hand_overs(account: Any) -> tuple[HandOver, ...]:
    """Return when others stand in for a sender."""
    return _hand_overs(json.dumps(account.absences), account.timezone) if account.absences else ()


@lru_cache(maxsize=512)
def _hand_overs(kept: str, timezone: str) -> tuple[HandOver, ...]:
    return tuple(
        HandOver(
            working_hours.midnight(timezone, date.fromisoformat(one["firstDay"])),
            working_hours.midnight(timezone, date.fromisoformat(one["lastDay"]) + timedelta(days=1)),
            one["handOverTo"],
        )
        for one in json.loads(kept)
        if one["handOverTo"] is not None
    )


def region_of(account: Any) -> str:
    """Return whose public holidays a sender keeps: as it was set, else the country of its time zone."""
    if account.country == NO_REGION:
        return ""
    return account.country or places.region_of(account.timezone)


@lru_cache(maxsize=512)
def _spans(kept: str) -> tuple[Span, ...]:
    return tuple(Span(tuple(one["days"]), one["start"], one["end"]) for one in json.loads(kept))


@lru_cache(maxsize=512)
def _blackouts(kept: str) -> tuple[Closure, ...]:
    return tuple(
        Closure(date.fromisoformat(one["firstDay"]), date.fromisoformat(one["lastDay"]), "blackout", one["name"])
        for one in json.loads(kept)
    )


@lru_cache(maxsize=512)
def _absences(kept: str) -> tuple[Closure, ...]:
    return tuple(
        Closure(date.fromisoformat(one["firstDay"]), date.fromisoformat(one["lastDay"]), "sender_away", "")
        for one in json.loads(kept)
    )
