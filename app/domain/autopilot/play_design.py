"""Design plays: one per available reason to write, ranked, each with its sequence."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import end_read, session, transaction
from app.core.errors import AppError, Conflict, InvalidRequest
from app.domain.autopilot import (
    play_build,
    play_people,
    play_steps,
    profile_corrections,
    serialization,
    setup_stages,
    setup_state,
)
from app.domain.autopilot.setup_state import Stage
from app.domain.billing.credits import SIGNAL_PRICES
from app.domain.platform import jobs
from app.models.autopilot import PLAY, Phase, Play, PlayStatus, Setup, SourceConnection
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import ANGLES, ProviderError
from app.ports.writer import Angle, PlayIdea, Progress

# The credits that an angle's lookups cost per person.
CREDITS = {
    "new_role": SIGNAL_PRICES["jobChange"],
    "hiring": SIGNAL_PRICES["hiring"],
    "funded": SIGNAL_PRICES["funding"],
    "technology": SIGNAL_PRICES["techStack"],
    "news": SIGNAL_PRICES["news"],
}
REPLACED = [PlayStatus.DESIGNED, PlayStatus.FINDING, PlayStatus.WRITING, PlayStatus.REVIEW, PlayStatus.FAILED]


def angles(workspace: Workspace) -> list[Angle]:
    """Return the angles open to the workspace: those that need no service, or a connected one."""
    query = sa.select(SourceConnection.kind).where(SourceConnection.workspace_id == workspace.id)
    connected = {"", *session().scalars(query)}
    return [angle for angle in ANGLES if angle.needs in connected]


def design(workspace: Workspace, angle: str = "") -> Setup:
    """Design all plays again except launched ones; with `angle`, add one more of that kind."""
    open_to_us = {one.code: one for one in angles(workspace)}
    if angle and angle not in open_to_us:
        needed = next((one.needs for one in ANGLES if one.code == angle), "")
        if needed:
            raise Conflict(f"No {needed} source is connected.", recovery=f"Connect your {needed} source first.")
        raise InvalidRequest.of(("angle", f"Use one of {', '.join(open_to_us)}."))
    with transaction():
        setup = setup_state.locked(workspace)
        if setup.phase not in ("", Phase.BUILD):
            raise Conflict("The autopilot is still working.", recovery="Wait until it's done (`progress` is null).")
        if setup.targets is None:
            raise Conflict(
                "You haven't chosen a target audience.",
                recovery="Analyze your business and choose a customer type first.",
            )
        if missing := profile_corrections.needs(setup.profile):
            raise Conflict(
                profile_corrections.NEEDED[missing[0]], recovery=f"Save `profile.{missing[0]}`, then design the plays."
            )
        begin(workspace, setup, angle)
        return setup


def begin(workspace: Workspace, setup: Setup, angle: str = "") -> None:
    """Start the design of plays. Inside a transaction that locks the setup."""
    run = setup_stages.begin(setup, Phase.PLAYS, "Choosing reasons to write")
    setup.step = max(setup.step, 5)
    jobs.add(workspace, "autopilot_plays", str(run), {"run": run, "angle": angle})


def design_plays(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Design the plays, write their sequences and start their searches."""

    def stage(at_work: Stage) -> None:
        if setup_state.get(workspace).phase == Phase.PLAYS:
            _ideas(at_work, payload["angle"])
        at_work.phase = Phase.SEQUENCE
        _sequences(at_work)

    setup_stages.work(workspace, payload, job, Phase.PLAYS, stage)


def _ideas(stage: Stage, angle: str) -> None:
    workspace = stage.workspace
    with stage.recording() as setup:
        brief = setup_state.brief(workspace, setup)
        open_to_us = [one for one in angles(workspace) if angle in ("", one.code)]
    audiences: dict[str, int] = {}
    for number, one in enumerate(open_to_us):
        stage.at(5 + 30 * number // len(open_to_us), f"Counting people: {one.label}")
        with stage.recording() as setup:
            wanted = serialization.wanted(workspace, setup, one.code)
        end_read()
        audiences[one.code] = play_people.search(workspace, one.code).count(wanted)
    stage.at(40, "Designing plays")
    writer = ports.writer()
    ideas = writer.plays(brief, open_to_us)
    with stage.recording() as setup:
        _record(workspace, setup, ideas, audiences, one_more=bool(angle))
        setup.phase, setup.note = Phase.SEQUENCE, writer.last().note


def _record(
    workspace: Workspace, setup: Setup, ideas: Sequence[PlayIdea], audiences: dict[str, int], *, one_more: bool
) -> None:
    """Store a play per idea in the writer's order; delete earlier ones not launched."""
    current = session()
    if not one_more:
        former = sa.delete(Play).where(Play.workspace_id == workspace.id, Play.status.in_(REPLACED))
        current.execute(former.execution_options(synchronize_session=False))
    highest = current.scalar(sa.select(sa.func.max(Play.rank)).where(Play.workspace_id == workspace.id)) or 0
    for rank, idea in enumerate(ideas, highest + 1):
        current.add(
            Play(
                workspace_id=workspace.id,
                rank=rank,
                angle=idea.angle,
                name=idea.name,
                pitch=idea.pitch,
                why=idea.why,
                strategy=idea.strategy,
                reaches=idea.reaches,
                chips=list(idea.chips),
                channel=setup_state.brief(workspace, setup).channel,
                audience=audiences.get(idea.angle, 0),
                credits_per_lead=CREDITS.get(idea.angle, 0),
                steps=[],
                written={"steps": {}, "by": {}},
                log=[],
                launch={},
                created_at=workspace.now(),
            )
        )
    current.flush()


def _sequences(stage: Stage) -> None:
    """Write the steps of each play without any; a play whose writing fails does not affect the others."""
    workspace = stage.workspace
    query = sa.select(Play.id, Play.name).where(Play.workspace_id == workspace.id, Play.status == PlayStatus.DESIGNED)
    waiting = session().execute(query.order_by(Play.rank, Play.id)).all()
    for number, (play_id, name) in enumerate(waiting):
        begins, share = 50 + 50 * number // len(waiting), 50 / len(waiting)
        stage.at(begins, f"Writing: {name}")
        _sequence(stage, play_id, partial(_show, stage, name, begins, share))
    with stage.recording() as setup:
        setup.step = max(setup.step, 5)
        setup_stages.end(setup)
        play_build.show_progress(workspace, setup)


def _show(stage: Stage, name: str, begins: int, share: float, done: int, of: int) -> None:
    """Show how many messages of a play are written."""
    stage.at(int(begins + share * done / of), f"Writing: {name}")


def _sequence(stage: Stage, play_id: int, progress: Progress) -> None:
    workspace = stage.workspace
    with stage.recording() as setup:
        play = play_build.locked(workspace, play_id)
        brief, idea = setup_state.brief(workspace, setup, channel=play.channel), serialization.idea_of(play)
    sentence, left, writer = "", stage.left, ports.writer()
    try:
        written = play_steps.check(serialization.steps_json(writer.sequence(brief, idea, left, progress)))
    except ProviderError as failure:
        sentence = failure.sentence
    except AppError as refusal:
        sentence = refusal.fields[0].message if refusal.fields else refusal.message
    with stage.recording() as setup:
        play = play_build.locked(workspace, play_id)
        if sentence:
            PLAY.move(play, "fail")
            play.error, setup.error = sentence, f"{play.name}: {sentence}"
            play.log = [*play.log, play_build.entry(workspace, "agent", sentence)]
            return
        play_build.put_steps(play, written, writer.last(), brief.profile)
        play_build.start(workspace, play)


def estimate(workspace: Workspace) -> play_people.Estimate:
    """Estimate how many people the current targeting reaches."""
    return play_people.estimate(workspace, setup_state.get(workspace))
