"""The last forecast of each campaign: shown again while it is young and nothing that it was made from has changed."""

import json
from collections import Counter
from datetime import date, datetime, timedelta
from typing import Any
from zlib import crc32

import sqlalchemy as sa

from app.core.db import insert, session, transaction
from app.domain.campaigns import campaigns, forecast
from app.domain.campaigns.forecast import Assumption, Assumptions, Day, Forecast
from app.domain.rules.reasons import WaitReason
from app.domain.rules.simulation import ACCEPTS_AFTER, ANSWERS_AFTER
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignForecast
from app.models.leads import LeadList
from app.models.workspaces import Workspace

YOUNG = timedelta(minutes=15)
_OF_CAMPAIGN = (
    "status list_id account_ids mailbox_ids sequence timezone days start_time end_time start_date end_date approval"
).split()
_OF_SENDER = "id status active limits rests timezone work_days work_start work_end".split()
_MOMENTS = ("first_action_at", "first_reply_at", "finishes_at")


def find_cached(workspace: Workspace, campaign_id: int) -> tuple[Forecast, datetime] | None:
    """The forecast of the campaign and when it was made; None when it must be made first."""
    campaign = campaigns.get(workspace, campaign_id)
    kept = session().get(CampaignForecast, campaign_id)
    if kept is None or kept.basis != _basis(workspace, campaign):
        return None
    age = workspace.now() - kept.made_at
    return (_read(kept.body), kept.made_at) if timedelta() <= age < YOUNG else None


def make_cached(workspace: Workspace, campaign_id: int) -> tuple[Forecast, datetime]:
    """The campaign has a forecast as of now."""
    campaign, at = campaigns.get(workspace, campaign_id), workspace.now()
    basis, found = _basis(workspace, campaign), forecast.forecast(workspace, campaign_id)
    row = {"campaign_id": campaign_id, "workspace_id": workspace.id, "basis": basis, "body": _body(found)}
    keep = insert(CampaignForecast).values(**row, made_at=at)
    changes = {name: keep.excluded[name] for name in ("basis", "body", "made_at")}
    with transaction() as current:
        current.execute(keep.on_conflict_do_update(index_elements=["campaign_id"], set_=changes))
    return found, at


def _basis(workspace: Workspace, campaign: Campaign) -> str:
    """Changes with the campaign, its list and its senders; what its people did since the forecast shows in its age."""
    wanted = [*campaign.account_ids, *campaign.mailbox_ids]
    senders = sa.select(*(getattr(Account, name) for name in _OF_SENDER)).where(
        Account.workspace_id == workspace.id, Account.id.in_(wanted)
    )
    size = sa.select(LeadList.lead_count).where(LeadList.id == campaign.list_id, LeadList.workspace_id == workspace.id)
    parts = [getattr(campaign, name) for name in _OF_CAMPAIGN]
    parts += [session().scalar(size), workspace.timezone]
    parts += [list(row) for row in session().execute(senders.order_by(Account.id))]
    return f"{crc32(json.dumps(parts, default=str, sort_keys=True).encode()):08x}"


def _body(found: Forecast) -> dict[str, Any]:
    assumed = found.assumptions
    return {
        "people": found.people,
        "left": found.left,
        "days": [[day.date.isoformat(), dict(day.done), day.accepted, day.replies, day.ended] for day in found.days],
        "stuck": [[why.code, number] for why, number in found.stuck],
        "acceptance": [assumed.acceptance.share, assumed.acceptance.source],
        "replies": [assumed.replies.share, assumed.replies.source],
        "shared_with": assumed.shared_with,
        **{name: moment.isoformat() if (moment := getattr(found, name)) else None for name in _MOMENTS},
    }


def _read(body: dict[str, Any]) -> Forecast:
    """The forecast without its single deeds."""
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
            ACCEPTS_AFTER,
            ANSWERS_AFTER,
            body["shared_with"],
        ),
        deeds=(),
        **{name: datetime.fromisoformat(body[name]) if body[name] else None for name in _MOMENTS},
    )
