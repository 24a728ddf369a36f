"""Data-subject export: everything stored about one person (leads, campaigns, messages and events)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import in_list, session
from app.domain.leads import leads, subjects
from app.domain.leads.subjects import Subject
from app.domain.people.exclusions import never_contact
from app.domain.platform import audit_log
from app.domain.privacy import contact_record, personal_rows
from app.domain.privacy.contact_record import ContactRecord
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignLead
from app.models.conversations import Conversation, ConversationNote, Message
from app.models.leads import Lead
from app.models.ledger import TEST_STEP, Action
from app.models.meetings import Meeting
from app.models.monitors import Monitor, MonitorPerson
from app.models.tasks import Referral, Task
from app.models.webhooks import Event
from app.models.workspaces import Workspace


@dataclass(frozen=True)
class PersonData:
    """All data about one person, as rows."""

    at: datetime
    subject: Subject
    leads: Sequence[Lead]
    campaigns: Sequence[Any]
    actions: Sequence[Any]
    messages: Sequence[Any]
    events: Sequence[dict[str, Any]]
    barred: never_contact.NeverContactRow | None
    record: ContactRecord
    referrals: Sequence[Referral]
    tasks: Sequence[Task]
    meetings: Sequence[Meeting]
    monitors: Sequence[Any]
    notes: Sequence[ConversationNote]
    stored: Sequence[personal_rows.Stored]


def collect(workspace: Workspace, lead_id: int) -> PersonData:
    """Collect everything about the lead's person."""
    lead = leads.get_visible(workspace, lead_id)
    audit_log.record(workspace, "export.person", f"person {lead_id}")
    subject = subjects.find(workspace, lead.person_id)

    def theirs(model: Any) -> sa.ColumnElement[bool]:
        return sa.and_(model.workspace_id == workspace.id, in_list(model.person_id, subject.person_ids))

    campaigns = sa.select(CampaignLead, Campaign.name).join(Campaign, Campaign.id == CampaignLead.campaign_id)
    actions = sa.select(Action, Account.name).join(Account, Account.id == Action.sender_id)
    messages = (
        sa.select(Message, Account.name)
        .join(Conversation, Conversation.id == Message.conversation_id)
        .join(Account, Account.id == Conversation.sender_id)
    )
    noted = sa.select(ConversationNote).join(Conversation, Conversation.id == ConversationNote.conversation_id)
    bodies = sa.select(Event.body).where(
        Event.workspace_id == workspace.id, in_list(Event.lead_id, subject.lead_ids), Event.body != ""
    )
    named = sa.or_(theirs(Referral), in_list(Referral.named_id, subject.person_ids))
    return PersonData(
        workspace.now(),
        subject,
        subject.leads,
        session().execute(campaigns.where(theirs(CampaignLead)).order_by(CampaignLead.id)).all(),
        session().execute(actions.where(theirs(Action), Action.step != TEST_STEP).order_by(Action.id)).all(),
        session().execute(messages.where(theirs(Conversation)).order_by(Message.id)).all(),
        [json.loads(body) for body in session().scalars(bodies.order_by(Event.id))],
        never_contact.find(workspace, lead.person_id),
        contact_record.of_person(workspace, lead.person_id),
        session().scalars(sa.select(Referral).where(named).order_by(Referral.id)).all(),
        session().scalars(sa.select(Task).where(theirs(Task)).order_by(Task.id)).all(),
        session().scalars(sa.select(Meeting).where(theirs(Meeting)).order_by(Meeting.id)).all(),
        _found_by(subject),
        session().scalars(noted.where(theirs(Conversation)).order_by(ConversationNote.id)).all(),
        personal_rows.stored(subject),
    )


def _found_by(subject: Subject) -> Sequence[Any]:
    """Return the rows in which monitors found the person, each with the monitor's name."""
    handles = in_list(MonitorPerson.handle, subject.persons | subject.addresses)
    query = (
        sa.select(MonitorPerson, Monitor.name)
        .join(Monitor, Monitor.id == MonitorPerson.monitor_id)
        .where(
            MonitorPerson.workspace_id == subject.workspace.id,
            sa.or_(handles, in_list(MonitorPerson.person_id, subject.person_ids)),
        )
    )
    return session().execute(query.order_by(MonitorPerson.id)).all()
