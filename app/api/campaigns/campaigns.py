"""Campaigns: drafts, starting and stopping, and copies."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body, ShownDay, WallTime
from app.api.framework.endpoint import Filter, endpoint, id_of, one_of, text_of
from app.api.framework.schema_notes import (
    A_NAME,
    AN_ID,
    TIME,
    WEEKDAYS,
    ZONE,
    among,
    any_one_of,
    case,
    entries,
    up_to,
    within,
)
from app.api.framework.sequence_bodies import EXAMPLE, NEW_CAMPAIGN, Branch, ReplyRule, Step
from app.core.errors import Conflict, InvalidRequest
from app.core.text import LONGEST_NAME
from app.domain.approvals import bulk
from app.domain.campaigns import branch_validation, campaigns, reply_actions, starters, validation, variants
from app.domain.campaigns.changes import change_lists, changes, revisions
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.leads.campaign_leads import expired_drafts
from app.domain.people.exclusions import contact_settings
from app.domain.rules.schedules import day_ranges
from app.domain.workspace.workspaces import Workspace

Campaign = Any  # a row of the domain's
WithStats = tuple[Campaign, Any]
MANY = 1000  # no list in a body may be longer; a verb may allow fewer

SEVERAL: Any = entries(1, validation.MAX_STEPS)
NAMED: Any = entries(0, contact_settings.MOST_NAMED)
BRANCHES: Any = entries(0, branch_validation.MAX_BRANCHES)
REPLY_RULES: Any = entries(0, reply_actions.MOST_RULES)
DAYS = Annotated[int, Field(json_schema_extra={"minimum": 0, "maximum": contact_settings.MOST["contacted_days"]})]
WINDOWS: Any = entries(0, validation.MAX_WINDOWS)
PER_DAY: Any = within(1, validation.MOST_NEW)
BLACKOUTS: Any = entries(0, day_ranges.MOST)
SENDERS: Any = entries(1, validation.MAX_ACCOUNTS, uniqueItems=True)


class Hours(Body):
    """A sending window: certain hours on certain days. If `end` is before `start`, the window ends on the next day."""

    days: Annotated[list[int], AtMost(MANY), WEEKDAYS]
    """The days on which the window starts, as ISO weekdays: 1 is Monday, 7 is Sunday."""
    start: Annotated[str, TIME]
    """When the window starts, such as 09:00."""
    end: Annotated[str, TIME]
    """When the window ends, such as 17:30; if this is before `start`, on the next day."""


class Blackout(Body):
    """A period in which nothing is sent."""

    name: Annotated[str, A_NAME]
    """The name of the blackout, such as “Christmas”."""
    first_day: ShownDay
    """The first day on which nothing is sent."""
    last_day: ShownDay
    """The last day on which nothing is sent."""


RECIPIENT_TIME = (
    "Whether sending hours are in each person's own time zone, based on their location. If the location is unclear,"
    " the sender's time zone applies. Off by default."
)
HOLIDAYS = "Whether to send nothing on public holidays in the sender's or the person's country. On by default."


class Schedule(Body):
    """The campaign's schedule. Fields you leave out stay the same; a new campaign has Monday to Friday, 9:00 to 17:30.

    If `endTime` is before `startTime`, sending ends on the next day. `startDate` and `endDate` without an offset are in
    the campaign's time zone; `endDate` must be later than `startDate`. To send at several times a day, or at different
    times by weekday, use `windows` and leave out `days`, `startTime` and `endTime`.
    """

    timezone: Annotated[str, ZONE] | None = None
    """The IANA name of the schedule's time zone. If omitted, the workspace's time zone is used."""
    days: Annotated[list[int], AtMost(MANY), WEEKDAYS] | None = None
    """The ISO weekdays on which messages are sent: 1 is Monday, 7 is Sunday."""
    start_time: Annotated[str, TIME] | None = None
    """The time of day at which sending begins, such as 09:00."""
    end_time: Annotated[str, TIME] | None = None
    """The time of day at which sending ends, such as 17:30."""
    start_date: WallTime | None = None
    """The earliest time at which the campaign sends; null to send as soon as the campaign is started."""
    end_date: WallTime | None = None
    """When the campaign stops sending; null to run until everyone is finished."""
    windows: Annotated[list[Hours], AtMost(MANY), WINDOWS] | None = None
    """Sending windows, in place of `days`, `startTime` and `endTime`."""
    recipient_time: Annotated[bool | None, Field(description=RECIPIENT_TIME)] = None
    holidays: Annotated[bool | None, Field(description=HOLIDAYS)] = None
    blackouts: Annotated[list[Blackout], AtMost(MANY), BLACKOUTS] | None = None
    """Periods in which this campaign sends nothing, in addition to the workspace's blackout dates."""
    new_people_per_day: Annotated[int, PER_DAY] | None = None
    """The maximum number of people who start the campaign per day, in its time zone; null for no limit."""


WITHOUT_PROFILE = (
    "Whether people without a LinkedIn profile wait at steps that need one, with the reason `no_profile`; if false,"
    " they skip these steps."
)
EXPIRED = (
    "Whether people skip a message whose draft expired after 14 days; if false, they wait, with the reason"
    " `draft_expired`, until you resume them."
)
PICK_WINNER = (
    "Whether a winning variant, which is clearly ahead in replies (a connection request, in acceptances) after at least"
    " 100 people each, is automatically used for everyone else, checked daily; if false, the winner is only shown."
)


class Exclude(Body):
    """Rules that exclude people from the campaign.

    Rules you leave out stay the same; in a new campaign, and if null, they follow the workspace's contact rules. The
    rules are checked when people join the campaign and before each send.
    """

    contacted_days: DAYS | None = None
    """How many days people stay excluded after another campaign or a member contacted them; 0 to turn off."""
    replied: bool | None = None
    """Whether to exclude people who replied to any campaign."""
    said_no: bool | None = None
    """Whether to exclude people who said “no” or “not now”."""
    colleague_talks: bool | None = None
    """Whether to exclude people who are already in conversation with another of your senders."""
    customers: bool | None = None
    """Whether to exclude people who are customers, or have an open deal, in the connected CRM."""
    company_days: DAYS | None = None
    """How many days people stay excluded after their company was contacted; 0 to turn off."""
    list_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), NAMED] | None = None
    """The ids of lists whose people are excluded."""
    campaign_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), NAMED] | None = None
    """The ids of campaigns; people who are or were in one of them are excluded."""
    tags: Annotated[list[Annotated[str, up_to(contact_settings.LONGEST_TAG)]], AtMost(MANY), NAMED] | None = None
    """People with any of these tags are excluded."""
    company_stop: bool | None = None
    """Whether a reply puts everyone else at the same company on hold."""


class Replace(Body):
    """The sender that takes over from a sender you remove; without an entry, all other senders take over."""

    account_id: Annotated[int, AN_ID]
    """The id of the sender that you remove."""
    by: Annotated[int, AN_ID]
    """The id of the sender that takes over the removed sender's people."""


LISTS: Any = entries(1, change_lists.MOST_LISTS, uniqueItems=True)
REPLACE: Any = entries(0, validation.MAX_ACCOUNTS)
PEOPLE: Any = entries(0, revisions.MOST_CHOSEN)
STRANDED = (
    "What happens to people in a conversation with a disconnected sender that you remove: they `wait` until the sender"
    " is connected again, or `skip` its steps."
)
LET_IN = "Whether excluded people join again if none of the new rules in `exclude` applies to them."


class ChangedOnTheWay(Body):
    """Changes to a scheduled, running or paused campaign, except to its steps."""

    schedule: Schedule | None = None
    """The new schedule."""
    account_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), SENDERS] | None = None
    """The ids of all senders, including current senders you want to keep."""
    replace: Annotated[list[Replace], AtMost(MANY), REPLACE] | None = None
    """The senders that take over from senders you remove."""
    stranded: Annotated[Literal["wait", "skip"], Field(description=STRANDED)] = "wait"
    list_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), LISTS] | None = None
    """The ids of all lists, including the current lists."""
    exclude: Exclude | None = None
    """Rules that exclude people from the campaign."""
    let_in: Annotated[bool, Field(description=LET_IN)] = False


class NewCampaign(Body):
    """The list, senders, steps and schedule of a new campaign."""

    name: Annotated[str, A_NAME]
    """The name of the campaign."""
    list_id: Annotated[int, AN_ID]
    """The id of the list whose people the campaign contacts."""
    list_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), LISTS] | None = None
    """The ids of all lists, with `listId` first; null to use only `listId`."""
    account_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), SENDERS]
    """The senders: ids from `GET /v1/accounts` and `GET /v1/mailboxes`. Each person gets one account and one mailbox
    and keeps them. If you name no mailbox, all connected mailboxes send the emails.
    """
    sequence: Annotated[list[Step], AtMost(MANY), SEVERAL]
    """The steps, in order."""
    schedule: Schedule | None = None
    """When the campaign may send. If omitted, Monday to Friday from 9:00 to 17:30 in the workspace's time zone."""
    approval: bool = False
    """Whether each message needs approval before it is sent."""
    wait_for_profile: Annotated[bool, Field(description=WITHOUT_PROFILE)] = False
    skip_expired: Annotated[bool, Field(description=EXPIRED)] = False
    pick_winner: Annotated[bool, Field(description=PICK_WINNER)] = False
    exclude: Exclude | None = None
    """Rules that exclude people from the campaign."""
    branches: Annotated[list[Branch], AtMost(MANY), BRANCHES] = []
    """The points where the sequence splits into two paths; a path can be split again."""
    on_reply: Annotated[list[ReplyRule], AtMost(MANY), REPLY_RULES] = []
    """What to do after replies, by sentiment."""


class ChangedCampaign(Body):
    """The fields to change; fields you leave out stay the same.

    After launch, you can only change the name, `approval`, `skipExpired`, `schedule`, `accountIds`, `listIds`,
    `exclude` and the steps; each change is recorded as a revision. `applyTo` says who gets the new steps: with `new`,
    people who have not reached the step yet; with `all`, everyone who has not finished; with `chosen`, the people in
    `campaignLeadIds`, and others as with `new`.
    """

    model_config = any_one_of(
        case("For a draft, any fields except `applyTo`.", applyTo={"type": "null"}),
        case(
            "After launch, `sequence` together with `applyTo`.",
            "applyTo",
            "sequence",
            sequence={"type": "array", "items": {}},
            listId=False,
            listIds=False,
            accountIds=False,
            schedule=False,
            waitForProfile={"type": "null"},
        ),
    )

    name: Annotated[str, A_NAME] | None = None
    """The name of the campaign."""
    list_id: Annotated[int, AN_ID] | None = None
    """The id of the list whose people the campaign contacts."""
    account_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), SENDERS] | None = None
    """The senders: ids from `GET /v1/accounts` and `GET /v1/mailboxes`."""
    sequence: Annotated[list[Step], AtMost(MANY), SEVERAL] | None = None
    """The steps, in order."""
    schedule: Schedule | None = None
    """When the campaign may send."""
    approval: bool | None = None
    """Whether each message needs approval before it is sent."""
    wait_for_profile: Annotated[bool | None, Field(description=WITHOUT_PROFILE)] = None
    skip_expired: Annotated[bool | None, Field(description=EXPIRED)] = None
    pick_winner: Annotated[bool | None, Field(description=PICK_WINNER)] = None
    exclude: Exclude | None = None
    """Rules that exclude people from the campaign."""
    branches: Annotated[list[Branch] | None, AtMost(MANY), BRANCHES] = None
    """The points where the sequence splits into two paths; null for none. With `applyTo`, send the current branches."""
    on_reply: Annotated[list[ReplyRule] | None, AtMost(MANY), REPLY_RULES] = None
    """What to do after replies, by sentiment; null to do nothing. You can change this at any time."""
    apply_to: Annotated[str, among(*revisions.APPLY_TO)] | None = None
    """Who gets the new steps: people yet to reach them (`new`), everyone (`all`), or `campaignLeadIds` (`chosen`)."""
    campaign_lead_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), PEOPLE] | None = None
    """The ids of the campaign leads who get the new steps; only with `chosen`."""
    replace: Annotated[list[Replace], AtMost(MANY), REPLACE] | None = None
    """The senders that take over from senders you remove."""
    stranded: Annotated[Literal["wait", "skip"], Field(description=STRANDED)] = "wait"
    list_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), LISTS] | None = None
    """The ids of all lists. If the campaign has started, include the current lists."""
    let_in: Annotated[bool, Field(description=LET_IN)] = False


MAY_GO = {"newPeoplePerDay", "startDate", "endDate"}
AT_ANY_TIME = {"name", "approval", "skip_expired", "pick_winner", "exclude", "let_in", "on_reply"}
OF_DRAFTS = {"list_id", "sequence", "wait_for_profile", "branches"}


def _with_stats(workspace: Workspace, campaign: Campaign) -> WithStats:
    return campaign, campaigns.stats(workspace, [campaign.id])[campaign.id]


def dumped(given: Sequence[Body]) -> list[dict[str, Any]]:
    """Convert the steps, branches or rules of a body."""
    return [one.model_dump(by_alias=True, exclude_none=True) for one in given]


def _exclude(given: Exclude | None) -> dict[str, Any]:
    return given.model_dump(exclude_unset=True) if given else {}


def _hours(schedule: Schedule | None) -> dict[str, Any] | None:
    """Return the hours that were sent; null takes away a limit of new people, and a date."""
    if schedule is None:
        return None
    given = schedule.model_dump(by_alias=True, exclude_unset=True)
    return {name: value for name, value in given.items() if value is not None or name in MAY_GO}


def wanted(campaign: Campaign, body: Any, *, exclude: bool = True) -> Wanted:
    """Return what a body wants to change in a campaign on its way; hours it does not name stay."""
    hours = _hours(body.schedule)
    return Wanted(
        schedule=None if hours is None else validation.changed_schedule(campaign, hours),
        account_ids=body.account_ids,
        replace={one.account_id: one.by for one in body.replace or ()},
        stranded=body.stranded,
        list_ids=body.list_ids,
        exclude=_exclude(body.exclude) if exclude and body.exclude else None,
        let_in=body.let_in,
    )


@endpoint(
    "GET",
    "/campaigns",
    scope="campaigns:read",
    page_of=resources.Campaign,
    filters={
        "status": one_of(*resources.CAMPAIGN_STATES, about="Only campaigns with this status."),
        "name": text_of(LONGEST_NAME, "Only campaigns whose name contains all of these words."),
        "listId": id_of("a list", "Only campaigns that use this list."),
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
    example=NEW_CAMPAIGN,
)
def create(workspace: Workspace, body: NewCampaign) -> WithStats:
    """Create a draft campaign; nothing is sent until you start the campaign.

    If steps or texts are invalid, the error lists every invalid field. To see what people will get, preview the
    campaign.
    """
    if body.list_ids is not None:
        change_lists.check(workspace, body.list_id, body.list_ids)
    campaign = campaigns.create(
        workspace,
        name=body.name,
        list_id=body.list_id,
        account_ids=body.account_ids,
        sequence=dumped(body.sequence),
        schedule=_hours(body.schedule),
        approval=body.approval,
        wait_for_profile=body.wait_for_profile,
        skip_expired=body.skip_expired,
        pick_winner=body.pick_winner,
        exclude=_exclude(body.exclude),
        branches=dumped(body.branches),
        on_reply=dumped(body.on_reply),
    )
    if body.list_ids is not None:
        change_lists.choose(workspace, campaign.id, body.list_id, body.list_ids)
    return _with_stats(workspace, campaign)


def _topic(given: str) -> str:
    if wrong := starters.topic_problem(given):
        raise ValueError(wrong)
    return given


ABOUT = "What you help customers with, such as invoice processing; used in the messages."
TOPIC = Filter(
    _topic,
    {"type": "string", "maxLength": starters.LONGEST_TOPIC, "pattern": r"^[^{}|\\\x00-\x1f\x7f-\x9f]*$"},
    ABOUT,
)


@endpoint("GET", "/starters", scope="campaigns:read", returns=resources.Starters, filters={"topic": TOPIC})
def list_starters(workspace: Workspace, topic: str = "") -> tuple[Any, Any]:
    """List starter sequences, each with what the workspace still needs to use it."""
    return starters.every(topic), starters.missing(workspace)


@endpoint("GET", "/campaigns/<id:campaign_id>", scope="campaigns:read", returns=resources.Campaign)
def show(workspace: Workspace, campaign_id: int) -> Campaign:
    """Get a campaign."""
    return campaigns.get_with_stats(workspace, campaign_id)


@endpoint(
    "PATCH",
    "/campaigns/<id:campaign_id>",
    scope="campaigns:write",
    body=ChangedCampaign,
    returns=resources.Campaign,
    example={"sequence": [EXAMPLE, {"type": "message", "message": "Thanks for connecting!"}], "applyTo": "new"},
)
def change(workspace: Workspace, campaign_id: int, body: ChangedCampaign) -> WithStats:
    """Change a campaign; after launch, each change is recorded as a revision that you can undo.

    After launch, you can change the name, `approval`, `skipExpired`, `schedule`, `accountIds`, `listIds`, `exclude`
    and, with `applyTo`, the steps: you can add, remove, move and reword steps. No one gets a step twice. With `applyTo:
    "new"`, people already waiting for a step get its old version. With `"all"`, everyone who has not finished gets the
    new version of the steps they have not received yet. If you remove a sender, other senders take over its people,
    except those in a conversation with that sender. Returns 409 if the campaign's `status` does not allow the change:
    after launch, send steps with `applyTo`; duplicate a campaign that has ended.
    """
    if body.exclude is not None:
        changes.apply(workspace, campaign_id, Wanted(exclude=_exclude(body.exclude), let_in=body.let_in))
    if body.approval is not None:
        bulk.switch(workspace, campaign_id, body.approval)
    if body.skip_expired is not None:
        expired_drafts.choose(workspace, campaign_id, skip=body.skip_expired)
    if body.on_reply is not None:
        campaigns.change_reply_rules(workspace, campaign_id, dumped(body.on_reply))
    if body.pick_winner is not None:
        variants.switch(workspace, campaign_id, on=body.pick_winner)
    if not body.model_fields_set - AT_ANY_TIME:
        if body.name is not None:
            campaigns.rename(workspace, campaign_id, body.name)
        return _with_stats(workspace, campaigns.get(workspace, campaign_id))
    if body.apply_to is not None:
        return _with_stats(workspace, _revised(workspace, campaign_id, body))
    former = campaigns.get(workspace, campaign_id)
    if former.status != "draft" and not body.model_fields_set & OF_DRAFTS:
        if body.name is not None:
            campaigns.rename(workspace, campaign_id, body.name)
        return _with_stats(workspace, changes.apply(workspace, campaign_id, wanted(former, body, exclude=False)))
    if body.list_ids is not None:
        if body.list_id is None:
            body.list_id = body.list_ids[0] if body.list_ids else None
        change_lists.choose(workspace, campaign_id, body.list_id or 0, body.list_ids)
    schedule = validation.changed_schedule(former, _hours(body.schedule) or {})
    changed = campaigns.edit(
        workspace,
        campaign_id,
        name=former.name if body.name is None else body.name,
        list_id=former.list_id or 0 if body.list_id is None else body.list_id,
        account_ids=former.account_ids if body.account_ids is None else body.account_ids,
        sequence=former.sequence if body.sequence is None else dumped(body.sequence),
        schedule=schedule,
        wait_for_profile=body.wait_for_profile,
        branches=_branches(former, body),
    )
    return _with_stats(workspace, changed)


def _branches(former: Campaign, body: ChangedCampaign) -> list[dict[str, Any]] | None:
    """Return the new branches; those of former steps do not outlive them."""
    if body.branches is not None:
        return dumped(body.branches)
    same = body.sequence is None or len(body.sequence) == len(former.sequence)
    return None if same else []


def _revised(workspace: Workspace, campaign_id: int, body: ChangedCampaign) -> Campaign:
    """Return a started campaign with new steps."""
    campaign = campaigns.get(workspace, campaign_id)
    known = {"list_id": "listId", "account_ids": "accountIds", "schedule": "schedule", "list_ids": "listIds"}
    problems = [
        (name, "This can't be changed together with the steps. Send it in a request without applyTo.")
        for field, name in known.items()
        if field in body.model_fields_set
    ]
    problems += revisions.unknown_people(campaign, body.campaign_lead_ids or ())
    if body.sequence is None:
        problems.append(("sequence", "Required with applyTo."))
    InvalidRequest.raise_for(problems)
    if campaign.status == "draft":
        raise Conflict("This campaign is a draft: send its steps without applyTo.", recovery="Leave out applyTo.")
    if body.name is not None:
        campaigns.rename(workspace, campaign_id, body.name)
    return changes.apply(workspace, campaign_id, new_steps(body))


def new_steps(body: Any) -> Wanted:
    """Return the change of a started campaign's steps that a body wants."""
    return Wanted(
        sequence=dumped(body.sequence or []),
        branches=None if body.branches is None else dumped(body.branches),
        apply_to=body.apply_to or "",
        chosen=body.campaign_lead_ids or (),
    )


@endpoint("DELETE", "/campaigns/<id:campaign_id>", scope="campaigns:write", returns=None)
def delete(workspace: Workspace, campaign_id: int) -> None:
    """Delete a draft or an ended campaign.

    The campaign's people, conversations and sent messages are kept. Returns 409 while the campaign is scheduled,
    running or paused; cancel the campaign first.
    """
    campaigns.delete(workspace, campaign_id)


@endpoint("POST", "/campaigns/<id:campaign_id>/start", scope="campaigns:run", returns=resources.Campaign, dry=True)
def start(workspace: Workspace, campaign_id: int) -> WithStats:
    """Start a draft campaign, now or at its start date.

    People are enrolled in the background: `status` is `starting` until this is done, then `running`. The first steps
    are done when the schedule allows; if everyone is excluded, the campaign is `finished` at once. A dry run counts in
    `stats` who would be excluded; the preview says why. Returns 409 unless the campaign is a draft; resume a paused
    campaign, or duplicate an ended one. Returns 400 if something is missing, such as people or a sender, and 403 at the
    plan's limit of running campaigns; the error says what to do.
    """
    return _with_stats(workspace, campaigns.start(workspace, campaign_id))


@endpoint("POST", "/campaigns/<id:campaign_id>/pause", scope="campaigns:run", returns=resources.Campaign)
def pause(workspace: Workspace, campaign_id: int) -> WithStats:
    """Pause a campaign until you resume it.

    Nothing is sent while the campaign is paused, except messages that are already being sent. Replies still arrive.
    Returns 409 unless the campaign is scheduled, starting or running.
    """
    return _with_stats(workspace, campaigns.pause(workspace, campaign_id))


@endpoint("POST", "/campaigns/<id:campaign_id>/resume", scope="campaigns:run", returns=resources.Campaign, dry=True)
def resume(workspace: Workspace, campaign_id: int) -> WithStats:
    """Resume a paused campaign.

    People continue where they stopped. Returns 409 unless the campaign is paused. To run a draft, start it; to run an
    ended campaign, duplicate it.
    """
    return _with_stats(workspace, campaigns.resume(workspace, campaign_id))


@endpoint("POST", "/campaigns/<id:campaign_id>/cancel", scope="campaigns:run", returns=resources.Campaign)
def cancel(workspace: Workspace, campaign_id: int) -> WithStats:
    """End a campaign permanently.

    Nothing else is sent; replies still arrive. A canceled campaign cannot be resumed, only duplicated. Returns 409 if
    the campaign has already ended.
    """
    return _with_stats(workspace, campaigns.cancel(workspace, campaign_id))


@endpoint(
    "POST",
    "/campaigns/<id:campaign_id>/duplicate",
    scope="campaigns:write",
    returns=resources.Campaign,
    status=201,
)
def duplicate(workspace: Workspace, campaign_id: int) -> WithStats:
    """Duplicate a campaign as a new draft with the same list, senders, steps and hours.

    People, drafts and statistics are not copied.
    """
    return _with_stats(workspace, campaigns.duplicate(workspace, campaign_id))
