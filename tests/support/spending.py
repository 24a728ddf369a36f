"""Many hands in one purse: holds, captures, releases, refunds and look-ups at once, and what must be true of it."""

import random
import threading
from collections import Counter
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

import sqlalchemy as sa
from flask import Flask

from app.core.db import end_read, session
from app.core.errors import PlanLimitExceeded
from app.domain.billing import credits
from app.domain.enrichment import signals
from app.domain.ledger import recount
from app.domain.workspace import workspaces
from app.models.billing import CreditEntry, CreditHold, Wallet
from app.models.signals import Signal

KINDS = ("hiring", "news", "funding", "techStack", "headcount")
DOMAINS = tuple(f"{name}.example" for name in ("known-a", "known-b", "known-c", "nothing-d", "nothing-e"))


@dataclass
class Crowd:
    """Threads that spend in some workspaces until each has done its turns or someone says stop."""

    app: Flask
    workspace_ids: list[int]
    seed: int
    turns: int = 10**9
    stop: threading.Event = field(default_factory=threading.Event)
    done: Counter[str] = field(default_factory=Counter)
    _refs: list[tuple[int, str]] = field(default_factory=list)

    def spend(self, threads: int, seconds: float | None = None) -> None:
        """So many threads at once, for so long, or until each has done its turns."""
        with ThreadPoolExecutor(threads) as pool:
            crowd = [pool.submit(self._run, number) for number in range(threads)]
            if seconds is not None:
                wait(crowd, seconds, FIRST_EXCEPTION)
                self.stop.set()
            for one in crowd:
                one.result()

    def _run(self, number: int) -> None:
        chance = random.Random(f"{self.seed}|{number}")
        for turn in range(self.turns):
            if self.stop.is_set():
                return
            with self.app.app_context():
                self._turn(chance, f"{number}-{turn}")
                end_read()

    def _turn(self, chance: random.Random, name: str) -> None:
        workspace = workspaces.get(chance.choice(self.workspace_ids))
        what = chance.choice(["hold", "hold", "capture", "capture", "release", "rest", "grant", "refund", "signal"])
        try:
            if what == "hold":
                credits.hold(workspace, chance.randint(1, 60), ref=name, purpose="signals")
                self._refs.append((workspace.id, name))
            elif what in ("grant", "refund"):
                self._give(workspace, what, chance)
            elif what == "signal":
                signals.look_up(workspace, chance.choice(KINDS), domain=chance.choice(DOMAINS))
            elif self._refs:
                self._settle(what, chance)
        except PlanLimitExceeded:
            what = "refused"
        self.done[what] += 1

    @staticmethod
    def _give(workspace: workspaces.Workspace, what: str, chance: random.Random) -> None:
        """A few names, so that many give the same thing at once."""
        ref = f"gift {chance.randint(1, 20)}"
        if what == "grant":
            credits.grant(workspace, 3, ref=ref)
        else:
            credits.refund(workspace, 2, ref=ref, purpose="email", note="bounced")

    def _settle(self, what: str, chance: random.Random) -> None:
        """One of the newest holds, which others are after as well, and parts of few names."""
        workspace_id, ref = chance.choice(self._refs[-8:])
        workspace = workspaces.get(workspace_id)
        part, amount = chance.choice("abc"), chance.randint(1, 30)
        if what == "capture":
            credits.capture(workspace, ref, amount, part=part)
        elif what == "release":
            credits.release(workspace, ref, amount, part=part)
        else:
            credits.release_rest(workspace, ref)


def check() -> None:
    """Ledger and balance are equal, nothing is below zero, nothing was settled or charged twice."""
    assert list(recount.wallets()) == []
    for posted, held in session().execute(sa.select(Wallet.posted, Wallet.held)):
        assert 0 <= held <= posted
    settled = sa.select(CreditEntry.workspace_id, CreditEntry.resolves).where(CreditEntry.resolves.is_not(None))
    parts = session().execute(settled).all()
    assert len(parts) == len(set(parts))
    _never_below_zero()
    _holds_are_settled_once()
    _signals_are_paid_once()


def _never_below_zero() -> None:
    running: dict[int, tuple[int, int]] = {}
    columns = (CreditEntry.workspace_id, CreditEntry.amount, CreditEntry.held)
    for workspace_id, amount, held in session().execute(sa.select(*columns).order_by(CreditEntry.id)):
        posted, spoken_for = running.get(workspace_id, (0, 0))
        running[workspace_id] = posted, spoken_for = posted + amount, spoken_for + held
        assert 0 <= spoken_for <= posted, (workspace_id, running)


def _holds_are_settled_once() -> None:
    """What was settled of each hold and what remains is what was held."""
    settled: Counter[tuple[int, str]] = Counter()
    columns = (CreditEntry.workspace_id, CreditEntry.resolves, CreditEntry.held)
    for workspace_id, name, held in session().execute(sa.select(*columns).where(CreditEntry.resolves.is_not(None))):
        settled[workspace_id, name.partition("/")[0]] -= held
    for one in session().scalars(sa.select(CreditHold)):
        assert settled[one.workspace_id, one.ref] + one.remaining == one.amount, one.ref


def _signals_are_paid_once() -> None:
    """Every hit of the week was paid by one look-up."""
    query = sa.select(Signal.workspace_id, Signal.fingerprint).where(Signal.found.is_(True))
    hits = session().execute(query).all()
    assert len(hits) == len(set(hits))
    paid = sa.select(sa.func.count()).where(CreditEntry.kind == "capture", CreditEntry.ref.like("signal:%"))
    assert session().scalar(paid) == len(hits)
