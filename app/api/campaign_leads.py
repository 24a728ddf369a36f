"""The people of a campaign: where they stand, why they wait, and the switches of one person."""

from typing import Annotated, Any

from pydantic import Field

from app import resources
from app.api.bodies import AtMost, Body, Id
from app.api.endpoint import Prepared, endpoint, one_of
from app.domain import campaigns, leads, lookups, people, waiting
from app.domain.workspaces import Workspace

Detailed = tuple[Any, Any, Any]
LEADS = "/campaigns/<id:campaign_id>/leads"
LEAD = LEADS + "/<id:campaign_lead_id>"


class MoreLeads(Body):
    """Leads of the workspace, whatever their list."""

    lead_ids: Annotated[list[Id], Field(min_length=1), AtMost(1000)]


@endpoint(
    "GET",
    LEADS,
    scope="campaigns:read",
    page_of=resources.CampaignLead,
    errors="E404",
    oldest_first=True,
    filters={"state": one_of(*resources.LEAD_STATES)},
)
def page(workspace: Workspace, campaign_id: int, state: str | None = None) -> Prepared:
    """The people of the campaign in the order they were enrolled, all or those in one state."""
    lookups.get_campaign(workspace, campaign_id)
    given: dict[str, Any] = {"workspace_id": workspace.id, "campaign_id": campaign_id}
    if state is None:
        return Prepared(lookups.PEOPLE, given)
    return Prepared(lookups.PEOPLE_IN_STATE, given | {"state": state})


@endpoint("POST", LEADS, scope="campaigns:run", body=MoreLeads, returns=resources.EnrolResult, errors="E404+409")
def enrol(workspace: Workspace, campaign_id: int, body: MoreLeads) -> int:
    """These leads are in the running campaign too."""
    return campaigns.enrol_more(workspace, campaign_id, body.lead_ids)


@endpoint("GET", LEAD, scope="campaigns:read", returns=resources.CampaignLeadDetail, errors="E404")
def show(workspace: Workspace, campaign_id: int, campaign_lead_id: int) -> Detailed:
    """The person, and why they wait or ended."""
    return _detailed(workspace, campaign_id, people.get(workspace, campaign_id, campaign_lead_id))


@endpoint("POST", LEAD + "/pause", scope="campaigns:run", returns=resources.CampaignLeadDetail, errors="E404+409")
def pause(workspace: Workspace, campaign_id: int, campaign_lead_id: int) -> Detailed:
    """Nothing is done for this person until somebody resumes them."""
    return _detailed(workspace, campaign_id, people.pause(workspace, campaign_id, campaign_lead_id))


@endpoint("POST", LEAD + "/resume", scope="campaigns:run", returns=resources.CampaignLeadDetail, errors="E404+409")
def resume(workspace: Workspace, campaign_id: int, campaign_lead_id: int) -> Detailed:
    """A paused person goes on where they stood."""
    return _detailed(workspace, campaign_id, people.resume(workspace, campaign_id, campaign_lead_id))


@endpoint("POST", LEAD + "/stop", scope="campaigns:run", returns=resources.CampaignLeadDetail, errors="E404+409")
def stop(workspace: Workspace, campaign_id: int, campaign_lead_id: int) -> Detailed:
    """Nothing more is sent to this person in this campaign."""
    return _detailed(workspace, campaign_id, people.stop(workspace, campaign_id, campaign_lead_id))


def _detailed(workspace: Workspace, campaign_id: int, person: Any) -> Detailed:
    campaign = campaigns.get(workspace, campaign_id)
    why = waiting.of_people(workspace, campaign, [person])[person.id]
    return person, leads.get(workspace, person.lead_id), why
