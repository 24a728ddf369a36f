"""Revive a campaign that failed without a sender, once one is connected again: its people go on where they stood."""

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from app.core.db import in_list, session
from app.domain.campaigns.changes import revision_log
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.senders import wake
from app.models.campaigns import (
    CAMPAIGN,
    UNENDED_STATES,
    Campaign,
    CampaignLead,
    CampaignRevision,
    LeadState,
    RevisionKind,
)
from app.models.workspaces import Workspace

CHUNK = 500
STOPPED_FOR = "account_disconnected"
_P = CampaignLead


def begin(workspace: Workspace, campaign: Campaign) -> None:
    """Let the campaign run again, and the first of its people. Inside a transaction."""
    before = {"error": campaign.error}
    CAMPAIGN.move(campaign, "revive")
    campaign.ended_at, campaign.error = None, ""
    after, people = {"error": ""}, _stopped(campaign)
    revision = revision_log.note(
        workspace, campaign, RevisionKind.RESUMED, before, after, {}, is_open=True, people=people
    )
    go_on(workspace, campaign, revision)
    wake.wake_senders(campaign.sender_ids, workspace.now())


def go_on(workspace: Workspace, campaign: Campaign, revision: CampaignRevision) -> None:
    """Let the next people go on who were stopped when it failed. Inside a transaction.

    Who got into another campaign meanwhile stays there: they may be written to from there. Who replied meanwhile, and
    was read as the sender was connected again, is not written to again.
    """
    query = _stopped(campaign).where(_P.id > revision.looked_to)
    people = session().scalars(query.order_by(_P.id).limit(CHUNK).with_for_update()).all()
    other = aliased(CampaignLead)
    elsewhere = set(
        session().scalars(
            sa.select(other.person_id)
            .where(other.workspace_id == workspace.id, other.campaign_id != campaign.id)
            .where(in_list(other.person_id, [person.person_id for person in people]))
            .where(other.state.in_(UNENDED_STATES))
        )
    )
    at = workspace.now()
    for person in people:
        if person.person_id not in elsewhere and person.person.erased_at is None:
            campaign_leads.reopen(person, _place_when_failed(person), at)
    revision.effect = {
        "resumed": revision.effect.get("resumed", 0) + sum(one.person_id not in elsewhere for one in people),
        "elsewhere": revision.effect.get("elsewhere", 0) + sum(one.person_id in elsewhere for one in people),
    }
    revision.looked_to = people[-1].id if people else revision.looked_to
    revision.looked += len(people)
    revision.is_open = len(people) == CHUNK


def _stopped(campaign: Campaign) -> sa.Select[CampaignLead]:
    stopped = (_P.state == LeadState.STOPPED, _P.reason == STOPPED_FOR, _P.replied.is_(False))
    return sa.select(_P).where(_P.campaign_id == campaign.id, *stopped)


def _place_when_failed(person: CampaignLead) -> dict[str, object]:
    """Return the columns that put the person back to their state before the campaign failed."""
    return {
        "state": campaign_leads.last_state(person),
        "paused_from": "",
        "reason": "",
        "due_at": None,
        "next_budget": "",
    }
