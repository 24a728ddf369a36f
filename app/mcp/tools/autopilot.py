"""Tools for the autopilot: it reads a business, designs plays, and launches one."""

from typing import Annotated, Any, Literal

from pydantic import Field

from app import resources
from app.api.framework.bodies import Body, Id
from app.core.errors import InvalidRequest
from app.domain.autopilot import launch, setup, setup_stages
from app.mcp.tool import Call, Nothing, picked, tool
from app.resources import Json

SHOWN = "status step website profileState customerTypeId channel country offer error progress neverContact senders"
PLAY = "id rank name angle pitch why channel status campaignId listId because"


class Offer(Body):
    """The offer to make in messages."""

    kind: Literal["call", "other"]
    text: Annotated[str | None, Field(max_length=setup.LONGEST_OFFER, description="Your offer, for `other`.")] = None


class Answers(Body):
    """A business to analyze, or answers to the setup questions; give one or the other."""

    website: Annotated[str, Field(max_length=setup_stages.LONGEST_WEBSITE)] = ""
    description: Annotated[
        str, Field(max_length=setup_stages.LONGEST_DESCRIPTION, description="The business, if it has no website.")
    ] = ""
    customer_type_id: Annotated[str | None, Field(description="The id of one of `customerTypes`.")] = None
    channel: Annotated[str | None, Field(json_schema_extra={"enum": list(setup.CHANNELS)})] = None
    country: Annotated[str | None, Field(max_length=setup.LONGEST_COUNTRY)] = None
    offer: Offer | None = None


class Launch(Body):
    """Which play, which people, and which senders."""

    play_id: Id
    list_id: Annotated[Id | None, Field(description="Your own list of people; if omitted, we find people.")] = None
    most_people: Annotated[int | None, Field(ge=1, le=launch.MOST_PEOPLE)] = None
    max_credits: Annotated[int | None, Field(ge=0, description="The maximum credits to spend on finding people.")] = 0
    account_ids: Annotated[list[Id], Field(max_length=50)] = []


@tool("Get the autopilot", scope="autopilot:read", takes=Nothing)
def get_autopilot(call: Call, asked: Nothing) -> Json:
    """Get the autopilot's state: the business profile, open questions, and plays, best first.

    While `progress` is set, call this again in a few seconds.
    """
    return _shown(setup.view(call.workspace))


@tool("Run the autopilot", scope="autopilot:write", takes=Answers, writes=True, costly=True)
def run_autopilot(call: Call, asked: Answers) -> Json:
    """Run the autopilot: first give it a website or a description, then answer its questions; it designs plays.

    The order: a website, then a `customerTypeId` from `customerTypes`, then `channel`, `country` and `offer`. After
    each, call get_autopilot until `progress` is no longer set. This contacts no one; launch_play does, with a member's
    approval.
    """
    answers = asked.model_dump(exclude_none=True, exclude={"website", "description"})
    if bool(asked.website or asked.description) == bool(answers):
        raise InvalidRequest.of(("website", "Give a website or a description, or answers to the questions; not both."))
    if answers:
        return _shown(setup.save(call.workspace, **answers))
    return _shown(setup.analyze(call.workspace, asked.website, asked.description))


@tool("Launch a play", scope="campaigns:run", takes=Launch, contacts=True, costly=True)
def launch_play(call: Call, asked: Launch) -> Json:
    """Launch a play: its campaign starts as soon as its list is filled. Ask the user before you do.

    Unless the key may act without approval, every message then waits for a member's approval at `approveAt`. No credits
    are spent on finding people unless you set `maxCredits`.
    """
    options = asked.model_dump(exclude={"play_id"})
    act = launch.launch_with_approval if call.approves else launch.launch
    if not call.approves:
        options["approval"] = False
    play, _ = act(call.workspace, asked.play_id, **options)
    shown: Json = {"id": play.id, "name": play.name, "status": play.status, "campaignId": play.campaign_id}
    return shown | ({"approveAt": call.link("/approvals")} if call.approves else {})


def _shown(view: Any) -> Json:
    shown = resources.AutopilotSetup.of(view)
    found = picked(shown, SHOWN)
    found["customerTypes"] = [picked(one, "id title detail") for one in shown["customerTypes"]]
    plays = sorted(shown["plays"], key=lambda one: one["rank"])
    return found | {"plays": [picked(one, PLAY) for one in plays]}
