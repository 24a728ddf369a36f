"""Build a play as a resumable job: its sequence, sample people, and a message for each of them."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import end_read, get_owned, session, transaction
from app.core.errors import AppError, InvalidRequest, NotFound
from app.domain.autopilot import play_people, play_steps, serialization, setup_state
from app.domain.autopilot.setup_state import Superseded
from app.domain.platform import jobs, locks
from app.models.autopilot import PLAY, Phase, Play, PlaySample, PlayStatus, Setup, message_fields
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import FoundPerson, ProviderError
from app.ports.writer import Brief, PlayIdea, Profile, Written

BUILT = [PlayStatus.FINDING, PlayStatus.WRITING]
BROKEN = "Something went wrong on our side. Retry this play."
NO_PEOPLE = "No people matched this play. Broaden the targeting, then try again."
LONGEST_TURN = 10.0  # seconds before a build lets other jobs run
SHARPENING = "Finding more people like your good fits"
SHARPEN = "autopilot_sharpen"


def locked(workspace: Workspace, play_id: int) -> Play:
    """Return the play, locked until the transaction ends, or raise NotFound."""
    locks.lock_workspaces([workspace.id])
    return get_owned(Play, workspace, play_id, lock=True)


def start(workspace: Workspace, play: Play, move: str = "find") -> None:
    """Start the play's search for people from the beginning. Inside a transaction that locks the play."""
    PLAY.move(play, move)
    play.run += 1
    play.error, play.approved_at, play.skipped_at, play.launch = "", None, None, {}
    play.build = {"label": "Finding people", "step": 0, "of": play_people.SHOWN}
    session().execute(sa.delete(PlaySample).where(PlaySample.play_id == play.id, PlaySample.fit == ""))
    jobs.add(workspace, "autopilot_build", f"{play.id}:{play.run}", {"play": play.id, "run": play.run})


def show_progress(workspace: Workspace, setup: Setup) -> None:
    """Update the setup's number of built plays; finish it after the last one. Inside a transaction."""
    if setup.phase not in ("", Phase.BUILD):
        return
    query = sa.select(Play).where(Play.workspace_id == workspace.id).order_by(Play.rank, Play.id)
    every = [play for play in session().scalars(query) if play.skipped_at is None]
    at_work = [play.name for play in every if play.status in BUILT]
    if not at_work:
        setup.phase, setup.progress = "", None
        return
    built = [play.name for play in every if play.status not in (*BUILT, PlayStatus.DESIGNED)]
    pct = 100 * len(built) // max(len(built) + len(at_work), 1)
    setup.phase = Phase.BUILD
    setup.progress = {"phase": Phase.BUILD, "pct": pct, "done": built, "active": at_work[0]}


class Build:
    """A play being built: it gives the writer's brief, and records only while no other build has replaced this one."""

    def __init__(self, workspace: Workspace, job: Job, play_id: int, run: int) -> None:
        self.workspace, self.job, self.play_id, self.run = workspace, job, play_id, run

    @contextmanager
    def recording(self) -> Iterator[Play]:
        """Open a transaction with the play; raise Superseded if another build has replaced this one."""
        with transaction():
            try:
                play = locked(self.workspace, self.play_id)
            except NotFound:
                raise Superseded from None
            if play.run != self.run or play.status not in BUILT:
                raise Superseded
            yield play

    def brief(self, play: Play) -> tuple[Brief, PlayIdea]:
        """Return what the writer may use for this play."""
        setup = setup_state.get(self.workspace)
        return setup_state.brief(self.workspace, setup, channel=play.channel), serialization.idea_of(play)


def build_play(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Build one play for review, or fail it with a sentence; other plays are not affected."""
    build = Build(workspace, job, payload["play"], payload["run"])
    try:
        with build.recording() as play:
            PLAY.move(play, "again")
            show_progress(workspace, setup_state.locked(workspace))
        _sequence(build)
        if not _find(build):
            return jobs.RESCHEDULE
        _write(build)
    except Superseded:
        return None
    except AppError as refusal:
        fail(build, refusal.fields[0].message if refusal.fields else refusal.message)
    except ProviderError as failure:
        fail(build, failure.sentence)
    return None


def fail(build: Build, sentence: str) -> None:
    """Fail the play with a reason; the people already found stay."""
    try:
        with build.recording() as play:
            _failed(build.workspace, play, sentence)
    except Superseded:
        return


def _failed(workspace: Workspace, play: Play, sentence: str) -> None:
    PLAY.move(play, "fail")
    play.error, play.build, play.working = sentence, None, ""
    play.log = [*play.log, entry(workspace, "agent", sentence)]
    setup = setup_state.locked(workspace)
    setup.error = f"{play.name}: {sentence}"
    show_progress(workspace, setup)


def fail_build(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """Fail a play whose build failed repeatedly."""
    found = (
        session()
        .scalars(sa.select(Play).where(Play.id == payload["play"], Play.workspace_id == workspace.id))
        .one_or_none()
    )
    if found is not None and found.run == payload["run"] and found.status in BUILT:
        _failed(workspace, found, BROKEN)


def entry(workspace: Workspace, role: str, words: str) -> dict[str, Any]:
    """Return a line of the play's log."""
    return {"role": role, "text": words, "at": workspace.now().isoformat()}


def _sequence(build: Build) -> None:
    """Write the play's steps if it has none."""
    with build.recording() as play:
        if play.steps:
            return
        play.build = {"label": "Writing the sequence", "step": 0, "of": 1}
        brief, idea = build.brief(play)
    jobs.renew_lease(build.job, ports.models().longest())
    writer = ports.writer()
    written = writer.sequence(brief, idea)
    with build.recording() as play:
        put_steps(play, play_steps.check(serialization.steps_json(written)), writer.last(), brief.profile)


def put_steps(
    play: Play, kept: list[Any], written: Written | None = None, profile: Profile | None = None, *, by: str = ""
) -> None:
    """Set the play's steps and the channel they use; texts that a person edited stay marked as edited.

    `written` tells who wrote all steps, `profile` the profile they were written from, `by` who changed some of them.
    """
    by = written.by if written is not None else by
    if by and play.written is not None:
        before, known = {one["id"]: play_steps.said(one) for one in play.steps}, play.written["steps"]
        ours = {
            one["id"]: play_steps.said(one)
            for one in kept
            if one["id"] not in before or known.get(one["id"]) == before[one["id"]]
        }
        made = written.steps if written is not None else {}
        anew = {name for name, texts in ours.items() if known.get(name) != texts}
        play.written = {
            **play.written,
            "steps": {**known, **ours},
            "by": {
                **play.written["by"],
                **dict.fromkeys(sorted(anew), by),
                **{name: one.by for name, one in made.items()},
            },
            "made": {
                **{name: one for name, one in play.written.get("made", {}).items() if name not in anew},
                **{name: asdict(one) for name, one in made.items()},
            },
        }
    play.steps, play.channel = kept, play_steps.channel(kept, play.channel)
    if written is not None:
        play.written_by, play.note = written.by, written.note
    if profile is not None:
        play.written_from = message_fields(serialization.profile_json(profile))


def _find(build: Build) -> bool:
    """Find sample people with a reason why they fit; return False when the job must continue later."""
    begun = time.monotonic()
    with build.recording() as play:
        brief, idea = build.brief(play)
        setup = setup_state.get(build.workspace)
        wanted = serialization.wanted(build.workspace, setup, play.angle)
        shown = list(play_people.samples(build.workspace, play.id))
        number = play_people.fitting(shown)
        play.build = {"label": "Finding people", "step": number, "of": play_people.SHOWN}
    end_read()
    audience = play_people.search(build.workspace, wanted.angle).count(wanted)
    with build.recording() as play:
        play.audience = audience
    votes = play_people.votes(shown)
    more = fitting(build.workspace, brief, idea, wanted, votes, {one.person for one in shown})
    for person, reason in more if number < play_people.SHOWN else ():
        with build.recording() as play:
            add_sample(build.workspace, play, person, reason)
            number = play_people.fitting(play_people.samples(build.workspace, play.id))
            play.build = {"label": "Finding people", "step": number, "of": play_people.SHOWN}
        jobs.renew_lease(build.job)
        if number >= play_people.SHOWN:
            break
        if time.monotonic() - begun > LONGEST_TURN:
            return False
    with build.recording() as play:
        if not play_people.samples(build.workspace, play.id):
            raise InvalidRequest.of(("targets", NO_PEOPLE))
        PLAY.move(play, "write")
    return True


def fitting(
    workspace: Workspace, brief: Brief, idea: PlayIdea, wanted: Any, votes: dict[str, str], known: set[str]
) -> Iterator[tuple[FoundPerson, str]]:
    """Return people who match, may be contacted and fit, each with the reason, without those already `known`."""
    writer, search = ports.writer(), play_people.search(workspace, wanted.angle)
    cursor = ""
    for _ in range(0, play_people.LOOKED_AT, play_people.PAGE):
        end_read()
        found = search.find(wanted, play_people.PAGE, cursor)
        fresh = [one for one in found.people if play_people.handle(one) not in known]
        for person in play_people.allowed(workspace, fresh):
            end_read()
            judgement = writer.judge(brief, idea, person, votes)
            if judgement.fits:
                yield person, judgement.reason
        cursor = found.cursor
        if not cursor:
            return


def add_sample(workspace: Workspace, play: Play, person: FoundPerson, reason: str) -> PlaySample:
    """Add a sample person for review. Inside a transaction."""
    sample = PlaySample(
        workspace_id=workspace.id,
        play_id=play.id,
        person=play_people.handle(person),
        found=serialization.person_json(person),
        reason=reason,
        messages=[],
        created_at=workspace.now(),
    )
    session().add(sample)
    session().flush()
    return sample


def _write(build: Build) -> None:
    """Write each sample person's messages and open the play for review."""
    with build.recording() as play:
        waiting = [one.id for one in play_people.samples(build.workspace, play.id)]
        play.build = {"label": "Writing messages", "step": 0, "of": len(waiting)}
    sender = setup_state.sender_name(build.workspace)
    for number, sample_id in enumerate(waiting, 1):
        with build.recording() as play:
            sample = session().get(PlaySample, sample_id)
            if sample is not None:
                sample.messages = play_people.messages(play.steps, serialization.person_of(sample.found), sender)
            play.build = {"label": "Writing messages", "step": number, "of": len(waiting)}
        jobs.renew_lease(build.job)
    with build.recording() as play:
        PLAY.move(play, "review")
        play.build = None
        show_progress(build.workspace, setup_state.locked(build.workspace))


def rewrite_messages(workspace: Workspace, play: Play) -> None:
    """Render the sample people's messages from the current steps. Inside a transaction."""
    sender = setup_state.sender_name(workspace)
    for sample in play_people.samples(workspace, play.id):
        sample.messages = play_people.messages(play.steps, serialization.person_of(sample.found), sender)


def sharpen(workspace: Workspace, play: Play) -> None:
    """Queue a new search for people that uses the votes. Inside a transaction that locks the play."""
    play.working = play.working or SHARPENING
    jobs.add(workspace, SHARPEN, str(play.id), {"play": play.id})


def thought(workspace: Workspace, play: Play) -> None:
    """Mark the requested change as ended; the search by votes may still run. Also inside a transaction."""
    play.working = ""
    if jobs.is_under_way(workspace, SHARPEN, str(play.id)):
        sharpen(workspace, play)


def improve_search(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Replace sample people by ones more like the good fits and unlike the bad ones."""
    play, found = _reviewed(workspace, payload["play"])
    if play is None:
        return None
    setup = setup_state.get(workspace)
    brief, idea = setup_state.brief(workspace, setup, channel=play.channel), serialization.idea_of(play)
    wanted, votes = serialization.wanted(workspace, setup, play.angle), play_people.votes(found)
    writer = ports.writer()
    end_read()
    try:
        unfit = [
            one.id
            for one in found
            if not one.fit and not writer.judge(brief, idea, serialization.person_of(one.found), votes).fits
        ]
        room = play_people.SHOWN - play_people.fitting([one for one in found if one.id not in unfit])
        more = _some(fitting(workspace, brief, idea, wanted, votes, {one.person for one in found}), room)
    except ProviderError:
        _rest(workspace, play.id)
        return None
    with transaction():
        play, now = _reviewed(workspace, payload["play"], lock=True)
        if play is None:
            return None
        if play_people.votes(now) != votes:
            return jobs.RESCHEDULE
        session().execute(sa.delete(PlaySample).where(PlaySample.id.in_(unfit)))
        for person, reason in more:
            add_sample(workspace, play, person, reason)
        rewrite_messages(workspace, play)
        if unfit:
            sentence = f"Your votes replaced {len(unfit)} {'person' if len(unfit) == 1 else 'people'}."
            play.log = [*play.log, entry(workspace, "agent", sentence)]
        _is_sharp(play)
    return None


def _some(found: Iterator[tuple[FoundPerson, str]], most: int) -> list[tuple[FoundPerson, str]]:
    return [one for _, one in zip(range(max(most, 0)), found, strict=False)]


def _reviewed(workspace: Workspace, play_id: int, *, lock: bool = False) -> tuple[Play | None, Sequence[PlaySample]]:
    """Return the play, if it is still in review, and its sample people."""
    try:
        play = locked(workspace, play_id) if lock else get_owned(Play, workspace, play_id)
    except NotFound:
        return None, []
    if play.status != PlayStatus.REVIEW:
        return None, []
    return play, play_people.samples(workspace, play_id)


def fail_search(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """End a search that failed repeatedly; the people found so far stay."""
    _rest(workspace, payload["play"])


def _rest(workspace: Workspace, play_id: int) -> None:
    """Mark the play as having no work under way."""
    with transaction():
        play, _ = _reviewed(workspace, play_id, lock=True)
        if play is not None:
            _is_sharp(play)


def _is_sharp(play: Play) -> None:
    """Mark the search by votes as ended; a requested change may still run."""
    if play.working == SHARPENING:
        play.working = ""
