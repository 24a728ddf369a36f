"""Acceptance of invitations; recent ones, which may still be accepted, count in part. Pure; model: docs/pace.md."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import timedelta
from math import exp
from typing import NamedTuple

WINDOW = timedelta(days=60)  # older invitations say nothing of how they fare now
DECIDED_AFTER = timedelta(days=14)  # hardly anyone accepts later
# Assumed until a sender has enough acceptances of its own: half of those who accept do so within two days.
USUAL_DELAY = timedelta(days=3)
OWN_ENOUGH = 20


class Invitation(NamedTuple):
    """An invitation: how long it has been open, to now or to its end, and after how long it was accepted."""

    open_for: timedelta
    accepted_after: timedelta | None


class Measured(NamedTuple):
    """`accepted` of `decided` invitations; `decided` counts recent ones in part, as they may still be accepted."""

    decided: int
    accepted: int


def measure(invitations: Iterable[Invitation]) -> Measured:
    """Return how many invitations count as decided, and were accepted; see `Measured`."""
    known = list(invitations)
    delays = sorted(
        one.accepted_after for one in known if one.accepted_after is not None and one.open_for >= DECIDED_AFTER
    )
    accepted = sum(one.accepted_after is not None for one in known)
    return Measured(max(accepted, round(sum(share_by(one.open_for, delays) for one in known))), accepted)


def share_by(age: timedelta, delays: Sequence[timedelta]) -> float:
    """Return the share of acceptances that come within `age`: from the sender's own sorted `delays`, if enough."""
    if age >= DECIDED_AFTER:
        return 1.0
    if len(delays) >= OWN_ENOUGH:
        return bisect_right(delays, age) / len(delays)
    return 1 - exp(-age / USUAL_DELAY)
