"""What every call to the outside shares, by HTTP, mail or DNS: no database held meanwhile, and a deadline."""

import time
from datetime import timedelta

from flask import has_app_context

from app.core import clock
from app.core.db import end_read
from app.core.parallel import take_slot
from app.ports import Unreachable


def release_database() -> None:
    """Give back the database connection before waiting for the network; RuntimeError inside a transaction.

    A web request is counted, and refused as Unavailable where too many wait.
    """
    if has_app_context():
        end_read()
        take_slot()


class Deadline:
    """So many seconds from now, by two clocks: one stands still while the machine sleeps, the other may be set back."""

    def __init__(self, seconds: float) -> None:
        self._steady = time.monotonic() + seconds
        self._wall = clock.now() + timedelta(seconds=seconds)

    def check(self) -> float:
        """Return the seconds left; raise Unreachable when there are none."""
        left = min(self._steady - time.monotonic(), (self._wall - clock.now()).total_seconds())
        if left <= 0:
            raise Unreachable("The request took too long, so nothing was done.")
        return left


def remaining(deadline: float) -> float:
    """Return the seconds until the deadline; raise TimeoutError when it has passed."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds
