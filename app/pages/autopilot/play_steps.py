"""The sequence editor of a play, and its templates."""

from typing import Any

from flask import Response, request
from werkzeug.datastructures import MultiDict

from app.core import text
from app.core.errors import AppError, Conflict, NotFound
from app.domain.autopilot import play_steps, plays, templates
from app.domain.autopilot.play_steps import IN_A_CAMPAIGN
from app.domain.rules import message_templates
from app.domain.rules.message_syntax import foreign
from app.domain.rules.message_templates import VARIABLES
from app.domain.workspace.workspaces import Workspace
from app.pages.autopilot.plays import area as plays_area
from app.pages.framework import words
from app.pages.framework.base import Errors, error_text, errors_of, redirect_to_path, render, show_toast, try_verb
from app.pages.framework.forms import Form, Nested, Text

BLANK = {"social": "Hi {{first_name|there}},", "email": "Hi {{first_name|there}},"}
AFTER = {"previous": "After the previous step", "accept": "After they accept", "no_reply": "If no reply"}
REACTION_WORDS = {
    "match": "The one that fits best", "like": "Like", "celebrate": "Celebrate", "support": "Support", "love": "Love",
    "insightful": "Insightful", "funny": "Funny",
}  # fmt: skip
UNITS = [("minutes", "minutes"), ("hours", "hours"), ("days", "days")]
Steps = list[dict[str, Any]]
FIELDS = ("id", "kind", "after", "text", "subject", "reaction")


@plays_area.get("/plays/<int:play_id>/sequence")
def sequence(workspace: Workspace, play_id: int) -> Response:
    play, _ = plays.get(workspace, play_id)
    return _editor(workspace, play, list(play.steps))


def _editor(
    workspace: Workspace,
    play: Any,
    found: list[dict[str, Any]],
    errors: Errors | None = None,
    status: int = 200,
) -> Response:
    return render(
        "plays/sequence.html",
        part="plays/_editor.html",
        status=status,
        play=play,
        steps=found,
        errors=errors or Errors(),
        kinds=IN_A_CAMPAIGN,
        after=list(AFTER.items()),
        reactions=[(name, REACTION_WORDS[name]) for name in play_steps.REACTIONS],
        units=UNITS,
        foreign=foreign.pairs(text for step in found for text in (step.get("text", ""), step.get("subject", ""))),
        lengths=[message_templates.longest(step.get("text", "")) for step in found],
        variables=[name for name in VARIABLES if not name.startswith(("sender", "meeting"))],
        note_length=plays.note_length(workspace),
        templates=templates.every(workspace),
        editable=play.status == "review",
    )


def _read(form: MultiDict[str, str]) -> Steps:
    """Return the steps of the form in their order."""
    found = []
    for index in form.getlist("step"):
        count = form.get(f"{index}.delay.value", "0").strip()
        step: dict[str, Any] = {name: form.get(f"{index}.{name}", "") for name in FIELDS}
        step |= {name: words.with_keys(step[name].replace("\r\n", "\n")) for name in ("text", "subject")}
        step["delay"] = {
            "count": text.number(count, -1),
            "unit": form.get(f"{index}.delay.unit", "days"),
        }
        found.append(step)
    return found


class StepsForm(Form):
    """The steps, and which button was pressed."""

    do = Text(default="save")
    steps = Nested(read=_read)


def _changed(found: Steps, do: str) -> Steps:
    """Return the steps after one of the editor's buttons: add:2:email, up:3, down:3, copy:3, remove:3, translate."""
    verb, _, rest = do.partition(":")
    if verb == "translate":
        ours = ({name: foreign.translate(step.get(name, "")) for name in ("text", "subject")} for step in found)
        return [{**step, **texts} for step, texts in zip(found, ours, strict=True)]
    number, _, kind = rest.partition(":")
    at = text.number(number, -1)
    if verb == "add" and 0 <= at <= len(found) and kind in IN_A_CAMPAIGN:
        after = "accept" if kind == "social" and any(one["kind"] == "invite" for one in found[:at]) else "previous"
        step = {"id": "", "kind": kind, "after": after, "text": BLANK.get(kind, ""), "subject": "", "reaction": "match"}
        return [*found[:at], {**step, "delay": {"count": 1 if at else 0, "unit": "days"}}, *found[at:]]
    if not 1 <= at <= len(found):
        return found
    step = found[at - 1]
    rest_of = [*found[: at - 1], *found[at:]]
    if verb == "remove":
        return rest_of
    if verb == "copy":
        return [*found[:at], {**step, "id": ""}, *found[at:]]
    to = {"up": at - 2, "down": at}.get(verb, at - 1)
    return [*rest_of[: max(to, 0)], step, *rest_of[max(to, 0) :]]


@plays_area.post("/plays/<int:play_id>/sequence")
def put(workspace: Workspace, play_id: int) -> Response:
    """Save the steps, or only change them in the form."""
    play, _ = plays.get(workspace, play_id)
    form = StepsForm.posted()
    do, given = form.do.data, form.steps.data
    if do != "save":
        return _editor(workspace, play, _changed(given, do))
    try:
        plays.edit(workspace, play_id, given)
    except Conflict as refusal:
        show_toast(error_text(refusal), "danger")
        return _editor(workspace, play, given, status=409)
    except NotFound:
        raise
    except AppError as refusal:
        return _editor(workspace, play, given, errors_of(refusal) or Errors(steps=refusal.message), 422)
    show_toast("Sequence saved. Messages are being rewritten.")
    return redirect_to_path(f"/plays/{play_id}")


@plays_area.post("/plays/<int:play_id>/use")
def use(workspace: Workspace, play_id: int) -> Response:
    """Replace the play's steps with those of a template."""
    template = text.number(request.form.get("template", ""))
    try_verb(lambda: templates.apply(workspace, play_id, template), "Template steps added.")
    return redirect_to_path(f"/plays/{play_id}/sequence")


@plays_area.post("/templates/<int:template_id>/delete")
def forget(workspace: Workspace, template_id: int) -> Response:
    """Delete a template; plays made from it stay."""
    templates.delete(workspace, template_id)
    show_toast("Template deleted. Existing plays don't change.", "info")
    return redirect_to_path("/templates")
