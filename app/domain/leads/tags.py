"""Tags of leads; every change of them is an event."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import in_list, session, transaction
from app.core.errors import InvalidRequest
from app.domain.leads import leads, profiles
from app.domain.leads.profiles import InvalidProfile
from app.domain.people import tag_index
from app.domain.platform import locks
from app.domain.platform.undo import Undoable
from app.domain.webhooks import events
from app.models.campaigns import Campaign, CampaignLead
from app.models.leads import Lead
from app.models.workspaces import Workspace


def set_tags(workspace: Workspace, lead_id: int, tags: Sequence[str]) -> Lead:
    """Replace a lead's tags."""
    try:
        wanted = profiles.tags(list(tags))
    except InvalidProfile as refusal:
        raise InvalidRequest.of(("tags", str(refusal))) from None
    with locks.changing(workspace.id):
        lead = leads.get_visible(workspace, lead_id, lock=True)
        _retag(workspace, [(lead, wanted)])
        return lead


def tag(
    workspace: Workspace,
    lead_ids: Sequence[int],
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    list_id: int | None = None,
) -> list[int]:
    """Add and remove tags of many leads; return the ids of those it changed.

    With `list_id`, leads that are not in that list stay as they are.
    """
    gone = {text.squeeze(one).casefold() for one in remove}
    with locks.changing(workspace.id) as current:
        query = sa.select(Lead).where(
            Lead.workspace_id == workspace.id, Lead.deleted_at.is_(None), in_list(Lead.id, leads.valid_ids(lead_ids))
        )
        query = query if list_id is None else query.where(Lead.list_id == list_id)
        found = current.scalars(query.order_by(Lead.id).with_for_update()).all()
        try:
            kept = {lead.id: [one for one in lead.tags if one.casefold() not in gone] for lead in found}
            return _retag(workspace, [(lead, profiles.tags([*kept[lead.id], *add])) for lead in found])
        except InvalidProfile as refusal:
            raise InvalidRequest.of(("tags", str(refusal))) from None


def tag_for_now(
    workspace: Workspace, lead_ids: Sequence[int], add: Sequence[str], remove: Sequence[str], list_id: int | None = None
) -> tuple[int, str]:
    """Add and remove tags of many leads; return how many it changed, and the name for an undo."""
    with transaction():
        changed = tag(workspace, lead_ids, add, remove, list_id)
        kept = {"leads": changed, "add": list(remove), "remove": list(add)}
        return len(changed), TAGGED.offer(workspace, kept, f"tags of people ({len(changed):,})") if changed else ""


def _retag(workspace: Workspace, wanted: Sequence[tuple[Lead, list[str]]]) -> list[int]:
    once: dict[int, tuple[Lead, list[str]]] = {}  # a person may be in several lists
    for lead, tags in wanted:
        once.setdefault(lead.person_id, (lead, tags))
    changed = [(lead, tags) for lead, tags in once.values() if lead.tags != tags]
    campaigns = _latest_campaigns([lead.id for lead, _ in changed])
    happenings = []
    for lead, tags in changed:
        part = {
            "label": ", ".join(tags),
            "sentiment": None,
            "former": ", ".join(lead.tags),
            "added": [tag for tag in tags if tag not in lead.tags],
            "removed": [tag for tag in lead.tags if tag not in tags],
        }
        lead.person.tags = tags
        about = {"campaign": campaigns.get(lead.id), "lead": lead, "tag": part}
        happenings.append(events.new("lead_tag_updated", workspace.now(), about))
    if happenings:
        session().flush()
        tag_index.index(workspace.id, {lead.person_id: tags for lead, tags in changed})
        events.record(workspace.id, happenings)
    return [lead.id for lead, _ in changed]


def _latest_campaigns(lead_ids: Sequence[int]) -> dict[int, Campaign]:
    """Return the newest campaign of each lead."""
    query = (
        sa.select(CampaignLead.lead_id, Campaign)
        .join(Campaign, Campaign.id == CampaignLead.campaign_id)
        .where(in_list(CampaignLead.lead_id, lead_ids))
        .order_by(CampaignLead.id)
    )
    return {lead_id: campaign for lead_id, campaign in session().execute(query)}  # noqa: C416 rows are no pairs


def _tag_back(workspace: Workspace, was: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    return len(tag(workspace, was["leads"], was["add"], was["remove"])), was


TAGGED = Undoable("tagged_people", _tag_back, "Select the people and change their tags.", lasts=timedelta(days=1))
