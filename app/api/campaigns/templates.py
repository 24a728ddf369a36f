"""Templates: sequences of campaigns, saved to begin the next ones with."""

from typing import Annotated, Any

from app import resources
from app.api.framework.bodies import Body
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import A_NAME
from app.domain.autopilot import templates
from app.domain.workspace.workspaces import Workspace


class NewTemplate(Body):
    """The name of the new template."""

    name: Annotated[str, A_NAME]
    """The name of the template."""


@endpoint(
    "POST",
    "/campaigns/<id:campaign_id>/templates",
    scope="campaigns:write",
    body=NewTemplate,
    returns=resources.CampaignTemplate,
    status=201,
    example={"name": "Short and plain"},
)
def save(workspace: Workspace, campaign_id: int, body: NewTemplate) -> Any:
    """Save a campaign's steps and branches as a template for new campaigns.

    The campaign can be in any state. People, senders and schedule are not saved. Later changes to the campaign do not
    change the template. Returns 409 if the workspace has reached its limit of templates; delete a template first.
    """
    return templates.save_sequence(workspace, campaign_id, body.name)


@endpoint("GET", "/templates", scope="campaigns:read", page_of=resources.CampaignTemplate)
def page(workspace: Workspace) -> Any:
    """List the templates saved from campaigns, newest first."""
    return templates.sequence_page(workspace)


@endpoint("DELETE", "/templates/<id:campaign_template_id>", scope="campaigns:write", returns=None)
def delete(workspace: Workspace, campaign_template_id: int) -> None:
    """Delete a template; campaigns that use its steps do not change."""
    templates.delete_sequence(workspace, campaign_template_id)
