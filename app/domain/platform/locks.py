"""Lock order: a change to a workspace's outreach locks the workspace's row first.

Postgres locks row by row. A turn has people before their sender, a reply the sender before the person, a cancellation
the campaign before both: in an order of their own each, they would wait for each other for ever, and what one counts
another would change. SQLite has a single writer, so there is nothing to take.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from app.core.db import fetch, in_batches, is_sqlite, transaction
from app.models.workspaces import Workspace

_ID: Any = Workspace.__table__.c.id
_HOLD = (
    sa.select(_ID)
    .where(_ID.in_(sa.bindparam("workspaces", expanding=True)))
    .order_by(_ID)
    .with_for_update(key_share=True)  # rows that refer to the workspace can still be added
)


@contextmanager
def changing(workspace_id: int) -> Iterator[Session]:
    """Begin a transaction that changes the outreach of this workspace."""
    with transaction() as current:
        lock_workspaces([workspace_id])
        yield current


def lock_workspaces(workspace_ids: Iterable[int]) -> None:
    """Lock the outreach of these workspaces until the transaction ends; call it first in a transaction."""
    if is_sqlite():
        return
    for batch in in_batches(sorted(set(workspace_ids))):
        fetch(_HOLD, workspaces=batch)
