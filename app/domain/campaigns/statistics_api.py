"""The numbers of a campaign for programs: in all, by day, by step and by account. The parts add up to the counters."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core.db import session
from app.domain.campaign_leads import filters
from app.domain.campaigns import campaigns, statistics
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignLead
from app.models.ledger import Action
from app.models.workspaces import Workspace

NAMES = ("invites_sent", "accepted", "messages_sent", "replies")
_P = CampaignLead
_MESSAGES = [name for name, step in STEPS.items() if step.is_message]


@dataclass(frozen=True)
class Part:
    """One day, step or account with what belongs to it; `key` is its date, its place or its id."""

    key: Any
    counts: Mapping[str, int] = field(default_factory=dict)
    name: str = ""


@dataclass(frozen=True)
class Numbers:
    """A campaign's counters, the shares that follow from them, and the parts they are made of."""

    counters: Any
    acceptance: float | None
    replies: float | None
    positive: float | None
    by: str | None
    parts: Sequence[Part]


def numbers(workspace: Workspace, campaign_id: int, by: str | None = None) -> Numbers:
    """The campaign's numbers, whole or by `day`, `step` or `account`."""
    campaign = campaigns.get(workspace, campaign_id)
    found = campaigns.stats(workspace, [campaign.id])[campaign.id]
    parts = {"day": _by_day, "step": _by_step, "account": _by_account}[by](workspace, campaign) if by else []
    return Numbers(
        found,
        _share(found.accepted, found.invites_sent),
        _share(found.replies, found.contacted),
        _share(found.positive, found.replies),
        by,
        parts,
    )


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _by_day(workspace: Workspace, campaign: Campaign) -> list[Part]:
    """The days of the workspace on which anything happened."""
    mine = _P.campaign_id == campaign.id
    sent = (Action.campaign_id == campaign.id, filters.DONE, Action.kind.in_(_MESSAGES), Action.campaign_lead_id > 0)
    counted = {
        "invites_sent": _days(workspace, _P.invited_at, mine),
        "accepted": _days(workspace, _P.accepted_at, mine),
        "messages_sent": _days(workspace, Action.at, *sent),
        "replies": _days(workspace, _P.replied_at, mine, _P.replied.is_(True)),
    }
    days = sorted({day for counter in counted.values() for day in counter})
    return [Part(day, {name: counter[day] for name, counter in counted.items()}) for day in days]


def _days(workspace: Workspace, column: Any, *where: Any) -> Counter[date]:
    quarter = (filters.epoch(column) // sa.literal_column(str(statistics.QUARTER), sa.BigInteger)).label("quarter")
    query = sa.select(quarter, sa.func.count()).where(column.is_not(None), *where).group_by(quarter)
    zone, found = ZoneInfo(workspace.timezone), Counter[date]()
    for number, count in session().execute(query):
        found[datetime.fromtimestamp(int(number) * statistics.QUARTER, UTC).astimezone(zone).date()] += int(count)
    return found


def _by_step(workspace: Workspace, campaign: Campaign) -> list[Part]:
    """Every step; a reply belongs to the last step that had reached the person before."""
    texts = dict(
        session()
        .execute(
            sa.select(Action.step, sa.func.count())
            .where(Action.campaign_id == campaign.id, filters.DONE, Action.kind.in_(_MESSAGES))
            .group_by(Action.step)
        )
        .all()
    )
    parts = []
    for row in statistics.steps(workspace, campaign):
        invites = row.sent if row.type == "connection_request" else 0
        counts = {
            "invites_sent": invites,
            "accepted": row.accepted,
            "messages_sent": int(texts.get(row.index, 0)),
            "replies": row.answered,
            "done": row.sent,
            "waiting": row.waiting,
            "failed": row.failed,
        }
        parts.append(Part(row.index, counts, row.type))
    return parts


def _by_account(workspace: Workspace, campaign: Campaign) -> list[Part]:
    """Every sender of the campaign, and those that had been; a reply belongs to whom the person was assigned."""
    one = sa.func.sum
    mine = sa.func.coalesce(_P.account_id, _P.mailbox_id)
    people = sa.select(
        mine,
        sa.func.count(),
        one(sa.case((_P.invited_at.is_not(None), 1), else_=0)),
        one(sa.case((_P.accepted_at.is_not(None), 1), else_=0)),
        one(sa.case((_P.replied.is_(True), 1), else_=0)),
    ).where(_P.campaign_id == campaign.id)
    found: dict[int | None, Counter[str]] = {}
    for account_id, number, invited, accepted, replied in session().execute(people.group_by(mine)):
        counts = {"leads": number, "invites_sent": invited, "accepted": accepted, "replies": replied}
        found[account_id] = Counter({name: int(value or 0) for name, value in counts.items()})
    texts = sa.select(Action.sender_id, sa.func.count()).where(
        Action.campaign_id == campaign.id, filters.DONE, Action.kind.in_(_MESSAGES)
    )
    for account_id, number in session().execute(texts.group_by(Action.sender_id)):
        found.setdefault(account_id, Counter())["messages_sent"] += int(number)
    for account_id in [*campaign.account_ids, *campaign.mailbox_ids]:
        found.setdefault(account_id, Counter())
    wanted = [account_id for account_id in found if account_id]
    names = dict(
        session()
        .execute(
            sa.select(Account.id, Account.name).where(Account.workspace_id == workspace.id, Account.id.in_(wanted))
        )
        .all()
    )
    ordered = sorted(found.items(), key=lambda item: (item[0] is None, item[0] or 0))
    every = ("leads", *NAMES)
    return [Part(key, {name: counts[name] for name in every}, names.get(key or 0, "")) for key, counts in ordered]
