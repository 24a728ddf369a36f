"""The changes of a campaign on its way: recorded with the former values, so that they can be shown and undone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from app.core.actor import actor
from app.core.db import session
from app.core.errors import NotFound
from app.domain.campaigns.simulation import kept_forecasts
from app.domain.platform import audit_log
from app.models.campaigns import Campaign, CampaignRevision, RevisionKind
from app.models.workspaces import Workspace

R = CampaignRevision
FORECAST_ANEW: Mapping[str, kept_forecasts.Cause] = {
    RevisionKind.STEPS: "steps",
    RevisionKind.SCHEDULE: "schedule",
    RevisionKind.SENDERS: "senders",
    RevisionKind.LISTS: "people",
}


@dataclass(frozen=True)
class Wanted:
    """What is to be changed: None stays as it is. With `keyed`, the steps of the sequence have their keys."""

    schedule: Mapping[str, Any] | None = None
    account_ids: Sequence[int] | None = None
    replace: Mapping[int, int] | None = None
    stranded: str = "wait"
    list_ids: Sequence[int] | None = None
    exclude: Mapping[str, Any] | None = None
    let_in: bool = False
    sequence: Sequence[Any] | None = None
    branches: Sequence[Any] | None = None
    apply_to: str = "all"
    chosen: Sequence[int] = ()
    keyed: bool = False


def note(
    workspace: Workspace,
    campaign: Campaign,
    kind: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    effect: Mapping[str, int],
    *,
    apply_to: str = "",
    undoes: CampaignRevision | None = None,
    is_open: bool = False,
    people: sa.Select[Any] | None = None,
    audited: bool = False,
) -> CampaignRevision:
    """Write the change down, and into the audit log unless it is `audited`. Inside a transaction, campaign locked.

    `people` are those who are to be looked at while it is open.
    """
    last = session().scalar(sa.select(sa.func.max(R.number)).where(R.campaign_id == campaign.id)) or 0
    revision = CampaignRevision(
        workspace_id=workspace.id,
        campaign_id=campaign.id,
        number=last + 1,
        kind=kind,
        at=workspace.now(),
        by=actor.get().name,
        before=dict(before),
        after=dict(after),
        effect=dict(effect),
        apply_to=apply_to,
        undoes=undoes.number if undoes else None,
        is_open=is_open,
        people=_count(people) if people is not None else 0,
    )
    session().add(revision)
    session().flush()
    if kind in FORECAST_ANEW and campaign.started_at:
        kept_forecasts.keep_forecast(workspace, campaign, FORECAST_ANEW[kind])
    if undoes is not None:
        undoes.undone_by = revision.number
    if not audited:
        audit_log.record(
            workspace, f"campaign.{kind}", campaign.name, before=_for_audit_log(before), after=_for_audit_log(after)
        )
    return revision


def _count(people: sa.Select[Any]) -> int:
    return session().scalar(sa.select(sa.func.count()).select_from(people.order_by(None).subquery())) or 0


def _for_audit_log(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values as the audit log shows them: how many steps, and everything else as it is."""
    sequence = values.get("sequence")
    shown = {name: value for name, value in values.items() if name not in ("task", "stood")}
    return {**shown, "sequence": f"{len(sequence)} steps"} if sequence is not None else shown


def page(workspace: Workspace, campaign_id: int) -> sa.Select[CampaignRevision]:
    """Select the changes of the campaign."""
    return sa.select(R).where(R.workspace_id == workspace.id, R.campaign_id == campaign_id)


def newest(campaign: Campaign, most: int) -> Sequence[CampaignRevision]:
    """Return the newest changes."""
    query = sa.select(R).where(R.campaign_id == campaign.id).order_by(R.number.desc()).limit(most)
    return session().scalars(query).all()


def get(campaign: Campaign, number: int) -> CampaignRevision:
    """Return the change of this number, or raise NotFound."""
    found = session().scalar(sa.select(R).where(R.campaign_id == campaign.id, R.number == number))
    if found is None:
        raise NotFound("Change not found.")
    return found


def under_way(campaign: Campaign, kind: str = "") -> CampaignRevision | None:
    """Return the oldest change with people still to process."""
    query = sa.select(R).where(R.campaign_id == campaign.id, R.is_open).order_by(R.number)
    return session().scalar((query.where(R.kind == kind) if kind else query).limit(1))


def later(revision: CampaignRevision) -> Sequence[CampaignRevision]:
    """Return the changes of the same kind after this one, oldest first."""
    query = sa.select(R).where(R.campaign_id == revision.campaign_id, R.kind == revision.kind)
    return session().scalars(query.where(R.number > revision.number).order_by(R.number)).all()
