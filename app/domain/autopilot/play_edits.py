"""Changes of a play: proposed, compared with the steps before, then used or left, and the last one taken back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app import ports
from app.core.db import end_read, get_owned, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.autopilot import play_build, play_people, play_steps, plays, serialization, setup_state
from app.domain.autopilot.plays import View
from app.domain.platform import jobs
from app.domain.rules.edits import differences
from app.domain.rules.edits.differences import StepChange
from app.models.autopilot import PLAY, Play
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import ProviderError
from app.ports.writer import Brief, Choice, PlayIdea, named_change

MOST_RULES, LONGEST_RULE = 50, 500
LONGEST_WISH = 2000
THINKING = "Working on your change"
NOTHING = "Nothing changed: {why}"
MEANWHILE = "the steps were edited in the meantime. Ask again."
LEFT = "Nothing changed."


@dataclass(frozen=True)
class Proposal:
    """A change that waits to be used or left: what was asked for, and what it would change."""

    wish: str
    changes: Sequence[StepChange]

    @property
    def says(self) -> str:
        """Return what it would change, in a sentence."""
        return differences.report(self.changes)


@dataclass(frozen=True)
class Made:
    """Steps as they would be, or why nothing changed, and who wrote them."""

    steps: list[Any]
    why: str = ""
    by: str = ""


@dataclass(frozen=True)
class Standing:
    """How a play can be changed: what is offered by name, what waits to be used, and whether the last can go back."""

    offered: Sequence[Choice] = ()
    proposal: Proposal | None = None
    can_undo: bool = False


def standing(workspace: Workspace, play: Play) -> Standing:
    """Return how a play can be changed; also in a transaction."""
    if not PLAY.allows(play, "edit"):
        return Standing()
    setup = setup_state.find(workspace)
    profile = serialization.profile_of((setup and setup.profile) or {"business": "", "summary": ""})
    offered = ports.writer().offered(serialization.steps_of(play.steps), profile.language)
    return Standing(offered, _proposal(play), _can_undo(play))


def takes_words() -> bool:
    """Return whether a change can be asked for in words of one's own, which only a model reads."""
    return ports.writer().takes_words


def ask(workspace: Workspace, play_id: int, wish: str, *, preview: bool = False) -> View:
    """Make the change, or only propose it. One that a model writes is queued, any other is done at once."""
    return prepare(workspace, play_id, wish, preview=preview)()


def prepare(workspace: Workspace, play_id: int, wish: str, *, preview: bool = False) -> Callable[[], View]:
    """Return what records the change, in a transaction. Asks the writer, so never in one."""
    wish = wish.strip()
    if not 1 <= len(wish) <= LONGEST_WISH or "\0" in wish:
        raise InvalidRequest.of(("text", f"Describe the change in 1 to {LONGEST_WISH:,} characters."))
    play = get_owned(Play, workspace, play_id)
    given, queued = _given(workspace, play), takes_words() and named_change(wish) is None
    made = Made(given.steps) if queued else _made(given, wish)

    def record() -> View:
        with transaction():
            play = _open(workspace, play_id)
            if play.working == THINKING:
                raise Conflict("The play is already being changed.", recovery="Wait until it's done, then ask again.")
            if play.proposed:
                _leave(workspace, play)
            play.log = [*play.log, play_build.entry(workspace, "user", wish)]
            if queued:
                play.working = THINKING
                payload = {"play": play.id, "wish": wish, "preview": preview}
                jobs.add(workspace, "autopilot_change", str(play.id), payload)
            else:
                _settle(workspace, play, wish, given.steps, made, preview=preview)
            return play, play_people.samples(workspace, play_id)

    return record


def change_steps(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Make the change that a model writes, or log why not, and end it in any case."""
    try:
        play = get_owned(Play, workspace, payload["play"])
    except NotFound:
        return
    if not play.working or not PLAY.allows(play, "edit"):
        return
    jobs.renew_lease(job, ports.models().longest())
    given = _given(workspace, play)
    end_read()
    made = _made(given, payload["wish"])
    with transaction():
        play = play_build.locked(workspace, payload["play"])
        if PLAY.allows(play, "edit"):
            _settle(workspace, play, payload["wish"], given.steps, made, preview=payload.get("preview", False))
            play_build.thought(workspace, play)
        else:
            play.working = ""


def answer(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """End a change that failed repeatedly, and log the sentence."""
    with transaction():
        try:
            play = play_build.locked(workspace, payload["play"])
        except NotFound:
            return
        _say(workspace, play, sentence)
        play_build.thought(workspace, play)


def use(workspace: Workspace, play_id: int) -> View:
    """Use the change that was proposed."""
    with transaction():
        play = _open(workspace, play_id)
        kept = play.proposed
        if kept is None or _proposal(play) is None:
            raise Conflict("There is no change to apply.", recovery="The steps may have been edited. Ask for it again.")
        _use(workspace, play, Made(kept["after"], by=kept["by"]))
        return play, play_people.samples(workspace, play_id)


def leave(workspace: Workspace, play_id: int) -> View:
    """Leave the play as it is."""
    with transaction():
        play = _open(workspace, play_id)
        if play.proposed:
            _leave(workspace, play)
        return play, play_people.samples(workspace, play_id)


def undo(workspace: Workspace, play_id: int) -> View:
    """Take the last change back, unless anything else was changed since."""
    with transaction():
        play = _open(workspace, play_id)
        kept = play.replaced
        if kept is None or not _can_undo(play):
            raise Conflict("There is no change to undo.", recovery="Edit the steps instead.")
        changes = differences.compare(play.steps, kept["steps"])
        play.written, play.replaced, play.proposed = kept["written"], None, None
        play_build.put_steps(play, kept["steps"])
        play.approved_at = None
        play_build.rewrite_messages(workspace, play)
        _say(workspace, play, f"Undone. {differences.report(changes)}")
        return play, play_people.samples(workspace, play_id)


def _proposal(play: Play) -> Proposal | None:
    kept = play.proposed
    if not kept or kept["before"] != play.steps:
        return None
    return Proposal(kept["wish"], differences.compare(play.steps, kept["after"]))


def _can_undo(play: Play) -> bool:
    return play.replaced is not None and play.replaced["after"] == play.steps


def _open(workspace: Workspace, play_id: int) -> Play:
    play = play_build.locked(workspace, play_id)
    PLAY.move(play, "edit")
    return play


@dataclass(frozen=True)
class _Given:
    """What a change is made from."""

    brief: Brief
    idea: PlayIdea
    steps: list[Any]
    note_length: int


def _given(workspace: Workspace, play: Play) -> _Given:
    brief = setup_state.brief(workspace, setup_state.get(workspace), channel=play.channel)
    return _Given(brief, serialization.idea_of(play), play.steps, plays.note_length(workspace))


def _made(given: _Given, wish: str) -> Made:
    """Return the steps after the wish, checked."""
    writer = ports.writer()
    try:
        change = writer.change(given.brief, given.idea, serialization.steps_of(given.steps), wish)
        steps = play_steps.check(serialization.steps_json(change.steps), note_length=given.note_length)
    except ProviderError as failure:
        return Made(given.steps, failure.sentence)
    except InvalidRequest as refusal:
        return Made(given.steps, refusal.fields[0].message)
    written = writer.last()
    return Made(steps, f"{change.reply} {written.note}".strip(), written.by)


def _settle(workspace: Workspace, play: Play, wish: str, before: list[Any], made: Made, *, preview: bool) -> None:
    """Use or propose what was made, or log why nothing changed. Inside a transaction that locks the play."""
    if play.steps != before:
        _say(workspace, play, NOTHING.format(why=MEANWHILE))
    elif made.steps == before:
        _say(workspace, play, NOTHING.format(why=made.why))
    elif preview:
        play.proposed = {"wish": wish, "before": before, "after": made.steps, "by": made.by}
    else:
        _use(workspace, play, made)


def _use(workspace: Workspace, play: Play, made: Made) -> None:
    changes = differences.compare(play.steps, made.steps)
    play.replaced = {"steps": play.steps, "written": play.written, "after": made.steps}
    play.proposed = None
    play_build.put_steps(play, made.steps, by=made.by)
    play.approved_at = None
    play_build.rewrite_messages(workspace, play)
    _say(workspace, play, differences.report(changes))


def _leave(workspace: Workspace, play: Play) -> None:
    play.proposed = None
    _say(workspace, play, LEFT)


def _say(workspace: Workspace, play: Play, words: str) -> None:
    play.log = [*play.log, play_build.entry(workspace, "agent", words)]
