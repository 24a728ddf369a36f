"""`kill -9` of the worker in the middle of the copy of a sandbox: it goes on, nothing is lost, nothing there twice."""

import random
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from flask import Flask

from app import create_app
from app.core.db import db, end_read, session, transaction
from app.domain.autopilot import documents
from app.domain.exclusions import never_contact
from app.domain.leads import leads, lists
from app.domain.operations import doctor
from app.domain.operations.go_live import live_workspace, sandbox_copy
from app.domain.operations.go_live.copied_parts import BATCH, PARTS
from app.domain.people.sources import Source
from app.domain.workspace import workspaces
from app.models.autopilot import Play, PlayStatus
from app.models.leads import Lead, LeadList, NeverContact
from app.models.people import Person, SourceKind
from app.models.workspaces import CopiedRow, CopyState, Workspace
from tests.bench.stock import PASSWORD, profile
from tests.kills.trials import release_jobs, waited
from tests.support import processes
from tests.support.processes import OVERTURE, Running

PEOPLE, BLOCKED, SIMULATED, PLAYS = 6 * BATCH + 120, 2 * BATCH + 30, 200, 3
KILLS, TRIES, PATIENCE = 6, 40, 120.0


class Copy:
    """One database, a sandbox with much in it, a live workspace beside it, and the worker that copies."""

    def __init__(self, url: str, folder: Path, chance: random.Random) -> None:
        self.url, self.folder, self.chance = url, folder, chance
        settings = {"OVERTURE_INSTANCE": str(folder), "OVERTURE_LOG_LEVEL": "error"}
        self.app: Flask = create_app(DATABASE_URL=url, SECRET_KEY=processes.SECRET, **settings)
        self._engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        self.moments: list[tuple[str, int]] = []  # the part and how much was done when it was killed

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Work on the database in this process; afterwards no connection is open."""
        with self.app.app_context():
            try:
                yield
            finally:
                db.session.remove()
                db.engine.dispose()

    def begin(self) -> None:
        """People were brought, some were simulated, some of both may not be contacted; the copy is asked for."""
        with self.inside():
            sandbox = workspaces.create("Acme", "ada@acme.example", PASSWORD, sandbox=True)
            ada = workspaces.user_of("ada@acme.example")
            for name, numbers in (("First", range(0, PEOPLE, 2)), ("Second", range(1, PEOPLE, 2))):
                into, given = lists.create_list(sandbox, name), [profile(number) for number in numbers]
                for first in range(0, len(given), leads.MOST_PROFILES):
                    leads.add(sandbox, into.id, given[first : first + leads.MOST_PROFILES])
            invented = [profile(number) for number in range(PEOPLE, PEOPLE + SIMULATED)]
            leads.add(sandbox, into.id, invented, Source(SourceKind.SEARCH, "play"))
            never_contact.add(sandbox, [f"rude-{number}@blocked.example" for number in range(BLOCKED)])
            documents.save(sandbox, "style", "Short and kind.")
            with transaction() as current:
                steps = [{"id": "s1", "kind": "message", "text": "Hi", "delay": {"count": 0, "unit": "days"}}]
                for rank in range(PLAYS):
                    known = {"workspace_id": sandbox.id, "created_at": sandbox.now(), "steps": steps, "audience": 1}
                    current.add(Play(**known, rank=rank, angle=f"a{rank}", name=f"P{rank}", status=PlayStatus.REVIEW))
            live = live_workspace.create(sandbox, ada, "Acme live", "UTC")
            sandbox_copy.start(live, ada, list(PARTS))
            end_read()

    def kill(self) -> None:
        """A worker dies at random moments of the copy, each time after it was seen to go on."""
        for _ in range(TRIES):
            if len(self.moments) == KILLS:
                return
            before = self.stands()
            with self._worker() as worker:
                if self.chance.random() < 0.7:  # else before anything more is done
                    self._wait_until_it_went_on(before)
                time.sleep(self.chance.uniform(0, 0.25))
                worker.signal(signal.SIGKILL)
                assert worker.ended() == -signal.SIGKILL, worker.output
            state, part, done = self.stands()
            if state != CopyState.RUNNING:
                return
            self.moments.append((part, done))
            self._let_a_minute_pass()

    def finish(self) -> None:
        """Another worker does the rest."""
        self._let_a_minute_pass()
        with self._worker() as worker:
            assert waited(lambda: self.stands()[0] == CopyState.DONE, PATIENCE), worker.output
            worker.signal()
            assert worker.ended() == 0, worker.output

    def stands(self) -> tuple[str, str, int]:
        """Its state, the part it is in, and how much is done."""
        with self._engine.connect() as connection:
            row = connection.execute(sa.text("SELECT state, part, done FROM go_live")).one()
        return row.state, row.part, row.done

    def _wait_until_it_went_on(self, before: tuple[str, str, int]) -> None:
        waited(lambda: self.stands() != before, PATIENCE)

    def _worker(self) -> Running:
        env = processes.environment(self.url, self.folder, OVERTURE_LOG_LEVEL="error")
        return Running(env, OVERTURE, "worker")

    def _let_a_minute_pass(self) -> None:
        with self.inside():
            release_jobs()

    def close(self) -> None:
        """No connection is open."""
        self._engine.dispose()

    def hold(self) -> None:
        """Everything that was brought is there once, and nothing of the simulation."""
        with self.inside():
            live = session().scalars(sa.select(Workspace).where(Workspace.sandbox.is_(False))).one()
            run = live_workspace.find(live)
            assert run
            assert (run.state, run.done, run.error) == (CopyState.DONE, run.total, "")
            emails = session().scalars(sa.select(Person.email).where(Person.workspace_id == live.id)).all()
            assert sorted(emails) == sorted(profile(number)["email"] for number in range(PEOPLE))
            for model, number in ((Lead, PEOPLE), (NeverContact, BLOCKED), (LeadList, 2), (Play, PLAYS)):
                mine = sa.select(sa.func.count()).select_from(model).where(model.workspace_id == live.id)
                assert session().scalar(mine) == number, model
            counts = dict(session().execute(_COUNTS.where(LeadList.workspace_id == live.id)).all())
            assert counts == {"First": PEOPLE // 2, "Second": PEOPLE // 2}
            assert [one.markdown for one in documents.history(live, "style")] == ["Short and kind."]
            pairs = sa.select(CopiedRow.kind, CopiedRow.copy_id, sa.func.count()).where(
                CopiedRow.workspace_id == live.id
            )
            twice = pairs.group_by(CopiedRow.kind, CopiedRow.copy_id).having(sa.func.count() > 1)
            assert session().execute(twice).all() == []
            assert [finding.sentence for finding in doctor.examine(self.folder) if not finding.well] == []
            end_read()


_COUNTS = sa.select(LeadList.name, LeadList.lead_count)


def test_a_copy_survives_kills_at_random_moments(url: str, tmp_path: Path, chance: random.Random) -> None:
    copy = Copy(url, tmp_path, chance)
    try:
        copy.begin()
        copy.kill()
        copy.finish()
        copy.hold()
    finally:
        copy.close()
    sys.stdout.write(f"killed at {copy.moments}\n")
    assert len(copy.moments) >= 3
    assert len(set(copy.moments)) > 1
