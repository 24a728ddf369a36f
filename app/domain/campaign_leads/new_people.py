"""How many people of a campaign begin in a day: those whose first action was recorded on its local day."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch
from app.domain.rules.schedules import working_hours
from app.models.campaigns import CampaignLead

_PEOPLE: Any = CampaignLead.__table__
_BEGUN = sa.select(sa.func.count()).where(
    _PEOPLE.c.campaign_id == sa.bindparam("campaign"),
    _PEOPLE.c.begun_at.is_not(None),
    _PEOPLE.c.begun_at >= sa.bindparam("since", type_=_PEOPLE.c.begun_at.type),
)


def begun_today(campaigns: Iterable[Any], at: datetime) -> Mapping[int, tuple[date, int]]:
    """Return by campaign that counts its new people the local day of `at`, and how many began on it."""
    found = {}
    for campaign in campaigns:
        if campaign.new_per_day is not None:
            day, since = working_hours.local_day(campaign.timezone, at)
            found[campaign.id] = (day, fetch(_BEGUN, campaign=campaign.id, since=since)[0][0])
    return found


def is_new(person: Any) -> bool:
    """Return whether nothing has been done for the person in this campaign."""
    return person.begun_at is None and person.last_action_at is None
