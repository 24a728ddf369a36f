"""Plays in review: read, edit, vote on people, rebuild."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from app.core.db import get_owned, session, transaction
from app.core.errors import InvalidRequest, NotFound
from app.domain.autopilot import launch, play_build, play_numbers, play_people, play_steps, setup_state
from app.domain.rules.step_kinds import NOTE_LENGTH, NOTE_LENGTH_BASIC
from app.domain.senders import accounts
from app.models.accounts import Channel
from app.models.autopilot import PLAY, Play, PlaySample
from app.models.workspaces import Workspace

VOTES = ("good", "bad")

View = tuple[Play, Sequence[PlaySample]]


def every(workspace: Workspace) -> Sequence[Play]:
    """Return the plays of the workspace in the order in which they were designed."""
    launch.follow(workspace)
    query = sa.select(Play).where(Play.workspace_id == workspace.id)
    return session().scalars(query.order_by(Play.rank, Play.id)).all()


def page(workspace: Workspace) -> play_numbers.PlayList:
    """Return the plays of the workspace, page by page, with their numbers."""
    launch.follow(workspace)
    return play_numbers.PlayList(workspace)


def get(workspace: Workspace, play_id: int) -> View:
    """Return the play with its sample people, or raise NotFound."""
    launch.follow(workspace)
    return get_owned(Play, workspace, play_id), play_people.samples(workspace, play_id)


def moves(play: Play) -> set[str]:
    """Return the actions allowed on the play now."""
    return {name for name in ("edit", "retry", "stop", "find") if PLAY.allows(play, name)}


def waits(play: Play) -> bool:
    """Return whether the play waits for a decision."""
    return "edit" in moves(play) and not (play.approved_at or play.skipped_at)


def edit(workspace: Workspace, play_id: int, given: Sequence[Mapping[str, Any]]) -> View:
    """Set the play's steps and render its samples' messages again."""
    with transaction():
        play = play_build.locked(workspace, play_id)
        PLAY.move(play, "edit")
        kept = play_steps.check(given, note_length=note_length(workspace))
        _put(workspace, play, kept)
        return play, play_people.samples(workspace, play_id)


def note_length(workspace: Workspace) -> int:
    """Return the longest invitation note that every social account can send."""
    social = [account for account in accounts.every(workspace) if account.channel == Channel.SOCIAL]
    return NOTE_LENGTH if social and all(one.has_sales_navigator for one in social) else NOTE_LENGTH_BASIC


def _put(workspace: Workspace, play: Play, kept: list[Any]) -> None:
    play_build.put_steps(play, kept)
    play.approved_at = None
    play_build.rewrite_messages(workspace, play)


def apply_steps(workspace: Workspace, play_id: int, given: Sequence[Mapping[str, Any]]) -> View:
    """Copy a template's steps to the play, each with a new id."""
    return edit(workspace, play_id, [{**step, "id": ""} for step in given])


def build(workspace: Workspace, play_id: int) -> View:
    """Search sample people for the play again; samples with a vote stay."""
    return _start(workspace, play_id, "find")


def retry(workspace: Workspace, play_id: int) -> View:
    """Retry a failed play from where it stopped."""
    return _start(workspace, play_id, "retry")


def _start(workspace: Workspace, play_id: int, move: str) -> View:
    with transaction():
        setup = setup_state.locked(workspace)
        play = play_build.locked(workspace, play_id)
        play_build.start(workspace, play, move)
        setup.error = None
        play_build.show_progress(workspace, setup)
        return play, play_people.samples(workspace, play_id)


def vote(workspace: Workspace, play_id: int, sample_id: int, fit: str | None) -> View:
    """Vote on a sample person, or remove the vote; the other samples are searched again."""
    if fit is not None and fit not in VOTES:
        raise InvalidRequest.of(("fit", "Use good, bad or null."))
    with transaction():
        play = play_build.locked(workspace, play_id)
        sample = get_owned(PlaySample, workspace, sample_id, lock=True)
        if sample.play_id != play.id:
            raise NotFound("Person not found in this play.")
        PLAY.move(play, "edit")
        sample.fit = fit or ""
        session().flush()
        play_build.sharpen(workspace, play)
        return play, play_people.samples(workspace, play_id)


def approve(workspace: Workspace, play_id: int) -> View:
    """Approve a play; it can be launched later."""
    with transaction():
        play = play_build.locked(workspace, play_id)
        PLAY.move(play, "edit")
        play.approved_at, play.skipped_at = workspace.now(), None
        return play, play_people.samples(workspace, play_id)


def skip(workspace: Workspace, play_id: int) -> View:
    """Skip a play; approve it to bring it back."""
    with transaction():
        play = play_build.locked(workspace, play_id)
        PLAY.move(play, "edit")
        play.skipped_at, play.approved_at = workspace.now(), None
        return play, play_people.samples(workspace, play_id)
