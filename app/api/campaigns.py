"""Campaigns: drafts, starting and stopping, and copies."""

from typing import Annotated, Any

from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body, Moment
from app.api.framework.endpoint import endpoint, id_of, one_of, text_of
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
from app.core.text import LONGEST_NAME
from app.domain.approvals import bulk
from app.domain.campaign_leads import expired_drafts
from app.domain.campaigns import campaigns, revisions, validation
from app.domain.exclusions import contact_settings
from app.domain.rules import step_kinds
from app.domain.rules.step_kinds import STEPS
from app.domain.workspace.workspaces import Workspace

Campaign = Any  # a row of the domain's
WithStats = tuple[Campaign, Any]
MANY = 1000  # no list is longer, whatever the verb then says about its length

EXAMPLE = {"type": "connection_request", "message": "Hi {{first_name|there}}, we both work in logistics."}
SEVERAL: Any = entries(1, validation.MAX_STEPS)
NAMED: Any = entries(0, contact_settings.MOST_NAMED)
DAYS = Annotated[int, Field(json_schema_extra={"minimum": 0, "maximum": contact_settings.MOST["contacted_days"]})]
SENDERS: Any = entries(1, validation.MAX_ACCOUNTS, uniqueItems=True, description="Social accounts and mailboxes.")


def _takes(kind: step_kinds.Step) -> Json:
    """Describe the texts that a step type takes."""
    subject = {"maxLength": kind.max_subject, **ONE_LINE} if kind.max_subject else BLANK
    named, type_ = f"`{kind.name}`", {"const": kind.name}
    of_it = " and `subject`" if kind.max_subject else ""
    if kind.text == "none":
        return case(f"{named}, without text.", type=type_, message=BLANK, subject=subject)
    if kind.text == "optional":
        return case(f"{named} with or without `message`.", type=type_, subject=subject)
    written = {"type": "string", **WRITTEN}
    return case(f"{named} with `message`{of_it}.", "message", type=type_, message=written, subject=subject)


class Delay(Body):
    """The wait before a step, at most a year; fractions such as 1.5 days are kept."""

    model_config = any_one_of(
        *(
            case(f"Up to {most:,} {unit}.", unit={"const": unit}, value={"minimum": 0, "maximum": most})
            for unit, most in validation.MOST_DELAY.items()
        )
    )

    value: float
    unit: Annotated[str, among(*validation.MOST_DELAY)]


class Step(Body):
    """One step. A connection request appears once, before every message; the first email needs a subject.

    A note has at most 200 characters, 300 if every sender has Sales Navigator; an InMail 1,900; any other text 8,000.
    The longest text that choices, conditions and fallbacks allow counts; values of variables are not counted.

    Texts and subjects take variables (`{{first_name}}`, `{{custom.tier}}`), with a fallback after a bar
    (`{{first_name|there}}`); spintax (`{Hi|Hello}`, also nested), of which each person always gets the same option; and
    conditions (`{{#if company_name}}…{{else}}…{{/if}}`), which ask whether there is a value. A backslash keeps a brace
    or a bar as it is. A mistake is refused with its place; other tools' syntax with ours in `recovery`.
    """

    model_config = any_one_of(*(_takes(kind) for kind in STEPS.values()), examples=[EXAMPLE])

    type: Annotated[str, among(*STEPS)]
    delay: Delay | None = None
    message: str | None = None
    subject: str | None = None


class Schedule(Body):
    """The campaign's schedule; fields you leave out keep their defaults. Ends must be later than starts."""

    timezone: Annotated[str, ZONE] | None = None
    days: Annotated[list[int], AtMost(MANY), WEEKDAYS] | None = None
    start_time: Annotated[str, TIME] | None = None
    end_time: Annotated[str, TIME] | None = None
    start_date: Moment | None = None
    end_date: Moment | None = None


WITHOUT_PROFILE = (
    "Whether steps that need a profile wait, with the reason `no_profile`, for people known by email alone. Without it"
    " these steps are skipped."
)


EXPIRED = (
    "Whether people go on without a message whose draft was not decided in 14 days. Without it they wait, with the"
    " reason `draft_expired`, until they are resumed and the draft is written again."
)


class Exclude(Body):
    """Who is left out. Fields you leave out stay the same; null follows the workspace's contact rules.

    The rules are asked when people are enrolled, and again before each send.
    """

    contacted_days: DAYS | None = None
    replied: bool | None = None
    said_no: bool | None = None
    colleague_talks: bool | None = None
    company_days: DAYS | None = None
    list_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), NAMED] | None = None
    campaign_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), NAMED] | None = None
    tags: Annotated[list[str], AtMost(MANY), NAMED] | None = None
    company_stop: bool | None = None


class NewCampaign(Body):
    """A draft: list, senders, steps and schedule. With `approval` each message waits for approval."""

    name: Annotated[str, A_NAME]
    list_id: Annotated[int, AN_ID]
    account_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), SENDERS]
    sequence: Annotated[list[Step], AtMost(MANY), SEVERAL]
    schedule: Schedule | None = None
    approval: bool = False
    wait_for_profile: Annotated[bool, Field(description=WITHOUT_PROFILE)] = False
    skip_expired: Annotated[bool, Field(description=EXPIRED)] = False
    exclude: Exclude | None = None


class ChangedCampaign(Body):
    """The fields to change in a draft; fields you leave out stay the same.

    After launch you can change the name, who is left out, and the steps. `applyTo` says who gets the new steps: `new`
    for people not at the step yet, `all` for everyone not finished.
    """

    model_config = any_one_of(
        case("The new content of a draft.", applyTo={"type": "null"}),
        case(
            "New steps for a campaign that has started.",
            "applyTo",
            "sequence",
            sequence={"type": "array"},
            listId=False,
            accountIds=False,
            schedule=False,
            waitForProfile={"type": "null"},
        ),
    )

    name: Annotated[str, A_NAME] | None = None
    list_id: Annotated[int, AN_ID] | None = None
    account_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), SENDERS] | None = None
    sequence: Annotated[list[Step], AtMost(MANY), SEVERAL] | None = None
    schedule: Schedule | None = None
    approval: bool | None = None
    wait_for_profile: Annotated[bool | None, Field(description=WITHOUT_PROFILE)] = None
    skip_expired: Annotated[bool | None, Field(description=EXPIRED)] = None
    exclude: Exclude | None = None
    apply_to: Annotated[str, among(*revisions.APPLY_TO)] | None = None


def _with_stats(workspace: Workspace, campaign: Campaign) -> WithStats:
    return campaign, campaigns.stats(workspace, [campaign.id])[campaign.id]


def steps_of(sequence: list[Step]) -> list[dict[str, Any]]:
    """Convert the steps of a body."""
    return [step.model_dump(exclude_none=True) for step in sequence]


def _exclude(given: Exclude | None) -> dict[str, Any]:
    return given.model_dump(exclude_unset=True) if given else {}


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


@endpoint(
    "GET",
    "/campaigns",
    scope="campaigns:read",
    page_of=resources.Campaign,
    errors="E0",
    filters={
        "status": one_of(*resources.CAMPAIGN_STATES),
        "name": text_of(LONGEST_NAME, "Only campaigns with every word of this in their name, in any case."),
        "listId": id_of("a list", "Only campaigns to the people of this list."),
    },
)
def page(workspace: Workspace, status: str | None = None, name: str = "", list_id: int | None = None) -> Any:
    """List campaigns, newest first."""
    return campaigns.with_stats(workspace, status, name, list_id)


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
    """Create a draft campaign; nothing is sent until you start it."""
    campaign = campaigns.create(
        workspace,
        name=body.name,
        list_id=body.list_id,
        account_ids=body.account_ids,
        sequence=steps_of(body.sequence),
        schedule=_hours(body.schedule),
        approval=body.approval,
        wait_for_profile=body.wait_for_profile,
        skip_expired=body.skip_expired,
        exclude=_exclude(body.exclude),
    )
    return _with_stats(workspace, campaign)


@endpoint("GET", "/campaigns/<id:campaign_id>", scope="campaigns:read", returns=resources.Campaign, errors="E404")
def show(workspace: Workspace, campaign_id: int) -> Campaign:
    """Get a campaign."""
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
    """Change a draft; after launch, the name, `approval`, `skipExpired`, `exclude` or, with `applyTo`, the steps.

    Steps that people have had keep their position and type; you can change their text, subject and wait, and add,
    remove and move the steps after them. No person gets a step twice. With `applyTo: "new"` people already waiting
    get the old version; with `"all"` everyone not finished gets the new version of the steps they have not had.
    """
    if body.exclude is not None:
        campaigns.change_exclusions(workspace, campaign_id, _exclude(body.exclude))
    if body.approval is not None:
        bulk.switch(workspace, campaign_id, body.approval)
    if body.skip_expired is not None:
        expired_drafts.choose(workspace, campaign_id, skip=body.skip_expired)
    if not body.model_fields_set - {"name", "approval", "skip_expired", "exclude"}:
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
        wait_for_profile=body.wait_for_profile,
    )
    return _with_stats(workspace, changed)


def _revised(workspace: Workspace, campaign_id: int, body: ChangedCampaign) -> Campaign:
    """Return a started campaign with new steps."""
    campaigns.get(workspace, campaign_id)
    known = {"list_id": "listId", "account_ids": "accountIds", "schedule": "schedule"}
    problems = [
        (name, "Can't be changed after launch. Change it in a draft, without applyTo.")
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
    """Delete a draft or an ended campaign."""
    campaigns.delete(workspace, campaign_id)


@endpoint(
    "POST",
    "/campaigns/<id:campaign_id>/start",
    scope="campaigns:run",
    returns=resources.Campaign,
    errors="E404+409",
)
def start(workspace: Workspace, campaign_id: int) -> WithStats:
    """Start a draft, now or at its start date."""
    return _with_stats(workspace, campaigns.start(workspace, campaign_id))


@endpoint(
    "POST",
    "/campaigns/<id:campaign_id>/pause",
    scope="campaigns:run",
    returns=resources.Campaign,
    errors="E404+409",
)
def pause(workspace: Workspace, campaign_id: int) -> WithStats:
    """Pause a campaign until you resume it."""
    return _with_stats(workspace, campaigns.pause(workspace, campaign_id))


@endpoint(
    "POST",
    "/campaigns/<id:campaign_id>/resume",
    scope="campaigns:run",
    returns=resources.Campaign,
    errors="E404+409",
)
def resume(workspace: Workspace, campaign_id: int) -> WithStats:
    """Resume a paused campaign."""
    return _with_stats(workspace, campaigns.resume(workspace, campaign_id))


@endpoint(
    "POST",
    "/campaigns/<id:campaign_id>/cancel",
    scope="campaigns:run",
    returns=resources.Campaign,
    errors="E404+409",
)
def cancel(workspace: Workspace, campaign_id: int) -> WithStats:
    """End a campaign permanently."""
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
    """Duplicate a campaign as a new draft with the same list, senders, steps and hours."""
    return _with_stats(workspace, campaigns.duplicate(workspace, campaign_id))
