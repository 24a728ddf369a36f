"""What a campaign says about itself: its numbers, how a person would get it, and how it would go on."""

from typing import Annotated, Any

from app import resources
from app.api.campaigns import MANY, SEVERAL, Step, steps_of
from app.api.framework.bodies import AtMost, Body, Id
from app.api.framework.endpoint import Filter, endpoint, one_of
from app.api.framework.schema_notes import among
from app.domain.campaigns import forecast as campaign_forecast
from app.domain.campaigns import preview as campaign_preview
from app.domain.campaigns import revisions, statistics
from app.domain.workspace.workspaces import Workspace

CAMPAIGN = "/campaigns/<id:campaign_id>"
SEQUENCE = [
    {"type": "connection_request", "message": "Hi {{first_name|there}}, we both work in logistics."},
    {"type": "message", "delay": {"value": 1, "unit": "days"}, "message": "Thanks for connecting!"},
]
_BY = one_of("day", "step", "account")


class PreviewOf(Body):
    """Who gets it; with `sequence` these steps, else those of the campaign."""

    lead_id: Id
    sequence: Annotated[list[Step], AtMost(MANY), SEVERAL] | None = None


class ChangedSequence(Body):
    """Other steps, and whom they are for: `new`, people not there yet, or `all`, everyone not finished."""

    sequence: Annotated[list[Step], AtMost(MANY), SEVERAL]
    apply_to: Annotated[str, among(*revisions.APPLY_TO)]


@endpoint(
    "GET",
    CAMPAIGN + "/stats",
    scope="campaigns:read",
    returns=resources.CampaignNumbers,
    errors="E404",
    filters={"by": Filter(_BY.parse, _BY.schema, "What the numbers are divided by; left out, there are only totals.")},
)
def stats(workspace: Workspace, campaign_id: int, by: str | None = None) -> Any:
    """The numbers of the campaign, in all and by day, step or account."""
    return statistics.numbers(workspace, campaign_id, by)


@endpoint(
    "POST",
    CAMPAIGN + "/preview",
    scope="campaigns:write",
    body=PreviewOf,
    returns=resources.SequencePreview,
    errors="E404+409",
)
def preview(workspace: Workspace, campaign_id: int, body: PreviewOf) -> tuple[int, Any]:
    """Every step as this lead would get it, with what would hold it back; nothing is sent.

    Each entry of `messages` is sent as a message of its own. A variable without a value and without a fallback, and a
    text that is too long once it is filled in, are named in `problems`.
    """
    sequence = None if body.sequence is None else steps_of(body.sequence)
    return body.lead_id, campaign_preview.preview_for(workspace, campaign_id, body.lead_id, sequence)


@endpoint("POST", CAMPAIGN + "/forecast", scope="campaigns:write", returns=resources.Forecast, errors="E404+409")
def forecast(workspace: Workspace, campaign_id: int) -> Any:
    """Day by day what the campaign would do from now on, and when it would be over; nothing is changed.

    A draft is taken as if it were started now, a paused one as if it were resumed now. What has to be assumed about
    people is stated in `assumptions`.
    """
    return campaign_forecast.forecast(workspace, campaign_id)


@endpoint(
    "POST",
    CAMPAIGN + "/sequence/preview",
    scope="campaigns:write",
    body=ChangedSequence,
    returns=resources.SequenceEffect,
    errors="E404+409",
    example={"sequence": SEQUENCE, "applyTo": "new"},
)
def sequence_preview(workspace: Workspace, campaign_id: int, body: ChangedSequence) -> Any:
    """Whom these steps would concern if the campaign had them from now on; nothing is changed."""
    return revisions.preview(workspace, campaign_id, steps_of(body.sequence), body.apply_to)
