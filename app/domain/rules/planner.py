"""The planner: may this sender do this for this person now and, if not, when at the earliest and why.

Pure. The turn, the page that answers "why is nothing happening", the API and the forecast all ask it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

from app.domain.rules import limits
from app.domain.rules.limits import Usage
from app.domain.rules.reasons import WaitReason
from app.domain.rules.schedules import pace, places, working_hours
from app.domain.rules.schedules.places import Place
from app.domain.rules.schedules.working_hours import HandOver, Interval, Window
from app.models.accounts import AccountStatus, Budget, Channel
from app.models.campaigns import CampaignStatus

SOON = timedelta(days=365)
MEASURED = ("low_acceptance", "pending_invites")  # limits from daily measurements, so tomorrow may differ
# The reason code by whose hours are over, or who has a holiday.
HOURS = {"sender": "sender_hours", "campaign": "campaign_hours", "recipient": "recipient_hours"}
HOLIDAYS = {"sender": "sender_holiday", "recipient": "recipient_holiday"}
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
    paced: bool = False
    usage: Usage = field(default_factory=Usage)
    free_at: datetime | None = None  # the end of the pause after the last action
    region: str = ""  # whose public holidays it keeps where the campaign says so
    hand_overs: tuple[HandOver, ...] = ()
    targets: dict[tuple[str, Any], int] = field(default_factory=dict, init=False, compare=False)

    @classmethod
    def of(cls, account: Any, usage: Usage, free_at: datetime | None = None) -> "SenderView":
        """Return the view of an account row."""
        return cls(
            id=account.id,
            status=account.status,
            active=account.active,
            window=working_hours.of_sender(account),
            limits={**account.limits, Budget.TASK: limits.TASKS_A_DAY},
            ramp_from=account.ramp_from,
            rests={budget: datetime.fromisoformat(until) for budget, until in account.rests.items()},
            health=account.health,
            paced=account.paced,
            usage=usage,
            free_at=free_at,
            region=working_hours.region_of(account),
            hand_overs=working_hours.hand_overs(account),
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

    def most(self, budget: str, at: datetime) -> int:
        """Return how much of this budget fits into the 24 hours before `at`."""
        if not self.paced:
            return self.target(budget, at)
        limit = self.limits.get(budget, 0)
        return limits.most(budget, limit, ramp_from=self.ramp_from, at=at, health=self.health)


@dataclass(frozen=True)
class CampaignView:
    """What the planner knows of a campaign."""

    id: int
    status: str
    window: Window
    start_date: datetime | None
    end_date: datetime | None
    recipient_time: bool = False  # the window is that of each person's own time zone, where it is known
    holidays: bool = False
    new_per_day: int | None = None  # how many people get their first action on one local day
    begun: tuple[date, int] | None = None  # how many did, on the latest local day

    @classmethod
    def of(cls, campaign: Any, blackouts: Any, begun: tuple[date, int] | None = None) -> "CampaignView":
        """Return the view of a campaign row; `blackouts` are those of the workspace."""
        return cls(
            id=campaign.id,
            status=campaign.status,
            window=working_hours.of_campaign(campaign, blackouts),
            start_date=campaign.start_date,
            end_date=campaign.end_date,
            recipient_time=campaign.recipient_time,
            holidays=campaign.holidays,
            new_per_day=campaign.new_per_day,
            begun=begun,
        )

    def is_full(self, at: datetime) -> bool:
        """Return whether no more new people begin on the local day of `at`."""
        if self.new_per_day is None:
            return False
        day = self.window.day_of(at)
        return (self.begun[1] if self.begun and self.begun[0] == day else 0) >= self.new_per_day


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


Windows = tuple[tuple[str, Window], ...]


def windows(sender: SenderView, campaign: CampaignView, person: Place | None = None) -> Windows:
    """Return the working hours that must be open for this sender, campaign and person, each with whose hours they are.

    Without a person, those that must be open for anyone at all.
    """
    own = _with_holidays(sender.window, sender.region) if campaign.holidays else sender.window
    if not campaign.recipient_time:
        found: Windows = (("sender", own), ("campaign", campaign.window))
    elif person is None:
        found = (("sender", own), *_closed(campaign.window))
    else:
        zone, whose = person.sure_zone or sender.window.timezone, "recipient" if person.sure_zone else "campaign"
        found = (("sender", own), *_closed(campaign.window), (whose, _elsewhere(campaign.window, zone)))
    if campaign.holidays and person and person.region:
        found += (("recipient", working_hours.always(person.zone or sender.window.timezone, region=person.region)),)
    return found


@lru_cache(maxsize=1024)
def _with_holidays(window: Window, region: str) -> Window:
    return replace(window, region=region)


@lru_cache(maxsize=1024)
def _closed(window: Window) -> Windows:
    """Return the closed days of a campaign alone, in its own time zone."""
    return (("campaign", working_hours.always(window.timezone, window.closures)),) if window.closures else ()


@lru_cache(maxsize=4096)
def _elsewhere(window: Window, zone: str) -> Window:
    """Return the campaign's hours as they are read in another time zone."""
    return replace(window, timezone=zone, closures=())


def opening(found: Windows, at: datetime) -> WaitReason | None:
    """Return None when all the windows are open; else why not, and the earliest time they are."""
    opens = working_hours.next_open([window for _, window in found], at)
    if opens == at:
        return None
    if opens is None:
        ours = working_hours.next_open([window for whose, window in found if whose != "recipient"], at)
        return WaitReason("recipient_never_open" if ours else "never_open")
    number, closure = working_hours.closed_by([window for _, window in found], at)
    whose, window = found[number]
    if closure is None:
        return WaitReason(HOURS[whose], opens)
    if closure.code != "holiday":
        return WaitReason(closure.code, opens, f"Blackout date: {closure.name}" if closure.name else "")
    return WaitReason(HOLIDAYS[whose], opens, f"{closure.name} in {places.country_name(window.region)}")


def recipient_wait(sender: SenderView, campaign: CampaignView, person: Place, at: datetime) -> WaitReason | None:
    """Return why it is not the time for this person, when it is for others; until when, if ever.

    A sender that works at a person's pace does not write in the first second of the person's hours.
    """
    if not campaign.recipient_time and not (campaign.holidays and person.region):
        return None
    found = opening(windows(sender, campaign, person), at)
    if not sender.paced or not campaign.recipient_time:
        return found
    if found is not None:
        return replace(found, until=found.until and _after_opening(sender, campaign, person, found.until))
    begun = _begun(sender, campaign, person, at)
    later = _after_opening(sender, campaign, person, begun) if begun else at
    return WaitReason("pace", later) if later > at else None


def _begun(sender: SenderView, campaign: CampaignView, person: Place, at: datetime) -> datetime | None:
    """Return since when this person's hours are open; None where the sender's own late start decides."""
    day = sender.window.day_of(at)
    theirs, anyone = (
        working_hours.open_within(tuple(window for _, window in found), day)
        for found in (windows(sender, campaign, person), windows(sender, campaign))
    )
    begun = next((begins for begins, ends in theirs if begins <= at < ends), None)
    return None if begun in {begins for begins, _ in anyone} else begun


def _after_opening(sender: SenderView, campaign: CampaignView, person: Place, opens: datetime) -> datetime:
    """Return when the sender first writes to someone whose hours open at that moment."""
    return opens + pace.late(f"{sender.id}|{opens}", closes(sender, campaign, person, opens) - opens)


def closes(sender: SenderView, campaign: CampaignView, person: Place, at: datetime) -> datetime:
    """Return when the hours that are open for this person at `at` close."""
    return working_hours.next_close([window for _, window in windows(sender, campaign, person)], at)


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
    begins: bool = False,
    person: Place | None = None,
) -> WaitReason | None:
    """Return None when the action is allowed now; else why not, and the earliest time it is.

    A message that `continues` one already begun does not wait for the gap between people. An action that `begins` is
    the person's first. Without a `person` it is what holds for anyone.
    """
    stopped = sender_block(sender) or campaign_block(campaign)
    if stopped:
        return stopped
    moment, cause, detail, open_here = at, "ready", "", windows(sender, campaign, person)
    # Each rule may move the moment on, and then all rules are asked again about the later moment.
    for _ in range(10):
        later = _next(sender, campaign, open_here, budget, due_at, moment, parts, keep_for_openers, continues, begins)
        if later is None:
            break
        if later.code == "campaign_ended" and moment > at:
            return WaitReason("ends_before", campaign.end_date)
        if later.until is None:
            return later
        if later.code in MEASURED:
            opens = working_hours.next_open([window for _, window in open_here], later.until)
            return WaitReason(later.code, opens or later.until)
        if later.until <= moment:  # over by then: these counts have left the window
            break
        if cause == "ready" or later.code not in HOURS.values():
            cause, detail = later.code, later.detail
        moment = later.until
    return None if moment == at else WaitReason(cause, moment, detail)


def _after_midnight(sender: SenderView, midnight: datetime) -> timedelta:
    """Return how late a sender begins with a day's new people.

    A campaign's midnight may lie within the hours of senders elsewhere, who would all begin in that second.
    """
    return pace.late(f"{sender.id}|{midnight}", timedelta(days=1)) if sender.paced else timedelta(0)


def _next(
    sender: SenderView,
    campaign: CampaignView,
    open_here: Windows,
    budget: str,
    due_at: datetime,
    at: datetime,
    parts: int,
    keep_for_openers: bool,
    continues: bool,
    begins: bool,
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
    if closed := opening(open_here, at):
        return closed
    if begins and campaign.is_full(at):
        tomorrow = working_hours.next_day(campaign.window, at)
        return WaitReason("new_per_day", tomorrow + _after_midnight(sender, tomorrow))
    if begins and campaign.new_per_day is not None:
        _, today = working_hours.local_day(campaign.window.timezone, at)
        if (first := today + _after_midnight(sender, today)) > at:
            return WaitReason("pace", first)
    desk = _desk(sender, campaign, at) if sender.paced and not continues and budget != Budget.TASK else None
    if desk is not None and (back := _back_at_desk(sender, desk, at)):
        return WaitReason("pace", back)
    if budget in FREE_BUDGETS:
        rests_until = sender.rests.get(budget)
        return WaitReason("network_limit", rests_until) if rests_until and rests_until > at else None
    brake = limits.throttle(
        budget,
        sender.most(budget, at),
        sender.usage,
        limit=sender.limits.get(budget, 0),
        health=sender.health,
        rests_until=sender.rests.get(budget),
        at=at,
        parts=parts,
        keep_for_openers=keep_for_openers,
    )
    if brake is None:
        return _its_moment(sender, budget, desk, at, parts) if desk is not None else None
    until = brake.until
    if brake.code in ("daily_limit", "kept_for_openers", *MEASURED):
        tomorrow = working_hours.next_day(sender.window, at)  # another day has another target
        until = min(until, tomorrow) if until else tomorrow
    return WaitReason(brake.code, until)


def _desk(sender: SenderView, campaign: CampaignView, at: datetime) -> tuple[Interval, ...]:
    """Return when the sender is at its desk for the campaign, on its local day of `at`."""
    day = sender.window.day_of(at)
    hours = working_hours.open_within(tuple(window for _, window in windows(sender, campaign)), day)
    return pace.at_desk(sender.id, day, sender.window.timezone, hours)


def _back_at_desk(sender: SenderView, desk: Sequence[Interval], at: datetime) -> datetime | None:
    """Return when the sender is at its desk again; None while it is there."""
    for begins, ends in desk:
        if at < ends:
            return begins if at < begins else None
    return working_hours.next_day(sender.window, at)


def _its_moment(
    sender: SenderView, budget: str, desk: tuple[Interval, ...], at: datetime, parts: int
) -> WaitReason | None:
    """Return until when the sender's next action of this budget waits for its moment of the day."""
    day, target = sender.window.day_of(at), sender.target(budget, at)
    done = sender.usage.today.get((day, budget), 0)
    if done + min(parts, target) > target:
        return WaitReason("daily_limit", working_hours.next_day(sender.window, at))
    moment = pace.moments(sender.id, budget, day, desk, target)[done]
    return WaitReason("pace", moment) if moment > at else None


def gap_after(sender_id: int, channel: str, budget: str, part_follows: bool, at: datetime) -> datetime:
    """Return when the sender may act again: parts of one message are close, people are minutes apart."""
    if part_follows:
        return at + timedelta(seconds=limits.min_gap(sender_id, at).total_seconds() / 8)
    if channel == Channel.EMAIL:
        return at + limits.min_gap(sender_id, at, longest=10, shortest=3)
    shortest = 3 if budget in (Budget.INVITE, Budget.MESSAGE, Budget.INMAIL) else 2
    return at + limits.min_gap(sender_id, at, longest=8, shortest=shortest)
