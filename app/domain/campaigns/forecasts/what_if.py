"""What would change a campaign's end: the same simulation with one thing changed, such as one more sender.

Each answer is one run, which is limited like every forecast; who asks for several asks for one after the other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from app.domain.campaigns import campaigns
from app.domain.campaigns.forecasts import forecast
from app.domain.campaigns.forecasts.forecast import Scene
from app.domain.campaigns.simulation.forecast_shape import Forecast
from app.domain.campaigns.simulation.simulation import SimulatedSender
from app.domain.rules import limits
from app.domain.rules.step_kinds import BUDGET_WORDS
from app.models.accounts import Budget, Channel
from app.models.campaigns import LeadState
from app.models.workspaces import Workspace

MORE_NEW, MORE_SHARE = 50, 1.5
WEEKEND = (6, 7)
ADDED = -1  # the id of the simulated extra sender


@dataclass(frozen=True)
class Change:
    """One change to try: its key and its name."""

    key: str
    label: str


@dataclass(frozen=True)
class Effect:
    """When the campaign ends with the change; `days` it is earlier, and `replies` more, than without it.

    `ends` says that it ends without the change, too: days are only told between two ends.
    """

    change: Change
    finishes_at: datetime | None
    days: int
    replies: int
    ends: bool = True

    @property
    def sentence(self) -> str:
        """Return the effect in words, such as: 12 days earlier."""
        if self.days == 0:
            return "no change"
        if not (self.ends and self.finishes_at):
            return "ends within a year" if self.finishes_at else "doesn't end within a year"
        number = abs(self.days)
        return f"{number:,} {'day' if number == 1 else 'days'} {'earlier' if self.days > 0 else 'later'}"


def changes(workspace: Workspace, campaign_id: int, found: Forecast) -> list[Change]:
    """Return the changes to try on a campaign with the forecast `found`."""
    campaign = campaigns.get(workspace, campaign_id)
    accounts = forecast.senders_of(workspace, campaign)
    if not found.people or not accounts:
        return []
    asked = [Change("sender", "One more sender")]
    if found.assumptions.shared_with:
        asked.append(Change("alone", "Only this campaign for these senders"))
    if budget := _budget(found):
        now = sum(account.limits.get(budget, 0) for account in accounts)
        then = sum(_more(budget, account.limits.get(budget, 0)) for account in accounts)
        if then > now:
            asked.append(Change("limit", f"{BUDGET_WORDS[budget].title}: {then:,} a day instead of {now:,}"))
    if campaign.new_per_day is not None:
        asked.append(Change("new", f"{MORE_NEW} more new people a day"))
    days = {day for one in [campaign.days, *(account.work_days for account in accounts)] for day in one}
    if not campaign.windows and not days & set(WEEKEND):
        asked.append(Change("weekend", "Also on Saturdays and Sundays"))
    return asked


def effect(workspace: Workspace, campaign_id: int, found: Forecast, key: str) -> Effect | None:
    """Return what one of the changes does; None when there is no such change."""
    change = next((one for one in changes(workspace, campaign_id, found) if one.key == key), None)
    return _effect(workspace, campaign_id, found, change) if change else None


def _effect(workspace: Workspace, campaign_id: int, found: Forecast, change: Change) -> Effect:
    scene = forecast.load(workspace, campaigns.get(workspace, campaign_id))
    _CHANGES[change.key](scene, found)
    then = forecast.told_of(scene)
    days, replies = _days_earlier(found, then, scene.at), _replies(then) - _replies(found)
    return Effect(change, then.finishes_at, days, replies, found.finishes_at is not None)


def _days_earlier(found: Forecast, then: Forecast, at: datetime) -> int:
    """Return how many days earlier it ends; what does not end counts as ending with the forecast."""
    never = at + forecast.LONGEST
    return round(((found.finishes_at or never) - (then.finishes_at or never)) / timedelta(days=1))


def _replies(found: Forecast) -> int:
    return sum(day.replies for day in found.days)


def _budget(found: Forecast) -> str:
    """Return the budget whose daily limit people wait for, if they do."""
    limit = found.constraint
    return (
        limit.budget if limit and limit.code in ("daily_limit", "weekly_limit") and limit.budget in BUDGET_WORDS else ""
    )


def _more(budget: str, limit: int) -> int:
    """Return the limit raised by half, within the safe maximum."""
    return max(limit, min(round(limit * MORE_SHARE), limits.HARD_CAPS.get(budget, limit)))


def _one_more_sender(scene: Scene, found: Forecast) -> None:
    """Add a sender like the one with most people, to which those go who have not begun, in equal parts."""
    channel = Channel.EMAIL if found.constraint and found.constraint.budget == Budget.EMAIL else Channel.SOCIAL
    alike = [account for account in scene.accounts if account.channel == channel] or list(scene.accounts)
    model = next(sender for sender in scene.senders if sender.view.id == alike[0].id)
    view = replace(model.view, id=ADDED, limits=scene.whole[alike[0].id], health={}, rests={}, ramp_from=None)
    scene.senders.append(SimulatedSender(view, model.channel, None))
    column = "mailbox_id" if alike[0].channel == Channel.EMAIL else "account_id"
    waiting = [one for one in scene.people if one.state == LeadState.PENDING and getattr(one, column) is not None]
    for one in waiting[:: len(alike) + 1]:
        if one.sender_id == getattr(one, column):
            one.sender_id = ADDED
        setattr(one, column, ADDED)


def _alone(scene: Scene, found: Forecast) -> None:
    for sender in scene.senders:
        sender.view = replace(sender.view, limits=scene.whole[sender.view.id])


def _higher_limit(scene: Scene, found: Forecast) -> None:
    budget = _budget(found)
    for sender in scene.senders:
        higher = _more(budget, sender.view.limits.get(budget, 0))
        sender.view = replace(sender.view, limits={**sender.view.limits, budget: higher})


def _more_new_people(scene: Scene, found: Forecast) -> None:
    scene.view = replace(scene.view, new_per_day=(scene.view.new_per_day or 0) + MORE_NEW)


def _weekends(scene: Scene, found: Forecast) -> None:
    window = scene.view.window
    scene.view = replace(scene.view, window=replace(window, days=(*window.days, *WEEKEND)))
    for sender in scene.senders:
        window = sender.view.window
        sender.view = replace(sender.view, window=replace(window, days=(*window.days, *WEEKEND)))


_CHANGES: dict[str, Callable[[Scene, Forecast], None]] = {
    "sender": _one_more_sender,
    "alone": _alone,
    "limit": _higher_limit,
    "new": _more_new_people,
    "weekend": _weekends,
}


def effects(workspace: Workspace, campaign_id: int, found: Forecast) -> Sequence[Effect]:
    """Return what each change does, the one that helps most first."""
    known = [_effect(workspace, campaign_id, found, change) for change in changes(workspace, campaign_id, found)]
    return sorted(known, key=lambda one: -one.days)
