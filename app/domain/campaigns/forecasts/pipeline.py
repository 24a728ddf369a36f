"""The statistics of a whole workspace: how far people came in all campaigns together, and when they reply."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core.db import fetch
from app.domain.leads.campaign_leads.filters import QUARTER, quarter_of
from app.domain.tasks.meetings import meetings
from app.models.campaigns import Campaign, CampaignStats
from app.models.conversations import Direction, Message
from app.models.workspaces import Workspace

WINDOW = timedelta(days=90)
MOST_REPLIES = 20_000  # the latest ones; more would hardly change the best hours
_S: Any = CampaignStats.__table__
_C: Any = Campaign.__table__
_M: Any = Message.__table__
_STAGES = ("leads", "contacted", "invites_sent", "accepted", "replies", "positive")
_SUMS = sa.select(*(sa.func.coalesce(sa.func.sum(_S.c[name]), 0).label(name) for name in _STAGES)).where(
    _S.c.campaign_id.in_(sa.select(_C.c.id).where(_C.c.workspace_id == sa.bindparam("workspace")))
)
_LATEST = (
    sa.select(_M.c.at)
    .where(
        _M.c.workspace_id == sa.bindparam("workspace"),
        _M.c.direction == sa.literal(Direction.IN.value, literal_execute=True),  # so that SQLite knows its index fits
        _M.c.automatic.is_(False),
        _M.c.at >= sa.bindparam("since", type_=_M.c.at.type),
    )
    .order_by(_M.c.at.desc())
    .limit(MOST_REPLIES)
    .subquery("latest")
)


@dataclass(frozen=True)
class Pipeline:
    """How many people came how far, in all campaigns together; a person counts once in each campaign."""

    leads: int
    contacted: int
    invited: int
    accepted: int
    replied: int
    positive: int
    meetings: int


@dataclass(frozen=True)
class ReplyHours:
    """How many replies came in each hour of each weekday, Monday first, of the workspace's time zone."""

    days: Sequence[Sequence[int]]
    since: datetime

    @property
    def total(self) -> int:
        """Return the number of replies."""
        return sum(map(sum, self.days))

    @property
    def most(self) -> int:
        """Return the number of the busiest hour."""
        return max(map(max, self.days))

    @property
    def best(self) -> tuple[int, int] | None:
        """Return weekday and hour with the most replies; None without any."""
        if not self.total:
            return None
        return max(((day, hour) for day in range(7) for hour in range(24)), key=lambda at: self.days[at[0]][at[1]])


def pipeline(workspace: Workspace) -> Pipeline:
    """Return how far people came, from the counters of the campaigns and the meetings."""
    [row] = fetch(_SUMS, workspace=workspace.id)
    return Pipeline(*map(int, (*row, meetings.of_workspace(workspace))))


def reply_hours(workspace: Workspace) -> ReplyHours:
    """Count the replies of the last 90 days by weekday and hour."""
    since = workspace.now() - WINDOW
    quarter = quarter_of(_LATEST.c.at).label("quarter")
    found = fetch(sa.select(quarter, sa.func.count()).group_by(quarter), workspace=workspace.id, since=since)
    zone, days = ZoneInfo(workspace.timezone), [[0] * 24 for _ in range(7)]
    for number, count in found:
        at = datetime.fromtimestamp(int(number) * QUARTER, UTC).astimezone(zone)
        days[at.weekday()][at.hour] += int(count)
    return ReplyHours(days, since)
