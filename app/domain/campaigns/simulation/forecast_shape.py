"""The shape of a forecast, and how one is stored."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from app.domain.campaigns.simulation.responses import Assumption
from app.domain.campaigns.simulation.simulation import SimulatedAction
from app.domain.ledger.rates import Range
from app.domain.rules.limits import Pace
from app.domain.rules.reasons import WaitReason
from app.domain.rules.step_kinds import BUDGET_WORDS

VERSION = 2  # of the stored format; forecasts of other versions are made again
NO_ONE = Range(0, 0)


@dataclass(frozen=True)
class Assumptions:
    """What had to be assumed: who acts and how soon (half of them), and with how many campaigns senders are shared."""

    acceptance: Assumption
    replies: Assumption
    accepted_after: timedelta
    answered_after: timedelta
    shared_with: int


@dataclass(frozen=True)
class Day:
    """What would happen on one day of the workspace; `done` counts actions by budget."""

    date: date
    done: Counter[str]
    accepted: int
    replies: int
    ended: int


@dataclass(frozen=True)
class Constraint:
    """What most people wait for: a reason, the budget, its daily limit, the senders, and the campaigns that share it.

    `ramp` is how many a day it is while the senders are new, and until when; None once they have grown.
    """

    code: str
    budget: str
    limit: int
    senders: tuple[str, ...] = ()
    shared_with: tuple[str, ...] = ()
    ramp: tuple[int, date] | None = None

    @property
    def sentence(self) -> str:
        """Return it in words, such as: InMails, 5 a day, shared with Spring."""
        name = BUDGET_WORDS[self.budget].title if self.budget in BUDGET_WORDS else "Actions"
        shared = self._shared()
        match self.code:
            case "new_per_day":
                return f"New people, {self.limit:,} a day"
            case "weekly_limit":
                return f"Connection requests, {self.limit:,} in 7 days{shared}"
            case "all_limit":
                return f"All LinkedIn actions, {self.limit:,} a day{shared}"
            case "low_acceptance":
                return "Connection requests, slowed down because too few are accepted"
            case "pending_invites":
                return f"Connection requests, {self.limit:,} without a response"
            case "network_limit":
                return f"{name}, paused by LinkedIn"
            case "daily_limit":
                now, until = self.ramp or (self.limit, None)
                return f"{name}, {Pace(now, self.limit, until).said()}{self._of()}{shared}"
        return f"Working hours{self._of()}"

    def _of(self) -> str:
        return f" from {len(self.senders)} senders" if len(self.senders) > 1 else ""

    def _shared(self) -> str:
        if not self.shared_with:
            return ""
        shown = self.shared_with if len(self.shared_with) < 3 else (f"{len(self.shared_with)} other campaigns",)
        return f", shared with {' and '.join(shown)}"


@dataclass(frozen=True)
class Forecast:
    """The course of a campaign from now. `finishes_at` is None when some leads do not finish within the forecast.

    `stuck` counts, by reason, the people who wait for a human. The ranges hold in four of five cases.
    """

    people: int
    days: Sequence[Day]
    first_action_at: datetime | None
    first_reply_at: datetime | None
    finishes_at: datetime | None
    left: int
    stuck: Sequence[tuple[WaitReason, int]]
    assumptions: Assumptions
    actions: Sequence[SimulatedAction]
    warnings: Sequence[str] = ()  # sentences about working hours that never overlap
    replies: Range = NO_ONE
    finishes_between: tuple[datetime, datetime] | None = None
    constraint: Constraint | None = None


_MOMENTS = ("first_action_at", "first_reply_at", "finishes_at")


def to_body(found: Forecast) -> dict[str, Any]:
    """Return the forecast as it is stored, without the single actions."""
    assumed, limit = found.assumptions, found.constraint
    return {
        "people": found.people,
        "left": found.left,
        "days": [[day.date.isoformat(), dict(day.done), day.accepted, day.replies, day.ended] for day in found.days],
        "stuck": [[why.code, number] for why, number in found.stuck],
        "acceptance": [assumed.acceptance.share, assumed.acceptance.source, assumed.acceptance.people],
        "replies": [assumed.replies.share, assumed.replies.source, assumed.replies.people],
        "after": [assumed.accepted_after.total_seconds(), assumed.answered_after.total_seconds()],
        "shared_with": assumed.shared_with,
        "warnings": list(found.warnings),
        "reply_range": [found.replies.low, found.replies.high],
        "finishes_between": [moment.isoformat() for moment in found.finishes_between or ()],
        "constraint": limit
        and [limit.code, limit.budget, limit.limit, list(limit.senders), list(limit.shared_with)]
        + ([limit.ramp[0], limit.ramp[1].isoformat()] if limit.ramp else []),
        **{name: moment.isoformat() if (moment := getattr(found, name)) else None for name in _MOMENTS},
    }


def from_body(body: dict[str, Any]) -> Forecast:
    """Return the stored forecast."""
    accepted_after, answered_after = (timedelta(seconds=seconds) for seconds in body["after"])
    between = [datetime.fromisoformat(moment) for moment in body["finishes_between"]]
    return Forecast(
        people=body["people"],
        days=[
            Day(date.fromisoformat(day), Counter(done), accepted, replies, ended)
            for day, done, accepted, replies, ended in body["days"]
        ],
        left=body["left"],
        stuck=[(WaitReason(code), number) for code, number in body["stuck"]],
        assumptions=Assumptions(
            Assumption(*body["acceptance"]),
            Assumption(*body["replies"]),
            accepted_after,
            answered_after,
            body["shared_with"],
        ),
        actions=(),
        warnings=body["warnings"],
        replies=Range(*body["reply_range"]),
        finishes_between=(between[0], between[1]) if between else None,
        constraint=_constraint(*body["constraint"]) if body["constraint"] else None,
        **{name: datetime.fromisoformat(body[name]) if body[name] else None for name in _MOMENTS},
    )


def _constraint(
    code: str, budget: str, limit: int, senders: list[str], shared: list[str], now: int = 0, until: str = ""
) -> Constraint:
    ramp = (now, date.fromisoformat(until)) if until else None
    return Constraint(code, budget, limit, tuple(senders), tuple(shared), ramp)
