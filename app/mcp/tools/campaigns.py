"""Tools for campaigns: preview, create, forecast, start, pause, statistics, and why something waits."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body, Id
from app.core.text import LONGEST_NAME
from app.domain.campaigns import approved_start, campaigns, exclusion_preview, preview, statistics, upcoming, validation
from app.domain.campaigns.forecasts import forecast, pipeline
from app.domain.leads import leads
from app.domain.leads.campaign_leads import campaign_leads, filters
from app.domain.leads.campaign_leads import why_waiting as reasons
from app.domain.rules.step_kinds import STEPS, TASK_TYPES
from app.domain.senders import accounts
from app.mcp.tool import Call, Nothing, OnePage, listed, picked, tool
from app.resources import Json

COUNTED = 2000  # people whom a preview asks about
DAYS_SHOWN = 14
TEXT = (
    "The text, with variables such as {{first_name|there}} (fallback after the bar), {{company_name}},"
    " {{custom.tier}}. The note of a connection request can have at most 200 characters."
)
STATUSES = ("", *resources.CAMPAIGN_STATES)


class Delay(Body):
    """How long to wait after the previous step."""

    value: Annotated[float, Field(ge=0)]
    unit: Literal["minutes", "hours", "days"] = "days"


class Step(Body):
    """One step. Messages need a connection: put a connection_request before them. Each email step sends one email."""

    type: Annotated[str, Field(json_schema_extra={"enum": list(STEPS)})]
    message: Annotated[str | None, Field(description=TEXT)] = None
    subject: Annotated[str | None, Field(description="The subject; for `inmail`, and for the first `email`.")] = None
    delay: Delay | None = None
    task_type: Annotated[str | None, Field(description=f"For `task`: one of {', '.join(TASK_TYPES)}.")] = None


Steps = Annotated[list[Step], AtMost(validation.MAX_STEPS), Field(min_length=1)]
Senders = Annotated[
    list[Id], AtMost(validation.MAX_ACCOUNTS), Field(min_length=1, description="Ids from list_senders.")
]


class NewCampaign(Body):
    """The campaign to create as a draft."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    list_id: Id
    account_ids: Senders
    sequence: Steps


class PreviewOf(Body):
    """An existing campaign, or a list with a sequence; and the person to preview for, by default the list's first."""

    campaign_id: Id | None = None
    list_id: Id | None = None
    sequence: Annotated[list[Step] | None, AtMost(validation.MAX_STEPS)] = None
    account_ids: Annotated[list[Id] | None, AtMost(validation.MAX_ACCOUNTS), Field(description="Senders.")] = None
    lead_id: Annotated[Id | None, Field(description="The `id` of a person, from find_people.")] = None


class OneCampaign(Body):
    """The campaign."""

    campaign_id: Id


class Campaigns(OnePage):
    """Which campaigns to list."""

    status: Annotated[str, Field(json_schema_extra={"enum": list(STATUSES)})] = ""
    name: Annotated[str, Field(max_length=LONGEST_NAME, description="Words to search for in campaign names.")] = ""


class Waiting(OnePage):
    """A campaign and, optionally, one person in it."""

    campaign_id: Id
    lead_id: Annotated[Id | None, Field(description="Only this person: the `id` from find_people.")] = None


class Numbers(Body):
    """One campaign, or all campaigns combined."""

    campaign_id: Annotated[Id | None, Field(description="The campaign; by default, all campaigns.")] = None
    by: Annotated[
        Literal["day", "step", "account"] | None, Field(description="How to break down one campaign's statistics.")
    ] = None


@tool("List senders", scope="accounts:read", takes=Nothing)
def list_senders(call: Call, asked: Nothing) -> Json:
    """List the LinkedIn accounts and mailboxes that can send, with the ids to use in a campaign's `accountIds`.

    A sender that is not `connected` or not `active` sends nothing until a member acts; `waiting` says what a sender
    does next, or why it does nothing.
    """
    found = accounts.every(call.workspace)
    whys = reasons.of_accounts(call.workspace, found)
    return {"data": [_sender(one) | {"waiting": _waiting(whys[one.id])} for one in found]}


def _sender(one: Any) -> Json:
    shown = {
        "id": one.id,
        "name": one.name,
        "channel": one.channel,
        "address": one.address,
        "status": one.status,
        "active": one.active,
        "timezone": one.timezone,
        "dailyLimits": {name: most for name, most in one.limits.items() if most},
    }
    return picked(shown, "id name channel address status timezone dailyLimits") | {"active": one.active}


@tool("List campaigns", scope="campaigns:read", takes=Campaigns)
def list_campaigns(call: Call, asked: Campaigns) -> Json:
    """List campaigns, newest first, with their state and progress."""
    found = call.page(
        asked, campaigns.with_stats(call.workspace, asked.status or None, asked.name), of=resources.Campaign
    )
    return listed(found, (picked(one, "id name status listId accountIds startedAt stats") for one in found.rows))


@tool("Preview a campaign", scope="campaigns:write", takes=PreviewOf)
def preview_campaign(call: Call, asked: PreviewOf) -> Json:
    """Show what one person would get, step by step, and who would be left out; nothing is saved or sent.

    Give a `campaignId`, or a `listId` with a `sequence` that is not saved yet (and `accountIds` for the sender's
    name). A step with `problems` is held back: fix its text before you create or start the campaign.
    """
    if asked.campaign_id is None:
        return _preview_of_draft(call, asked)
    campaign = campaigns.get(call.workspace, asked.campaign_id)
    lead_id = asked.lead_id or _first_of(call, campaign.list_id or 0)
    sequence = None if asked.sequence is None else _steps(asked.sequence)
    said = preview.preview_for(call.workspace, campaign.id, lead_id, sequence)
    counted = exclusion_preview.of_campaign(call.workspace, campaign.id, most=COUNTED)
    return _previewed(resources.SequencePreview.of(lead_id, said, counted))


def _preview_of_draft(call: Call, asked: PreviewOf) -> Json:
    problems = validation.Problems()
    if asked.list_id is None:
        problems.add("listId", "Give a campaignId, or a listId with a sequence.")
    else:
        validation.check_list(call.workspace, asked.list_id, problems)
    if not asked.sequence:
        problems.add("sequence", "Add the steps.")
    chosen = asked.account_ids if asked.account_ids is not None else [one.id for one in accounts.every(call.workspace)]
    senders = validation.check_accounts(call.workspace, chosen, problems)
    steps = validation.check_sequence(_steps(asked.sequence or []), senders, problems)
    problems.done()
    lead = leads.get_visible(call.workspace, asked.lead_id or _first_of(call, asked.list_id or 0))
    return _previewed(resources.SequencePreview.of(lead.id, preview.preview(steps, lead, senders), None))


def _first_of(call: Call, list_id: int) -> int:
    found = preview.preview_people(call.workspace, list_id)
    if not found:
        problems = validation.Problems()
        problems.add("listId", "The list is empty. Add people first.")
        problems.done()
    return found[0].id


def _previewed(shown: Json) -> Json:
    steps = [picked(one, "step type subject messages problems gets onlyIf") for one in shown["steps"]]
    left_out = shown["leftOut"]
    reasons = [picked(one, "sentence people") for one in left_out["reasons"]] if left_out else []
    found: Json = {"leadId": shown["leadId"], "steps": steps}
    return found | ({"leftOut": {"people": left_out["people"], "reasons": reasons}} if left_out else {})


@tool("Create a campaign", scope="campaigns:write", takes=NewCampaign, writes=True)
def create_campaign(call: Call, asked: NewCampaign) -> Json:
    """Create a draft campaign from a list, senders and steps; nothing is sent until it is started.

    Each step is a connection_request, message, inmail, email, view_profile, follow or like_post, or a task that a
    member does by hand, such as a call. A good sequence is short: a connection request with a note, a message a day
    after acceptance, and one or two more. A reply always ends the sequence for that person. Preview it first.
    """
    made = campaigns.create(
        call.workspace,
        name=asked.name,
        list_id=asked.list_id,
        account_ids=asked.account_ids,
        sequence=_steps(asked.sequence),
        approval=call.approves,
    )
    shown: Json = {"id": made.id, "name": made.name, "status": made.status, "approval": made.approval}
    return shown | {"url": call.link(f"/campaigns/{made.id}")}


def _steps(given: Sequence[Step]) -> list[dict[str, Any]]:
    return [one.model_dump(by_alias=True, exclude_none=True) for one in given]


@tool("Forecast a campaign", scope="campaigns:write", takes=OneCampaign)
def forecast_campaign(call: Call, asked: OneCampaign) -> Json:
    """Forecast when a campaign begins and ends, how many replies to expect, and what limits it; nothing is changed.

    A draft is treated as started now. `stuck` lists people who would wait until a member acts.
    """
    shown = resources.Forecast.of(forecast.forecast(call.workspace, asked.campaign_id))
    names = "people firstActionAt firstReplyAt finishesAt finishesBetween repliesBetween stuck warnings limitedBy"
    days = [picked(one, "date invites messages inmails emails accepted replies finished") for one in shown["days"]]
    return picked(shown, names) | {"days": days[:DAYS_SHOWN], "daysInAll": len(days)}


@tool("Start a campaign", scope="campaigns:run", takes=OneCampaign, contacts=True)
def start_campaign(call: Call, asked: OneCampaign) -> Json:
    """Start a draft campaign, or resume a paused one. Ask the user before you do.

    Unless the key may act without approval, every connection request note, message and email then waits for a member's
    approval. Tell the user to approve at `approveAt`. A campaign that sends connection requests without a note has
    nothing to approve, so only a member can start it.
    """
    if call.approves:
        started = approved_start.start(call.workspace, asked.campaign_id)
    else:
        paused = campaigns.get(call.workspace, asked.campaign_id).status == "paused"
        started = (campaigns.resume if paused else campaigns.start)(call.workspace, asked.campaign_id)
    shown: Json = {"id": started.id, "status": started.status, "approval": started.approval}
    return shown | ({"approveAt": call.link("/approvals")} if started.approval else {})


@tool("Pause a campaign", scope="campaigns:run", takes=OneCampaign, writes=True)
def pause_campaign(call: Call, asked: OneCampaign) -> Json:
    """Pause a campaign: nothing is sent until it is started again."""
    paused = campaigns.pause(call.workspace, asked.campaign_id)
    return {"id": paused.id, "status": paused.status}


@tool("Explain why a campaign is waiting", scope="campaigns:read", takes=Waiting)
def why_waiting(call: Call, asked: Waiting) -> Json:
    """Explain why a campaign or a person in it is waiting: the reason, until when, and who must act.

    For a campaign, `groups` counts its people by state and reason. For a person (`leadId`), `plan` lists the remaining
    steps, with the earliest time of each. `who` is `you` when a member must act.
    """
    campaign = campaigns.get(call.workspace, asked.campaign_id)
    if asked.lead_id is not None:
        return _why_person(call, campaign, asked.lead_id)
    groups = [
        {"state": group.state, "people": people} | _waiting(why)
        for group in filters.position_counts(call.workspace, campaign)
        for why, people in group.whys
    ]
    return {
        "status": campaign.status,
        "waiting": _waiting(reasons.of_campaign(call.workspace, campaign)),
        "groups": groups,
    }


def _why_person(call: Call, campaign: Any, lead_id: int) -> Json:
    lead = leads.get(call.workspace, lead_id)
    person = campaign_leads.in_campaign(call.workspace, campaign.id, lead.person_id)
    why = upcoming.reason_for(call.workspace, campaign, person)
    plan = upcoming.upcoming_for(call.workspace, campaign, person, lead, why)
    detail = resources.CampaignLeadDetail.of(person, lead, why, plan)
    steps = [picked(one, "step type earliest after skipped subject messages problems") for one in detail["plan"]]
    return {"state": person.state, "waiting": _waiting(why), "plan": steps}


def _waiting(why: Any) -> Json:
    shown = {"reason": why.sentence, "until": why.until, "who": why.who}
    return picked(shown, "reason until who")


@tool("Get statistics", scope="campaigns:read", takes=Numbers)
def get_statistics(call: Call, asked: Numbers) -> Json:
    """Get how many people were contacted, accepted and replied, in one campaign or in all campaigns.

    For one campaign, `by` breaks the numbers down by day, step or account. Rates are null until they can be calculated.
    """
    if asked.campaign_id is None:
        found = pipeline.pipeline(call.workspace)
        return {
            name: getattr(found, name) for name in ("leads", "contacted", "invited", "accepted", "replied", "positive")
        }
    shown = resources.CampaignNumbers.of(statistics.numbers(call.workspace, asked.campaign_id, asked.by))
    names = "date step type accountName invitesSent accepted messagesSent replies leads done waiting failed"
    parts = [picked(one, names) for one in shown["parts"]]
    return {"totals": shown["totals"]} | ({"parts": parts} if asked.by else {})
