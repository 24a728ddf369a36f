"""Throttles: tries are counted before they are checked, so that parallel tries gain nothing."""

from collections.abc import Mapping
from datetime import timedelta

import sqlalchemy as sa

from app.core import clock
from app.core.db import insert, transaction
from app.core.errors import RateLimited
from app.models.platform.requests import Throttle

# Five tries are free; then the wait doubles from one second to a quarter of an hour. No user is locked out for good.
FREE_TRIES, LONGEST_WAIT = 5, 900
FORGOTTEN = timedelta(hours=24)


def attempt(free: Mapping[str, int]) -> None:
    """Count a try under each key; after that many free ones the wait doubles each time.

    Raise RateLimited, and count nothing, while one of the keys has to wait.
    """
    with transaction() as current:
        at = clock.now()
        new = [{"key": key, "failures": 0, "at": at} for key in sorted(free)]
        current.execute(insert(Throttle).on_conflict_do_nothing(), new)
        query = sa.select(Throttle).where(Throttle.key.in_(free)).order_by(Throttle.key).with_for_update()
        rows = current.scalars(query.execution_options(populate_existing=True)).all()
        seconds = max(
            (int((row.until - at).total_seconds()) + 1 for row in rows if row.until and row.until > at), default=0
        )
        if seconds:
            raise RateLimited(f"Too many attempts. Try again in {seconds} seconds.", retry_after=seconds)
        for row in rows:
            row.failures, row.at = 1 + (row.failures if at - row.at <= FORGOTTEN else 0), at
            over = row.failures - free[row.key]
            row.until = at + timedelta(seconds=min(2 ** min(over, 20), LONGEST_WAIT)) if over >= 0 else None


def forgive(*keys: str, beginning: str = "") -> None:
    """Forget the tries of these keys, and of all keys that start with `beginning`."""
    with transaction() as current:
        begins = Throttle.key.startswith(beginning, autoescape=True) if beginning else sa.false()
        current.execute(sa.delete(Throttle).where(sa.or_(Throttle.key.in_(keys), begins)))


def take_back(key: str) -> None:
    """Uncount one try that was right; other tries under the key stay counted."""
    with transaction() as current:
        one_less = sa.update(Throttle).where(Throttle.key == key, Throttle.failures > 0)
        current.execute(one_less.values(failures=Throttle.failures - 1, until=None))
