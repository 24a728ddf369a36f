"""Retries: what may safely be sent again is, after as long as the server asks for.

Every request that writes has an idempotency key, so repeating it has no further effect, even if the response was lost.
A refused request changed nothing, so it is tried again after 429 and 503, too.
"""

import random
import uuid
from dataclasses import dataclass

import httpx

IDEMPOTENCY_KEY = "Idempotency-Key"
BUSY = {429, 503}
LOST = {502, 504}  # a proxy's: the server may have done it
IN_PROGRESS = 409  # with Retry-After: an earlier request with this idempotency key is still running
READS = {"GET", "HEAD"}


@dataclass(frozen=True)
class Retries:
    """How often to try, and how many seconds to wait at most between two tries.

    If the server asks for a longer wait than `longest_wait`, its error is raised.
    """

    tries: int = 5
    first_wait: float = 0.5
    longest_wait: float = 60

    def pause(self, request: httpx.Request, outcome: httpx.Response | httpx.TransportError, tried: int) -> float | None:
        """Return the seconds to wait before the next try; None when there is none."""
        if tried >= self.tries or not _can_repeat(request, outcome):
            return None
        if isinstance(outcome, httpx.Response) and (asked := _seconds(outcome)) is not None:
            return asked if asked <= self.longest_wait else None
        return random.uniform(0.5, 1) * min(self.first_wait * 2.0 ** (tried - 1), self.longest_wait)


def prepare(request: httpx.Request) -> None:
    """Make a request one that can be repeated: its body is in memory, and it has a key unless it only reads."""
    request.read()
    if request.method not in READS:
        request.headers.setdefault(IDEMPOTENCY_KEY, str(uuid.uuid4()))


def _can_repeat(request: httpx.Request, outcome: httpx.Response | httpx.TransportError) -> bool:
    if isinstance(outcome, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout):
        return True  # the request never left
    if isinstance(outcome, httpx.Response) and outcome.status_code not in LOST:
        in_progress = outcome.status_code == IN_PROGRESS and _seconds(outcome) is not None
        return outcome.status_code in BUSY or in_progress
    return not isinstance(outcome, httpx.UnsupportedProtocol | httpx.LocalProtocolError)


def _seconds(response: httpx.Response) -> float | None:
    try:
        return max(float(response.headers["Retry-After"]), 0)
    except (KeyError, ValueError):
        return None
