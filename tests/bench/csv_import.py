"""One import, in a process of its own: `python -m tests.bench.csv_import DATABASE CSV WORKSPACE LIST`."""

import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import sqlalchemy as sa

from app.core.db import db
from app.domain.leads import csv_import
from app.domain.platform import jobs
from app.domain.workspace import workspaces
from app.models.leads import ImportState, Lead
from app.serve import freeze_gc
from tests.bench import stock


def main(database: Path, csv: Path, workspace_id: int, list_id: int) -> None:
    """Uploads, maps, runs, and prints how long it took, when the first people could be seen, and how much memory."""
    with stock.application(database).app_context():
        workspace = workspaces.get(workspace_id)
        freeze_gc()  # as the server does
        began = time.perf_counter()
        over = threading.Event()
        looking = ThreadPoolExecutor(1).submit(_look, db.engine, list_id, over)
        with csv.open("rb") as stream:
            made = csv_import.create(workspace, list_id, csv.name, stream).id
        csv_import.start(workspace, made)
        while jobs.run_due():
            pass
        took = time.perf_counter() - began
        over.set()
        seen = looking.result() - began
        found = csv_import.get(workspace, made)
        assert found.state == ImportState.DONE, found.error
        peak = _peak()
        counts = {"added": found.added, "updated": found.updated, "skipped": found.skipped, "invalid": found.invalid}
        sys.stdout.write(json.dumps({"seconds": took, "seen": seen, "peak": peak, **counts}))


def _look(engine: sa.Engine, list_id: int, over: threading.Event) -> float:
    """The moment at which a reader first finds anyone in the list."""
    anyone = sa.select(Lead.id).where(Lead.list_id == list_id).limit(1)
    with engine.connect() as connection:
        while not connection.execute(anyone).first():
            connection.rollback()
            if over.wait(0.01):
                break
    return time.perf_counter()


def _peak() -> float:
    """The most memory this process has had, in MB; `ru_maxrss` would tell that of whoever started it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
