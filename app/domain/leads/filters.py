"""Find leads across all lists or in one: by words, address, profile, tag, campaign state and last reply."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.paging import few_or_each
from app.domain.leads import lists
from app.domain.people import tag_index
from app.models.campaigns import Campaign, CampaignLead
from app.models.leads import Lead
from app.models.people import Person
from app.models.workspaces import Workspace

Condition = sa.ColumnElement[bool]


@dataclass(frozen=True)
class Wanted:
    """Which leads: by words, by address, by public id or profile link, of a list, with a tag.

    With a `state` they are in a campaign in that state; `replied_since` is the person's last reply.
    """

    query: str = ""
    email: str = ""
    public_id: str = ""
    list_id: int | None = None
    tag: str = ""
    state: str = ""
    replied_since: datetime | None = None


def page(workspace: Workspace, wanted: Wanted) -> sa.Select[Any]:
    """Select the leads of all lists, and of campaigns whose list was deleted."""
    query = sa.select(Lead).join(Lead.person).where(Lead.workspace_id == workspace.id, Lead.deleted_at.is_(None))
    if wanted.list_id is not None:
        query = query.where(Lead.list_id == wanted.list_id)
    return narrow(workspace, query, wanted)


def of_list(workspace: Workspace, list_id: int, wanted: Wanted) -> sa.Select[Any]:
    """Select the matching leads of one list."""
    return narrow(workspace, lists.query_list(workspace, list_id), wanted)


def narrow(workspace: Workspace, query: sa.Select[Any], wanted: Wanted) -> sa.Select[Any]:
    """Filter a query of leads and their people by everything but the list."""
    if wanted.email:
        query = query.where(Person.email == (text.email(wanted.email) or wanted.email))
    if wanted.public_id:
        query = query.where(Person.public_id == (text.public_id(wanted.public_id) or wanted.public_id))
    return lists.matching(query.where(*_conditions(workspace, wanted)), wanted.query)


def _conditions(workspace: Workspace, wanted: Wanted) -> Iterator[Condition]:
    if wanted.tag:
        yield tag_index.has(workspace.id, wanted.tag, Lead.person_id)
    if wanted.state:
        ours = sa.select(Campaign.id).where(Campaign.workspace_id == workspace.id)
        in_state = CampaignLead.state == wanted.state
        some = sa.select(CampaignLead.lead_id).where(CampaignLead.campaign_id.in_(ours), in_state)
        yield few_or_each(some, Lead.id, sa.exists().where(CampaignLead.lead_id == Lead.id, in_state))
    if wanted.replied_since is not None:
        later = Person.replied_at >= wanted.replied_since
        people = sa.select(Person.id).where(Person.workspace_id == workspace.id, later)
        yield few_or_each(people, Lead.person_id, later)
