"""An autopilot whose process is killed in one of its stages, again and again, and what must hold afterwards."""

import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import sqlalchemy as sa
from flask import Flask

from app import create_app
from app.core import clock
from app.core.db import db, end_read, session, transaction
from app.domain.autopilot import documents, launch, play_build, play_design, play_people, plays, setup, setup_stages
from app.domain.billing import credits
from app.domain.operations import doctor
from app.domain.platform import jobs
from app.domain.workspace import workspaces
from app.models.autopilot import Play, PlayStatus
from app.models.campaigns import Campaign
from app.models.leads import LeadList
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from tests.bench.stock import PASSWORD
from tests.domain.autopilot.steering import ANSWERS, DESCRIPTION
from tests.providers.website.websites import Answer, Web, page
from tests.support import processes, spending
from tests.support.processes import OVERTURE, Running
from tests.support.receivers import Receiver

PATIENCE, TRIES = 60.0, 5
LOOK = 0.001  # seconds between two looks
HOME = "<title>Tidemark – booking software</title><h1>Booking software for sailing schools</h1>"
LINKS = "".join(f'<a href="/{name}">{name}</a>' for name in ("product", "pricing", "customers", "about"))
SQL = {
    "profile": "SELECT profile_state FROM autopilot_setup",
    "phase": "SELECT phase FROM autopilot_setup",
    "plays": "SELECT status FROM play",
    "working": "SELECT working FROM play",
}


@dataclass(frozen=True)
class Part:
    """A stage: how it is set going, and where it shows in which of these words."""

    begin: Callable[["Trial"], None]
    where: str
    words: tuple[str, ...]
    after: str = ""  # the part that must be over before
    rest: tuple[str, ...] = ()  # what is left to do afterwards, up to a launched play
    again: Callable[["Trial"], None] | None = None  # how it is set going once more, if it was over too soon


def waited(until: Callable[[], bool], patience: float = PATIENCE) -> bool:
    """Whether it came so far before so many seconds of real time were over."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if until():
            return True
        time.sleep(LOOK)
    return False


def release_jobs() -> None:
    """A dead process holds its jobs for a minute, which passes. That it died often is forgotten."""
    with transaction() as current:
        held = sa.update(Job).where(Job.claimed_until.is_not(None))
        current.execute(held.values(claimed_until=clock.now(), attempts=0))


@dataclass
class Trial:
    """One database, one setup of an autopilot, and the worker that is killed while it works on it."""

    url: str
    folder: Path
    chance: random.Random
    slow: float = 0.1  # seconds that each page and each answer of the model takes, on average
    hit: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def begun(self) -> Iterator["Trial"]:
        """There is a workspace with credits, and a slow world around it."""
        self._web, self._model = Web(self._page), Receiver(lambda request: self._busy())
        settings = {"OVERTURE_INSTANCE": str(self.folder), "OVERTURE_LOG_LEVEL": "error"}
        self.app: Flask = create_app(DATABASE_URL=self.url, SECRET_KEY=processes.SECRET, **settings)
        self._engine = sa.create_engine(self.url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        try:
            with self.app.app_context():
                made = workspaces.create("Acme", "ada@acme.example", PASSWORD, sandbox=True)
                credits.grant(made, 1000, ref="chaos")
                end_read()
            yield self
        finally:
            self._web.stop()
            self._model.stop()
            self._engine.dispose()
            with self.app.app_context():
                db.session.remove()
                db.engine.dispose()

    def _page(self, host: str, path: str) -> Answer:
        time.sleep(self.chance.uniform(0, 2 * self.slow))
        return page(f"{HOME}<p>{DESCRIPTION} This is {path.strip('/') or 'home'}.</p>{LINKS}")

    def _busy(self) -> int:
        """The model takes its time and then cannot answer, so that the built-in writer writes."""
        time.sleep(self.chance.uniform(0, 2 * self.slow))
        return 503

    @property
    def workspace(self) -> Workspace:
        return session().scalars(sa.select(Workspace)).one()

    @property
    def website(self) -> str:
        return f"http://127.0.0.1:{self._web.port}/"

    def reach(self, part: str) -> None:
        """Everything that comes before the part is done, in this process, and the part is set going."""
        if PARTS[part].after:
            self.reach(PARTS[part].after)
            self.work()
        self._begin(PARTS[part].begin)

    def complete(self, part: str) -> None:
        """What comes after the part is done as well, in this process, up to a launched play."""
        for one in PARTS[part].rest:
            self._begin(PARTS[one].begin)
            self.work()

    def _begin(self, begin: Callable[["Trial"], None]) -> None:
        with self.app.app_context():
            begin(self)
            end_read()

    def work(self) -> None:
        """Everything that was set going is done, in this process."""
        with self.app.app_context():
            while jobs.run_due():
                pass
            end_read()

    def kill(self, part: str, times: int) -> None:
        """A worker has died so many times in the part, each time a random moment after it was seen."""
        for _ in range(TRIES * times):
            if self.quiet():
                self._begin(PARTS[part].again or PARTS[part].begin)
            with self._worker() as worker:
                waited(lambda: self._shows(part) or self.quiet())
                time.sleep(self.chance.choice([0, self.chance.uniform(0, self.slow)]))
                worker.signal(signal.SIGKILL)
                assert worker.ended() == -signal.SIGKILL, worker.output
            self.hit[part] += self._shows(part)
            if self.hit[part] == times:
                return
            self._let_a_minute_pass()

    def finish(self) -> None:
        """Another worker does the rest: nothing hangs."""
        self._let_a_minute_pass()
        with self._worker() as worker:
            assert waited(self.quiet), f"It hangs: {worker.output}"
            worker.signal()
            assert worker.ended() == 0, worker.output

    def quiet(self) -> bool:
        """Whether no job is open."""
        return not self._words("SELECT state FROM job WHERE kind LIKE 'autopilot%' AND state = 'open'")

    def _shows(self, part: str) -> bool:
        found = PARTS[part]
        return any(word in found.words for word in self._words(SQL[found.where]))

    def _words(self, query: str) -> list[str]:
        with self._engine.connect() as connection:
            return list(connection.execute(sa.text(query)).scalars())

    def _worker(self) -> Running:
        model = {"OVERTURE_MODEL_URL": self._model.url, "OVERTURE_MODEL_NAME": "slow"}
        settings = {"OVERTURE_ALLOW_PRIVATE_NETWORK": "1", "OVERTURE_LOG_LEVEL": "error"}
        env = processes.environment(self.url, self.folder, **model, **settings)
        return Running(env, OVERTURE, "worker")

    def _let_a_minute_pass(self) -> None:
        with self.app.app_context():
            release_jobs()

    def hold(self) -> None:
        """Nothing is under way, nothing is there twice, and whatever failed says what to do."""
        with self.app.app_context():
            found = setup.view(self.workspace)
            assert (found.setup.phase, found.setup.progress) == ("", None)
            assert found.setup.profile_state in ("done", "failed")
            assert (found.setup.error is None) == all(play.status != PlayStatus.FAILED for play in found.plays)
            types = [one["id"] for one in found.setup.customer_types]
            assert len(set(types)) == len(types) == 5
            for kind in ("icp", "style"):
                told = [one.markdown for one in documents.history(self.workspace, kind)]
                assert all(one != other for one, other in pairwise(told)), kind
            angles = [play.angle for play in found.plays]
            assert len(set(angles)) == len(angles)
            for play in found.plays:
                self._hold_play(play)
            self._hold_launches([play for play in found.plays if play.launched_at])
            spending.check()
            wells = [finding.sentence for finding in doctor.examine(self.folder) if not finding.well]
            assert wells == [], wells
            end_read()

    def _hold_play(self, play: Play) -> None:
        assert (play.build, play.working) == (None, ""), play.name
        assert play.status in (PlayStatus.REVIEW, PlayStatus.RUNNING), (play.name, play.error)
        shown = play_people.samples(self.workspace, play.id)
        assert 0 < play_people.fitting(shown) <= play_people.SHOWN
        assert len({one.person for one in shown}) == len(shown)
        assert all(len(one.messages) == len(shown[0].messages) > 0 for one in shown)

    def _hold_launches(self, launched: list[Play]) -> None:
        """Each has one campaign and one list, and everyone in it was paid for once."""
        made = session().scalars(sa.select(Campaign)).all()
        assert sorted(one.id for one in made) == sorted(play.campaign_id or 0 for play in launched)
        assert sorted(session().scalars(sa.select(LeadList.id))) == sorted(play.list_id or 0 for play in launched)
        spent = 0
        for play in launched:
            added = session().get_one(LeadList, play.list_id).lead_count
            assert 0 < added == play.launch["added"] <= MANY, (added, play.launch)
            spent += added * play.credits_per_lead
        paid = "SELECT coalesce(-sum(amount), 0) FROM credit_entry WHERE kind = 'capture' AND purpose = 'play'"
        assert session().execute(sa.text(paid)).scalar_one() == spent


MANY = 150  # people of a launch: several turns of its job


def _read(trial: Trial) -> None:
    setup_stages.analyze(trial.workspace, website=trial.website)


def _describe(trial: Trial) -> None:
    setup_stages.analyze(trial.workspace, description=DESCRIPTION)


def _choose(trial: Trial) -> None:
    setup.save(trial.workspace, customer_type_id=setup.view(trial.workspace).setup.customer_types[0]["id"])


def _answer(trial: Trial) -> None:
    setup.save(trial.workspace, **ANSWERS)


def _design(trial: Trial) -> None:
    play_design.design(trial.workspace)


def _play(trial: Trial, angle: str = "new_role") -> Play:
    return next(play for play in plays.every(trial.workspace) if play.angle == angle)


def _rebuild(trial: Trial) -> None:
    for play in plays.every(trial.workspace):
        plays.build(trial.workspace, play.id)


def _vote(trial: Trial) -> None:
    play = _play(trial)
    for sample in play_people.samples(trial.workspace, play.id)[:2]:
        plays.vote(trial.workspace, play.id, sample.id, "bad")


def _launch(trial: Trial) -> None:
    launch.launch(trial.workspace, _play(trial).id, approval=False, most_people=MANY)


LAUNCH = ("launch",)
DESIGN = ("designing", *LAUNCH)
AIM = ("targets", *DESIGN)
BUILT = (PlayStatus.FINDING, PlayStatus.WRITING)
PARTS = {
    "reading": Part(_read, "profile", ("reading",), rest=AIM),
    "understanding": Part(_read, "profile", ("understanding",), rest=AIM),
    "writing the profile": Part(_describe, "profile", ("writing",), rest=AIM),
    "targets": Part(_choose, "phase", ("targets",), "writing the profile", DESIGN),
    "designing": Part(_answer, "phase", ("plays",), "targets", LAUNCH, _design),
    "sequences": Part(_answer, "phase", ("sequence",), "targets", LAUNCH, _design),
    "finding": Part(_answer, "plays", (PlayStatus.FINDING,), "targets", LAUNCH, _rebuild),
    "writing a play": Part(_answer, "plays", (PlayStatus.WRITING,), "targets", LAUNCH, _rebuild),
    "build": Part(_rebuild, "plays", BUILT, "designing", LAUNCH),
    "votes": Part(_vote, "working", (play_build.SHARPENING,), "designing", LAUNCH),
    "launch": Part(_launch, "plays", (PlayStatus.SCHEDULED,), "designing"),
}
