"""Database faults in words: what is wrong with the disk, the file or the server, and what to do about it.

SQLite names a fault by a result code, Postgres by an SQLSTATE; both mean the same few things to an operator.
"""

import sqlite3
from dataclasses import dataclass

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, TimeoutError

from app.core.errors import Unavailable


@dataclass(frozen=True)
class Fault:
    """One thing that can be wrong, how long to wait before another try, and whether reading still works."""

    sentence: str
    recovery: str
    retry_after: int = 30
    readable: bool = True


FULL = Fault("The disk is full.", "Nothing was changed. Free some disk space on the server, then try again.")
READ_ONLY = Fault(
    "The database is read-only.",
    "Nothing was changed. Make the database and its folder writable on the server, then try again.",
)
LOCKED = Fault(
    "The database is locked by another program.",
    "Nothing was changed. Try again in a moment. If this lasts, close other programs that use the database.",
    retry_after=5,
)
DISK = Fault("The disk can't be read or written.", "Nothing was changed. Check the server's disk, then try again.")
CLOSED = Fault(
    "The database can't be opened.",
    "Nothing was changed. Check that the database is running and that its file can be opened, then try again.",
    retry_after=5,
    readable=False,
)
DAMAGED = Fault(
    "The database is damaged.",
    "Stop Overture, keep a copy of the database as it is, and restore the last backup.",
    readable=False,
)
BUSY = Fault("The database is busy.", "Nothing was changed. Retry with backoff.", retry_after=1)
_OF_SQLITE = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
    sqlite3.SQLITE_IOERR: DISK,
    sqlite3.SQLITE_CANTOPEN: CLOSED,
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
}
_OF_POSTGRES = {  # by SQLSTATE, or by its class
    "53100": FULL,
    "25006": READ_ONLY,
    "40P01": BUSY,  # two transactions waited for each other, and this one was undone
    "55P03": LOCKED,
    "58030": DISK,
    "08": CLOSED,
    "57P01": CLOSED,
    "57P02": CLOSED,
    "57P03": CLOSED,
    "XX001": DAMAGED,
    "XX002": DAMAGED,
}


def find(error: BaseException) -> Fault | None:
    """Return the fault behind an error of the database; None for a mistake of ours, such as an unknown column."""
    if isinstance(error, TimeoutError):
        return BUSY
    if not isinstance(error, DBAPIError):
        return None
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        return _OF_SQLITE.get(_code(cause))
    state = getattr(cause, "sqlstate", None)
    if state is None:  # the connection broke before the server could say why
        return CLOSED if isinstance(error, OperationalError | InterfaceError) else None
    return _OF_POSTGRES.get(state) or _OF_POSTGRES.get(state[:2])


def refusal(error: BaseException) -> Unavailable | None:
    """Return the refusal that tells a caller about the fault; None for a fault with no such refusal."""
    fault = find(error)
    if fault is None and isinstance(error, OperationalError | InterfaceError) and not _is_ours(error.orig):
        fault = BUSY
    return None if fault is None else Unavailable(fault.sentence, fault.recovery, retry_after=fault.retry_after)


def _is_ours(cause: BaseException | None) -> bool:
    """Return whether it is a mistake in a statement, which SQLite raises as an operational error, too."""
    return isinstance(cause, sqlite3.Error) and _code(cause) == sqlite3.SQLITE_ERROR


def _code(cause: sqlite3.Error) -> int:
    """Return the result code without the part that says where it happened; 0 for none."""
    code: int = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    return code
