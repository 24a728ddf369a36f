"""How fast a caller may ask: token buckets, written as the moment at which the bucket will be full again (GCRA).

One process counts in its memory. On Postgres, where several processes answer, a shared row counts for all of them.
"""

import math
import threading
import time
from dataclasses import dataclass

import sqlalchemy as sa

from app.core import clock
from app.core.db import db, is_sqlite, transaction
from app.models.traffic import RateBucket

_FORGET_ABOVE = 10_000


@dataclass(frozen=True)
class Rate:
    """`burst` at once, refilled by `per_second`."""

    name: str
    per_second: float
    burst: int

    @property
    def window(self) -> int:
        """The seconds in which an empty bucket fills."""
        return math.ceil(self.burst / self.per_second)

    @property
    def policy(self) -> str:
        """For the header RateLimit-Policy."""
        return f'"{self.name}";q={self.burst};w={self.window}'


USUAL = Rate("default", 20, 200)
COSTLY = Rate("costly", 2, 30)
FAILED = Rate("failed", 0.5, 30)


@dataclass(frozen=True)
class Draw:
    """What became of a request: let through or not, how many more may follow at once, and the wait when none."""

    rate: Rate
    allowed: bool
    remaining: int
    wait: float

    @property
    def state(self) -> str:
        """For the header RateLimit: what is left, and the seconds until one more is."""
        return f'"{self.rate.name}";r={self.remaining};t={max(1, math.ceil(self.wait))}'


_full_at: dict[str, float] = {}
_lock = threading.Lock()


def draw(rate: Rate, who: str) -> Draw:
    """One token of `who` is taken, when there is one."""
    return draw_here(rate, who) if is_sqlite() else _draw_shared(rate, who)


def draw_here(rate: Rate, who: str) -> Draw:
    """The same, counted in this process alone."""
    name, now = f"{rate.name}:{who}", time.monotonic()
    with _lock:
        full = max(_full_at.get(name, now), now)
        result, full = _drawn(rate, full, now)
        _full_at[name] = full
        if len(_full_at) > _FORGET_ABOVE:
            _forget(now)
    return result


def _drawn(rate: Rate, full: float, now: float) -> tuple[Draw, float]:
    token = 1 / rate.per_second
    room = rate.burst * token - (full - now)
    if room + 1e-9 < token:
        return Draw(rate, False, 0, token - room), full
    left = int((room - token) / token + 1e-6)
    return Draw(rate, True, left, 0 if left else 2 * token - room), full + token


def _forget(now: float) -> None:
    for name in [name for name, full in _full_at.items() if full <= now]:
        del _full_at[name]


_SHARED = sa.text("""
    WITH moment AS (SELECT extract(epoch FROM clock_timestamp())::float8 AS now)
    INSERT INTO rate_bucket AS bucket (key, full_at) SELECT :key, now + :token FROM moment
    ON CONFLICT (key) DO UPDATE SET full_at = greatest(bucket.full_at, (SELECT now FROM moment)) + :token
    WHERE greatest(bucket.full_at, (SELECT now FROM moment)) + :token <= (SELECT now FROM moment) + :whole
    RETURNING full_at - (SELECT now FROM moment)
""")
_EMPTY = sa.text("SELECT full_at - extract(epoch FROM clock_timestamp())::float8 FROM rate_bucket WHERE key = :key")


def _draw_shared(rate: Rate, who: str) -> Draw:
    token, whole = 1 / rate.per_second, rate.burst / rate.per_second
    given = {"key": f"{rate.name}:{who}", "token": token, "whole": whole}
    with db.engine.begin() as connection:
        connection.exec_driver_sql("SET LOCAL synchronous_commit TO OFF")  # a lost count harms nobody
        filled_in = connection.scalar(_SHARED, given)
        if filled_in is None:
            ahead = connection.scalar(_EMPTY, given) or 0.0
            return Draw(rate, False, 0, max(token - (whole - ahead), 0.0))
    left = int((whole - filled_in) / token + 1e-6)
    return Draw(rate, True, left, 0 if left else token - (whole - filled_in))


def purge() -> int:
    """Buckets that are full again are forgotten; how many."""
    with transaction() as current:
        full = sa.delete(RateBucket).where(RateBucket.full_at <= clock.now().timestamp() - 60).returning(RateBucket.key)
        return len(current.execute(full.execution_options(synchronize_session=False)).all())


def fill_all() -> None:
    """Every bucket of this process is full."""
    with _lock:
        _full_at.clear()
