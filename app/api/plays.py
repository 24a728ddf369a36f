"""Plays: read, changed, judged, launched and stopped."""

from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body, Moment
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import (
    A_NAME,
    AN_ID,
    BLANK,
    ONE_LINE,
    WRITTEN,
    Json,
    among,
    any_one_of,
    case,
    entries,
    within,
    words,
)
from app.domain.autopilot import launch as autopilot_launch
from app.domain.autopilot import play_steps, plays, setup, templates
from app.domain.campaigns.validation import MAX_ACCOUNTS, MAX_STEPS
from app.domain.rules.step_kinds import STEPS
from app.domain.workspace.workspaces import Workspace
from app.ports.writer import ANGLES

MANY = 500  # no list is longer, whatever the verb then says about its length
PLAYS = "/autopilot/plays"
PLAY = PLAYS + "/<id:play_id>"

View = Any

NO_REACTION: Json = {"maxLength": 0}
NOT_ACCEPT: Json = {"not": {"const": "accept"}}
TEXT: Json = {"type": "string", **WRITTEN}
SUBJECT: Json = {**ONE_LINE, "maxLength": STEPS["email"].max_subject}


class Design(Body):
    """What to design: everything afresh, or one more play of an angle."""

    angle: Annotated[str, among("", *(one.code for one in ANGLES))] = ""


class Delay(Body):
    """The wait before a step, a year at most."""

    model_config = any_one_of(
        *(
            case(f"Up to {most:,} {unit}.", unit={"const": unit}, count={"minimum": 0, "maximum": most})
            for unit, most in play_steps.MOST_DELAY.items()
        )
    )

    count: int
    unit: Annotated[str, among(*play_steps.MOST_DELAY)]


class Step(Body):
    """One step. An invite stands once, and before every social message; the first e-mail has a subject.

    `accept` waits for an invite before it, `no_reply` for a step that could be replied to. The note of an invite has at
    most 200 characters, 300 where every social account has Sales Navigator, any other text 8,000; variables such as
    `{{first_name|there}}` are not counted. No two steps have the same id.
    """

    model_config = any_one_of(
        case("A `reaction`.", kind={"const": "reaction"}, text=BLANK, subject=BLANK, after=NOT_ACCEPT),
        case(
            "An `invite` with or without `text`.",
            kind={"const": "invite"}, subject=BLANK, reaction=NO_REACTION, after=NOT_ACCEPT,
        ),
        case(
            "A `social` message with `text`.", "text",
            kind={"const": "social"}, text=TEXT, subject=BLANK, reaction=NO_REACTION,
        ),
        case(
            "An `email` with `text` and `subject`.", "text",
            kind={"const": "email"}, text=TEXT, subject=SUBJECT, reaction=NO_REACTION,
            after=NOT_ACCEPT,
        ),
    )  # fmt: skip

    id: str = ""
    kind: Annotated[str, among(*play_steps.KINDS)]
    delay: Delay
    after: Annotated[str, among(*play_steps.AFTER)]
    text: str | None = None
    subject: str | None = None
    reaction: Annotated[str, among("", *play_steps.REACTIONS)] | None = None


class Steps(Body):
    """The steps of the play, all of them, in their order."""

    steps: Annotated[list[Step], AtMost(MANY), entries(1, MAX_STEPS)]


class Wish(Body):
    """What to change, in plain words."""

    text: Annotated[str, words(plays.LONGEST_WISH)]


class Vote(Body):
    """Whether somebody fits; null takes the vote back."""

    fit: Annotated[str, among(*plays.VOTES)] | None


class Launch(Body):
    """When, by whom, to whom, and whether each message waits for a human first."""

    start_at: Moment | None = None
    approval: bool = True
    account_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), entries(most=MAX_ACCOUNTS, uniqueItems=True)] = []
    list_id: Annotated[int, AN_ID] | None = None
    most_people: Annotated[int, within(1, autopilot_launch.MOST_PEOPLE)] | None = None
    max_credits: Annotated[int, Field(ge=0)] | None = None


class TemplateName(Body):
    """What the template is called."""

    name: Annotated[str, A_NAME]


class Applied(Body):
    """The template to take the steps from."""

    template_id: Annotated[int, AN_ID]


@endpoint("GET", PLAYS, scope="autopilot:read", page_of=resources.PlaySummary, errors="E0")
def page(workspace: Workspace) -> sa.Select[Any]:
    """The plays of the workspace, newest first; `rank` says which is best."""
    return plays.page(workspace)


@endpoint(
    "POST",
    PLAYS,
    scope="autopilot:write",
    body=Design,
    returns=resources.AutopilotSetup,
    errors="E409",
    costly=True,
    example={"angle": "hiring"},
)
def design(workspace: Workspace, body: Design) -> View:
    """Plays are being designed in the background: all that were not launched afresh, or one more of an angle."""
    return setup.design(workspace, body.angle)


@endpoint("GET", PLAY, scope="autopilot:read", returns=resources.PlayDetail, errors="E404")
def get(workspace: Workspace, play_id: int) -> View:
    """One play with its steps, sample people and log."""
    return plays.get(workspace, play_id)


@endpoint(
    "PATCH",
    PLAY,
    scope="autopilot:write",
    body=Steps,
    returns=resources.PlayDetail,
    errors="E404+409",
    example={
        "steps": [
            {"kind": "invite", "delay": {"count": 0, "unit": "days"}, "after": "previous", "text": ""},
            {"kind": "social", "delay": {"count": 1, "unit": "days"}, "after": "accept", "text": "Hi {{first_name}}"},
        ]
    },
)  # fmt: skip
def edit(workspace: Workspace, play_id: int, body: Steps) -> View:
    """The play with these steps; its sample people get the messages of them."""
    return plays.edit(workspace, play_id, [step.model_dump() for step in body.steps])


@endpoint(
    "POST",
    PLAY + "/messages",
    scope="autopilot:write",
    body=Wish,
    returns=resources.PlayDetail,
    errors="E404+409",
    costly=True,
    example={"text": "Shorter, please"},
)
def ask(workspace: Workspace, play_id: int, body: Wish) -> View:
    """What was asked for is being done; `working` is empty again when the answer is in the log."""
    return plays.ask(workspace, play_id, body.text)


@endpoint("POST", PLAY + "/build", scope="autopilot:write", returns=resources.PlayDetail, errors="E404+409")
def build(workspace: Workspace, play_id: int) -> View:
    """The play looks for people and writes to them again; those who were voted on stay."""
    return plays.build(workspace, play_id)


@endpoint("POST", PLAY + "/retry", scope="autopilot:write", returns=resources.PlayDetail, errors="E404+409")
def retry(workspace: Workspace, play_id: int) -> View:
    """A play that failed is built again, from where it stood."""
    return plays.retry(workspace, play_id)


@endpoint(
    "POST",
    PLAY + "/samples/<id:lead_id>/vote",
    scope="autopilot:write",
    body=Vote,
    returns=resources.PlayDetail,
    errors="E404+409",
    example={"fit": "good"},
)
def vote(workspace: Workspace, play_id: int, lead_id: int, body: Vote) -> View:
    """Somebody fits or not; the other people shown become more like the good ones."""
    return plays.vote(workspace, play_id, lead_id, body.fit)


@endpoint("POST", PLAY + "/approve", scope="autopilot:write", returns=resources.PlayDetail, errors="E404+409")
def approve(workspace: Workspace, play_id: int) -> View:
    """The play was read and is good to launch."""
    return plays.approve(workspace, play_id)


@endpoint("POST", PLAY + "/skip", scope="autopilot:write", returns=resources.PlayDetail, errors="E404+409")
def skip(workspace: Workspace, play_id: int) -> View:
    """The play is set aside; approving it takes it back."""
    return plays.skip(workspace, play_id)


@endpoint(
    "POST",
    PLAY + "/launch",
    scope="campaigns:run",
    body=Launch,
    returns=resources.PlayDetail,
    errors="E404+409",
    example={"approval": True},
)
def launch(workspace: Workspace, play_id: int, body: Launch) -> View:
    """The play gets its list and its campaign, which starts once the list is full, or at `startAt`."""
    return autopilot_launch.launch(workspace, play_id, **body.model_dump())


@endpoint("POST", PLAY + "/stop", scope="campaigns:run", returns=resources.PlayDetail, errors="E404+409")
def stop(workspace: Workspace, play_id: int) -> View:
    """Nobody hears from this play any more; its campaign is canceled."""
    return autopilot_launch.stop(workspace, play_id)


@endpoint(
    "POST",
    PLAY + "/templates",
    scope="autopilot:write",
    body=TemplateName,
    returns=resources.PlayDetail,
    errors="E404+409",
    example={"name": "Short and plain"},
)
def save_template(workspace: Workspace, play_id: int, body: TemplateName) -> View:
    """The steps of the play are a template too."""
    return templates.save(workspace, play_id, body.name)


@endpoint(
    "POST",
    PLAY + "/apply-template",
    scope="autopilot:write",
    body=Applied,
    returns=resources.PlayDetail,
    errors="E404+409",
)
def apply_template(workspace: Workspace, play_id: int, body: Applied) -> View:
    """The play has the template's steps."""
    return templates.apply(workspace, play_id, body.template_id)


@endpoint("GET", "/autopilot/templates", scope="autopilot:read", page_of=resources.Template, errors="E0")
def template_page(workspace: Workspace) -> sa.Select[Any]:
    """The templates of the workspace, newest first."""
    return templates.page(workspace)


@endpoint(
    "DELETE",
    "/autopilot/templates/<id:template_id>",
    scope="autopilot:write",
    returns=None,
    status=204,
    errors="E404",
)
def delete_template(workspace: Workspace, template_id: int) -> None:
    """The template is gone; plays made from it stay."""
    templates.delete(workspace, template_id)
