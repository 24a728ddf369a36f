"""Rate limits: token buckets, stored as the time at which the bucket is full again (GCRA).

One process counts in its memory. On Postgres, where several processes answer, a shared row counts for all of them.
"""

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core import clock
from app.core.db import change_rows, db, is_sqlite, transaction
from app.models.platform.requests import RateBucket

_FORGET_ABOVE = 10_000


@dataclass(frozen=True)
class Rate:
    """`burst` at once, refilled by `per_second`."""

    name: str
    per_second: float
    burst: int

    @cached_property
    def token(self) -> float:
        """Return the seconds that refill one token."""
        return 1 / self.per_second

    @cached_property
    def whole(self) -> float:
        """Return the seconds that refill an empty bucket."""
        return self.burst / self.per_second

    @cached_property
    def window(self) -> int:
        """Return the window in whole seconds, for the header."""
        return math.ceil(self.whole)

    @cached_property
    def policy(self) -> str:
        """Return the value of the header RateLimit-Policy."""
        return f'"{self.name}";q={self.burst};w={self.window}'


USUAL = Rate("default", 20, 200)
OF_WORKSPACE = Rate("workspace", 50, 500)
COSTLY = Rate("costly", 2, 30)
FAILED = Rate("failed", 0.5, 30)


class Decision(NamedTuple):
    """What became of a request: let through or not, how many more may follow at once, and the wait when none."""

    rate: Rate
    allowed: bool
    remaining: int
    wait: float

    @property
    def state(self) -> str:
        """Return the value of the header RateLimit: what is left, and the seconds until the next token."""
        return f'"{self.rate.name}";r={self.remaining};t={max(1, math.ceil(self.wait))}'


_full_at: dict[str, float] = {}
_lock = threading.Lock()


def consume(rate: Rate, who: str) -> Decision:
    """Take one token of `who` if there is one."""
    return consume_all([(rate, who)])[0]


def consume_all(wanted: Sequence[tuple[Rate, str]]) -> list[Decision]:
    """Take a token from each bucket that has one; return the decisions in the same order."""
    return [consume_local(*one) for one in wanted] if is_sqlite() else _draw_shared(wanted)


def consume_local(rate: Rate, who: str) -> Decision:
    """Take a token from a bucket that only this process counts."""
    name, now = f"{rate.name}:{who}", clock.now().timestamp()
    with _lock:
        # A clock that was set back must not lock anyone out for longer than an empty bucket does.
        full = min(max(_full_at.get(name, now), now), now + rate.whole)
        ahead = full + rate.token - now
        allowed = ahead <= rate.whole + 1e-6
        _full_at[name] = full + rate.token if allowed else full
        if len(_full_at) > _FORGET_ABOVE:
            _forget(now)
    return _drawn(rate, allowed, ahead)


def _drawn(rate: Rate, allowed: bool, ahead: float) -> Decision:
    """Return the decision; `ahead` is the time that refills the tokens taken by this and earlier requests."""
    left = int((rate.whole - ahead) / rate.token + 1e-6) if allowed else 0
    return Decision(rate, allowed, left, 0.0 if left else max(ahead + rate.token * allowed - rate.whole, 0.0))


def _forget(now: float) -> None:
    for name in [name for name, full in _full_at.items() if full <= now]:
        del _full_at[name]


_BEFORE = "greatest(%(now)s, least(bucket.full_at, %(now)s + %(whole{0})s))"
_TAKEN = f"""
    taken{{0}} AS (
        INSERT INTO rate_bucket AS bucket (key, full_at) VALUES (%(key{{0}})s, %(now)s + %(token{{0}})s)
        ON CONFLICT (key) DO UPDATE SET full_at = {_BEFORE} + %(token{{0}})s
        WHERE {_BEFORE} + %(token{{0}})s <= %(now)s + %(whole{{0}})s + 0.000001
        RETURNING full_at
    )"""
_EMPTY = f"UPDATE rate_bucket AS bucket SET full_at = {_BEFORE} WHERE key = %(key{{0}})s RETURNING full_at"


@cache
def _taking(number: int) -> str:
    """Return SQL that takes from so many buckets in one round trip, without a disk flush: a lost count does no harm."""
    taken = ",".join(_TAKEN.format(each) for each in range(number))
    read = ", ".join(f"(SELECT full_at FROM taken{each})" for each in range(number))
    return f"WITH {taken} SELECT {read}, set_config('synchronous_commit', 'off', true)"


def _draw_shared(wanted: Sequence[tuple[Rate, str]]) -> list[Decision]:
    now = clock.now().timestamp()
    given: dict[str, Any] = {"now": now}
    for number, (rate, who) in enumerate(wanted):
        bucket = {"key": f"{rate.name}:{who}", "token": rate.token, "whole": rate.whole}
        given |= {f"{name}{number}": value for name, value in bucket.items()}
    drawn = []
    with db.engine.connect() as pooled:
        connection = pooled.execution_options(isolation_level="AUTOCOMMIT")
        *full_at, _ = connection.exec_driver_sql(_taking(len(wanted)), given).one()
        for number, ((rate, _), full) in enumerate(zip(wanted, full_at, strict=True)):
            if full is None:
                before = connection.exec_driver_sql(_EMPTY.format(number), given).scalar() or now
                drawn.append(_drawn(rate, False, before + rate.token - now))
            else:
                drawn.append(_drawn(rate, True, full - now))
    return drawn


def purge() -> int:
    """Delete buckets that are full again; return how many."""
    with transaction():
        full = sa.delete(RateBucket).where(RateBucket.full_at <= clock.now().timestamp() - 60).returning(RateBucket.key)
        return len(change_rows(full).all())


def reset() -> None:
    """Empty this process's buckets, so that all are full."""
    with _lock:
        _full_at.clear()
