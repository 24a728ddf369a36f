"""A Postgres that can be killed like a machine without power, and comes back by itself a moment later."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from app.core import migrations
from tests.postgres import Server, administer, create_database

AWAY = 3  # seconds between its death and its return


class CrashingServer(Server):
    """What was committed is there after it came back."""

    # Starts it again for as long as our end of the pipe is open. Its orphans must be gone first: until then it refuses.
    keeper = (
        f'while "$@" >>"$FOLDER/log" 2>&1; [ ! -e "$FOLDER/end" ]; do sleep {AWAY}; done & cat >/dev/null;'
        ' touch "$FOLDER/end"; kill -INT $(head -n 1 "$FOLDER/data/postmaster.pid"); wait; rm -rf "$FOLDER"'
    )
    # What was committed outlives the server, not the machine.
    settings = ("fsync=off", "max_connections=300", "timezone=UTC")

    def crash(self) -> None:
        """Kill it, and wait until it has come back."""
        before = self._pid()
        os.kill(before, signal.SIGKILL)
        while self._pid() in (0, before):
            time.sleep(0.05)
        self.wait()

    def cut(self) -> None:
        """Cut every connection, as a proxy in front of it does that is restarted."""
        others = "pid <> pg_backend_pid() AND backend_type = 'client backend'"
        administer(self.url, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")

    def _pid(self) -> int:
        file = self.folder / "data" / "postmaster.pid"
        lines = file.read_text().splitlines() if file.exists() else []
        return int(lines[0]) if lines else 0


@contextmanager
def crashing_postgres() -> Iterator[tuple[CrashingServer, str]]:
    """The server, and a migrated database on it."""
    server = CrashingServer()
    url = create_database(server.url)
    migrations.upgrade(url)
    yield server, url
    server.stop()
