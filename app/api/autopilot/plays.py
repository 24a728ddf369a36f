"""Plays: design, review, change, launch and stop them."""

from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body, Moment
from app.api.framework.endpoint import Ready, endpoint
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
from app.domain.autopilot import play_changes, play_numbers, play_steps, plays, setup, templates
from app.domain.autopilot.play_numbers import PlayList
from app.domain.campaigns.validation import MAX_ACCOUNTS, MAX_STEPS
from app.domain.rules.step_kinds import STEPS
from app.domain.workspace.workspaces import Workspace
from app.ports.writer import ANGLES

SENDERS: Any = entries(most=MAX_ACCOUNTS, uniqueItems=True)
MANY = 500  # no list in a body may be longer; a verb may allow fewer
PLAYS = "/autopilot/plays"
PLAY = PLAYS + "/<id:play_id>"

View = Any

NO_REACTION: Json = {"maxLength": 0}
NOT_ACCEPT: Json = {"not": {"const": "accept"}}
TEXT: Json = {"type": "string", **WRITTEN}
SUBJECT: Json = {**ONE_LINE, "maxLength": STEPS["email"].max_subject}


class Design(Body):
    """What to design: all plays again, or one more play with another reason to write."""

    angle: Annotated[str, among("", *(one.code for one in ANGLES))] = ""
    """The angle (reason to write) of one more play; empty to design all plays again."""


class PlaysDelay(Body):
    """How long to wait before a step, at most a year."""

    model_config = any_one_of(
        *(
            case(f"Up to {most:,} {unit}.", unit={"const": unit}, count={"minimum": 0, "maximum": most})
            for unit, most in play_steps.MOST_DELAY.items()
        )
    )

    count: int
    """How many units to wait; 0 for none."""
    unit: Annotated[str, among(*play_steps.MOST_DELAY)]
    """The unit of `count`."""


class PlaysStep(Body):
    """A step of a play. An `invite` can appear only once, before every `social` message; the first email needs a
    subject.

    `after: "accept"` needs an earlier `invite`, and `"no_reply"` an earlier step that can get a reply. The text of an
    `invite` can have at most 200 characters, or 300 if every LinkedIn account has Sales Navigator; other texts can have
    8,000. In a text with choices, the longest version counts; the values of variables do not count. Texts and subjects
    use the same syntax as in campaigns: `{{first_name|there}}`, `{Hi|Hello}`, `{{#if company_name}}…{{else}}…{{/if}}`.
    Step ids must be unique.
    """

    model_config = any_one_of(
        case("A `reaction`, without text.", kind={"const": "reaction"}, text=BLANK, subject=BLANK, after=NOT_ACCEPT),
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
    """The id of an existing step; empty for a new one."""
    kind: Annotated[str, among(*play_steps.KINDS)]
    """What the step does."""
    delay: PlaysDelay
    """The wait before the step."""
    after: Annotated[str, among(*play_steps.AFTER)]
    """When the wait starts: after the previous step, after the person accepts, or after a message without a reply."""
    text: str | None = None
    """The text, with variables; not for reactions."""
    subject: str | None = None
    """The subject; only for emails."""
    reaction: Annotated[str, among("", *play_steps.REACTIONS)] | None = None
    """The reaction to the person's post; only for reactions."""


class Steps(Body):
    """All steps of the play, in order."""

    steps: Annotated[list[PlaysStep], AtMost(MANY), entries(1, MAX_STEPS)]
    """All steps, in order."""


class Wish(Body):
    """The change you want: one of the play's `choices` or, with an AI model, a request in your own words. With
    `preview`, the change is only proposed.

    Two of the choices need a sentence from you: `Without this sentence: …` and `With this sentence in step 3: …`.
    """

    text: Annotated[str, words(play_changes.LONGEST_WISH)]
    """The change you want."""
    preview: bool = False
    """True to propose the change without making it."""


class Chosen(Body):
    """The steps that get their new messages; by default, all steps that have not been edited by hand."""

    step_ids: Annotated[list[str], AtMost(MANY), entries(most=MAX_STEPS)] | None = None
    """The ids of these steps, as in the preview; null for all steps that have not been edited by hand."""


class Vote(Body):
    """Your vote on a sample person."""

    fit: Annotated[str, among(*plays.VOTES)] | None
    """Whether the person is a `good` or `bad` fit; null to remove your vote."""


class Launch(Body):
    """When to start the play, with which senders and list, and whether each message waits for approval."""

    start_at: Moment | None = None
    """When to start; null to start immediately."""
    approval: bool = True
    """Whether each message needs approval before it is sent."""
    account_ids: Annotated[list[Annotated[int, AN_ID]], AtMost(MANY), SENDERS] = []
    """The ids of the LinkedIn accounts and mailboxes to send from; empty to use all suitable senders."""
    list_id: Annotated[int, AN_ID] | None = None
    """The id of a list of people to contact; null to search for people."""
    most_people: Annotated[int, within(1, autopilot_launch.MOST_PEOPLE)] | None = None
    """The maximum number of people to contact; null for everyone found."""
    max_credits: Annotated[int, Field(ge=0)] | None = None
    """The maximum number of credits to spend on finding people; null to be limited only by your balance."""


class TemplateName(Body):
    """The template's name."""

    name: Annotated[str, A_NAME]
    """The name of the template."""


class Applied(Body):
    """The template to use."""

    template_id: Annotated[int, AN_ID]
    """The id of the template."""


def _shown(workspace: Workspace, found: View) -> View:
    """Return a play and its sample people with its numbers."""
    play, sample = found
    standing = play_changes.standing(workspace, play)
    return play_numbers.view(workspace, play), sample, play_numbers.of_variants(workspace, play), standing


@endpoint("GET", PLAYS, scope="autopilot:read", page_of=resources.PlaySummary)
def page(workspace: Workspace) -> PlayList:
    """List plays, newest first; the play with `rank` 1 is the most promising."""
    return plays.page(workspace)


@endpoint(
    "POST",
    PLAYS,
    scope="autopilot:write",
    body=Design,
    returns=resources.AutopilotSetup,
    costly=True,
    example={"angle": "hiring"},
)
def design(workspace: Workspace, body: Design) -> View:
    """Design plays: replace all plays that have not been launched, or add one play with another reason to write.

    Poll the setup until `progress` is null. Launched plays are never replaced. Returns 409 while plays are being
    designed.
    """
    return setup.design(workspace, body.angle)


@endpoint("GET", PLAY, scope="autopilot:read", returns=resources.PlayDetail)
def get(workspace: Workspace, play_id: int) -> View:
    """Get a play with its steps, sample people and log."""
    return _shown(workspace, plays.get(workspace, play_id))


@endpoint(
    "PATCH",
    PLAY,
    scope="autopilot:write",
    body=Steps,
    returns=resources.PlayDetail,
    example={
        "steps": [
            {"kind": "invite", "delay": {"count": 0, "unit": "days"}, "after": "previous", "text": ""},
            {"kind": "social", "delay": {"count": 1, "unit": "days"}, "after": "accept", "text": "Hi {{first_name}}"},
        ]
    },
)  # fmt: skip
def edit(workspace: Workspace, play_id: int, body: Steps) -> View:
    """Replace a play's steps and rewrite the messages for its sample people.

    Steps you leave out are removed. Returns 409 unless the play is in review.
    """
    return _shown(workspace, plays.edit(workspace, play_id, [step.model_dump() for step in body.steps]))


@endpoint(
    "POST",
    PLAY + "/messages",
    scope="autopilot:write",
    body=Wish,
    returns=resources.PlayDetail,
    outside=True,
    costly=True,
    example={"text": "Shorter"},
)
def ask(workspace: Workspace, play_id: int, body: Wish) -> View:
    """Ask for a change to a play; once `working` is empty, see `log` and `proposed` for the result.

    The last entry of `log` says whether the steps were changed. If `proposed` is not null, the change still needs your
    confirmation. Returns 409 while another change is being made; wait until `working` is empty.
    """
    record = play_changes.prepare(workspace, play_id, body.text, preview=body.preview)
    return Ready(lambda: _shown(workspace, record()))


@endpoint("POST", PLAY + "/change/use", scope="autopilot:write", returns=resources.PlayDetail)
def use_change(workspace: Workspace, play_id: int) -> View:
    """Use the proposed change.

    Returns 409 if no change is proposed, or if the steps have been edited since; in that case, ask for the change
    again.
    """
    return _shown(workspace, play_changes.use(workspace, play_id))


@endpoint("POST", PLAY + "/change/leave", scope="autopilot:write", returns=resources.PlayDetail)
def leave_change(workspace: Workspace, play_id: int) -> View:
    """Discard the proposed change; the play does not change.

    Returns 409 if no change is proposed.
    """
    return _shown(workspace, play_changes.leave(workspace, play_id))


@endpoint("POST", PLAY + "/change/undo", scope="autopilot:write", returns=resources.PlayDetail)
def undo_change(workspace: Workspace, play_id: int) -> View:
    """Undo the last change or rewrite of a play within 7 days; the steps of its running campaign change, too.

    Returns 409 if there is nothing to undo, or if the steps have been edited since; in that case, edit the steps
    instead.
    """
    return _shown(workspace, play_changes.undo(workspace, play_id))


@endpoint(
    "POST",
    PLAY + "/write-again/preview",
    scope="autopilot:write",
    returns=resources.NewTexts,
    outside=True,
    costly=True,
)
def preview_again(workspace: Workspace, play_id: int) -> View:
    """Rewrite a play's messages from the current profile, as a preview; the play does not change.

    Returns 409 while the play is being written.
    """
    return play_changes.rewrite(workspace, play_id)


@endpoint("POST", PLAY + "/write-again", scope="autopilot:write", body=Chosen, returns=resources.PlayDetail)
def use_again(workspace: Workspace, play_id: int, body: Chosen) -> View:
    """Replace a play's messages with those of the last preview, also in the play's running campaign.

    Returns 409 if there is no preview, or if the messages have been changed since then; in that case, preview the new
    messages again.
    """
    return _shown(workspace, play_changes.use(workspace, play_id, body.step_ids))


@endpoint("POST", PLAY + "/build", scope="autopilot:write", returns=resources.PlayDetail)
def build(workspace: Workspace, play_id: int) -> View:
    """Find new sample people for a play and rewrite its messages; people you voted on are kept.

    Returns 409 while the play is being built, scheduled or running; stop the play first.
    """
    return _shown(workspace, plays.build(workspace, play_id))


@endpoint("POST", PLAY + "/retry", scope="autopilot:write", returns=resources.PlayDetail)
def retry(workspace: Workspace, play_id: int) -> View:
    """Retry a failed play from the point where it stopped.

    Returns 409 unless the play has failed.
    """
    return _shown(workspace, plays.retry(workspace, play_id))


@endpoint(
    "POST",
    PLAY + "/samples/<id:lead_id>/vote",
    scope="autopilot:write",
    body=Vote,
    returns=resources.PlayDetail,
    example={"fit": "good"},
)
def vote(workspace: Workspace, play_id: int, lead_id: int, body: Vote) -> View:
    """Vote on whether a sample person is a good fit; your votes improve the search.

    The play does not change. Returns 409 unless the play is in review: wait for it, rebuild a stopped play or retry a
    failed one.
    """
    return _shown(workspace, plays.vote(workspace, play_id, lead_id, body.fit))


@endpoint("POST", PLAY + "/approve", scope="autopilot:write", returns=resources.PlayDetail)
def approve(workspace: Workspace, play_id: int) -> View:
    """Approve a play for launch.

    Nothing is sent until you launch the play, and its `status` does not change. The last page of the setup wizard
    offers approved plays for launch. Approving a skipped play brings it back. `POST
    /v1/autopilot/plays/{playId}/launch` approves the play, too. Returns 409 unless the play is in review: wait for it,
    rebuild a stopped play or retry a failed one.
    """
    return _shown(workspace, plays.approve(workspace, play_id))


@endpoint("POST", PLAY + "/skip", scope="autopilot:write", returns=resources.PlayDetail)
def skip(workspace: Workspace, play_id: int) -> View:
    """Skip a play; to bring it back, approve it.

    A skipped play is not offered for launch; the play and its sample people are kept, and it stays in review. Returns
    409 unless the play is in review: wait for it, rebuild a stopped play or retry a failed one.
    """
    return _shown(workspace, plays.skip(workspace, play_id))


@endpoint(
    "POST",
    PLAY + "/launch",
    scope="campaigns:run",
    body=Launch,
    returns=resources.PlayDetail,
    dry=True,
    example={"approval": True},
)
def launch(workspace: Workspace, play_id: int, body: Launch) -> View:
    """Launch a play: create its list and campaign. The campaign starts once the list is filled, or at `startAt`.

    Unless you provide a list with `listId`, the people search fills a new list. Every person who is found costs
    credits. Returns 409 if the play is not in review, if the autopilot is paused, or if no one matches the play; in the
    last case, broaden the targeting.
    """
    return _shown(workspace, autopilot_launch.launch(workspace, play_id, **body.model_dump()))


@endpoint("POST", PLAY + "/stop", scope="campaigns:run", returns=resources.PlayDetail)
def stop(workspace: Workspace, play_id: int) -> View:
    """Stop a play and cancel its campaign.

    Nothing else is sent. The play's people and conversations are kept. Returns 409 unless the play is scheduled or
    running.
    """
    return _shown(workspace, autopilot_launch.stop(workspace, play_id))


@endpoint(
    "POST",
    PLAY + "/templates",
    scope="autopilot:write",
    body=TemplateName,
    returns=resources.PlayDetail,
    example={"name": "Short and plain"},
)
def save_template(workspace: Workspace, play_id: int, body: TemplateName) -> View:
    """Save a play's steps as a template for other plays.

    Returns 409 if the workspace has reached its limit of templates; delete a template first.
    """
    return _shown(workspace, templates.save(workspace, play_id, body.name))


@endpoint("POST", PLAY + "/apply-template", scope="autopilot:write", body=Applied, returns=resources.PlayDetail)
def apply_template(workspace: Workspace, play_id: int, body: Applied) -> View:
    """Replace a play's steps with those of a template.

    Returns 409 unless the play is in review.
    """
    return _shown(workspace, templates.apply(workspace, play_id, body.template_id))


@endpoint("GET", "/autopilot/templates", scope="autopilot:read", page_of=resources.Template)
def template_page(workspace: Workspace) -> sa.Select[Any]:
    """List templates, newest first."""
    return templates.page(workspace)


@endpoint("DELETE", "/autopilot/templates/<id:template_id>", scope="autopilot:write", returns=None)
def delete_template(workspace: Workspace, template_id: int) -> None:
    """Delete a template; plays that use its steps do not change."""
    templates.delete(workspace, template_id)
