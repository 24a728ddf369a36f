"""Write check: try a write every few seconds, so that a full disk or read-only database shows before users meet it.

On a full disk, a write that fits into the existing log file still works, so the free space is checked, too.
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
# Writes to the one row that every database has, without changing its value.
_SAME = sa.text("UPDATE alembic_version SET version_num = version_num")


class WriteCheck:
    """The last test write of this process. One thread writes at a time; the others use the last result."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._trying = threading.Lock()
        self._tried: float | None = None
        self._fault: Fault | None = None

    def fault(self) -> Fault | None:
        """Return why the database can't be written, None if it can; raise an SQLAlchemyError for any unknown reason."""
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
