"""What scripts read all the time, compiled once: accounts, lists, campaigns, and the people in them."""

from typing import Any

import sqlalchemy as sa

from app import resources
from app.core.errors import NotFound
from app.core.reads import Pages, Read
from app.models.accounts import Account, Channel
from app.models.campaigns import Campaign, CampaignLead, CampaignStats
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace
from app.resources.base import columns_of

_OURS: Any = sa.bindparam("workspace_id")
_LISTS = sa.select(*resources.ListResource.columns).where(LeadList.workspace_id == _OURS, LeadList.deleted_at.is_(None))
_LIST = Read(_LISTS.where(LeadList.id == sa.bindparam("list_id")))
# What the resources name, and no more: every column that is read costs as much as one that is shown.
_OF_ACCOUNTS = (
    "id name public_id profile_url headline image_url status active has_sales_navigator timezone work_start work_end "
    "work_days limits created_at"
).split()
_OF_CAMPAIGNS = (
    "id name status list_id account_ids sequence timezone days start_time end_time start_date end_date created_at "
    "started_at"
).split()
_OF_STATS = (
    "leads pending active awaiting_accept paused finished failed stopped excluded invites_sent accepted messages_sent "
    "replies"
).split()
_CAMPAIGNS = (
    sa.select(*columns_of(Campaign, *_OF_CAMPAIGNS), *columns_of(CampaignStats, *_OF_STATS))
    .join(CampaignStats, CampaignStats.campaign_id == Campaign.id)
    .where(Campaign.workspace_id == _OURS)
)
_CAMPAIGN = Read(_CAMPAIGNS.where(Campaign.id == sa.bindparam("campaign_id")))
_PEOPLE = (
    sa.select(*resources.CampaignLead.columns)
    .join(Lead, Lead.id == CampaignLead.lead_id)
    .where(CampaignLead.campaign_id == sa.bindparam("campaign_id"), CampaignLead.workspace_id == _OURS)
)

ACCOUNTS = Pages(
    sa.select(*columns_of(Account, *_OF_ACCOUNTS)).where(
        Account.workspace_id == _OURS, Account.channel == Channel.SOCIAL
    ),
    oldest_first=False,
)
CAMPAIGNS = Pages(_CAMPAIGNS, oldest_first=False)
LISTS = Pages(_LISTS, oldest_first=False, named=False)
LEADS = Pages(
    sa.select(*resources.Lead.columns).where(Lead.list_id == sa.bindparam("list_id"), Lead.workspace_id == _OURS),
    oldest_first=True,
    named=False,
)
PEOPLE = Pages(_PEOPLE, oldest_first=True, named=False)
PEOPLE_IN_STATE = Pages(_PEOPLE.where(CampaignLead.state == sa.bindparam("state")), oldest_first=True, named=False)


def get_list(workspace: Workspace, list_id: int) -> Any:
    """The list as a plain row, or NotFound."""
    found = _LIST.one(workspace_id=workspace.id, list_id=list_id)
    if found is None:
        raise NotFound("There is no such list.")
    return found


def get_campaign(workspace: Workspace, campaign_id: int) -> Any:
    """The campaign and its counters in one plain row, or NotFound."""
    found = _CAMPAIGN.one(workspace_id=workspace.id, campaign_id=campaign_id)
    if found is None:
        raise NotFound("There is no such campaign.")
    return found
