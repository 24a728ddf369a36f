"""Write check: try a write now and then, so that a full disk or a read-only database is noticed before a person is.

A full disk may still take a write that fits into the log file as it is, so the free space is looked at, too.
"""

import logging
import shutil
import threading
import time

import sqlalchemy as sa

from app.core import db_faults
from app.core.db import brief_write, database_files, db
from app.core.db_faults import Fault

log = logging.getLogger("app.health")
EVERY, PATIENCE = 5.0, 3.0  # seconds between two tries, and for one to get its turn
LEAST_FREE = 1 << 20  # bytes beside the database below which the next commit of some size fails
# The one row that every database has; its value stays.
_SAME = sa.text("UPDATE alembic_version SET version_num = version_num")


class WriteCheck:
    """The last try of this process. One thread tries at a time; the others take what is known."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._trying = threading.Lock()
        self._tried: float | None = None
        self._fault: Fault | None = None

    def fault(self) -> Fault | None:
        """Return what keeps the database from being written; raise an SQLAlchemyError for what has no name."""
        if self._tried is not None and time.monotonic() - self._tried < EVERY:
            return self._fault
        if not self._trying.acquire(blocking=self._tried is None):
            return self._fault
        try:
            self._fault = self._try()
            self._tried = time.monotonic()
        finally:
            self._trying.release()
        return self._fault

    def _try(self) -> Fault | None:
        files = database_files(db.engine)
        if files and shutil.disk_usage(files[0].parent).free < LEAST_FREE:
            return db_faults.FULL
        try:
            with brief_write(self._patience) as connection:
                connection.execute(_SAME)
        except sa.exc.SQLAlchemyError as error:
            fault = db_faults.find(error)
            if fault is None:
                raise
            log.warning("A write was tried and failed", extra={"fields": {"why": fault.sentence}})
            return fault
        return None
