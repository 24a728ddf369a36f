"""How each resource looks outside (spec part 2). A field's name here is its name in the model."""

from app.resources.accounts import Account, DailyLimits, WorkingHours
from app.resources.campaigns import (
    LEAD_STATES,
    Campaign,
    CampaignLead,
    CampaignLeadDetail,
    CampaignPerson,
    CampaignStats,
    Delay,
    EnrolResult,
    Schedule,
    Step,
    Waiting,
)
from app.resources.leads import (
    AddEntriesResult,
    AddLeadsResult,
    ImportRefusal,
    Lead,
    LeadImport,
    ListResource,
    NeverContact,
    RefusedEntry,
)
from app.resources.me import Me, MeKey, MeWorkspace
from app.resources.shapes import Columns, Error, ErrorEnvelope, ErrorField, Json, Page, Resource, Shape
from app.resources.webhooks import Delivery, Webhook, WebhookCreated

__all__ = [
    "LEAD_STATES",
    "Account",
    "AddEntriesResult",
    "AddLeadsResult",
    "Campaign",
    "CampaignLead",
    "CampaignLeadDetail",
    "CampaignPerson",
    "CampaignStats",
    "Columns",
    "DailyLimits",
    "Delay",
    "Delivery",
    "EnrolResult",
    "Error",
    "ErrorEnvelope",
    "ErrorField",
    "ImportRefusal",
    "Json",
    "Lead",
    "LeadImport",
    "ListResource",
    "Me",
    "MeKey",
    "MeWorkspace",
    "NeverContact",
    "Page",
    "RefusedEntry",
    "Resource",
    "Schedule",
    "Shape",
    "Step",
    "Waiting",
    "Webhook",
    "WebhookCreated",
    "WorkingHours",
]
