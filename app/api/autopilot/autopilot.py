"""The autopilot: what it read, your answers, and its switches."""

from typing import Annotated, Any

from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import (
    BLANK,
    WEBSITE,
    WRITTEN,
    ZONE,
    among,
    any_one_of,
    case,
    described_as,
    entries,
    up_to,
    within,
    words,
)
from app.domain.autopilot import play_design, play_edits, profile_corrections, setup, setup_stages, setup_state
from app.domain.workspace.workspaces import Workspace
from app.ports.writer import ROWS

MANY = 500  # no list is longer, whatever the verb then says about its length

View = Any


class Business(Body):
    """A website, or a description if you have none."""

    model_config = any_one_of(
        case("From its website, such as tidemark.example.", "website", website={**WRITTEN, **WEBSITE}),
        case("From a description, without a website.", "description", description=WRITTEN, website=BLANK),
    )

    website: Annotated[str, up_to(setup_stages.LONGEST_WEBSITE)] = ""
    description: Annotated[str, up_to(setup_stages.LONGEST_DESCRIPTION)] = ""


class ChosenChip(Body):
    """One targeting value, selected or only suggested."""

    label: Annotated[str, words(setup.LONGEST_CHIP)]
    on: bool


class TargetRow(Body):
    """The values of titles, companyType, size or location."""

    key: Annotated[str, among(*ROWS)]
    chips: Annotated[list[ChosenChip], AtMost(MANY), entries(most=setup.MOST_CHIPS)]


class Targets(Body):
    """Your target audience; it replaces the previous one. List each row once."""

    summary: Annotated[str, up_to(setup.LONGEST_SUMMARY)]
    rows: Annotated[list[TargetRow], AtMost(MANY), entries(most=len(ROWS))]
    even_better: Annotated[
        list[Annotated[str, words(setup.LONGEST_OFFER)]], AtMost(MANY), entries(most=setup.MOST_CHIPS)
    ]


class Offer(Body):
    """Your offer: a call, or something else described in text."""

    model_config = any_one_of(
        case("A call.", kind={"const": "call"}),
        case("Something else, described in text.", "text", kind={"const": "other"}, text={"type": "string", **WRITTEN}),
    )

    kind: Annotated[str, among(*setup.OFFERS)]
    text: Annotated[str, up_to(setup.LONGEST_OFFER)] | None = None


class ProfileFact(Body):
    """A fact of the profile; one whose text is known keeps its source."""

    text: Annotated[str, up_to(profile_corrections.LONGEST_FACT, description="A blank one is left out.")]
    quotable: (
        Annotated[bool, Field(description="Whether messages may quote it; left out, it stays as it is.")] | None
    ) = None


def _sentence(name: str) -> Any:
    """Limit the value to a sentence that is no longer with the full stop that it may lack."""
    most = profile_corrections.LONGEST[name]
    marks = "".join(profile_corrections.MARKS)
    return up_to(most, pattern=rf"^\s*[\s\S]{{0,{most - 1}}}\s*$|[{marks}]\s*$")


class ProfileCorrection(Body):
    """Corrections of the profile; fields you leave out stay the same. What you give is never overwritten.

    Texts stay as they are: a play that was written before is `outdated`, and can be written again.
    """

    business: Annotated[str, words(profile_corrections.LONGEST["business"])] | None = None
    summary: Annotated[str, words(profile_corrections.LONGEST["summary"])] | None = None
    name: Annotated[str, up_to(profile_corrections.LONGEST["name"])] | None = None
    pitch: Annotated[str, _sentence("pitch"), described_as(description="Sending it confirms it.")] | None = None
    topic: Annotated[str, up_to(profile_corrections.LONGEST["topic"])] | None = None
    change: Annotated[str, _sentence("change")] | None = None
    proof: Annotated[str, _sentence("proof")] | None = None
    kind: Annotated[str, among(*profile_corrections.KINDS)] | None = None
    area: Annotated[str, up_to(profile_corrections.LONGEST["area"])] | None = None
    tone: Annotated[str, among(*profile_corrections.TONES)] | None = None
    language: Annotated[str, up_to(profile_corrections.LONGEST["language"])] | None = None
    examples: (
        Annotated[
            list[Annotated[str, up_to(profile_corrections.LONGEST_EXAMPLE)]],
            AtMost(MANY), entries(most=profile_corrections.MOST_EXAMPLES, description="Blank ones are left out."),
        ]
        | None
    ) = None  # fmt: skip
    facts: Annotated[list[ProfileFact], AtMost(MANY), entries(most=profile_corrections.MOST_FACTS)] | None = None


class Answers(Body):
    """Answers of the setup; fields you leave out stay the same."""

    step: Annotated[int, within(1, setup.STEPS)] | None = None
    customer_type_id: Annotated[str, described_as(description="The id of one of `customerTypes`.")] | None = None
    targets: Targets | None = None
    channel: Annotated[str, among(*setup.CHANNELS)] | None = None
    country: Annotated[str, up_to(setup.LONGEST_COUNTRY)] | None = None
    offer: Offer | None = None
    timezone: Annotated[str, ZONE] | None = None
    profile: ProfileCorrection | None = None


class Rules(Body):
    """All of your rules."""

    rules: Annotated[
        list[Annotated[str, words(play_edits.LONGEST_RULE)]], AtMost(MANY), entries(most=play_edits.MOST_RULES)
    ]


@endpoint("GET", "/autopilot", scope="autopilot:read", returns=resources.AutopilotSetup, errors="E0")
def show(workspace: Workspace) -> View:
    """Get the setup. Poll it while `progress` is not null."""
    return setup.view(workspace)


@endpoint(
    "POST",
    "/autopilot/analyze",
    scope="autopilot:write",
    body=Business,
    returns=resources.AutopilotSetup,
    errors="E409",
    costly=True,
    example={"website": "https://tidemark.example"},
)
def analyze(workspace: Workspace, body: Business) -> View:
    """Analyze your business from its website or a description; runs in the background."""
    return setup.analyze(workspace, body.website, body.description)


@endpoint("POST", "/autopilot/stop", scope="autopilot:write", returns=resources.AutopilotSetup, errors="E409")
def stop(workspace: Workspace) -> View:
    """Stop the stage of the setup that is under way; answers and earlier results stay."""
    setup_stages.stop(workspace)
    return setup.view(workspace)


@endpoint(
    "PATCH",
    "/autopilot",
    scope="autopilot:write",
    body=Answers,
    returns=resources.AutopilotSetup,
    errors="E409",
    example={"channel": "social_email", "country": "Germany", "offer": {"kind": "call"}},
)
def save(workspace: Workspace, body: Answers) -> View:
    """Save answers of the setup. A customer type starts the targeting step; the last missing answer starts play
    design.
    """
    answers = body.model_dump(exclude_none=True)
    if body.targets is not None:
        answers["targets"] = body.targets.model_dump(by_alias=True)
    if body.profile is not None:
        answers["profile"] = body.profile.model_dump(by_alias=True, exclude_none=True)
    return setup.save(workspace, **answers)


@endpoint(
    "POST",
    "/autopilot/customer-types",
    scope="autopilot:write",
    returns=resources.AutopilotSetup,
    errors="E409",
    outside=True,
    costly=True,
)
def suggest(workspace: Workspace) -> View:
    """Suggest customer types again, from the profile as it is now; the chosen one stays."""
    setup_stages.suggest(workspace)
    return setup.view(workspace)


@endpoint("GET", "/autopilot/audience", scope="autopilot:read", returns=resources.Audience, errors="E0")
def audience(workspace: Workspace) -> Any:
    """Estimate how many people the targeting reaches; if none, get the row to drop."""
    return play_design.estimate(workspace)


@endpoint("POST", "/autopilot/pause", scope="campaigns:run", returns=resources.AutopilotSetup, errors="E409")
def pause(workspace: Workspace) -> View:
    """Pause the autopilot and the campaigns of its plays."""
    return setup.pause(workspace)


@endpoint("POST", "/autopilot/resume", scope="campaigns:run", returns=resources.AutopilotSetup, errors="E409")
def resume(workspace: Workspace) -> View:
    """Resume the autopilot and the campaigns it paused."""
    return setup.resume(workspace)


@endpoint("GET", "/autopilot/rules", scope="autopilot:read", returns=resources.Rules, errors="E0")
def rules(workspace: Workspace) -> Any:
    """List your rules for all texts."""
    return setup_state.get(workspace)


@endpoint(
    "PUT", "/autopilot/rules", scope="autopilot:write", body=Rules, returns=resources.Rules, errors="E0",
    example={"rules": ["Never mention AI."]},
)  # fmt: skip
def set_rules(workspace: Workspace, body: Rules) -> Any:
    """Replace your rules; they apply to all new texts."""
    return setup.set_rules(workspace, body.rules)
