"""The planner: may this sender do this for this person now and, if not, when at the earliest and why.

Pure. The turn, the page that answers "why is nothing happening", the API and the forecast all ask it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from app.domain.rules import limits, working_hours
from app.domain.rules.limits import Usage
from app.domain.rules.reasons import WaitReason
from app.domain.rules.working_hours import Window
from app.models.accounts import AccountStatus, Budget, Channel
from app.models.campaigns import CampaignStatus

SOON = timedelta(days=365)
MEASURED = ("low_acceptance", "pending_invites")  # what is so today may be otherwise when it is measured tomorrow
FREE_BUDGETS = ("withdraw",)  # done at the sender's pace, without a limit of their own


@dataclass(frozen=True)
class SenderView:
    """What the planner knows of a sender."""

    id: int
    status: str
    active: bool
    window: Window
    limits: Mapping[str, int]
    ramp_from: datetime | None
    rests: Mapping[str, datetime]
    health: Mapping[str, int]
    usage: Usage = field(default_factory=Usage)
    free_at: datetime | None = None  # the end of the pause after the last action
    targets: dict[tuple[str, Any], int] = field(default_factory=dict, init=False, compare=False)

    @classmethod
    def of(cls, account: Any, usage: Usage, free_at: datetime | None = None) -> "SenderView":
        """Return the view of an account row."""
        return cls(
            id=account.id,
            status=account.status,
            active=account.active,
            window=Window(account.timezone, tuple(account.work_days), account.work_start, account.work_end),
            limits=account.limits,
            ramp_from=account.ramp_from,
            rests={budget: datetime.fromisoformat(until) for budget, until in account.rests.items()},
            health=account.health,
            usage=usage,
            free_at=free_at,
        )

    def target(self, budget: str, at: datetime) -> int:
        """Return the sender's target of this budget on the local day of `at`."""
        day = self.window.day_of(at)
        known = self.targets.get((budget, day))
        if known is None:
            known = self.targets[budget, day] = limits.target(
                budget,
                self.limits.get(budget, 0),
                account_id=self.id,
                day=day,
                ramp_from=self.ramp_from,
                at=at,
                health=self.health,
            )
        return known


@dataclass(frozen=True)
class CampaignView:
    """What the planner knows of a campaign."""

    id: int
    status: str
    window: Window
    start_date: datetime | None
    end_date: datetime | None

    @classmethod
    def of(cls, campaign: Any) -> "CampaignView":
        """Return the view of a campaign row."""
        return cls(
            id=campaign.id,
            status=campaign.status,
            window=Window(campaign.timezone, tuple(campaign.days), campaign.start_time, campaign.end_time),
            start_date=campaign.start_date,
            end_date=campaign.end_date,
        )


def sender_block(sender: SenderView) -> WaitReason | None:
    """Return why the sender waits for a person's action; None when it is ready."""
    return _STOPPED.get(sender.status) if sender.active else _INACTIVE


_INACTIVE = WaitReason("account_inactive")
_STOPPED: dict[str, WaitReason] = {
    AccountStatus.DISCONNECTED: WaitReason("account_disconnected"),
    AccountStatus.CHALLENGED: WaitReason("account_challenged"),
    AccountStatus.CONNECTING: WaitReason("account_connecting"),
}


def campaign_block(campaign: CampaignView) -> WaitReason | None:
    """Return why the campaign does nothing; None while it runs."""
    if campaign.status == CampaignStatus.RUNNING:
        return None
    status = CampaignStatus(campaign.status)
    if status == CampaignStatus.SCHEDULED:
        return WaitReason("campaign_scheduled", campaign.start_date)
    if status in (CampaignStatus.DRAFT, CampaignStatus.STARTING, CampaignStatus.PAUSED, CampaignStatus.LOCKED):
        return WaitReason(f"campaign_{status}")
    return WaitReason("campaign_ended")


def decide(
    sender: SenderView,
    campaign: CampaignView,
    budget: str,
    due_at: datetime,
    at: datetime,
    *,
    parts: int = 1,
    keep_for_openers: bool = False,
    continues: bool = False,
) -> WaitReason | None:
    """Return None when the action is allowed now; else why not, and the earliest time it is.

    A message that `continues` one already begun does not wait for the gap between people.
    """
    stopped = sender_block(sender) or campaign_block(campaign)
    if stopped:
        return stopped
    moment, cause = at, "ready"
    # Each rule may push the moment on, and a later moment is asked about again: hours after limits after hours.
    for _ in range(6):
        later = _next(sender, campaign, budget, due_at, moment, parts, keep_for_openers, continues)
        if later is None:
            break
        if later.code == "campaign_ended" and moment > at:
            return WaitReason("ends_before", campaign.end_date)
        if later.until is None:
            return later
        if later.code in MEASURED:
            return WaitReason(
                later.code, working_hours.next_open([sender.window, campaign.window], later.until) or later.until
            )
        if later.until <= moment:  # over by then: these counts have left the window
            break
        cause = cause if cause != "ready" and later.code in ("sender_hours", "campaign_hours") else later.code
        moment = later.until
    return None if moment == at else WaitReason(cause, moment)


def _next(
    sender: SenderView,
    campaign: CampaignView,
    budget: str,
    due_at: datetime,
    at: datetime,
    parts: int,
    keep_for_openers: bool,
    continues: bool,
) -> WaitReason | None:
    """Return the first rule that forbids the action at `at`, and when that rule alone would allow it."""
    if due_at > at:
        return WaitReason("not_due", due_at)
    if sender.free_at and sender.free_at > at and not continues:
        return WaitReason("gap", sender.free_at)
    if campaign.start_date and campaign.start_date > at:
        return WaitReason("before_start", campaign.start_date)
    if campaign.end_date and campaign.end_date <= at:
        return WaitReason("campaign_ended")
    opens = working_hours.next_open([sender.window, campaign.window], at)
    if opens is None:
        return WaitReason("never_open")
    if opens > at:
        closed = working_hours.next_open([sender.window], at) != at
        return WaitReason("sender_hours" if closed else "campaign_hours", opens)
    if budget in FREE_BUDGETS:
        rests_until = sender.rests.get(budget)
        return WaitReason("network_limit", rests_until) if rests_until and rests_until > at else None
    brake = limits.throttle(
        budget,
        sender.target(budget, at),
        sender.usage,
        limit=sender.limits.get(budget, 0),
        health=sender.health,
        rests_until=sender.rests.get(budget),
        at=at,
        parts=parts,
        keep_for_openers=keep_for_openers,
    )
    if brake is None:
        return None
    until = brake.until
    if brake.code in ("daily_limit", "kept_for_openers", *MEASURED):
        tomorrow = working_hours.next_day(sender.window, at)  # another day has another target
        until = min(until, tomorrow) if until else tomorrow
    return WaitReason(brake.code, until)


def gap_after(sender_id: int, channel: str, budget: str, part_follows: bool, at: datetime) -> datetime:
    """Return when the sender may act again: parts of one message are close, people are minutes apart."""
    if part_follows:
        return at + timedelta(seconds=limits.min_gap(sender_id, at).total_seconds() / 8)
    if channel == Channel.EMAIL:
        return at + limits.min_gap(sender_id, at, longest=10, shortest=3)
    shortest = 3 if budget in (Budget.INVITE, Budget.MESSAGE, Budget.INMAIL) else 2
    return at + limits.min_gap(sender_id, at, longest=8, shortest=shortest)
