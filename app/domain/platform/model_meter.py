"""The AI model's tokens, daily budgets and circuit breaker, in the database, so that all processes share them.

Each workspace has a budget of its own, so that none uses up another's day; failures are the model's, for all.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from app.core import clock
from app.core.actor import spender
from app.core.db import end_read, insert, session, transaction
from app.models.platform.installation import ModelUse

OPENS_AFTER = 3  # failures in a row
SHORTEST_REST, LONGEST_REST = timedelta(minutes=1), timedelta(minutes=10)
BUSY, SPENT = "it is busy right now", "today's budget of tokens is used up"
RESTS = "it failed several times in a row; we try again in a few minutes"


class SharedMeter:
    """A `ports.ModelMeter`. After several failures in a row the model rests, each time twice as long."""

    def refusal(self, model: str, daily: int) -> str:
        use, ours = (session().get(ModelUse, name, populate_existing=True) for name in (model, _share(model)))
        now, why = clock.now(), ""
        if use and use.rests_until and use.rests_until > now:
            why = RESTS if use.failures >= OPENS_AFTER else BUSY
        elif ours and daily and ours.day == now.date() and ours.tokens >= daily:
            why = SPENT
        end_read()
        return why

    def answered(self, model: str, tokens: int) -> None:
        with _locked(model) as use:
            use.failures, use.rests_until = 0, None
            _count(model, use, tokens)

    def failed(self, model: str, tokens: int = 0, rest: float | None = None) -> None:
        with _locked(model) as use:
            use.failures += 1
            _count(model, use, tokens)
            wait = timedelta(seconds=rest) if rest is not None else timedelta()
            if use.failures >= OPENS_AFTER:
                wait = max(wait, SHORTEST_REST * 2 ** min(use.failures - OPENS_AFTER, 10))
            use.rests_until = clock.now() + min(wait, LONGEST_REST) if wait else None

    def heard(self, model: str, failure: str = "") -> None:
        with _locked(model) as use:
            use.failure, use.heard_at = failure, clock.now()


@dataclass(frozen=True)
class State:
    """How a model does: tokens used today and ever, when it was last heard, and why it is not asked or failed."""

    tokens: int = 0
    all_tokens: int = 0
    heard_at: datetime | None = None
    failure: str = ""
    failures: int = 0
    rests_until: datetime | None = None


def full_name(url: str, name: str) -> str:
    """Return the name by which a model is counted."""
    return f"{url} {name}"


def state(url: str, name: str) -> State:
    """Return how the model does in all processes, and how many tokens the current workspace used today."""
    full, now = full_name(url, name), clock.now()
    use, ours = (session().get(ModelUse, one, populate_existing=True) for one in (full, _share(full)))
    if use is None:
        return State()
    rests = use.rests_until if use.rests_until and use.rests_until > now else None
    today = ours.tokens if ours and ours.day == now.date() else 0
    return State(today, use.all_tokens, use.heard_at, use.failure, use.failures, rests)


def _share(model: str) -> str:
    """Return the name under which the tokens of the current workspace are counted."""
    return f"{model} #{spender.get()}"


def _count(model: str, use: ModelUse, tokens: int) -> None:
    use.tokens, use.all_tokens = use.tokens + tokens, use.all_tokens + tokens
    if tokens:
        with _locked(_share(model)) as ours:
            ours.tokens, ours.all_tokens = ours.tokens + tokens, ours.all_tokens + tokens


@contextmanager
def _locked(model: str) -> Iterator[ModelUse]:
    """Lock the model's row of today."""
    today = clock.now().date()
    with transaction() as current:
        row = insert(ModelUse).values(model=model, day=today, tokens=0, all_tokens=0, failures=0)
        current.execute(row.on_conflict_do_nothing(index_elements=["model"]))
        query = sa.select(ModelUse).where(ModelUse.model == model).with_for_update()
        use = current.scalars(query.execution_options(populate_existing=True)).one()
        if use.day != today:
            use.day, use.tokens = today, 0
        yield use
