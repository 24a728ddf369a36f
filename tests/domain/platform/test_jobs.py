"""Background work: once, by one, again after a failure, and never lost."""

import json
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core import claims
from app.core.db import is_sqlite, session, transaction
from app.core.errors import NotFound, RateLimited, Unavailable
from app.core.logs import JsonLines, request_id
from app.domain.platform import jobs
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import Unreachable
from tests.domain.autopilot.writers import Died
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres

Answers = list[Any]


@pytest.fixture
def seen() -> list[dict[str, Any]]:
    return []


@pytest.fixture
def failures() -> list[str]:
    return []


@pytest.fixture
def answers(seen: list[dict[str, Any]], failures: list[str]) -> Iterator[Answers]:
    """What the next turns of the kind `test` do: an exception is raised, a function is called, else it is answered."""
    answers: Answers = []

    def work(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
        seen.append(payload)
        answer = answers.pop(0) if answers else None
        if isinstance(answer, BaseException):
            raise answer
        return answer(job) if isinstance(answer, Callable) else answer

    jobs.KINDS["test"] = jobs.Kind(work, failed=lambda workspace, payload, sentence: failures.append(sentence))
    yield answers
    del jobs.KINDS["test"]


def state(column: str = "state") -> Any:
    session().rollback()
    return session().execute(sa.text(f"SELECT {column} FROM job")).scalar_one()


def test_a_job_is_done_once_at_its_time(
    acme: Workspace, rival: Workspace, clock: Movable, answers: Answers, seen: list[dict[str, Any]]
) -> None:
    """One is open by kind and key within a workspace; one that was rolled back is not there."""
    jobs.add(acme, "test", "a", {"n": 1})
    assert [jobs.run_due(), jobs.run_due()] == [1, 0]
    assert (seen, state()) == ([{"n": 1}], "done")
    for workspace, key in ((acme, "a"), (acme, "a"), (acme, "b"), (rival, "a")):
        jobs.add(workspace, "test", key)
    assert jobs.run_due() == 3
    jobs.add(acme, "test", "later", after=timedelta(minutes=10))
    clock.forward(minutes=9, seconds=59)
    assert jobs.run_due() == 0
    clock.forward(seconds=1)
    assert jobs.run_due() == 1
    with pytest.raises(NotFound), transaction():
        jobs.add(acme, "test", "gone")
        raise NotFound("gone")
    assert jobs.run_due() == 0
    with pytest.raises(KeyError):
        jobs.add(acme, "unheard-of", "a")


def test_a_workspace_asks_for_so_much_at_once(
    acme: Workspace, rival: Workspace, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of long work that was asked for; what follows from it, and what others ask for, goes on."""
    monkeypatch.setattr(jobs, "MOST_ASKED", 5)
    monkeypatch.setitem(jobs.KINDS, "asked", jobs.Kind(jobs.KINDS["test"].work, asked=True))
    with transaction():
        for number in range(jobs.MOST_ASKED):
            jobs.add(acme, "asked", str(number))
    with pytest.raises(RateLimited) as refusal:
        jobs.add(acme, "asked", "one more")
    assert refusal.value.retry_after == jobs.ASK_AGAIN
    jobs.add(acme, "test", "follows")
    jobs.add(rival, "asked", "theirs")
    with transaction() as current:
        ours = sa.select(Job.id).where(Job.workspace_id == acme.id, Job.kind == "asked").limit(1)
        done = sa.update(Job).where(Job.id == current.scalars(ours).one())
        current.execute(done.values(open_key=None, state="done"))
    jobs.add(acme, "asked", "one more")


def test_what_is_asked_for_meanwhile_is_done_once_more(
    acme: Workspace, answers: Answers, seen: list[dict[str, Any]], failures: list[str]
) -> None:
    """With what was asked for last, however the work ended that was under way; not for what waits."""

    def asked(job: Job) -> None:
        for number in (2, 3):
            jobs.add(acme, "test", "a", {"n": number})

    def asked_in_vain(job: Job) -> None:
        jobs.add(acme, "test", "a", {"n": 4})
        raise NotFound("It is gone.")

    answers[:] = [asked, asked_in_vain, None]
    jobs.add(acme, "test", "a", {"n": 1})
    assert jobs.run_due() == 3
    assert [payload["n"] for payload in seen] == [1, 3, 4]
    assert failures == ["It is gone."]
    assert jobs.run_due() == 0


def test_what_waits_can_be_called_off(
    acme: Workspace, rival: Workspace, answers: Answers, seen: list[Any], clock: Movable
) -> None:
    """By kind and key in its own workspace; not while it is done or its process died, but again before a retry."""
    jobs.add(acme, "test", "a")
    with transaction() as current:
        for workspace, kind, key in ((acme, "test", "b"), (acme, "t", "a"), (rival, "test", "a")):
            assert not jobs.waiting(workspace, kind, key)
        current.delete(jobs.waiting(acme, "test", "a"))
        assert jobs.waiting(acme, "test", "a") is None
    assert (jobs.run_due(), seen) == (0, [])

    def busy(job: Job) -> None:
        assert jobs.waiting(acme, "test", "a") is None
        raise Died

    answers[:] = [busy, Unavailable("busy")]
    jobs.add(acme, "test", "a")
    with pytest.raises(Died):
        jobs.run_due()
    assert jobs.waiting(acme, "test", "a") is None
    clock.forward(seconds=61)
    jobs.run_due()
    assert jobs.waiting(acme, "test", "a") is not None
    assert state() == "open"


def test_no_one_begins_what_is_being_called_off(app: Flask, acme: Workspace, answers: Answers) -> None:
    if is_sqlite():
        pytest.skip("SQLite has one writer anyway.")

    def run() -> int:
        with app.app_context():
            return jobs.run_due()

    jobs.add(acme, "test", "a")
    with ThreadPoolExecutor() as beside, transaction():
        assert jobs.waiting(acme, "test", "a") is not None
        assert beside.submit(run).result(timeout=20) == 0
    assert jobs.run_due() == 1


def test_workspaces_with_open_jobs_are_found(
    acme: Workspace, rival: Workspace, clock: Movable, answers: Answers
) -> None:
    """Also while it is done; by its kind and key."""

    def found(kind: str = "test", key: str = "a") -> list[int]:
        return list(session().scalars(sa.select(Workspace.id).where(jobs.is_open(kind, key))))

    assert found() == []
    jobs.add(acme, "test", "a")
    assert (found(), found("test", "b"), found("t", "a")) == ([acme.id], [], [])
    claims.claim(Job, Job.due_at, clock(), limit=1, lease=jobs.LEASE)
    assert found() == [acme.id]


def test_a_failure_is_tried_again_and_told_in_the_end(
    clock: Movable, acme: Workspace, answers: Answers, failures: list[str]
) -> None:
    """After one minute, after five, and then it has failed with a sentence; what can never succeed fails at once."""
    for number, failure in enumerate((ValueError("bug"), Unavailable("busy"), Unreachable("down"))):
        answers[:] = [failure] * 3
        jobs.add(acme, "test", "a")
        assert [jobs.run_due(), jobs.run_due()] == [1, 0]
        clock.forward(minutes=1)
        assert [jobs.run_due(), jobs.run_due()] == [1, 0]
        clock.forward(minutes=4)
        assert (jobs.run_due(), len(failures)) == (0, number)
        clock.forward(minutes=1)
        assert [jobs.run_due(), jobs.run_due()] == [1, 0]
        assert len(failures) == number + 1
    answers[:] = [NotFound("List not found.")]
    jobs.add(acme, "test", "a")
    assert jobs.run_due() == 1
    assert failures[3:] == ["List not found."]
    assert {*session().scalars(sa.select(Job.state))} == {"failed"}
    jobs.add(acme, "test", "a")
    assert jobs.run_due() == 1


def test_long_work_stands_back_for_others(acme: Workspace, clock: Movable, answers: Answers, seen: list[Any]) -> None:
    answers[:] = [jobs.RESCHEDULE, None, None]
    jobs.add(acme, "test", "long", {"n": "long"})
    clock.forward(seconds=1)
    jobs.add(acme, "test", "short", {"n": "short"})
    clock.forward(seconds=1)
    assert jobs.run_due() == 3
    assert [payload["n"] for payload in seen] == ["long", "short", "long"]


def test_a_job_whose_process_died_is_taken_up_when_the_lease_ends_until_it_is_given_up(
    acme: Workspace, clock: Movable, answers: Answers, seen: list[Any], failures: list[str]
) -> None:
    """No one else touches it before. It may be what kills the process; whoever waits for it is told."""
    answers[:] = [Died()] * 9
    jobs.add(acme, "test", "a")
    for _ in range(jobs.MOST_DEATHS):
        with pytest.raises(Died):
            jobs.run_due()
        clock.forward(seconds=59)
        assert jobs.run_due() == 0
        clock.forward(seconds=1)
    assert jobs.run_due() == 1
    assert (state(), len(seen), failures) == ("failed", jobs.MOST_DEATHS, ["The job was interrupted too many times."])


def test_a_kept_lease_lasts_longer(acme: Workspace, clock: Movable, answers: Answers) -> None:
    """Work renews it for as long as what follows may take, never for less than usual; no one else may begin."""

    def free() -> list[int]:
        return claims.claim(Job, Job.due_at, clock(), limit=1, lease=jobs.LEASE)

    def long_work(job: Job) -> None:
        for lasting in ({}, {"lasting": 1}):
            clock.forward(seconds=50)
            jobs.renew_lease(job, **lasting)
            clock.forward(seconds=50)
            assert free() == []
        jobs.renew_lease(job, lasting=240)
        clock.forward(seconds=245)
        assert free() == []

    answers[:] = [long_work]
    jobs.add(acme, "test", "a")
    assert jobs.run_due() == 1
    assert state() == "done"


def test_who_lost_the_lease_stops_and_changes_nothing(acme: Workspace, clock: Movable, answers: Answers) -> None:
    """The one who took it over finishes it."""

    def too_long(job: Job) -> None:
        clock.forward(seconds=61)
        assert claims.claim(Job, Job.due_at, clock(), limit=1, lease=timedelta(minutes=5)) == [job.id]
        jobs.renew_lease(job)

    answers[:] = [too_long]
    jobs.add(acme, "test", "a")
    assert jobs.run_due(limit=1) == 1
    assert state() == "open"
    assert state("error") == ""


def test_the_log_lines_of_a_job_carry_the_request_that_asked_for_it(
    acme: Workspace, answers: Answers, caplog: pytest.LogCaptureFixture
) -> None:
    """Whichever process does it, the later one where it was asked for meanwhile; other work carries none."""
    caplog.set_level(logging.INFO, jobs.log.name)
    written, output = StringIO(), logging.StreamHandler()
    output.setStream(written)
    output.setFormatter(JsonLines())
    jobs.log.addHandler(output)

    def ask(request: str, key: str) -> None:
        token = request_id.set(request)
        jobs.add(acme, "test", key)
        request_id.reset(token)

    ask("req_asked_here", "a")
    jobs.add(acme, "test", "b")
    ask("req_earlier", "c")
    answers += [RuntimeError("broken"), None, lambda job: ask("req_later", "c"), None]
    jobs.run_due()
    jobs.log.removeHandler(output)
    told = [json.loads(line) for line in written.getvalue().splitlines()]
    assert [(line["message"], line.get("requestId")) for line in told] == [
        ("A job broke", "req_asked_here"),
        ("A job had its turn", "req_asked_here"),
        ("A job had its turn", None),
        ("A job had its turn", "req_earlier"),
        ("A job had its turn", "req_later"),
    ]
    assert request_id.get() == ""
