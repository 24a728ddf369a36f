"""Count the usage of senders and the new people of campaigns from their rows: limits store no counters of their own."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch, in_batches, session
from app.domain.rules.limits import DAY, WEEK, Usage, WindowUsage
from app.domain.rules.planner import SenderView
from app.domain.rules.schedules import working_hours
from app.models.accounts import Account, Budget
from app.models.campaigns import CampaignLead
from app.models.ledger import Action, ActionState

# A literal, not a parameter, so that SQLite's planner sees that the index of invitations fits.
INVITES = sa.literal(Budget.INVITE, literal_execute=True)
COUNTED = [ActionState.SENDING, ActionState.SENT, ActionState.UNKNOWN]  # what may have taken effect counts as done


_A: Any = Action.__table__
_MINE = (_A.c.sender_id.in_(sa.bindparam("senders", expanding=True)), _A.c.state.in_(COUNTED))
_MOMENT = _A.c.at.type
_OF_WEEK = "7 days"  # what stands for the budget in these rows
_USED = (
    sa.select(
        _A.c.sender_id,
        _A.c.budget,
        sa.func.count(),
        sa.func.sum(sa.case((_A.c.follow_up, 1), else_=0)),
        sa.func.min(_A.c.at),
        sa.func.sum(sa.case((_A.c.at >= sa.bindparam("midnight", type_=_MOMENT), 1), else_=0)),
    )
    .where(*_MINE, _A.c.at > sa.bindparam("day", type_=_MOMENT))
    .group_by(_A.c.sender_id, _A.c.budget)
    .union_all(
        sa.select(
            _A.c.sender_id, sa.literal(_OF_WEEK), sa.func.count(), sa.literal(0), sa.func.min(_A.c.at), sa.literal(0)
        )
        .where(*_MINE, _A.c.at > sa.bindparam("week", type_=_MOMENT), _A.c.budget == INVITES)
        .group_by(_A.c.sender_id)
    )
)


def usage_of(accounts: Iterable[Any], at: datetime) -> dict[int, Usage]:
    """Return each sender's usage in the 24 hours and 7 days before `at`, and on its local day."""
    found: dict[int, Usage] = {}
    zones: defaultdict[str, list[int]] = defaultdict(list)
    for row in accounts:
        zones[row.timezone].append(row.id)
    for zone, sender_ids in zones.items():
        for batch in in_batches(sender_ids):
            found |= _usage_in(batch, at, *working_hours.local_day(zone, at))
    return found


def _usage_in(sender_ids: Sequence[int], at: datetime, day: date, midnight: datetime) -> dict[int, Usage]:
    """Return the usage of senders of one time zone, in which the local day began at `midnight`."""
    days: defaultdict[int, dict[str, WindowUsage]] = defaultdict(dict)
    today: defaultdict[int, dict[tuple[date, str], int]] = defaultdict(dict)
    weeks: dict[int, WindowUsage] = {}
    rows = fetch(_USED, senders=sender_ids, day=at - DAY, week=at - WEEK, midnight=midnight)
    for sender_id, budget, count, later, first_at, since_midnight in rows:
        if budget == _OF_WEEK:
            weeks[sender_id] = WindowUsage(count, 0, first_at)
            continue
        days[sender_id][budget] = WindowUsage(count, int(later or 0), first_at)
        today[sender_id][day, budget] = int(since_midnight or 0)
    return {one: Usage(days[one], weeks.get(one, WindowUsage()), today[one]) for one in sender_ids}


def views(accounts: Iterable[Any], at: datetime) -> dict[int, SenderView]:
    """Return the planner's view of each account row at `at`."""
    known = list(accounts)
    used = usage_of(known, at)
    return {row.id: SenderView.of(row, used[row.id], row.free_at) for row in known}


def views_by_id(workspace_id: int, account_ids: Iterable[int | None], at: datetime) -> dict[int, SenderView]:
    """Return the planner's views by sender id."""
    wanted = sorted({account_id for account_id in account_ids if account_id})
    query = sa.select(Account).where(Account.workspace_id == workspace_id, Account.id.in_(wanted))
    return views(session().scalars(query), at)


_PEOPLE: Any = CampaignLead.__table__
_BEGUN = sa.select(sa.func.count()).where(
    _PEOPLE.c.campaign_id == sa.bindparam("campaign"),
    _PEOPLE.c.begun_at.is_not(None),
    _PEOPLE.c.begun_at >= sa.bindparam("since", type_=_PEOPLE.c.begun_at.type),
)


def begun_today(campaigns: Iterable[Any], at: datetime) -> Mapping[int, tuple[date, int]]:
    """Return, for each campaign with a limit of new people a day, its local day and how many people began on it."""
    found = {}
    for campaign in campaigns:
        if campaign.new_per_day is not None:
            day, since = working_hours.local_day(campaign.timezone, at)
            found[campaign.id] = (day, fetch(_BEGUN, campaign=campaign.id, since=since)[0][0])
    return found


def is_new(person: Any) -> bool:
    """Return whether nothing has been done for the person in this campaign."""
    return person.begun_at is None and person.last_action_at is None


FREE_NOTES = 5  # a month; the network's help says five, others found 3 to 20, so that each sender has its own

_NOTES = sa.select(sa.func.count()).where(
    _A.c.sender_id == sa.bindparam("sender"),
    _A.c.at >= sa.bindparam("since", type_=_A.c.at.type),
    _A.c.budget == INVITES,
    _A.c.state.in_(COUNTED),
    _A.c.text != "",
)


def notes_left(account: Any, at: datetime) -> int | None:
    """Return how many notes the account may still send in its local month; None when it has no such limit."""
    if account.monthly_notes is None:
        return None
    today, _ = working_hours.local_day(account.timezone, at)
    [row] = fetch(_NOTES, sender=account.id, since=working_hours.midnight(account.timezone, today.replace(day=1)))
    return max(0, int(account.monthly_notes) - int(row[0]))


def note_shortage(sequence: Sequence[Any], accounts: Iterable[Any], at: datetime) -> str:
    """Return a sentence naming the senders whose invitations will go without the note of these steps; '' for none."""
    if not any(step["type"] == "connection_request" and step.get("message") for step in sequence):
        return ""
    few = [f"{one.name} {number}" for one in accounts if (number := notes_left(one, at)) is not None]
    if not few:
        return ""
    return (
        f"Free accounts can only send a few notes. Left this month: {', '.join(few)}. Further connection requests"
        f" are sent without a note."
    )
