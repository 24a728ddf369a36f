"""A worker whose network takes its time: `python -m tests.chaos.slow_network LOG COMMAND…`.

Reading an inbox takes 1.2 seconds; what was done stands in LOG with its real time. The clock runs as
many seconds beside the real one as stand in a file beside LOG, so that it is a working day whenever the test runs, and
can be set. While another file is there, the database takes nothing more.
"""

import mmap
import os
import random
import signal
import struct
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app import create_app, engines, ports
from app.core import clock
from app.core.db import db, is_sqlite
from app.engines import QUEUES
from app.ports import AccountRef, Inbound, Receipt, SenderAction, Unknown
from tests.support.names import EveryDomain

LISTENS, ACTS = 1.2, 0.05
NAME = "slow"
SHIFT = struct.Struct("d")


def seconds(name: str, usual: float) -> float:
    """How long this takes, unless the environment says otherwise."""
    return float(os.environ.get(f"SLOW_{name}", usual))


def set_clock(log: Path, shift: float) -> None:
    """Let the clock of all processes run so many seconds beside the real one."""
    place = log.with_suffix(".shift")
    with place.open("r+b" if place.exists() else "wb") as file:  # the same file: others have it in memory
        file.write(SHIFT.pack(shift))


def full(log: Path) -> Path:
    """While this file is there, the disk of the database is full (SQLite) or read-only (Postgres)."""
    return log.with_suffix(".full")


def asked(log: Path) -> Path:
    """Where the tokens stand that were looked up, beside the log."""
    return log.with_suffix(".asked")


class SlowNetwork:
    """Everything works, late; nobody answers."""

    quarantine, lateness, patience, parallel = 120, 0, 30, 8

    def __init__(self, log: Path) -> None:
        self._log, self._writing = log, threading.Lock()

    def act(self, account: AccountRef, action: SenderAction) -> Receipt:
        """Take a moment, and note it in the middle: half of the deaths come before it took effect, half after."""
        time.sleep(seconds("ACTS", ACTS) / 2)
        self._note(self._log, f"{account.provider_ref} {action.token} {time.time()}\n")
        time.sleep(seconds("ACTS", ACTS) / 2)
        if random.random() < seconds("LOSES", 0):
            raise Unknown("The answer was lost.")
        return Receipt(action.token, account.at)

    def find(self, account: AccountRef, action: SenderAction) -> Receipt | None:
        """Look it up in the log, and note that it was asked for."""
        self._note(asked(self._log), f"{action.token}\n")
        known = self._log.read_text().split() if self._log.exists() else []
        return Receipt(action.token, account.at) if action.token in known else None

    def inbound(self, account: AccountRef, cursor: str) -> Inbound:
        """Find nothing, after a while."""
        time.sleep(seconds("LISTENS", LISTENS))
        return Inbound([], cursor)

    def next_inbound(self, account: AccountRef, cursor: str) -> datetime | None:
        return None

    def status(self, account: AccountRef) -> None:
        """All is well."""

    def reconnect(self, account: AccountRef) -> None:
        """As before."""

    def _note(self, file: Path, line: str) -> None:
        with self._writing, file.open("a") as log:
            log.write(line)

    def objection(self, url: str) -> str:
        """None."""
        return ""


def connect(log: Path) -> None:
    """Let this process use the slow network, at its time, where every domain takes mail."""
    with log.with_suffix(".shift").open("rb") as file:  # as memory: the time is asked for hundreds of times a turn
        shift = mmap.mmap(file.fileno(), SHIFT.size, access=mmap.ACCESS_READ)
    clock.use(lambda: datetime.now(UTC) + timedelta(seconds=SHIFT.unpack(shift)[0]))
    ports.connect({**{name: ports.sender(name) for name in ports.senders()}, NAME: SlowNetwork(log)})
    ports.domain_records.connect(EveryDomain())


def obey(engine: sa.Engine, full: Path) -> None:
    """Let no connection write while that file is there."""

    def checkout(connection: Any, record: Any, proxy: Any) -> None:
        if is_sqlite():
            connection.execute(f"PRAGMA max_page_count = {1 if full.exists() else 4294967294}")
        else:
            connection.read_only = full.exists()

    sa.event.listen(engine, "checkout", checkout)


def main(log: Path, command: str) -> None:
    """Work until somebody ends it."""
    app = create_app()
    connect(log)
    with app.app_context():
        obey(db.engine, full(log))
    engine = engines.for_worker(app, QUEUES, 32)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit())
    engine.run(lambda: print(f"{command} is ready", flush=True))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
