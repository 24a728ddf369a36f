"""Background jobs: claimed by a lease, tried three times, then failed with a sentence.

    def import_rows(workspace, payload, job): …   # may return jobs.RESCHEDULE to let others have a turn first,
                                                  # or a timedelta after which it continues

`app/job_handlers.py` says which function does which kind; `create_app` hands that table in.
A job that is queued again while it runs is run once more afterwards: the caller may know what this run does not.
Long work renews its lease with `jobs.renew_lease(job)`. After a crash the job starts again, so it must know how far
it got.
Work whose process dies each time is given up in the end, because it may be what kills the process.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import sqlalchemy as sa

from app.core import claims, clock
from app.core.actor import spender
from app.core.db import change_rows, insert, session, transaction
from app.core.errors import AppError, RateLimited, Unavailable
from app.core.logs import request_id
from app.core.wakes import wake
from app.models.platform.jobs import Job, JobState
from app.models.workspaces import Workspace
from app.ports import ProviderError

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)
WAITS = (timedelta(minutes=1), timedelta(minutes=5))  # before the second and the third try
MOST_DEATHS = 5
# Far more than people start in a day; a program that runs wild fills neither the table nor the time of others.
MOST_ASKED = 500
ASK_AGAIN = 60  # seconds
URGENT = ("password_mail",)  # a person waits for it: no other job may take its place
RESCHEDULE = object()
"""Answered by work that is not finished and stands back for others first."""

Work = Callable[[Workspace, dict[str, Any], Job], object]
Failed = Callable[[Workspace, dict[str, Any], str], None]
Words = TypeVar("Words", str, sa.ColumnElement[str])


# A lease that expired without a release: its worker died, and that counts as a try.
_DIED = sa.case((Job.claimed_until.is_(None), 0), else_=1)
_JOBS: Any = Job.__table__
_OF_JOB = claims.Claim(Job, Job.due_at, [_JOBS.c.id == sa.bindparam("job")], {"attempts": Job.attempts + _DIED})
_REAL = sa.bindparam("real", type_=_JOBS.c.due_at.type)
_FREE = claims.is_free(_JOBS.c.claimed_until, _REAL)
_ANY_DUE, _URGENT_DUE, _OTHERS_DUE = (
    claims.share_fairly(_JOBS.c.id, _JOBS.c.workspace_id, _JOBS.c.due_at, _JOBS.c.due_at <= _REAL, _FREE, *which)
    for which in ((), (_JOBS.c.kind.in_(URGENT),), (_JOBS.c.kind.not_in(URGENT),))
)


class LostLease(Exception):
    """The job was taken over by another worker, so this one must stop."""


@dataclass(frozen=True)
class Kind:
    """The handler of one kind of job, and the function called in the transaction when one failed for good.

    `asked`: each is long work that a member or a program asked for, so that one workspace has at most MOST_ASKED open.
    """

    work: Work
    failed: Failed | None = None
    asked: bool = False


KINDS: dict[str, Kind] = {}


def connect(kinds: Mapping[str, Kind]) -> None:
    """Use these handlers, and no others."""
    KINDS.clear()
    KINDS.update(kinds)


def add(
    workspace: Workspace,
    kind: str,
    key: str,
    payload: dict[str, Any] | None = None,
    after: timedelta = timedelta(0),
) -> None:
    """Queue a job to start after that time, unless one with this kind and key already waits.

    Call it in the transaction that needs the job. RateLimited when too much that was asked for is still to be done.
    """
    if kind not in KINDS:
        raise KeyError(f"No worker handles jobs of the kind {kind}.")
    if KINDS[kind].asked:
        _refuse_too_many(workspace)
    _open(workspace.id, kind, open_key(str(workspace.id), kind, key), payload or {}, after, request_id.get())


def _refuse_too_many(workspace: Workspace) -> None:
    asked = [kind for kind, one in KINDS.items() if one.asked]
    theirs = sa.select(Job.id).where(Job.workspace_id == workspace.id, Job.open_key.is_not(None), Job.kind.in_(asked))
    if len(session().scalars(theirs.limit(MOST_ASKED)).all()) >= MOST_ASKED:
        raise RateLimited(
            f"{MOST_ASKED} imports, lookups and changes are still running in this workspace.",
            recovery="Wait until some of them are done.",
            retry_after=ASK_AGAIN,
        )


def _open(
    workspace_id: int, kind: str, open_key: str, payload: dict[str, Any], after: timedelta, asked_in: str
) -> None:
    now = clock.now()
    added = insert(Job).values(
        workspace_id=workspace_id,
        kind=kind,
        open_key=open_key,
        payload=payload,
        request_id=asked_in,
        state=JobState.OPEN,
        due_at=now + after,
        created_at=now,
    )
    once_more = {"next_payload": added.excluded.payload, "request_id": added.excluded.request_id}
    begun = Job.claimed_until.is_not(None)
    with transaction() as current:
        queue = added.on_conflict_do_update(index_elements=["open_key"], set_=once_more, where=begun)
        queued = current.scalar(queue.returning(Job.id))
        if queued is not None:  # otherwise it is queued already, and the engine knows
            wake(unit_kind(kind), queued, now + after, workspace_id)


def unit_kind(kind: str) -> str:
    """Return the kind of unit that runs such a job."""
    return "mail" if kind in URGENT else "job"


def open_key(workspace_id: Words, kind: str, key: str) -> Words:
    """Return the key that identifies an open job in the whole database."""
    return workspace_id + f":{kind}:{key}"


def waiting(workspace: Workspace, kind: str, key: str) -> Job | None:
    """Lock and return the job of that kind and key that no worker has claimed, or None."""
    query = sa.select(Job).where(Job.open_key == open_key(str(workspace.id), kind, key), Job.claimed_until.is_(None))
    return session().scalars(query.with_for_update()).first()


def open_jobs(workspace_id: int, kind: str) -> sa.Select[Job]:
    """Select the workspace's jobs of that kind that are queued or running, oldest first."""
    ours = (Job.workspace_id == workspace_id, Job.kind == kind, Job.state == JobState.OPEN)
    return sa.select(Job).where(*ours).order_by(Job.id)


def is_under_way(workspace: Workspace, kind: str, key: str) -> bool:
    """Return whether the workspace's job of that kind and key is queued or running."""
    query = sa.select(Job.id).where(Job.open_key == open_key(str(workspace.id), kind, key))
    return session().scalar(query) is not None


def is_open(kind: str, key: str) -> sa.ColumnElement[bool]:
    """Return the condition, for queries over workspaces, that such a job is queued or running."""
    return sa.exists().where(Job.open_key == open_key(sa.cast(Workspace.id, sa.Text), kind, key))


def due(most: int, busy: claims.Busy = claims.NONE_BUSY, *, urgent: bool | None = None) -> list[claims.Due]:
    """Return jobs that are due: all of them, only those a person waits for (`urgent`), or only the others."""
    query = {None: _ANY_DUE, True: _URGENT_DUE, False: _OTHERS_DUE}[urgent]
    return claims.due_units(query, most, busy, real=clock.now())


def run(job_id: int) -> int:
    """Run one turn of the job; return 1 if it was due, 0 if it is done or another worker has it."""
    taken = _OF_JOB.take(clock.now(), 1, LEASE, job=job_id)
    for job in taken:
        _take_turn(job.id)
    return len(taken)


def run_due(limit: int = 20) -> int:
    """Run up to `limit` turns of due jobs, one after the other; return how many."""
    turns, held = 0, list[int]()
    while turns < limit and (found := due(1, claims.Busy(held))):
        did = run(found[0].key)
        turns += did
        if not did:  # another worker has it, or is canceling it
            held.append(found[0].key)
    return turns


def renew_lease(job: Job, lasting: float = 0.0) -> None:
    """Extend the lease of the job for what follows, `lasting` so many seconds; raise LostLease when it is another's."""
    until = clock.now() + max(LEASE, timedelta(seconds=lasting + 10))
    if not _note(job, claimed_until=until):
        raise LostLease
    job.claimed_until = until


def _take_turn(job_id: int) -> None:
    """Run one turn of a job; then it is done, postponed, retried later or failed."""
    job = session().get(Job, job_id, populate_existing=True)
    workspace = session().get(Workspace, job.workspace_id) if job else None
    if job is None or workspace is None:
        return
    session().expunge(job)
    if job.attempts >= MOST_DEATHS:
        _try_later(workspace, job, "The job was interrupted too many times.", final=True)
        return
    logged_as, paid_by = request_id.set(job.request_id), spender.set(workspace.id)
    try:
        _work(workspace, job)
        log.info("A job had its turn", extra={"fields": {"job": job.id, "kind": job.kind}})
    finally:
        request_id.reset(logged_as)
        spender.reset(paid_by)


def _work(workspace: Workspace, job: Job) -> None:
    try:
        answer = KINDS[job.kind].work(workspace, job.payload, job)
    except LostLease:
        log.info("A job was taken over", extra={"fields": {"job": job.id}})
    except AppError as refusal:
        session().rollback()
        _try_later(workspace, job, refusal.message, final=not isinstance(refusal, Unavailable | RateLimited))
    except ProviderError as failure:
        session().rollback()
        _try_later(workspace, job, failure.sentence)
    except Exception:
        log.exception("A job broke", extra={"fields": {"job": job.id, "kind": job.kind}})
        session().rollback()
        _try_later(workspace, job, "Something went wrong on our side.")
    else:
        _end_turn(job, answer)


def _end_turn(job: Job, answer: object) -> None:
    if answer is RESCHEDULE or isinstance(answer, timedelta):
        wait = answer if isinstance(answer, timedelta) else timedelta(0)
        _note(job, due_at=clock.now() + wait, claimed_until=None, attempts=0)
    else:
        _end(job, state=JobState.DONE, error="")


def _try_later(workspace: Workspace, job: Job, sentence: str, final: bool = False) -> None:
    tries = job.attempts + 1
    if not final and tries <= len(WAITS):
        _note(job, due_at=clock.now() + WAITS[tries - 1], claimed_until=None, attempts=tries, error=sentence)
        return
    with transaction():
        mine = _end(job, state=JobState.FAILED, attempts=tries, error=sentence)
        kind = KINDS.get(job.kind)
        if mine and kind and kind.failed:
            kind.failed(workspace, job.payload, sentence)


def _end(job: Job, **values: Any) -> bool:
    """End the job if the lease is still ours; queue the next one if it was asked for meanwhile."""
    with transaction() as current:
        ours = sa.select(Job.next_payload, Job.request_id).where(
            Job.id == job.id, Job.claimed_until == job.claimed_until
        )
        asked = current.execute(ours.with_for_update()).one_or_none()
        if asked is None:
            return False
        _note(job, open_key=None, due_at=None, claimed_until=None, done_at=clock.now(), **values)
        if asked.next_payload is not None and job.open_key is not None:
            again = (asked.next_payload, timedelta(0), asked.request_id)
            _open(job.workspace_id, job.kind, job.open_key, *again)
        return True


def _note(job: Job, **values: Any) -> bool:
    """Update the job's row if the lease is still ours; return whether it was."""
    with transaction():
        ours = sa.update(Job).where(Job.id == job.id, Job.claimed_until == job.claimed_until)
        return bool(change_rows(ours.values(**values)).rowcount)
