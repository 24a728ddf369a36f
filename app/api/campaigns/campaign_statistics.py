"""Campaign statistics, preview and forecast, and the changes of a campaign on its way."""

from typing import Annotated, Any

from app import resources
from app.api.campaigns.campaigns import BRANCHES, MANY, PEOPLE, SEVERAL, ChangedOnTheWay, dumped, new_steps, wanted
from app.api.framework.bodies import AtMost, Body, Id
from app.api.framework.endpoint import Filter, endpoint, one_of
from app.api.framework.schema_notes import among, any_one_of, case, within
from app.api.framework.sequence_bodies import Branch, Step
from app.core import text
from app.domain.campaigns import campaigns, exclusion_preview, statistics, validation, variants
from app.domain.campaigns import preview as campaign_preview
from app.domain.campaigns.changes import changes, revision_log, revisions
from app.domain.campaigns.forecasts import calendar as outlook_calendar
from app.domain.campaigns.forecasts import comparison, overall, pipeline, what_if
from app.domain.campaigns.forecasts import forecast as campaign_forecast
from app.domain.rules.variants import assignment
from app.domain.workspace.workspaces import Workspace

CAMPAIGN = "/campaigns/<id:campaign_id>"
SEQUENCE = [
    {"type": "connection_request", "message": "Hi {{first_name|there}}, we both work in logistics."},
    {"type": "message", "delay": {"value": 1, "unit": "days"}, "message": "Thanks for connecting!"},
]
COUNTED = 20_000  # people whom one request asks about
_BY = one_of("day", "step", "account")


class PreviewOf(Body):
    """The lead to preview the steps for and, optionally, steps that differ from the campaign's."""

    lead_id: Id
    """The id of the lead to preview the steps for."""
    sequence: Annotated[list[Step], AtMost(MANY), SEVERAL] | None = None
    """Steps to preview in place of the campaign's."""
    branches: Annotated[list[Branch] | None, AtMost(MANY), BRANCHES] = None
    """The points where `sequence` splits; null to keep the campaign's branches, if it still has as many steps."""


class ChangedSequence(Body):
    """The new steps, and the people who get them."""

    model_config = any_one_of(
        case("`applyTo` set to `new` or `all`.", applyTo={"enum": ["new", "all"]}),
        case(
            "`applyTo` set to `chosen`, and `campaignLeadIds`.",
            "campaignLeadIds",
            campaignLeadIds={"type": "array", "items": {}},
        ),
    )
    sequence: Annotated[list[Step], AtMost(MANY), SEVERAL]
    """All steps, in order."""
    branches: Annotated[list[Branch] | None, AtMost(MANY), BRANCHES] = None
    """The campaign's current branches, or null; branches cannot change after launch."""
    apply_to: Annotated[str, among(*revisions.APPLY_TO)]
    """Who gets the new steps: people not at them yet (`new`), everyone (`all`), or those you list (`chosen`)."""
    campaign_lead_ids: Annotated[list[Id], AtMost(MANY), PEOPLE] | None = None
    """The ids of the campaign leads who get the new steps; only with `chosen`."""


class ChosenVariant(Body):
    """The variant for everyone who has not received the step yet."""

    step: Annotated[int, within(0, validation.MAX_STEPS - 1)]
    """The position of the step in the sequence, starting at 0."""
    variant: Annotated[str, among(*assignment.KEYS)]
    """The letter of the variant."""


class StepOfChoice(Body):
    """The step for which to undo the choice of a variant."""

    step: Annotated[int, within(0, validation.MAX_STEPS - 1)]
    """The position of the step in the sequence, starting at 0."""


@endpoint(
    "GET",
    CAMPAIGN + "/stats",
    scope="campaigns:read",
    returns=resources.CampaignNumbers,
    filters={"by": Filter(_BY.parse, _BY.schema, "How to break down the statistics. If omitted, you get totals only.")},
)
def stats(workspace: Workspace, campaign_id: int, by: str | None = None) -> Any:
    """Get the campaign's statistics, in total and, optionally, by day, step or sender."""
    return statistics.numbers(workspace, campaign_id, by)


@endpoint(
    "POST",
    CAMPAIGN + "/preview",
    scope="campaigns:write",
    body=PreviewOf,
    returns=resources.SequencePreview,
    example={"leadId": 12, "sequence": SEQUENCE},
)
def preview(workspace: Workspace, campaign_id: int, body: PreviewOf) -> tuple[int, Any, Any]:
    """Preview every step for a lead, with any problems, and who in the lists would be excluded; nothing is sent.

    Each entry of `messages` is sent as a separate message. `problems` lists variables that are empty and have no
    fallback, and texts that are too long once variables are filled in.
    """
    steps, split = (None if given is None else dumped(given) for given in (body.sequence, body.branches))
    said = campaign_preview.preview_for(workspace, campaign_id, body.lead_id, steps, split)
    return body.lead_id, said, exclusion_preview.of_campaign(workspace, campaign_id, most=COUNTED)


@endpoint("POST", CAMPAIGN + "/forecast", scope="campaigns:write", returns=resources.Forecast)
def forecast(workspace: Workspace, campaign_id: int) -> Any:
    """Forecast the campaign day by day until it ends; nothing is changed.

    For a draft, the forecast starts now; for a paused campaign, it assumes that you resume now. `assumptions` has the
    reply and acceptance rates that the forecast uses.
    """
    return campaign_forecast.forecast(workspace, campaign_id)


@endpoint("GET", CAMPAIGN + "/forecast", scope="campaigns:read", returns=resources.ForecastComparison)
def compare_forecast(workspace: Workspace, campaign_id: int) -> Any:
    """Compare what was forecast at launch and after each change with what actually happened, day by day.

    For today and future days, `expected` has the current forecast.
    """
    campaign = campaigns.get(workspace, campaign_id)
    known = campaign_forecast.find_cached(workspace, campaign_id)
    ahead = known[0] if known else campaign_forecast.forecast(workspace, campaign_id)
    return comparison.compare(workspace, campaign, ahead)


@endpoint("GET", CAMPAIGN + "/forecast/changes", scope="campaigns:read", returns=resources.ForecastChanges)
def show_forecast_changes(workspace: Workspace, campaign_id: int) -> Any:
    """List changes that would make the campaign end earlier or later, such as one more sender; nothing is changed.

    The effect of each change is forecast separately. With thousands of people, the request takes a few seconds.
    """
    found = campaign_forecast.forecast(workspace, campaign_id)
    return what_if.effects(workspace, campaign_id, found)


def _days(given: str) -> int:
    if not (days := text.number(given, most=overall.MOST_DAYS)):
        raise ValueError(f"Use a number of days from 1 to {overall.MOST_DAYS}.")
    return days


DAYS = Filter(
    _days,
    {"type": "integer", "minimum": 1, "maximum": overall.MOST_DAYS},
    f"How many days `totals`, `byCampaign`, `byAccount` and `byWeek` cover; {overall.USUAL_DAYS} if omitted.",
)


@endpoint("GET", "/stats", scope="campaigns:read", returns=resources.WorkspaceNumbers, filters={"days": DAYS})
def show_workspace_stats(workspace: Workspace, days: int = overall.USUAL_DAYS) -> tuple[str, Any, Any, Any]:
    """Get statistics for all campaigns, in total and by campaign, sender and week, and when people reply."""
    counted = overall.find(workspace, days, resources.SentCounts.model_fields)
    return workspace.timezone, pipeline.pipeline(workspace), pipeline.reply_hours(workspace), counted


@endpoint("GET", "/calendar", scope="campaigns:read", returns=resources.Calendar)
def show_calendar(workspace: Workspace) -> Any:
    """Get what each sender is expected to do on each of the next 14 days, by campaign, or why nothing is planned."""
    return outlook_calendar.find_cached(workspace) or outlook_calendar.make(workspace)


@endpoint(
    "POST",
    CAMPAIGN + "/sequence/preview",
    scope="campaigns:write",
    body=ChangedSequence,
    returns=resources.SequenceEffect,
    example={"sequence": SEQUENCE, "applyTo": "new"},
)
def sequence_preview(workspace: Workspace, campaign_id: int, body: ChangedSequence) -> Any:
    """Preview how new steps would affect the people in a campaign; nothing is changed.

    Send `sequence` and `branches` in the format that `GET /v1/campaigns/{campaignId}` returns. To make the change,
    send the same fields to `PATCH /v1/campaigns/{campaignId}`. Returns 409 if the campaign has ended.
    """
    return changes.preview(workspace, campaign_id, new_steps(body))[0].effect


@endpoint(
    "POST",
    CAMPAIGN + "/variants/choose",
    scope="campaigns:write",
    body=ChosenVariant,
    returns=resources.Campaign,
    example={"step": 1, "variant": "B"},
)
def choose_variant(workspace: Workspace, campaign_id: int, body: ChosenVariant) -> Any:
    """Choose a variant of a step for everyone who has not received the step yet.

    Call `GET /v1/campaigns/{campaignId}/stats?by=step` to see which variant is winning. The share of the chosen variant
    becomes 100, and all other shares 0; undoing the choice restores the shares.

    Returns 409 if all new people already get this variant.
    """
    campaign = variants.choose(workspace, campaign_id, body.step, body.variant)
    return campaign, campaigns.stats(workspace, [campaign.id])[campaign.id]


@endpoint(
    "POST",
    CAMPAIGN + "/changes/preview",
    scope="campaigns:write",
    body=ChangedOnTheWay,
    returns=resources.ChangesPreview,
    example={"schedule": {"endTime": "16:00"}},
)
def preview_changes(workspace: Workspace, campaign_id: int, body: ChangedOnTheWay) -> Any:
    """Preview how new hours, senders, lists or exclusions would affect people; nothing is changed.

    Send the fields you would send to `PATCH /v1/campaigns/{campaignId}`. Returns 409 for a draft or an ended campaign,
    because no one would be affected.
    """
    campaign = campaigns.get(workspace, campaign_id)
    return changes.preview(workspace, campaign_id, wanted(campaign, body))


@endpoint("GET", CAMPAIGN + "/revisions", scope="campaigns:read", page_of=resources.CampaignRevision)
def list_revisions(workspace: Workspace, campaign_id: int) -> Any:
    """List the changes made to a campaign after launch, newest first."""
    campaigns.get(workspace, campaign_id)
    return revision_log.page(workspace, campaign_id)


@endpoint(
    "POST",
    CAMPAIGN + "/variants/undo",
    scope="campaigns:write",
    body=StepOfChoice,
    returns=resources.Campaign,
    example={"step": 1},
)
def undo_variant(workspace: Workspace, campaign_id: int, body: StepOfChoice) -> Any:
    """Undo the choice of a variant and restore the previous shares.

    Returns 409 if no variant was chosen, or if the step no longer has these variants.
    """
    campaign = variants.undo(workspace, campaign_id, body.step)
    return campaign, campaigns.stats(workspace, [campaign.id])[campaign.id]


@endpoint("POST", CAMPAIGN + "/revisions/<id:number>/undo", scope="campaigns:write", returns=resources.CampaignRevision)
def undo_revision(workspace: Workspace, campaign_id: int, number: int) -> Any:
    """Undo a change to a campaign; messages that were sent do not change.

    Returns 409 if the change has already been undone, or if a later change depends on it; in that case, undo the later
    change first.
    """
    return changes.undo(workspace, campaign_id, number)
