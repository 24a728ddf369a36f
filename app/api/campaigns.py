"""Campaigns: drafts, the switches that start and stop them, and a copy."""

from typing import Annotated, Any

from app import resources
from app.api.bodies import AtMost, Body, Moment, among
from app.api.endpoint import Prepared, endpoint
from app.core.errors import InvalidRequest
from app.domain import approvals, campaigns, lookups, revisions
from app.domain.steps import STEPS
from app.domain.workspaces import Workspace

Campaign = Any  # a row of the domain's
WithStats = tuple[Campaign, Any]
MANY = 1000  # no list is longer, whatever the verb then says about its length

UNIT: Any = among("hours", "days")
KIND: Any = among(*STEPS)


class Delay(Body):
    """The wait before a step."""

    value: int
    unit: UNIT


class Step(Body):
    """One step; which fields a type takes, and how long they may be, the verb says."""

    type: KIND
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
    approval: bool = False


class ChangedCampaign(Body):
    """What is to be different in a draft; what is left out stays.

    On its way, a campaign can get another name and other steps. `applyTo` says for whom the steps are: `new`, people
    not there yet, or `all`, everyone not finished.
    """

    name: str | None = None
    list_id: int | None = None
    account_ids: Annotated[list[int] | None, AtMost(MANY)] = None
    sequence: Annotated[list[Step] | None, AtMost(MANY)] = None
    schedule: Schedule | None = None
    approval: bool | None = None
    apply_to: str | None = None


def _with_stats(workspace: Workspace, campaign: Campaign) -> WithStats:
    return campaign, campaigns.stats(workspace, [campaign.id])[campaign.id]


def steps_of(sequence: list[Step]) -> list[dict[str, Any]]:
    """Steps of a body as verbs take them."""
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
        sequence=steps_of(body.sequence),
        schedule=_hours(body.schedule),
        approval=body.approval,
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
    """The draft is as given; on its way, a campaign takes another name, `approval`, and other steps with `applyTo`.

    Steps that somebody has had keep their place and type; their text, subject and wait may change, and steps after
    them may be added, removed and moved. Nobody gets a step twice. With `applyTo: "new"` whoever waits for a step
    already gets it as it was; with `"all"` everyone not finished gets what they have not had as it is now.
    """
    if body.approval is not None:
        approvals.switch(workspace, campaign_id, body.approval)
    if not body.model_fields_set - {"name", "approval"}:
        if body.name is not None:
            campaigns.rename(workspace, campaign_id, body.name)
        return _with_stats(workspace, campaigns.get(workspace, campaign_id))
    if body.apply_to is not None:
        return _with_stats(workspace, _revised(workspace, campaign_id, body))
    former = campaigns.get(workspace, campaign_id)
    schedule = {**_stored_hours(former), **(_hours(body.schedule) or {})}
    changed = campaigns.edit(
        workspace,
        campaign_id,
        name=former.name if body.name is None else body.name,
        list_id=former.list_id or 0 if body.list_id is None else body.list_id,
        account_ids=former.account_ids if body.account_ids is None else body.account_ids,
        sequence=former.sequence if body.sequence is None else steps_of(body.sequence),
        schedule=schedule,
    )
    return _with_stats(workspace, changed)


def _revised(workspace: Workspace, campaign_id: int, body: ChangedCampaign) -> Campaign:
    """The campaign on its way with other steps."""
    campaigns.get(workspace, campaign_id)
    known = {"list_id": "listId", "account_ids": "accountIds", "schedule": "schedule"}
    problems = [
        (name, "This stays as it is once a campaign has started. Change it in a draft, without applyTo.")
        for field, name in known.items()
        if field in body.model_fields_set
    ]
    if body.sequence is None:
        problems.append(("sequence", "Required with applyTo."))
    if problems:
        raise InvalidRequest.of(*problems)
    if body.name is not None:
        campaigns.rename(workspace, campaign_id, body.name)
    return revisions.revise(workspace, campaign_id, steps_of(body.sequence or []), body.apply_to or "")


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
