"""The autopilot: what it read, your answers, and its switches."""

from typing import Annotated, Any

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
    entries,
    up_to,
    within,
    words,
)
from app.domain.autopilot import play_changes, play_design, profile_corrections, setup, setup_stages, setup_state
from app.domain.workspace.workspaces import Workspace
from app.ports.writer import ROWS

MANY = 500  # no list in a body may be longer; a verb may allow fewer

View = Any


class Business(Body):
    """Your website or, if you have none, a description of your business."""

    model_config = any_one_of(
        case("A `website`, such as tidemark.example.", "website", website={**WRITTEN, **WEBSITE}),
        case("A `description`, without a `website`.", "description", description=WRITTEN, website=BLANK),
    )

    website: Annotated[str, up_to(setup_stages.LONGEST_WEBSITE)] = ""
    """The URL of your website."""
    description: Annotated[str, up_to(setup_stages.LONGEST_DESCRIPTION)] = ""
    """What you do and for which customers, if you have no website."""


class ChosenChip(Body):
    """A targeting value, which is selected or only suggested."""

    label: Annotated[str, words(setup.LONGEST_CHIP)]
    """The value, such as a job title or a place."""
    on: bool
    """True to search with this value, false to keep it only as a suggestion."""


class TargetRow(Body):
    """The targeting values of one kind, such as job titles."""

    key: Annotated[str, among(*ROWS)]
    """The kind of values in this row: job titles, kinds of company, company sizes or locations."""
    chips: Annotated[list[ChosenChip], AtMost(MANY), entries(most=setup.MOST_CHIPS)]
    """The values. A person must match at least one of the selected values."""


class Targets(Body):
    """The target audience, which replaces the previous one. Each `key` may appear in only one row."""

    summary: Annotated[str, up_to(setup.LONGEST_SUMMARY)]
    """The audience in one sentence."""
    rows: Annotated[list[TargetRow], AtMost(MANY), entries(most=len(ROWS))]
    """The values to search by, grouped by kind. A person must match every row that has a selected value."""
    even_better: Annotated[
        list[Annotated[str, words(setup.LONGEST_OFFER)]], AtMost(MANY), entries(most=setup.MOST_CHIPS)
    ]
    """What would make a person an even better fit; used to rank people, not to exclude them."""


class Offer(Body):
    """Your offer: a call, or what you describe in `text`."""

    model_config = any_one_of(
        case("`call`.", kind={"const": "call"}),
        case("`other`, with `text`.", "text", kind={"const": "other"}, text={"type": "string", **WRITTEN}),
    )

    kind: Annotated[str, among(*setup.OFFERS)]
    """What you offer: a short call (`call`), or what `text` says (`other`)."""
    text: Annotated[str, up_to(setup.LONGEST_OFFER)] | None = None
    """The offer in your own words; only for `other`."""


class ProfileFact(Body):
    """A fact in the business profile. A fact with the same text as before keeps its source."""

    text: Annotated[str, up_to(profile_corrections.LONGEST_FACT)]
    """The fact, in one sentence; facts without text are ignored."""
    quotable: bool | None = None
    """Whether messages may quote the fact. If omitted, the setting stays the same."""


def _sentence(name: str) -> Any:
    """Limit the value to a sentence that is no longer with the full stop that it may lack."""
    most = profile_corrections.LONGEST[name]
    marks = "".join(profile_corrections.MARKS)
    return up_to(most, pattern=rf"^\s*[\s\S]{{0,{most - 1}}}\s*$|[{marks}]\s*$")


class ProfileCorrection(Body):
    """Corrections to the business profile; fields you leave out stay the same. Later analyses never overwrite your
    values.

    Existing messages do not change, but existing plays become `outdated` and can be rewritten.
    """

    business: Annotated[str, words(profile_corrections.LONGEST["business"])] | None = None
    """What the business does, in your words."""
    summary: Annotated[str, words(profile_corrections.LONGEST["summary"])] | None = None
    """A short summary of the business."""
    name: Annotated[str, up_to(profile_corrections.LONGEST["name"])] | None = None
    """The name of the business as it should appear in messages."""
    pitch: Annotated[str, _sentence("pitch")] | None = None
    """What you do and for which customers, such as “We print menus for cafés”. Sending a pitch confirms it."""
    topic: Annotated[str, up_to(profile_corrections.LONGEST["topic"])] | None = None
    """The topic for subject lines, one to four words."""
    change: Annotated[str, _sentence("change")] | None = None
    """What customers gain, in one sentence; can be empty."""
    proof: Annotated[str, _sentence("proof")] | None = None
    """One claim that recipients can verify, in one sentence; can be empty."""
    kind: Annotated[str, among(*profile_corrections.KINDS)] | None = None
    """What you sell."""
    area: Annotated[str, up_to(profile_corrections.LONGEST["area"])] | None = None
    """The area you serve; people are searched for in this area."""
    tone: Annotated[str, among(*profile_corrections.TONES)] | None = None
    """How formally messages address people."""
    language: Annotated[str, up_to(profile_corrections.LONGEST["language"])] | None = None
    """The language messages are written in, such as `en`."""
    examples: (
        Annotated[
            list[Annotated[str, up_to(profile_corrections.LONGEST_EXAMPLE)]],
            AtMost(MANY), entries(most=profile_corrections.MOST_EXAMPLES),
        ]
        | None
    ) = None  # fmt: skip
    """Good customers, or businesses that refer customers to you, by kind (such as `dentists`) or by name."""
    facts: Annotated[list[ProfileFact], AtMost(MANY), entries(most=profile_corrections.MOST_FACTS)] | None = None
    """All facts; facts you leave out are removed."""


class Answers(Body):
    """Answers to the setup questions; fields you leave out stay the same."""

    step: Annotated[int, within(1, setup.STEPS)] | None = None
    """The page of the setup wizard to show, starting at 1."""
    customer_type_id: str | None = None
    """The id of the customer type you choose, from `customerTypes`."""
    targets: Targets | None = None
    """The target audience."""
    channel: Annotated[str, among(*setup.CHANNELS)] | None = None
    """The channels that plays use."""
    country: Annotated[str, up_to(setup.LONGEST_COUNTRY, format="country")] | None = None
    """The country in which to search for people: its name in English or another language, or its ISO code, such as
    `Germany` or `DE`. Separate several countries with commas; regions such as `DACH` work, too. Empty for anywhere.
    """
    offer: Offer | None = None
    """The offer made in messages."""
    timezone: Annotated[str, ZONE] | None = None
    """The IANA name of your time zone."""
    profile: ProfileCorrection | None = None
    """Corrections to the business profile."""


class Rules(Body):
    """The rules for how messages are written."""

    rules: Annotated[
        list[Annotated[str, words(play_changes.LONGEST_RULE)]], AtMost(MANY), entries(most=play_changes.MOST_RULES)
    ]
    """All rules; rules you leave out are removed."""


@endpoint("GET", "/autopilot", scope="autopilot:read", returns=resources.AutopilotSetup)
def show(workspace: Workspace) -> View:
    """Get the autopilot's setup. While `progress` is not null, poll this endpoint."""
    return setup.view(workspace)


@endpoint(
    "POST",
    "/autopilot/analyze",
    scope="autopilot:write",
    body=Business,
    returns=resources.AutopilotSetup,
    costly=True,
    example={"website": "https://tidemark.example"},
)
def analyze(workspace: Workspace, body: Business) -> View:
    """Analyze your business from its website or a description, in the background.

    The new profile replaces the previous profile, except for values you entered yourself. Poll `GET /v1/autopilot`
    until `profileState` is `done` or `failed`. Returns 409 while an analysis is running.
    """
    return setup.analyze(workspace, body.website, body.description)


@endpoint("POST", "/autopilot/stop", scope="autopilot:write", returns=resources.AutopilotSetup)
def stop(workspace: Workspace) -> View:
    """Stop the current setup stage; your answers and earlier results are kept.

    Returns 409 if no stage is running.
    """
    setup_stages.stop(workspace)
    return setup.view(workspace)


@endpoint(
    "PATCH",
    "/autopilot",
    scope="autopilot:write",
    body=Answers,
    returns=resources.AutopilotSetup,
    example={"channel": "social_email", "country": "Germany", "offer": {"kind": "call"}},
)
def save(workspace: Workspace, body: Answers) -> View:
    """Save setup answers.

    Choosing a customer type starts the targeting stage. Once targets, `channel` and `offer` are known and
    `profile.needs` is empty, the first plays are designed.
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
    outside=True,
    costly=True,
)
def suggest(workspace: Workspace) -> View:
    """Suggest new customer types based on the current profile; the customer type you have chosen is kept.

    Returns 409 until the profile has been written.
    """
    setup_stages.suggest(workspace)
    return setup.view(workspace)


@endpoint("GET", "/autopilot/audience", scope="autopilot:read", returns=resources.Audience)
def audience(workspace: Workspace) -> Any:
    """Estimate how many people match the targeting; if no one does, the response names the targeting row to remove.

    The estimate comes from the connected people search and takes a few seconds.
    """
    return play_design.estimate(workspace)


@endpoint("POST", "/autopilot/pause", scope="campaigns:run", returns=resources.AutopilotSetup)
def pause(workspace: Workspace) -> View:
    """Pause the autopilot and the campaigns of its plays.

    Drafts and plays do not change. Returns 409 unless the autopilot is active.
    """
    return setup.pause(workspace)


@endpoint("POST", "/autopilot/resume", scope="campaigns:run", returns=resources.AutopilotSetup)
def resume(workspace: Workspace) -> View:
    """Resume the autopilot and the campaigns it paused.

    Returns 409 unless the autopilot is paused.
    """
    return setup.resume(workspace)


@endpoint("GET", "/autopilot/rules", scope="autopilot:read", returns=resources.Rules)
def rules(workspace: Workspace) -> Any:
    """List your rules for how messages are written."""
    return setup_state.get(workspace)


@endpoint(
    "PUT", "/autopilot/rules", scope="autopilot:write", body=Rules, returns=resources.Rules,
    example={"rules": ["Never mention AI."]},
)  # fmt: skip
def set_rules(workspace: Workspace, body: Rules) -> Any:
    """Replace your rules for how messages are written.

    Existing messages do not change.
    """
    return setup.set_rules(workspace, body.rules)
