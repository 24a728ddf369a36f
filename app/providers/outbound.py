"""What every call to the outside shares, by HTTP, mail or DNS: no database held meanwhile, and a deadline."""

import time

from flask import has_app_context

from app.core.db import end_read


def release_database() -> None:
    """Give back the database connection before waiting for the network; RuntimeError inside a transaction."""
    if has_app_context():
        end_read()


def remaining(deadline: float) -> float:
    """Return the seconds until the deadline; raise TimeoutError when it has passed."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds
