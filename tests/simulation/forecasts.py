"""Campaigns drawn at random, foretold as they begin, then run to their end by the real engine on the sandbox network.

Each world is a workspace with a first campaign, from which it knows how people respond; the next ones count.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.campaigns import campaigns
from app.domain.campaigns.forecasts import forecast
from app.domain.campaigns.simulation.forecast_shape import Forecast
from app.domain.installation.sandbox import sandbox_clock
from app.domain.leads.campaign_leads import filters
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.accounts import AccountStatus, Channel
from app.models.campaigns import Campaign, CampaignLead
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.domain.outreach import INVITE, VIEW, a_campaign, email, message
from tests.support.movable import Movable

BEGIN = datetime(2026, 3, 2, 6, tzinfo=UTC)
DAY = timedelta(days=1)
FIRST = 400  # people of the campaign from which a world learns
LONGEST = 200  # days
TOMORROW = {"value": 1, "unit": "days"}
SEQUENCES: Sequence[list[dict[str, Any]]] = (
    [INVITE, message(days=1), message(days=4)],
    [VIEW, {**INVITE, "delay": TOMORROW}, message(days=2)],
    [INVITE, message(), message(days=3), message(days=7)],
    [INVITE, message(days=1), email(days=3)],
    [email(), email(days=4)],
    [INVITE, message(days=2), {"type": "follow", "delay": TOMORROW}, message(days=5), email(days=4)],
)
LEARNED = [INVITE, message(days=1), message(days=4), email(days=3)]


@dataclass(frozen=True)
class Result:
    """One campaign: what was foretold as it began, and what came of it."""

    people: int
    sequence: int
    senders: int
    replies: int
    replies_low: int
    replies_high: int
    replied: int
    ends: float  # days from the start
    ends_low: float
    ends_high: float
    ended: float
    finished: bool
    invitations: int  # by the middle of the campaign
    invited: int
    limit: str

    @property
    def holds_replies(self) -> bool:
        """Whether the number of replies lies in its range."""
        return self.replies_low <= self.replied <= self.replies_high

    @property
    def holds_end(self) -> bool:
        """Whether the end lies in its range."""
        return self.finished and self.ends_low <= self.ended <= self.ends_high

    @property
    def invitations_error(self) -> float:
        """By what share of them the invitations until the middle of the campaign were missed."""
        return abs(self.invitations - self.invited) / self.invited if self.invited else 0.0


def world(clock: Movable, seed: int, count: int, first: int = FIRST) -> Iterator[Result]:
    """Yield what became of so many campaigns of a new workspace, one after the other."""
    clock.to(BEGIN)
    chance = random.Random(seed)
    workspace = workspaces.create(f"Acme {seed}", f"ada{seed}@acme.example", PASSWORD, sandbox=True, seed=seed)
    while len(_social(workspace)) < 3:
        accounts.connect(workspace, provider="sandbox", name=f"Sender {len(_social(workspace)) + 1}")
    for account in accounts.every(workspace):
        zone = chance.choice(["UTC", "Europe/Berlin", "America/New_York"])
        accounts.edit(workspace, account.id, timezone=zone, paced=True)
    _run_to_end(_begin(workspace, f"{seed} 0", first, LEARNED, 3, {}))
    for number in range(1, count + 1):
        yield _one(workspace, f"{seed} {number}", chance)


def _social(workspace: Workspace) -> Sequence[Any]:
    return [one for one in accounts.every(workspace) if one.channel == Channel.SOCIAL]


def _begin(
    workspace: Workspace, name: str, people: int, steps: Sequence[Any], senders: int, schedule: dict[str, Any]
) -> Campaign:
    slug = name.replace(" ", "-")
    everyone = [
        {
            "publicId": f"p-{slug}-{number}",
            "firstName": f"First{number}",
            "companyName": f"Company {slug} {number}",
            "email": f"p{number}@c-{slug}-{number}.example",
        }
        for number in range(people)
    ]
    chosen = [account.id for account in _social(workspace)[:senders]]
    return a_campaign(workspace, everyone, steps, senders=chosen, schedule=schedule, name=name)


def _one(workspace: Workspace, name: str, chance: random.Random) -> Result:
    chosen, people, senders = (
        chance.randrange(len(SEQUENCES)),
        round(60 * 8 ** chance.random()),
        chance.choice([1, 2, 3]),
    )
    schedule: dict[str, Any] = {"timezone": "UTC", "days": [1, 2, 3, 4, 5], "startTime": "07:00", "endTime": "20:00"}
    if chance.random() < 0.2:
        schedule |= {"newPeoplePerDay": chance.choice([5, 10, 20])}
    for account in _social(workspace):
        accounts.edit(workspace, account.id, limits={"invite": chance.choice([10, 15, 20, 25])})
    campaign = _begin(workspace, name, people, SEQUENCES[chosen], senders, schedule)
    began = workspace.now()
    foretold = forecast.forecast(workspace, campaign.id)
    end_read()
    ended = _run_to_end(campaign)
    [invited] = filters.by_day(workspace, campaign, ["invites_sent"])
    middle = _middle(foretold)
    rows = (
        session()
        .execute(
            sa.select(CampaignLead.replied, CampaignLead.finished_at).where(CampaignLead.campaign_id == campaign.id)
        )
        .all()
    )
    end_read()
    ends = foretold.finishes_at or began
    low, high = foretold.finishes_between or (began, began)
    return Result(
        people=people,
        sequence=chosen,
        senders=senders,
        replies=sum(day.replies for day in foretold.days),
        replies_low=foretold.replies.low,
        replies_high=foretold.replies.high,
        replied=sum(replied for replied, _ in rows),
        ends=(ends - began) / DAY,
        ends_low=(low - began) / DAY,
        ends_high=(high - began) / DAY,
        ended=((ended or workspace.now()) - began) / DAY,
        finished=ended is not None,
        invitations=sum(day.done["invite"] for day in foretold.days if day.date <= middle),
        invited=sum(count for day, count in invited.items() if day <= middle),
        limit=foretold.constraint.sentence if foretold.constraint else "",
    )


def _middle(foretold: Forecast) -> Any:
    """Return the day by which half of the invitations are foretold to be out."""
    by_day = Counter({day.date: day.done["invite"] for day in foretold.days})
    sent = 0
    for day in sorted(by_day):
        sent += by_day[day]
        if sent * 2 >= by_day.total():
            return day
    return None


def _run_to_end(campaign: Campaign) -> datetime | None:
    """Let time pass until the campaign is over; senders that the network stops are connected again."""
    workspace = session().get_one(Workspace, campaign.workspace_id)
    for _ in range(LONGEST // 2):
        sandbox_clock.advance(workspace, 48)
        session().expire_all()
        if campaign.ended_at is not None:
            return campaign.ended_at
        for account in accounts.every(workspace):
            if account.status != AccountStatus.CONNECTED:
                accounts.reconnect(workspace, account.id)
    campaigns.cancel(workspace, campaign.id)
    return None


def lines(found: Sequence[Result]) -> Iterator[str]:
    """Yield the findings as they are printed."""
    people, ended = sum(one.people for one in found), sum(one.finished for one in found)
    yield f"{len(found)} campaigns of {people:,} people, {ended} ended"
    yield f"replies in range {share(one.holds_replies for one in found):.0%}, width {reply_width(found):.0%}"
    yield f"end in range {share(one.holds_end for one in found):.0%}, width {end_width(found):.0%}"
    yield f"connection requests by the middle: median error {median_error(found):.1%}"


def median_error(found: Sequence[Result]) -> float:
    """Return by how much the invitations until the middle were missed, in the median campaign that has any."""
    return median(one.invitations_error for one in found if one.invited)


def share(found: Any) -> float:
    """Return the share of what is true."""
    known = list(found)
    return sum(known) / len(known)


def reply_width(found: Sequence[Result]) -> float:
    """Return the median width of the range of replies, as a share of the replies there were."""
    return median((one.replies_high - one.replies_low) / max(one.replied, 1) for one in found)


def end_width(found: Sequence[Result]) -> float:
    """Return the median width of the range of the end, as a share of the time the campaign took."""
    return median((one.ends_high - one.ends_low) / one.ended for one in found)
