"""Campaigns: drafts, the switches that start and stop them, and a copy."""

from typing import Annotated, Any

from app import resources
from app.api.bodies import AtMost, Body, Moment
from app.api.endpoint import Prepared, endpoint
from app.domain import campaigns, lookups
from app.domain.workspaces import Workspace

Campaign = Any  # a row of the domain's
WithStats = tuple[Campaign, Any]
MANY = 1000  # no list is longer, whatever the verb then says about its length


class Delay(Body):
    """The wait before a step."""

    value: int
    unit: str


class Step(Body):
    """One step; which fields a type takes, and how long they may be, the verb says."""

    type: str
    delay: Delay | None = None
    message: str | None = None
    subject: str | None = None


class Schedule(Body):
    """When the campaign works; what is left out keeps its default."""

    timezone: str | None = None
    days: Annotated[list[int] | None, AtMost(MANY)] = None
    start_time: str | None = None
    end_time: str | None = None
    start_date: Moment | None = None
    end_date: Moment | None = None


class NewCampaign(Body):
    """A draft. Only types are checked here: what the values may be, the verb says, for all of them at once."""

    name: str
    list_id: int
    account_ids: Annotated[list[int], AtMost(MANY)]
    sequence: Annotated[list[Step], AtMost(MANY)]
    schedule: Schedule | None = None


class ChangedCampaign(Body):
    """What is to be different in a draft; what is left out stays."""

    name: str | None = None
    list_id: int | None = None
    account_ids: Annotated[list[int] | None, AtMost(MANY)] = None
    sequence: Annotated[list[Step] | None, AtMost(MANY)] = None
    schedule: Schedule | None = None


def _with_stats(workspace: Workspace, campaign: Campaign) -> WithStats:
    return campaign, campaigns.stats(workspace, [campaign.id])[campaign.id]


def _steps(sequence: list[Step]) -> list[dict[str, Any]]:
    return [step.model_dump(exclude_none=True) for step in sequence]


def _hours(schedule: Schedule | None) -> dict[str, Any] | None:
    return schedule.model_dump(by_alias=True, exclude_none=True) if schedule else None


def _stored_hours(campaign: Campaign) -> dict[str, Any]:
    return {
        "timezone": campaign.timezone,
        "days": campaign.days,
        "startTime": campaign.start_time,
        "endTime": campaign.end_time,
        "startDate": campaign.start_date,
        "endDate": campaign.end_date,
    }


@endpoint("GET", "/campaigns", scope="campaigns:read", page_of=resources.Campaign, errors="E0")
def page(workspace: Workspace) -> Prepared:
    """The campaigns of the workspace, newest first."""
    return Prepared(lookups.CAMPAIGNS, {"workspace_id": workspace.id})


@endpoint(
    "POST",
    "/campaigns",
    scope="campaigns:write",
    body=NewCampaign,
    returns=resources.Campaign,
    status=201,
    errors="E409",
)
def create(workspace: Workspace, body: NewCampaign) -> WithStats:
    """A draft campaign; it contacts nobody until it is started."""
    campaign = campaigns.create(
        workspace,
        name=body.name,
        list_id=body.list_id,
        account_ids=body.account_ids,
        sequence=_steps(body.sequence),
        schedule=_hours(body.schedule),
    )
    return _with_stats(workspace, campaign)


@endpoint("GET", "/campaigns/<id:campaign_id>", scope="campaigns:read", returns=resources.Campaign, errors="E404")
def show(workspace: Workspace, campaign_id: int) -> Campaign:
    """The campaign."""
    return lookups.get_campaign(workspace, campaign_id)


@endpoint(
    "PATCH",
    "/campaigns/<id:campaign_id>",
    scope="campaigns:write",
    body=ChangedCampaign,
    returns=resources.Campaign,
    errors="E404+409",
)
def change(workspace: Workspace, campaign_id: int, body: ChangedCampaign) -> WithStats:
    """The draft is as given; a name alone can be changed in any state."""
    if body.name is not None and body.model_fields_set == {"name"}:
        return _with_stats(workspace, campaigns.rename(workspace, campaign_id, body.name))
    former = campaigns.get(workspace, campaign_id)
    schedule = {**_stored_hours(former), **(_hours(body.schedule) or {})}
    changed = campaigns.edit(
        workspace,
        campaign_id,
        name=former.name if body.name is None else body.name,
        list_id=former.list_id or 0 if body.list_id is None else body.list_id,
        account_ids=former.account_ids if body.account_ids is None else body.account_ids,
        sequence=former.sequence if body.sequence is None else _steps(body.sequence),
        schedule=schedule,
    )
    return _with_stats(workspace, changed)


@endpoint("DELETE", "/campaigns/<id:campaign_id>", scope="campaigns:write", returns=None, status=204, errors="E404+409")
def delete(workspace: Workspace, campaign_id: int) -> None:
    """A draft, or a campaign that has ended, is gone."""
    campaigns.delete(workspace, campaign_id)


@endpoint(
    "POST",
    "/campaigns/<id:campaign_id>/start",
    scope="campaigns:run",
    returns=resources.Campaign,
    errors="E404+409",
)
def start(workspace: Workspace, campaign_id: int) -> WithStats:
    """A draft begins, now or at its start date."""
    return _with_stats(workspace, campaigns.start(workspace, campaign_id))


@endpoint(
    "POST",
    "/campaigns/<id:campaign_id>/pause",
    scope="campaigns:run",
    returns=resources.Campaign,
    errors="E404+409",
)
def pause(workspace: Workspace, campaign_id: int) -> WithStats:
    """Nothing more is done for the campaign until it is resumed."""
    return _with_stats(workspace, campaigns.pause(workspace, campaign_id))


@endpoint(
    "POST",
    "/campaigns/<id:campaign_id>/resume",
    scope="campaigns:run",
    returns=resources.Campaign,
    errors="E404+409",
)
def resume(workspace: Workspace, campaign_id: int) -> WithStats:
    """A paused campaign goes on where it stood."""
    return _with_stats(workspace, campaigns.resume(workspace, campaign_id))


@endpoint(
    "POST",
    "/campaigns/<id:campaign_id>/cancel",
    scope="campaigns:run",
    returns=resources.Campaign,
    errors="E404+409",
)
def cancel(workspace: Workspace, campaign_id: int) -> WithStats:
    """The campaign has ended for good."""
    return _with_stats(workspace, campaigns.cancel(workspace, campaign_id))


@endpoint(
    "POST",
    "/campaigns/<id:campaign_id>/duplicate",
    scope="campaigns:write",
    returns=resources.Campaign,
    status=201,
    errors="E404+409",
)
def duplicate(workspace: Workspace, campaign_id: int) -> WithStats:
    """A new draft with the same list, senders, steps and hours."""
    return _with_stats(workspace, campaigns.duplicate(workspace, campaign_id))
