"""What scripts read all the time, compiled once: a list, the lists, the people of a list and of a campaign."""

from typing import Any

import sqlalchemy as sa

from app import resources
from app.core.errors import NotFound
from app.core.reads import Pages, Read
from app.models.campaigns import Campaign, CampaignLead
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace

_OURS: Any = sa.bindparam("workspace_id")
_LISTS = sa.select(*resources.ListResource.columns).where(LeadList.workspace_id == _OURS, LeadList.deleted_at.is_(None))
_LIST = Read(_LISTS.where(LeadList.id == sa.bindparam("list_id")))
_CAMPAIGN = Read(
    sa.select(Campaign.id).where(Campaign.workspace_id == _OURS, Campaign.id == sa.bindparam("campaign_id"))
)
_PEOPLE = (
    sa.select(*resources.CampaignLead.columns)
    .join(Lead, Lead.id == CampaignLead.lead_id)
    .where(CampaignLead.campaign_id == sa.bindparam("campaign_id"), CampaignLead.workspace_id == _OURS)
)

LISTS = Pages(_LISTS, oldest_first=False)
LEADS = Pages(
    sa.select(*resources.Lead.columns).where(Lead.list_id == sa.bindparam("list_id"), Lead.workspace_id == _OURS),
    oldest_first=True,
)
PEOPLE = Pages(_PEOPLE, oldest_first=True)
PEOPLE_IN_STATE = Pages(_PEOPLE.where(CampaignLead.state == sa.bindparam("state")), oldest_first=True)


def get_list(workspace: Workspace, list_id: int) -> Any:
    """The list as a plain row, or NotFound."""
    found = _LIST.one(workspace_id=workspace.id, list_id=list_id)
    if found is None:
        raise NotFound("There is no such list.")
    return found


def check_campaign(workspace: Workspace, campaign_id: int) -> None:
    """The campaign exists in this workspace, or NotFound."""
    if _CAMPAIGN.one(workspace_id=workspace.id, campaign_id=campaign_id) is None:
        raise NotFound("There is no such campaign.")
