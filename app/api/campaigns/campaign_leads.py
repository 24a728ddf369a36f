"""Campaign leads: state, wait reason, pausing or stopping one person, and the people of held companies."""

from typing import Annotated, Any

from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body, Id
from app.api.framework.endpoint import FORMAT, CsvFile, endpoint, moment_of, one_of, text_of
from app.api.framework.schema_notes import among, any_one_of, case, within
from app.core.paging import Paged
from app.domain.campaigns import campaigns, csv_export, upcoming, validation
from app.domain.campaigns.let_in import let_in as let_in_verb
from app.domain.engine import joiners
from app.domain.leads import leads, profiles
from app.domain.leads.campaign_leads import campaign_leads, company_decisions, filters
from app.domain.leads.campaign_leads.company_decisions import Decided
from app.domain.people.exclusions.company_holds import Found
from app.domain.workspace.workspaces import Workspace

Detailed = tuple[Any, Any, Any, Any]
LEADS = "/campaigns/<id:campaign_id>/leads"
STATE = one_of(*resources.LEAD_STATES, about="Only leads in this state.")
JOINERS = "/campaigns/<id:campaign_id>/joiners"
LEAD = LEADS + "/<id:campaign_lead_id>"
HOLDS = "/company-holds"
DECIDED = {"open": False, "decided": True}


class MoreLeads(Body):
    """The leads to add: those you name, all leads in a list, or both."""

    model_config = any_one_of(
        case("`leadIds`, to add the leads you name.", "leadIds", leadIds={"type": "array", "items": {}}),
        case("`listId`, to add all leads in a list.", "listId", listId={"type": "integer"}),
    )

    lead_ids: Annotated[list[Id] | None, Field(min_length=1), AtMost(1000)] = None
    """The ids of the leads."""
    list_id: Id | None = None
    """The id of the list whose leads are added."""


class NewJoiners(Body):
    """Whether people who are added to the campaign's lists join the campaign, and how many per day."""

    per_day: Annotated[int, within(1, validation.MOST_NEW)] | None
    """The maximum number of new people who join per day; null if none join."""


class CompanyChoice(Body):
    """What to do with the people who are on hold at a company."""

    decision: Annotated[str, among(*company_decisions.DECISIONS)]
    """Campaigns resume (`go_on`), end (`end`), or resume with the sender that got the reply (`hand_over`)."""


@endpoint(
    "GET",
    LEADS,
    scope="campaigns:read",
    page_of=resources.CampaignLead,
    oldest_first=True,
    filters={
        "state": STATE,
        "repliedSince": moment_of("Only leads whose last reply in this campaign was received at this time or later."),
        "tag": text_of(profiles.LONGEST_TAG, "Only leads with this tag; case is ignored."),
    },
)
def page(workspace: Workspace, campaign_id: int, **wanted: Any) -> Any:
    """List the campaign's leads in the order in which they joined, optionally filtered."""
    return campaign_leads.page(workspace, campaign_id, **wanted)


@endpoint(
    "POST", LEADS, scope="campaigns:run", body=MoreLeads, returns=resources.EnrolResult,
    dry=True, example={"leadIds": [420]},
)  # fmt: skip
def enrol(workspace: Workspace, campaign_id: int, body: MoreLeads) -> Any:
    """Add leads to a running campaign.

    People who are already in the campaign are skipped. People who are excluded by a rule, or are on the do-not-contact
    list, are added but not contacted. The response says how many people were added, skipped and excluded. Returns 409
    unless the campaign is running.
    """
    return campaigns.enrol_more(workspace, campaign_id, body.lead_ids or (), body.list_id)


@endpoint("GET", JOINERS, scope="campaigns:read", returns=resources.Joiners)
def show_joiners(workspace: Workspace, campaign_id: int) -> Any:
    """Get the limit for new people from the campaign's lists, how many joined today, and why others did not."""
    return joiners.today(workspace, campaigns.get(workspace, campaign_id))


@endpoint("PUT", JOINERS, scope="campaigns:run", body=NewJoiners, returns=resources.Joiners, example={"perDay": 25})
def choose_joiners(workspace: Workspace, campaign_id: int, body: NewJoiners) -> Any:
    """Set whether people who are added to the campaign's lists join the campaign.

    Everyone in the lists who is not in the campaign yet joins, oldest first, including people added by an import, this
    API, the CRM or a monitor. The campaign's rules apply to new people, too. While new people can join, the campaign
    does not finish; a finished campaign runs again. Returns 409 if the campaign was canceled or has failed, or if its
    end date has passed.
    """
    joiners.choose(workspace, campaign_id, body.per_day)
    return show_joiners(workspace, campaign_id)


@endpoint("GET", LEADS + ".csv", scope="campaigns:read", returns=CsvFile, filters={"state": STATE, "format": FORMAT})
def download(workspace: Workspace, campaign_id: int, state: str = "", format: str = "") -> CsvFile:
    """Export the campaign's leads as a CSV file or Excel workbook, with their states and reasons for waiting."""
    campaign = campaigns.get(workspace, campaign_id)
    table = csv_export.rows(workspace, campaign_id, filters.LeadFilter(state))
    return CsvFile.of(f"{campaign.name} – people", table, format)


@endpoint("GET", LEAD, scope="campaigns:read", returns=resources.CampaignLeadDetail)
def show(workspace: Workspace, campaign_id: int, campaign_lead_id: int) -> Detailed:
    """Get a campaign lead, with the reason for waiting and the planned dates of the remaining steps."""
    return _detailed(workspace, campaign_id, campaign_leads.get(workspace, campaign_id, campaign_lead_id))


@endpoint("POST", LEAD + "/pause", scope="campaigns:run", returns=resources.CampaignLeadDetail)
def pause(workspace: Workspace, campaign_id: int, campaign_lead_id: int) -> Detailed:
    """Pause a lead until you resume it.

    The waits between steps are paused, too. Returns 409 unless `state` is `pending`, `active` or `awaiting_accept`.
    """
    return _detailed(workspace, campaign_id, campaign_leads.pause(workspace, campaign_id, campaign_lead_id))


@endpoint("POST", LEAD + "/resume", scope="campaigns:run", returns=resources.CampaignLeadDetail, dry=True)
def resume(workspace: Workspace, campaign_id: int, campaign_lead_id: int) -> Detailed:
    """Resume a paused lead.

    The next step is done when it is due. Returns 409 unless the lead is paused.
    """
    return _detailed(workspace, campaign_id, campaign_leads.resume(workspace, campaign_id, campaign_lead_id))


@endpoint("POST", LEAD + "/stop", scope="campaigns:run", returns=resources.CampaignLeadDetail)
def stop(workspace: Workspace, campaign_id: int, campaign_lead_id: int) -> Detailed:
    """Stop the campaign for one lead.

    A stopped lead cannot be resumed. Returns 409 if the campaign has already ended for this lead.
    """
    return _detailed(workspace, campaign_id, campaign_leads.stop(workspace, campaign_id, campaign_lead_id))


@endpoint("POST", LEAD + "/exclude", scope="campaigns:run", returns=resources.CampaignLeadDetail)
def exclude(workspace: Workspace, campaign_id: int, campaign_lead_id: int) -> Detailed:
    """Exclude a lead from a campaign; the campaign sends nothing else to this person.

    The campaign continues for everyone else. Returns 409 if the campaign has already ended for this lead.
    """
    return _detailed(workspace, campaign_id, campaign_leads.remove(workspace, campaign_id, campaign_lead_id))


@endpoint("POST", LEAD + "/let-in", scope="campaigns:run", returns=resources.CampaignLeadDetail, dry=True)
def let_in(workspace: Workspace, campaign_id: int, campaign_lead_id: int) -> Detailed:
    """Include a lead that a contact rule excluded; the audit log records this exception.

    The campaign starts or continues for the lead, unless another rule applies. Returns 409 if the lead was not excluded
    by a rule or is on the do-not-contact list, or if the campaign is a draft, was canceled or failed.
    """
    return _detailed(workspace, campaign_id, let_in_verb(workspace, campaign_id, campaign_lead_id))


def _detailed(workspace: Workspace, campaign_id: int, person: Any) -> Detailed:
    campaign, lead = campaigns.get(workspace, campaign_id), leads.get(workspace, person.lead_id)
    why = upcoming.reason_for(workspace, campaign, person)
    return person, lead, why, upcoming.upcoming_for(workspace, campaign, person, lead, why)


@endpoint(
    "GET",
    HOLDS,
    scope="campaigns:read",
    page_of=resources.CompanyHold,
    filters={"state": one_of(*DECIDED, about="`open` for companies waiting for a decision, `decided` for all others.")},
)
def company_holds_page(workspace: Workspace, state: str = "") -> Paged:
    """List companies that are or were on hold after a reply, newest first.

    When a person replies, everyone else at their company is put on hold until you decide.
    """
    return Found(workspace, DECIDED.get(state))


@endpoint(
    "POST",
    HOLDS + "/<id:hold_id>/decide",
    scope="campaigns:run",
    body=CompanyChoice,
    returns=resources.CompanyDecision,
    dry=True,
    example={"decision": "go_on"},
)
def decide_company_hold(workspace: Workspace, hold_id: int, body: CompanyChoice) -> Decided:
    """Decide what happens to the people who are on hold at a company.

    Sending the same decision again changes nothing; a different decision returns 409.
    """
    return company_decisions.decide(workspace, hold_id, body.decision)


@endpoint("POST", HOLDS + "/<id:hold_id>/undo", scope="campaigns:run", returns=resources.CompanyDecision)
def undo_company_decision(workspace: Workspace, hold_id: int) -> Decided:
    """Undo a decision about a company within a day; the people affected are put on hold again.

    Returns 409 if more than a day has passed since the decision, if it ended people's campaigns, or if the company has
    been put on hold again.
    """
    return company_decisions.undo(workspace, hold_id)
