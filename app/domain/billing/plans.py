"""Plans: one table of quotas, and the check whether more fits."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.core.errors import PlanLimitExceeded
from app.domain.platform import locks
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignStatus
from app.models.leads import LeadList
from app.models.workspaces import Workspace


@dataclass(frozen=True)
class Plan:
    """What is sold, or given: `credits` come once with a trial, and otherwise fill the balance up every period."""

    title: str
    accounts: int
    running_campaigns: int
    leads: int
    credits: int


PLANS = {
    "trial": Plan("Trial", accounts=50, running_campaigns=50, leads=2_000_000, credits=1_000),
    "local": Plan("Local", accounts=500, running_campaigns=1_000, leads=20_000_000, credits=10_000),
    "starter": Plan("Starter", accounts=3, running_campaigns=5, leads=10_000, credits=500),
    "growth": Plan("Growth", accounts=15, running_campaigns=50, leads=100_000, credits=3_000),
    "scale": Plan("Scale", accounts=100, running_campaigns=500, leads=1_000_000, credits=15_000),
}
RUNNING = [CampaignStatus.SCHEDULED, CampaignStatus.STARTING, CampaignStatus.RUNNING]


@dataclass(frozen=True)
class Quota:
    """Something of which a plan allows so many: what it is called, and how its use is counted."""

    things: str
    count: Callable[[Workspace], sa.Select[Any]]
    recovery: str


def _rows(model: Any, *where: Any) -> Callable[[Workspace], sa.Select[Any]]:
    return lambda workspace: (
        sa.select(sa.func.count()).select_from(model).where(model.workspace_id == workspace.id, *where)
    )


QUOTAS = {
    "accounts": Quota("senders", _rows(Account), "Remove a sender you don't use, or upgrade your plan."),
    "running_campaigns": Quota(
        "running campaigns",
        _rows(Campaign, Campaign.status.in_(RUNNING)),
        "Pause or cancel a campaign, or upgrade your plan.",
    ),
    "leads": Quota(
        "people in lists",
        lambda workspace: sa.select(sa.func.coalesce(sa.func.sum(LeadList.lead_count), 0)).where(
            LeadList.workspace_id == workspace.id
        ),
        "Delete a list you don't use, or upgrade your plan.",
    ),
}


def plan_of(workspace: Workspace) -> Plan:
    """Return the workspace's plan."""
    return PLANS[workspace.plan]


def used(workspace: Workspace, name: str) -> int:
    """Return how much of a quota is used."""
    return int(session().scalar(QUOTAS[name].count(workspace)) or 0)


def used_by(workspace: Workspace, name: str) -> sa.ScalarSelect[Any]:
    """Return the column that counts how much of a quota is used, for a query that asks for more."""
    return QUOTAS[name].count(workspace).scalar_subquery()


def has_room(workspace: Workspace, name: str) -> bool:
    """Return whether one more fits."""
    most: int = getattr(plan_of(workspace), name)
    return used(workspace, name) < most


def check(workspace: Workspace, name: str, more: int = 1, there: int | None = None) -> None:
    """Raise PlanLimitExceeded unless `more` fit beside the `there` existing ones. In the transaction that adds them.

    Without `there` the existing ones are counted here; a caller that counts them itself locks the workspace first.
    """
    locks.lock_workspaces([workspace.id])
    plan, quota = plan_of(workspace), QUOTAS[name]
    most: int = getattr(plan, name)
    there = used(workspace, name) if there is None else there
    if there + more > most:
        raise PlanLimitExceeded(
            f"Your plan ({plan.title}) includes {most:,} {quota.things}. You have {there:,} and want to add {more:,}.",
            recovery=quota.recovery,
        )
