"""Campaigns: drafts, the switches that start and stop them, and a copy."""

from typing import Annotated, Any

from app import resources
from app.api.framework.bodies import AtMost, Body, Moment
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import (
    A_NAME,
    AN_ID,
    BLANK,
    ONE_LINE,
    TIME,
    WEEKDAYS,
    WRITTEN,
    ZONE,
    Json,
    among,
    any_one_of,
    case,
    entries,
)
from app.core.errors import InvalidRequest
from app.domain.approvals import bulk
from app.domain.campaigns import campaigns, revisions, validation
from app.domain.rules import step_kinds
from app.domain.rules.step_kinds import STEPS
from app.domain.workspace.workspaces import Workspace

Campaign = Any  # a row of the domain's
WithStats = tuple[Campaign, Any]
MANY = 1000  # no list is longer, whatever the verb then says about its length

EXAMPLE = {"type": "connection_request", "message": "Hi {{first_name|there}}, we both work in logistics."}
SEVERAL: Any = entries(1, validation.MAX_STEPS)
SENDERS: Any = entries(1, validation.MAX_ACCOUNTS, uniqueItems=True)


def _takes(kind: step_kinds.Step) -> Json:
    """Which texts a step of that type takes."""
    subject = {"maxLength": kind.max_subject, **ONE_LINE} if kind.max_subject else BLANK
    named, type_ = f"`{kind.name}`", {"const": kind.name}
    of_it = " and `subject`" if kind.max_subject else ""
    if kind.text == "none":
        return case(f"{named}, which has no text.", type=type_, message=BLANK, subject=subject)
    if kind.text == "optional":
        return case(f"{named} with or without `message`.", type=type_, subject=subject)
    written = {"type": "string", **WRITTEN}
    return case(f"{named} with `message`{of_it}.", "message", type=type_, message=written, subject=subject)


class Delay(Body):
    """The wait before a step, a year at most."""

    model_config = any_one_of(
        *(
            case(f"Up to {most:,} {unit}.", unit={"const": unit}, value={"minimum": 0, "maximum": most})
            for unit, most in validation.MOST_DELAY.items()
        )
    )

    value: int
    unit: Annotated[str, among(*validation.MOST_DELAY)]


class Step(Body):
    """One step. A connection request stands once, and before every message; the first e-mail has a subject.

    A note has at most 200 characters, 300 where every sender has Sales Navigator; an InMail 1,900; anything else 8,000.
    Variables such as `{{first_name|there}}` are not counted.
    """

    model_config = any_one_of(*(_takes(kind) for kind in STEPS.values()), examples=[EXAMPLE])

    type: Annotated[str, among(*STEPS)]
    delay: Delay | None = None
    message: str | None = None
    subject: str | None = None


class Schedule(Body):
    """When the campaign works; what is left out keeps its default. Ends are later than starts."""

    timezone: Annotated[str, ZONE] | None = None
    days: Annotated[list[int], AtMost(MANY), WEEKDAYS] | None = None
    start_time: Annotated[str, TIME] | None = None
    end_time: Annotated[str, TIME] | None = None
    start_date: Moment | None = None
    end_date: Moment | None = None


class NewCampaign(Body):
    """A draft: to whom, by whom, what and when. With `approval` each message waits for a human first."""

    name: Annotated[str, A_NAME]
    list_id: Annotated[int, AN_ID]
    account_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), SENDERS]
    sequence: Annotated[list[Step], AtMost(MANY), SEVERAL]
    schedule: Schedule | None = None
    approval: bool = False


class ChangedCampaign(Body):
    """What is to be different in a draft; what is left out stays.

    On its way, a campaign can get another name and other steps. `applyTo` says for whom the steps are: `new`, people
    not there yet, or `all`, everyone not finished.
    """

    model_config = any_one_of(
        case("A draft as it is to be.", applyTo={"type": "null"}),
        case(
            "Other steps for a campaign on its way.",
            "applyTo",
            "sequence",
            sequence={"type": "array"},
            listId=False,
            accountIds=False,
            schedule=False,
        ),
    )

    name: Annotated[str, A_NAME] | None = None
    list_id: Annotated[int, AN_ID] | None = None
    account_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), SENDERS] | None = None
    sequence: Annotated[list[Step], AtMost(MANY), SEVERAL] | None = None
    schedule: Schedule | None = None
    approval: bool | None = None
    apply_to: Annotated[str, among(*revisions.APPLY_TO)] | None = None


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
def page(workspace: Workspace) -> Any:
    """The campaigns of the workspace, newest first."""
    return campaigns.with_stats(workspace)


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
    return campaigns.get_with_stats(workspace, campaign_id)


@endpoint(
    "PATCH",
    "/campaigns/<id:campaign_id>",
    scope="campaigns:write",
    body=ChangedCampaign,
    returns=resources.Campaign,
    errors="E404+409",
    example={"sequence": [EXAMPLE, {"type": "message", "message": "Thanks for connecting!"}], "applyTo": "new"},
)
def change(workspace: Workspace, campaign_id: int, body: ChangedCampaign) -> WithStats:
    """The draft is as given; on its way, a campaign takes another name, `approval`, and other steps with `applyTo`.

    Steps that somebody has had keep their place and type; their text, subject and wait may change, and steps after
    them may be added, removed and moved. Nobody gets a step twice. With `applyTo: "new"` whoever waits for a step
    already gets it as it was; with `"all"` everyone not finished gets what they have not had as it is now.
    """
    if body.approval is not None:
        bulk.switch(workspace, campaign_id, body.approval)
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
