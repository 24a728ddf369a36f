"""Plays: list, review, vote, change by request, approve and launch."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, request

from app.core import text
from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot import launch as autopilot_launch
from app.domain.autopilot import (
    play_design,
    play_people,
    play_steps,
    plays,
    serialization,
    setup,
    setup_state,
    templates,
)
from app.domain.autopilot.play_steps import IN_A_CAMPAIGN
from app.domain.learning import learnt, play_numbers, proposals
from app.domain.rules import message_templates
from app.domain.rules.message_templates import Draw
from app.domain.rules.responses import play_order
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import error_text, htmx, redirect_to_path, render, show_toast, signed_in, try_verb
from app.pages.framework.forms import Form, Moment, Text, Tick

area = Blueprint("plays", __name__)
ROLES = ("operator",)
AT_WORK = ("finding", "writing")
NOTES = {"accept": "After they accept", "no_reply": "If no reply"}
UNITS = {"minutes": "minute", "hours": "hour", "days": "day"}
STARTING = {"title": play_steps.STARTING_TEXT, "what": play_steps.STARTING_WHAT}
OPEN, SHUT = "\ue000", "\ue001"  # around what was filled in; no text of ours has them
_FILLED = re.compile(f"({OPEN}[^{SHUT}]*{SHUT})")


@dataclass(frozen=True)
class Piece:
    """A part of a message, and whether it was filled in for this person."""

    words: str
    filled: bool


@dataclass(frozen=True)
class Shown:
    """A step as one person gets it."""

    kind: str
    when: str
    note: str
    subject: list[Piece]
    parts: list[list[Piece]]
    length: int
    starting: bool


@area.get("/plays")
@signed_in
def index(workspace: Workspace) -> Response:
    view = setup.view(workspace)
    if view.setup.targets is None:
        return redirect_to_path("/autopilot")
    known = {play.angle for play in view.plays}
    rule = proposals.proposed(workspace)
    return render(
        "plays/index.html",
        part="plays/_rows.html",
        view=view,
        setup=view.setup,
        moves=setup.moves(view.setup),
        setting_up=view.setup.status == "setup",
        moves_of=plays.moves,
        at_work=any(play.status in AT_WORK or play.build for play in view.plays) or bool(view.setup.phase),
        rule=rule,
        rule_question=learnt.question(rule) if rule else "",
        told=play_order.told,
        angles=[angle for angle in play_design.angles(workspace) if angle.code not in known],
    )


@area.post("/plays")
@signed_in(roles=ROLES)
def design(workspace: Workspace) -> Response:
    """Design one more play of an angle, or all plays again."""
    try_verb(lambda: setup.design(workspace, request.form.get("angle", "")), "Being designed.")
    return redirect_to_path("/plays")


@area.post("/plays/<any(pause, resume):switch>")
@signed_in(roles=ROLES)
def whole(workspace: Workspace, switch: str) -> Response:
    """Pause or resume the autopilot."""
    verb = setup.pause if switch == "pause" else setup.resume
    said = "The autopilot is paused." if switch == "pause" else "The autopilot is running again."
    try_verb(lambda: verb(workspace), said)
    return redirect_to_path("/plays")


@area.get("/plays/<int:play_id>")
@signed_in
def show(workspace: Workspace, play_id: int) -> Response:
    """Show the play and its people; `?person=` chooses one, `?as=template` shows the variables."""
    return _show(workspace, play_id)


def _show(workspace: Workspace, play_id: int, status: int = 200, **context: Any) -> Response:
    play, samples = plays.get(workspace, play_id)
    view = setup.view(workspace)
    wanted = request.values.get("person", "")
    chosen = next((one for one in samples if str(one.id) == wanted), samples[0] if samples else None)
    as_template = request.args.get("as") == "template" or chosen is None
    known = {} if as_template or chosen is None else _known(workspace, chosen)
    return render(
        "plays/show.html",
        part="plays/_review.html",
        status=status,
        play=play,
        numbers=play_numbers.views(workspace, [play])[0],
        told=play_order.told,
        comparisons=play_numbers.of_variants(workspace, play),
        samples=samples,
        chosen=chosen,
        steps=[] if not play.steps else _steps(play, known, chosen.person if chosen else "", raw=as_template),
        as_template=as_template,
        starting=STARTING,
        setup=view.setup,
        setting_up=view.setup.status == "setup",
        moves=plays.moves(play),
        senders=view.senders,
        audiences=autopilot_launch.audiences(workspace, play.angle),
        of=len(view.plays),
        busy=play.status in AT_WORK or bool(play.working) or bool(play.build),
        **context,
    )


def _known(workspace: Workspace, sample: Any) -> Mapping[str, str]:
    values = play_people.known(serialization.person_of(sample.found), setup_state.sender_name(workspace))
    return {name: f"{OPEN}{value}{SHUT}" if value else value for name, value in values.items()}


def _steps(play: Any, known: Mapping[str, str], person: str, *, raw: bool) -> list[Shown]:
    shown, starting = [], {one["id"] for one in play_steps.starting_texts(play.steps, play.written)}
    for number, step in enumerate(play.steps):
        count, unit = step["delay"]["count"], step["delay"]["unit"]
        when = "At the start" if number == 0 and not count else f"+{count} {UNITS[unit]}{'' if count == 1 else 's'}"
        body, subject = step.get("text", ""), step.get("subject", "")
        draw = Draw(person, number)
        parts = message_templates.split(body) if raw else message_templates.fill(body, known, draw).parts
        title = subject if raw else message_templates.fill_line(subject, known, draw).parts[0]
        pieces = [_pieces(part, raw) for part in parts]
        length = max((sum(len(piece.words) for piece in part) for part in pieces), default=0)
        after = NOTES.get(step["after"], "")
        begins = "" if number and not count else when
        texts = _pieces(title, raw), pieces, length
        shown.append(Shown(IN_A_CAMPAIGN[step["kind"]], begins, after, *texts, starting=step["id"] in starting))
    return shown


def _pieces(words: str, raw: bool) -> list[Piece]:
    if raw:
        return [Piece(*piece) for piece in message_templates.marked(words)]
    cut = [one for one in _FILLED.split(words) if one]
    return [Piece(one.strip(OPEN + SHUT), bool(_FILLED.fullmatch(one))) for one in cut]


@area.post("/plays/<int:play_id>/people/<int:sample_id>")
@signed_in(roles=ROLES)
def vote(workspace: Workspace, play_id: int, sample_id: int) -> Response:
    """Vote on a sample person, or remove the vote."""
    fit = request.form.get("fit") or None
    try_verb(lambda: plays.vote(workspace, play_id, sample_id, fit))
    return _back(workspace, play_id, f"?person={sample_id}")


class AskForm(Form):
    """A requested change, and whose messages are shown."""

    text = Text()
    person = Text()


@area.post("/plays/<int:play_id>/ask")
@signed_in(roles=ROLES)
def ask(workspace: Workspace, play_id: int) -> Response:
    """Start a change described in plain words."""
    form = AskForm.posted()
    wish = form.text.data
    try:
        plays.ask(workspace, play_id, wish)
    except InvalidRequest as refusal:
        return _show(workspace, play_id, 422, asked=wish, refused=error_text(refusal))
    except Conflict as refusal:
        show_toast(error_text(refusal), "danger")  # beside the page, which is drawn anew each second until that is done
        return _show(workspace, play_id, 409, asked=wish)
    return _back(workspace, play_id, f"?person={form.person.data}")


@area.post("/plays/<int:play_id>/<any(build, retry, stop, skip):verb>")
@signed_in(roles=ROLES)
def act(workspace: Workspace, play_id: int, verb: str) -> Response:
    """Build the play again, retry, stop or skip it."""
    verbs = {"build": plays.build, "retry": plays.retry, "stop": autopilot_launch.stop, "skip": plays.skip}
    said = {"stop": "Play stopped and campaign canceled.", "skip": "Skipped. Approve it to bring it back."}
    done = try_verb(lambda: verbs[verb](workspace, play_id), said.get(verb, ""), "info")
    return redirect_to_path(_home(workspace) if done and verb == "skip" else f"/plays/{play_id}")


@area.post("/plays/<int:play_id>/approve")
@signed_in(roles=ROLES)
def approve(workspace: Workspace, play_id: int) -> Response:
    """Approve a play; during setup, continue to the next step."""
    where = "/autopilot/sources" if setup.view(workspace).setup.status == "setup" else f"/plays/{play_id}"
    try_verb(lambda: plays.approve(workspace, play_id), "Approved. Nothing is sent before launch.")
    return redirect_to_path(where)


class LaunchForm(Form):
    start_at = Moment(name="startAt", wrong="Enter a date and a time.")
    approval = Tick()
    list = Text()


@area.post("/plays/<int:play_id>/launch")
@signed_in(roles=ROLES)
def launch(workspace: Workspace, play_id: int) -> Response:
    """Launch the play now or at the chosen time."""
    form = LaunchForm.posted()

    def begin() -> None:
        if not form.validate():
            raise InvalidRequest.of(*((field.name, field.errors[0]) for field in form if field.errors))
        start_at = form.start_at.data
        autopilot_launch.launch(
            workspace,
            play_id,
            start_at=start_at.replace(tzinfo=ZoneInfo(workspace.timezone)) if start_at else None,
            approval=form.approval.data,
            list_id=chosen_list(form.list.data),
        )

    try_verb(begin, "Launched. People are being added.")
    return redirect_to_path(f"/plays/{play_id}")


def chosen_list(given: str) -> int | None:
    """Return the list of the audience; None for people to be found."""
    if not given:
        return None
    if not (list_id := text.number(given)):
        raise InvalidRequest.of(("list", "Choose one of your lists."))
    return list_id


@area.post("/plays/<int:play_id>/template")
@signed_in(roles=ROLES)
def save_template(workspace: Workspace, play_id: int) -> Response:
    name = request.form.get("name", "")
    try_verb(lambda: templates.save(workspace, play_id, name), "Saved as a template.")
    return redirect_to_path(f"/plays/{play_id}")


def _home(workspace: Workspace) -> str:
    return "/autopilot/plays" if setup.view(workspace).setup.status == "setup" else "/plays"


def _back(workspace: Workspace, play_id: int, query: str) -> Response:
    """Show the page again; only its changed part for htmx."""
    return _show(workspace, play_id) if htmx().partial else redirect_to_path(f"/plays/{play_id}{query}")
