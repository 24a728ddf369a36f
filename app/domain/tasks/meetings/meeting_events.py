"""The event of a booked meeting, told once however often the meeting moves."""

import sqlalchemy as sa

from app.core.db import session
from app.domain.webhooks import events
from app.domain.webhooks.events import NewEvent
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignLead
from app.models.leads import Lead
from app.models.meetings import Meeting
from app.models.workspaces import Workspace
from app.resources.event_data import EventMeeting


def record(workspace: Workspace, meeting: Meeting, place: CampaignLead | None) -> None:
    """Record that a meeting was booked, with the place that its person has in a campaign."""
    current = session()
    campaign = current.get(Campaign, place.campaign_id) if place else None
    account = current.get(Account, place.sender_id) if place and place.sender_id else None
    lead = current.get(Lead, place.lead_id) if place else _latest_lead(meeting)
    about = events.about(campaign, lead, account, place)
    about["meeting"] = EventMeeting.of(meeting)
    happening = NewEvent(
        "meeting_booked", workspace.now(), campaign.id if campaign else None, about, once=f"meeting:{meeting.id}"
    )
    events.record(workspace.id, [happening])


def _latest_lead(meeting: Meeting) -> Lead | None:
    query = sa.select(Lead).where(Lead.person_id == meeting.person_id, Lead.deleted_at.is_(None))
    return session().scalars(query.order_by(Lead.id.desc()).limit(1)).first()
