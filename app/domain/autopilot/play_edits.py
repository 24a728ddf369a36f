"""Edit a play by a request in plain words; lasting requests become rules for all texts."""

from typing import Any

from app import ports
from app.core.db import end_read, get_owned, transaction
from app.core.errors import InvalidRequest, NotFound
from app.domain.autopilot import play_build, play_steps, plays, serialization, setup_state
from app.domain.platform import jobs
from app.models.autopilot import PLAY, Play
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import ProviderError
from app.ports.writer import Change, Written

MOST_RULES, LONGEST_RULE = 50, 500
NOT_DONE = "That change isn't possible"


def change_steps(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Carry out the requested change, or log why not, and end it in any case."""
    try:
        play = get_owned(Play, workspace, payload["play"])
    except NotFound:
        return
    if not play.working or not PLAY.allows(play, "edit"):
        return
    setup = setup_state.get(workspace)
    brief, idea, before = (
        setup_state.brief(workspace, setup, channel=play.channel),
        serialization.idea_of(play),
        play.steps,
    )
    jobs.renew_lease(job, ports.models().longest())
    writer = ports.writer()
    end_read()
    try:
        change = writer.change(brief, idea, serialization.steps_of(before), payload["wish"])
        kept = play_steps.check(serialization.steps_json(change.steps), note_length=plays.note_length(workspace))
    except ProviderError as failure:
        answer(workspace, payload, f"{NOT_DONE}. {failure.sentence}")
        return
    except InvalidRequest as refusal:
        answer(workspace, payload, f"{NOT_DONE}: {refusal.fields[0].message}")
        return
    _record(workspace, payload, change, kept, before, writer.last())


def _record(
    workspace: Workspace,
    payload: dict[str, Any],
    change: Change,
    kept: list[Any],
    before: list[Any],
    written: Written,
) -> None:
    with transaction():
        setup = setup_state.locked(workspace)
        play = play_build.locked(workspace, payload["play"])
        if not PLAY.allows(play, "edit"):
            play.working = ""
            return
        if play.steps != before:
            _say(workspace, play, "The steps changed in the meantime, so nothing was edited. Ask again.")
            return
        if kept != before:
            play_build.put_steps(play, kept, by=written.by)
            play.approved_at = None
            play_build.rewrite_messages(workspace, play)
        if change.channel and play_steps.channel(kept) == change.channel:
            play.channel = change.channel
        play.choices = list(change.choices)
        setup.rules = merged(setup.rules, change.rules)
        _say(workspace, play, f"{change.reply} {written.note}".strip())


def merged(rules: list[str], more: Any) -> list[str]:
    """Return the rules plus the new ones."""
    kept = {rule.casefold(): rule for rule in rules}
    for rule in more:
        if stripped := rule.strip()[:LONGEST_RULE]:
            kept.setdefault(stripped.casefold(), stripped)
    return list(kept.values())[:MOST_RULES]


def _say(workspace: Workspace, play: Play, words: str) -> None:
    play.log = [*play.log, play_build.entry(workspace, "agent", words)]
    play_build.thought(workspace, play)


def answer(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """End the requested change and log the sentence."""
    with transaction():
        try:
            play = play_build.locked(workspace, payload["play"])
        except NotFound:
            return
        _say(workspace, play, sentence)
