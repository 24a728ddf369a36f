"""Fills an installation with one of everything, over the command line, `/v1` and the pages, and writes down what it is.

It made `overture-0.1.0.db.xz` and `overture-0.1.0.sql.gz` at the commit e4d2011, the last before the schema moved on.
They are never made again: they stand for what people have. A later version that deserves a place beside them is made
with this, from a checkout of that version:

    python -m tests.upgrade.make_installation FOLDER

The clock stands still except where it is moved here, so that links and stored answers are still good for the tests.
"""

import gzip
import json
import lzma
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app.core import clock
from tests.databases import Templates, empty_postgres
from tests.providers.hunter_server import HunterServer
from tests.providers.mail.mailservers import Post, Servers
from tests.support import networked
from tests.support.receivers import Receiver
from tests.upgrade.being_made import HUNTER_KEY, MAIL_PASSWORD, Installation
from tests.upgrade.filling import fill

VERSION = "0.1.0"


def counts(url: str) -> dict[str, int]:
    """How many rows each table has, those of a full-text search aside."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        names = [name for name in sa.inspect(connection).get_table_names() if not name.startswith("fulltext")]
        return {name: connection.scalar(sa.text(f'SELECT count(*) FROM "{name}"')) or 0 for name in sorted(names)}


@contextmanager
def _servers() -> Iterator[dict[str, Any]]:
    """Everything outside that the installation speaks to."""
    post = Post(username="ines", password=MAIL_PASSWORD)
    mail, hunter, network = Servers(post), HunterServer(keys={HUNTER_KEY}), networked.server()
    receiver = Receiver(lambda request: 500 if request.path.endswith("?refused") else 200)
    try:
        yield {"post": post, "mail": mail, "hunter": hunter, "network": network, "receiver": receiver}
    finally:
        for one in (hunter, network, receiver):
            one.stop()
        mail.close()


def _made(url: str) -> dict[str, Any]:
    """What is known of an installation that was filled in that empty database."""
    time = clock.Movable(datetime(2026, 3, 2, 9, tzinfo=UTC))
    clock.use(time)
    folder = Path(tempfile.mkdtemp())
    with _servers() as servers:
        made = Installation(url, folder, time, servers)
        try:
            notes = fill(made)
        finally:
            made.close()
            clock.use(None)
            shutil.rmtree(folder)
    return notes | {"counts": counts(url)}


def _sqlite(into: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "overture.db"
        notes = _made(f"sqlite:///{file}")
        kept = Path(folder) / "kept.db"  # commands leave connections behind, so the file itself is not at rest
        with closing(sqlite3.connect(file)) as given, closing(sqlite3.connect(kept)) as taking:
            given.backup(taking)
            taking.execute("PRAGMA journal_mode=DELETE")
            taking.execute("VACUUM")
        (into / f"overture-{VERSION}.db.xz").write_bytes(lzma.compress(kept.read_bytes(), preset=9))
    return notes


def _postgres(into: Path, url: str) -> dict[str, Any]:
    notes = _made(url)
    plain = url.replace("+psycopg", "")
    options = ["--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=100", "--encoding=UTF8"]
    dump = subprocess.run(["pg_dump", *options, plain], check=True, capture_output=True, text=True).stdout
    # Around it stand commands of psql, and settings that servers of another version may not know.
    begin, end = dump.index("CREATE "), dump.index("-- PostgreSQL database dump complete")
    (into / f"overture-{VERSION}.sql.gz").write_bytes(gzip.compress(dump[begin:end].encode(), 9, mtime=0))
    return notes


def main(folder: str) -> None:
    """Both files, and what is known of them."""
    into = Path(folder)
    templates = Templates()
    with empty_postgres(templates) as url:
        known = {"version": VERSION, "postgres": _postgres(into, url), "sqlite": _sqlite(into)}
    templates.drop()
    (into / "installation.json").write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
