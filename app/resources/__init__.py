"""API resources: how each object looks in JSON (spec part 2). Field names are the model's."""

from app.resources.accounts import (
    Account,
    AccountUsage,
    DailyLimits,
    DomainChecks,
    HostedSignIn,
    HostedSignInBegun,
    Mailbox,
    UnreadableMessage,
    WorkingHours,
)
from app.resources.approvals import Approval, ApprovalLead, ApprovalResult, BulkApprovals, RewriteResult
from app.resources.autopilot import AlertSettings, AlertTest, Audience, AutopilotSetup, DocVersion, Rules
from app.resources.base import Columns, Error, ErrorEnvelope, ErrorField, Json, Page, Resource, Shape
from app.resources.billing import Billing, CancelResult, CreditEntry, Credits, Quota, Quotas
from app.resources.campaigns.campaign_revisions import CampaignRevision, ChangesPreview, SequenceEffect
from app.resources.campaigns.campaign_statistics import CampaignNumbers, SentCounts, SequencePreview, WorkspaceNumbers
from app.resources.campaigns.campaigns import (
    CAMPAIGN_STATES,
    LEAD_STATES,
    Blackouts,
    Campaign,
    CampaignLead,
    CampaignLeadDetail,
    CampaignPerson,
    CampaignStats,
    Delay,
    EnrolResult,
    Joiners,
    Schedule,
    Step,
    Waiting,
)
from app.resources.campaigns.forecasts import Calendar, Forecast, ForecastChanges, ForecastComparison
from app.resources.campaigns.starters import Starter, Starters
from app.resources.campaigns.templates import CampaignTemplate
from app.resources.campaigns.test_sends import TestSend
from app.resources.company_holds import CompanyDecision, CompanyHold
from app.resources.contact_proof import ContactProof
from app.resources.conversations import (
    TONES,
    AttachmentContent,
    Conversation,
    ConversationNote,
    ConversationPerson,
    LastMessage,
    Message,
    MessageResult,
    Snippet,
)
from app.resources.crm import ACTIVITY_STATES, Crm, CrmActivity, CrmFollowedList, CrmLists, CrmRetried
from app.resources.leads import (
    AddEntriesResult,
    AddLeadsResult,
    CompaniesRemoved,
    CompaniesRestored,
    ImportRefusal,
    Lead,
    LeadImport,
    LeadsChanged,
    LeadsRestored,
    LeadsTagged,
    ListedCompany,
    ListResource,
    NeverContact,
    PeopleLookUp,
    RefusedEntry,
    SearchImport,
)
from app.resources.meetings import Meeting
from app.resources.monitors import FOUND_STATES, Fit, Monitor, MonitorDecision, MonitorPerson
from app.resources.people import MergeResult, MergeUndone, PersonAnswer, PersonRecord
from app.resources.plays import NewTexts, PlayDetail, PlaySummary, Template
from app.resources.services import Service, ServiceField, Services
from app.resources.signals import (
    CheckedAddresses,
    ContactLookup,
    Enrichment,
    EnrichmentResult,
    Signal,
    SignalAsked,
    SignalResult,
)
from app.resources.sources import Sources
from app.resources.subjects import ErasedResult, SubjectExport, TimelineEntry
from app.resources.tasks import Task
from app.resources.webhooks import Delivery, DeliveryDetail, Event, Gap, ReplayResult, Webhook, WebhookCreated
from app.resources.workspace.api_keys import ApiKey, ApiKeyCreated
from app.resources.workspace.members import Invitation, InvitationCreated, Member, Members
from app.resources.workspace.settings import ContactRules, Settings
from app.resources.workspace.workspaces import Me, MeKey, MeWorkspace, SavedView, WorkspaceCreated
