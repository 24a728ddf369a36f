"""Plays: list, review, vote, change by request, approve and launch."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, request

from app.core import text
from app.core.errors import Conflict, InvalidRequest
from app.core.mail.message_parts import ends, take_apart
from app.domain.autopilot import launch as autopilot_launch
from app.domain.autopilot import (
    play_changes,
    play_design,
    play_numbers,
    play_people,
    play_steps,
    plays,
    serialization,
    setup,
    setup_state,
    templates,
)
from app.domain.autopilot.play_steps import IN_A_CAMPAIGN
from app.domain.rules import message_templates
from app.domain.rules.message_templates import Draw
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import error_text, htmx, redirect_to_path, render, show_toast, try_verb
from app.pages.framework.forms import Form, Moment, Text, Tick
from app.pages.framework.words import step_word

area = Blueprint("plays", __name__)
AT_WORK = ("finding", "writing")
FITS = (("Fewer", "bad"), ("More", "good"))
NOTES = {"accept": "After they accept", "no_reply": "If no reply"}
CHANGES = {"use": play_changes.use, "leave": play_changes.leave, "undo": play_changes.undo}
UNITS = {"minutes": "minute", "hours": "hour", "days": "day"}
OPEN, SHUT = "\ue000", "\ue001"  # around what was filled in; no text of ours has them
_FILLED = re.compile(f"({OPEN}[^{OPEN}{SHUT}]*{SHUT})")


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
    made: Mapping[str, Any]  # see ports.writer.Made; {} when the text is a person's or the built-in writer's alone


@area.get("/plays")
def index(workspace: Workspace) -> Response:
    view = setup.view(workspace)
    if view.setup.targets is None:
        return redirect_to_path("/autopilot")
    known = {play.angle for play in view.plays}
    without_people = autopilot_launch.without_people(workspace, known)
    return render(
        "plays/index.html",
        part="plays/_rows.html",
        view=view,
        setup=view.setup,
        moves=setup.moves(view.setup),
        setting_up=view.setup.status == "setup",
        moves_of=plays.moves,
        without_people=without_people,
        at_work=any(play.status in AT_WORK or play.build for play in view.plays) or bool(view.setup.phase),
        angles=[angle for angle in play_design.angles(workspace) if angle.code not in known],
    )


@area.post("/plays")
def design(workspace: Workspace) -> Response:
    """Design one more play of an angle, or all plays again."""
    try_verb(lambda: setup.design(workspace, request.form.get("angle", "")), "Being designed.")
    return redirect_to_path("/plays")


@area.post("/plays/<any(pause, resume):switch>")
def whole(workspace: Workspace, switch: str) -> Response:
    """Pause or resume the autopilot."""
    verb = setup.pause if switch == "pause" else setup.resume
    said = "The autopilot is paused." if switch == "pause" else "The autopilot is running again."
    try_verb(lambda: verb(workspace), said)
    return redirect_to_path("/plays")


@area.get("/plays/<int:play_id>")
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
    standing = play_changes.standing(workspace, play)

    def said(words: str, number: int) -> str:
        return _rendered_sentence(words, known, Draw(chosen.person if chosen else "", number - 1), as_template)

    return render(
        "plays/show.html",
        part="plays/_review.html",
        status=status,
        play=play,
        numbers=play_numbers.view(workspace, play),
        comparisons=play_numbers.of_variants(workspace, play),
        samples=samples,
        chosen=chosen,
        learnt=_learnt(samples),
        steps=[] if not play.steps else _steps(play, known, chosen.person if chosen else "", raw=as_template),
        as_template=as_template,
        standing=standing,
        takes_words=play_changes.takes_words(),
        proposed=_proposed(standing.proposal, said),
        sentences=_sentences(play.steps, said),
        steps_with_text=[
            (number, _step_title(number, step["kind"])) for number, step in enumerate(play.steps, 1) if "text" in step
        ],
        setup=view.setup,
        setting_up=view.setup.status == "setup",
        moves=plays.moves(play),
        senders=view.senders,
        audiences=autopilot_launch.audiences(workspace, play.angle),
        of=len(view.plays),
        following=_following(view.plays, play),
        busy=play.status in AT_WORK or bool(play.working) or bool(play.build),
        **{"refused": "", "form": None, **context},
    )


def _following(every: Sequence[Any], play: Any) -> int:
    """Return the next play that waits for a decision, behind this one and then from the first; 0 without one."""
    behind = sorted(every, key=lambda one: (one.rank <= play.rank, one.rank))
    return next((one.id for one in behind if one.id != play.id and plays.waits(one)), 0)


def _learnt(samples: Sequence[Any]) -> list[tuple[str, str]]:
    """Return what the votes ask for fewer and for more of, in words."""
    votes = [(one.partition(": ")[2], fit) for one, fit in play_people.votes(samples).items()]
    said = [(label, [trait for trait, fit in votes if trait and fit == of]) for label, of in FITS]
    return [(label, ", ".join(traits)) for label, traits in said if traits]


def _known(workspace: Workspace, sample: Any) -> Mapping[str, str]:
    values = play_people.known(serialization.person_of(sample.found), setup_state.sender_name(workspace))
    return {name: f"{OPEN}{value}{SHUT}" if value else value for name, value in values.items()}


def _steps(play: Any, known: Mapping[str, str], person: str, *, raw: bool) -> list[Shown]:
    made = play_steps.made(play.steps, play.written)
    shown = []
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
        shown.append(Shown(IN_A_CAMPAIGN[step["kind"]], begins, after, *texts, made.get(step["id"], {})))
    return shown


def _proposed(found: Any, said: Callable[[str, int], str]) -> list[dict[str, Any]]:
    """Return the steps that a change would make different, with their sentences (same, old or new) as one gets them."""
    return [
        {
            "title": _step_title(one.number, one.kind) if one.number else "Order",
            "says": one.says,
            "sentences": [(piece.side, said(piece.text, one.number)) for piece in one.sentences],
        }
        for one in (found.changes if found else ())
    ]


def _sentences(steps: Sequence[Any], said: Callable[[str, int], str]) -> dict[str, list[tuple[str, str]]]:
    """Return the sentences to choose from and how they are said, by the step they are in."""
    found: dict[str, list[tuple[str, str]]] = {}
    for number, step in enumerate(steps, 1):
        several = [one for one in take_apart(step.get("text", "")).body if ends(one)]
        shown = [(one, said(one, number)) for one in several]
        found |= {_step_title(number, step["kind"]): shown} if shown else {}
    return found


def _step_title(number: int, kind: str) -> str:
    return f"Step {number} · {step_word(IN_A_CAMPAIGN[kind]).label}"


def _rendered_sentence(words: str, known: Mapping[str, str], draw: Draw, raw: bool) -> str:
    """Return one sentence as a person gets it."""
    raw = raw or bool(message_templates.problems(words))  # a condition may go over several sentences
    filled = words if raw else " ".join(message_templates.fill(words, known, draw).parts)
    return "".join(piece.words for piece in _pieces(filled, raw))


def _pieces(words: str, raw: bool) -> list[Piece]:
    if raw:
        return [Piece(*piece) for piece in message_templates.marked(words)]
    cut = [one for one in _FILLED.split(words) if one]
    return [Piece(one.strip(OPEN + SHUT), bool(_FILLED.fullmatch(one))) for one in cut]


@area.post("/plays/<int:play_id>/people/<int:sample_id>")
def vote(workspace: Workspace, play_id: int, sample_id: int) -> Response:
    """Vote on a sample person, or remove the vote."""
    try_verb(lambda: plays.vote(workspace, play_id, sample_id, request.form.get("fit") or None))
    return _back(workspace, play_id, f"?person={sample_id}")


class AskForm(Form):
    """A requested change, in words or by name with its sentence, and whose messages are shown."""

    text = Text()
    person = Text()
    change = Text()
    sentence = Text(strip=True)
    added = Text(strip=True)
    step = Text()

    @property
    def wish(self) -> str:
        """Return the change as it is asked for."""
        if self.change.data == "without_sentence":
            return f"Without this sentence: {self.sentence.data}"
        if self.change.data == "with_sentence":
            return f"With this sentence in step {self.step.data}: {self.added.data}"
        return str(self.text.data)


@area.post("/plays/<int:play_id>/ask")
def ask(workspace: Workspace, play_id: int) -> Response:
    """Propose a change; it is shown before it is used."""
    form = AskForm.posted()
    if form.change.data and not (form.added.data or form.sentence.data):
        return _show(workspace, play_id, 422, refused="Write or choose a sentence.", form=form)
    try:
        play_changes.ask(workspace, play_id, form.wish, preview=True)
    except InvalidRequest as refusal:
        return _show(workspace, play_id, 422, form=form, refused=error_text(refusal))
    except Conflict as refusal:
        show_toast(error_text(refusal), "danger")  # beside the page, which is drawn anew each second until that is done
        return _show(workspace, play_id, 409, form=form)
    return _back(workspace, play_id, f"?person={form.person.data}")


@area.post("/plays/<int:play_id>/change/<any(use, leave, undo):verb>")
def settle(workspace: Workspace, play_id: int, verb: str) -> Response:
    """Use the proposed change, leave it, or take the last one back."""
    try_verb(lambda: CHANGES[verb](workspace, play_id))
    return _back(workspace, play_id, f"?person={request.form.get('person', '')}")


@area.post("/plays/<int:play_id>/<any(build, retry, stop, skip):verb>")
def act(workspace: Workspace, play_id: int, verb: str) -> Response:
    """Build the play again, retry, stop or skip it."""
    verbs = {"build": plays.build, "retry": plays.retry, "stop": autopilot_launch.stop, "skip": plays.skip}
    said = {"stop": "Play stopped and campaign canceled.", "skip": "Skipped. Approve the play to bring it back."}
    done = try_verb(lambda: verbs[verb](workspace, play_id), said.get(verb, ""), "info")
    every = "/autopilot/plays" if setup.view(workspace).setup.status == "setup" else "/plays"
    return redirect_to_path(every if done and verb == "skip" else f"/plays/{play_id}")


class ApproveForm(Form):
    """Which play is shown next, and what becomes of a proposed change: use or leave."""

    next = Text()
    change = Text()


@area.post("/plays/<int:play_id>/approve")
def approve(workspace: Workspace, play_id: int) -> Response:
    """Approve a play, with or without the proposed change; then show the next play or the setup's next step."""
    form = ApproveForm.posted()
    following = text.number(form["next"].data)
    setting_up = setup.view(workspace).setup.status == "setup"
    where = f"/plays/{following or play_id}" if following or not setting_up else "/autopilot/sources"
    change = CHANGES.get(form.change.data)
    if change is None or try_verb(lambda: change(workspace, play_id)):
        try_verb(lambda: plays.approve(workspace, play_id), "Approved. Nothing is sent before you launch.")
    return redirect_to_path(where)


class LaunchForm(Form):
    start_at = Moment(name="startAt", wrong="Enter a date and a time.")
    approval = Tick()
    list = Text()


@area.post("/plays/<int:play_id>/launch")
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
def save_template(workspace: Workspace, play_id: int) -> Response:
    try_verb(lambda: templates.save(workspace, play_id, request.form.get("name", "")), "Saved as a template.")
    return redirect_to_path(f"/plays/{play_id}")


def _back(workspace: Workspace, play_id: int, query: str) -> Response:
    """Show the page again; only its changed part for htmx."""
    return _show(workspace, play_id) if htmx().partial else redirect_to_path(f"/plays/{play_id}{query}")


@area.post("/plays/<int:play_id>/write-again")
def write_texts(workspace: Workspace, play_id: int) -> Response:
    """Write the texts again and show them."""
    written = try_verb(lambda: play_changes.rewrite(workspace, play_id))
    return redirect_to_path(f"/plays/{play_id}{'/write-again' if written else ''}")


@area.get("/plays/<int:play_id>/write-again")
def new_texts(workspace: Workspace, play_id: int) -> Response:
    """Show the new texts beside the old ones; without new ones, the play."""
    play, _ = plays.get(workspace, play_id)
    if "texts" not in (play.proposed or {}):
        show_toast("The messages would stay the same.", "info")
        return redirect_to_path(f"/plays/{play_id}")
    return render("plays/write_again.html", play=play, anew=play.proposed, kinds=IN_A_CAMPAIGN)


@area.post("/plays/<int:play_id>/write-again/use")
def use_texts(workspace: Workspace, play_id: int) -> Response:
    """Use the new texts of the ticked steps; the others stay."""
    chosen = request.form.getlist("step")
    if try_verb(lambda: play_changes.use(workspace, play_id, chosen)):
        undo = f"/plays/{play_id}/change/undo" if chosen else ""
        show_toast("The new messages are in use." if chosen else "Your messages are unchanged.", undo=undo)
    return redirect_to_path(f"/plays/{play_id}")
