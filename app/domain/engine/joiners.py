"""Joiners: new people in the lists of an open campaign join it, up to a daily number, if enrolment allows them.

A campaign stores the last lead id it has looked at. New leads get higher ids, however they are added; when a lead with
a lower id enters a list (moved, or restored by an undo), the stored id is set back before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.billing import plans
from app.domain.campaigns import campaigns, enrolment, validation
from app.domain.campaigns.changes import change_lists
from app.domain.leads import lists
from app.domain.platform import audit_log
from app.domain.rules.reasons import REASONS
from app.domain.rules.schedules import working_hours
from app.domain.senders import wake
from app.models.campaigns import CAMPAIGN, Campaign, CampaignLead, CampaignStatus
from app.models.leads import Lead
from app.models.workspaces import Workspace

_P = CampaignLead
_LEFT_OUT = _P.finished_at == _P.joined_at  # excluded at the moment of joining; people who ended later did join


class LeftOut(NamedTuple):
    """How many people did not join for one reason."""

    code: str
    sentence: str
    people: int


@dataclass(frozen=True)
class Today:
    """How many may join a day, how many did today, why others did not, how many wait, and from when they join."""

    per_day: int | None
    joined_today: int
    left_out_today: list[LeftOut]
    waiting: int
    joins_at: datetime | None


def choose(workspace: Workspace, campaign_id: int, per_day: int | None) -> Campaign:
    """Set how many people of its lists who are not in the campaign join a day; None turns joining off.

    A finished campaign runs again and waits for them.
    """
    if per_day is not None and not 1 <= per_day <= validation.MOST_NEW:
        raise InvalidRequest.of(("perDay", f"Use a number from 1 to {validation.MOST_NEW:,}."))
    with transaction():
        campaign = campaigns.locked(workspace, campaign_id)
        before = campaign.joins_per_day
        if per_day != before:
            if per_day is not None and campaign.status != CampaignStatus.DRAFT:
                _open(workspace, campaign)
            if before is None:
                campaign.joined_to = 0
            campaign.joins_per_day, campaign.joins_at = per_day, None
            audit_log.record(
                workspace, "campaign.joiners", campaign.name, before={"a day": before}, after={"a day": per_day}
            )
        return campaign


def joined_by(workspace: Workspace, list_id: int) -> Sequence[Campaign]:
    """Return the running campaigns that new people of the list join."""
    is_open = (Campaign.workspace_id == workspace.id, Campaign.joins_per_day.is_not(None))
    query = sa.select(Campaign).where(*is_open, Campaign.status == CampaignStatus.RUNNING)
    return session().scalars(query.where(Campaign.id.in_(lists.campaigns_of(list_id))).order_by(Campaign.id)).all()


def promise(workspace: Workspace, list_id: int) -> str:
    """Return a sentence to append: which campaigns the list's new people join; '' if none."""
    found = joined_by(workspace, list_id)
    return "".join(f" New people will be added to “{one.name}”, up to {one.joins_per_day:,} a day." for one in found)


def _open(workspace: Workspace, campaign: Campaign) -> None:
    if campaign.status in (CampaignStatus.CANCELED, CampaignStatus.FAILED):
        raise Conflict(f"People can't join a {campaign.status} campaign.", recovery="Duplicate it and start the copy.")
    validation.check_end_date(campaign, workspace.now())
    campaigns.check_approval(campaign)
    if campaign.status == CampaignStatus.FINISHED:
        campaigns.check_may_contact(workspace)
        plans.check(workspace, "running_campaigns")
        CAMPAIGN.move(campaign, "reopen")
        campaign.ended_at = None


def join(campaign: Campaign, at: datetime) -> None:
    """Enrol the next new people, or note when the next may join. In a transaction that locks the workspace.

    Everything that adds people locks the workspace too, so no lead with a lower id is committed later.
    """
    room = (campaign.joins_per_day or 0) - _joined(campaign, at)
    if room <= 0:
        day, _ = working_hours.local_day(campaign.timezone, at)
        campaign.joins_at = working_hours.midnight(campaign.timezone, day + timedelta(days=1))
        return
    most, current = min(room, enrolment.CHUNK), session()
    found = current.scalars(_new(campaign).order_by(Lead.id).limit(most)).all()
    enrolment.enrol(campaign, found, at, joins=True)
    campaign.joined_to, campaign.joins_at = found[-1].id if len(found) == most else _newest(campaign), None
    wake.wake_senders(campaign.sender_ids, at)


def _newest(campaign: Campaign) -> int:
    of_lists = Lead.list_id.in_(change_lists.list_ids(campaign))
    return session().scalar(sa.select(sa.func.max(Lead.id)).where(of_lists)) or 0


def _new(campaign: Campaign) -> sa.Select[Any]:
    """Select the new leads of the campaign's lists whose people are not in the campaign."""
    there = sa.exists().where(_P.campaign_id == campaign.id, _P.person_id == Lead.person_id)
    return sa.select(Lead).where(
        Lead.list_id.in_(change_lists.list_ids(campaign)),
        Lead.workspace_id == campaign.workspace_id,
        Lead.id > campaign.joined_to,
        ~there,
    )


def _came(campaign: Campaign, at: datetime) -> Sequence[sa.ColumnElement[bool]]:
    return _P.campaign_id == campaign.id, _P.joined_at >= working_hours.local_day(campaign.timezone, at)[1]


def _joined(campaign: Campaign, at: datetime) -> int:
    stayed = sa.or_(_P.finished_at.is_(None), ~_LEFT_OUT)
    return session().scalar(sa.select(sa.func.count()).where(*_came(campaign, at), stayed)) or 0


def today(workspace: Workspace, campaign: Campaign) -> Today:
    """Return who joined an open campaign today, who was left out and why, and who waits."""
    at, current = workspace.now(), session()
    out = sa.select(_P.reason, sa.func.count()).where(*_came(campaign, at), _LEFT_OUT).group_by(_P.reason)
    rows = current.execute(out.order_by(sa.func.count().desc(), _P.reason))
    left_out = [LeftOut(code, REASONS[code][0], people) for code, people in rows]
    waiting = 0
    if campaign.joins_per_day is not None:
        waiting = current.scalar(sa.select(sa.func.count()).select_from(_new(campaign).subquery())) or 0
    joins_at = campaign.joins_at if waiting else None
    return Today(campaign.joins_per_day, _joined(campaign, at), left_out, waiting, joins_at)
