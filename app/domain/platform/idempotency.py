"""Idempotency keys: a repeated POST has the effect of one request, and the same response."""

import hashlib
import json
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from app.core import clock, crypto
from app.core.db import change_rows, end_read, fetch, is_sqlite, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.platform import secret_rotation
from app.models.platform.requests import IdempotencyKey
from app.models.workspaces import Workspace

KEPT = timedelta(days=7)
LEASE = timedelta(seconds=60)
PATIENCE, LOOK_EVERY = 2.0, 0.02
LONGEST_KEY = 255
_TABLE = cast(sa.Table, IdempotencyKey.__table__)
_ROW = _TABLE.c
_ONE = (_ROW.workspace_id == sa.bindparam("of"), _ROW.key == sa.bindparam("name"))
_LOOK = sa.select(_TABLE).where(*_ONE)
_STORE = (
    sa.update(_TABLE)
    .where(*_ONE, _ROW.owner == sa.bindparam("whose"), _ROW.status.is_(None))
    .values(status=sa.bindparam("answered"), answer=sa.bindparam("sealed"))
    .returning(_ROW.owner)
)


def _claim_on(begun: Any) -> Any:
    """Return the statement that claims a free key, one of a dead worker, or one older than a week."""
    claim = begun.values(
        workspace_id=sa.bindparam("of"),
        key=sa.bindparam("name"),
        fingerprint=sa.bindparam("asked"),
        owner=sa.bindparam("whose"),
        claimed_until=sa.bindparam("until"),
        created_at=sa.bindparam("at"),
    )
    given = {name: claim.excluded[name] for name in ("fingerprint", "owner", "claimed_until", "created_at")}
    abandoned = sa.and_(_ROW.status.is_(None), _ROW.claimed_until <= claim.excluded.created_at)
    return claim.on_conflict_do_update(
        index_elements=["workspace_id", "key"],
        set_={**given, "status": None, "answer": None},
        where=sa.or_(abandoned, _ROW.created_at <= sa.bindparam("old")),
    ).returning(_ROW.owner)


_CLAIM_SQLITE, _CLAIM_POSTGRES = _claim_on(sqlite.insert(_TABLE)), _claim_on(postgresql.insert(_TABLE))


@dataclass(frozen=True)
class Kept:
    """The answer to a request: its status, its body, and whether it is the one of an earlier request."""

    status: int
    body: bytes
    replayed: bool = False


def check_key(given: str) -> str:
    """Return the Idempotency-Key header without its quotes, or raise InvalidRequest."""
    key = given[1:-1] if len(given) >= 2 and given[0] == given[-1] == '"' else given
    if not 1 <= len(key) <= LONGEST_KEY or not all("!" <= character <= "~" for character in key):
        raise InvalidRequest.of(
            ("Idempotency-Key", f"Use 1 to {LONGEST_KEY} visible ASCII characters, and send the header once.")
        )
    return key


def fingerprint(method: str, path: str, query: list[tuple[str, str]], body: Any) -> bytes:
    """Return the same hash for the same request; spaces, key order and escapes in the JSON do not matter."""
    asked = [method, path, sorted(query), body]
    return hashlib.sha256(json.dumps(asked, sort_keys=True, separators=(",", ":")).encode()).digest()


Perform = Callable[[], Kept | Callable[[], Kept]]


def with_idempotency_key(
    workspace: Workspace, key: str, asked: bytes, owner: str, perform: Perform, *, together: bool = True
) -> Kept:
    """Return what `perform` answered, now or earlier under this key; effect and answer commit together.

    A failure has no effect and frees the key. `together=False` is for calls to the outside: `perform` then has its own
    transactions, and its answer is stored after them, or in one transaction with the remaining work if it returns that
    instead.
    """
    earlier = _claim(workspace, key, asked, owner)
    if earlier is not None:
        return earlier
    try:
        with transaction() if together else nullcontext():
            found = perform()
            with transaction():
                answer = found if isinstance(found, Kept) else found()
                _keep(workspace, key, owner, answer)
                return answer
    except BaseException:
        _free(workspace, key, owner)
        raise


def _claim(workspace: Workspace, key: str, asked: bytes, owner: str) -> Kept | None:
    """Return the stored answer, after a short wait for it; None when the request is ours to carry out."""
    patience = time.monotonic() + PATIENCE
    while True:
        row = _try_claim(workspace, key, asked, owner)
        if row is None:
            return None
        if row.fingerprint != asked:
            raise Conflict(
                "This Idempotency-Key was used for a different request.", recovery="Use a new key for a new request."
            )
        if row.status is not None:
            return Kept(row.status, crypto.keyring().unseal(row.answer, _bound_to(workspace, key)), replayed=True)
        if time.monotonic() >= patience:
            raise Conflict(
                "The first request with this Idempotency-Key is still running.",
                recovery="Retry with the same key in a moment.",
                retry_after=1,
            )
        end_read()
        time.sleep(LOOK_EVERY)


def _try_claim(workspace: Workspace, key: str, asked: bytes, owner: str) -> Any:
    """Claim the key; return None on success, else the row of the request that has it."""
    at, mine = clock.now(), {"of": workspace.id, "name": key}
    end_read()  # so that the answer another request stored meanwhile is seen
    found = next(iter(fetch(_LOOK, **mine)), None)
    if found is not None and not _is_over(found, at):
        return found
    given = {"asked": asked, "whose": owner, "until": at + LEASE, "at": at, "old": at - KEPT}
    with transaction():
        if fetch(_CLAIM_SQLITE if is_sqlite() else _CLAIM_POSTGRES, **mine, **given):
            return None
        return fetch(_LOOK, **mine)[0]


def _is_over(row: Any, at: Any) -> bool:
    return row.created_at <= at - KEPT or (row.status is None and row.claimed_until <= at)


def _keep(workspace: Workspace, key: str, owner: str, answer: Kept) -> None:
    """Store the answer; fail, so that nothing of ours commits, if another request took the key over."""
    sealed = crypto.keyring().seal(answer.body, _bound_to(workspace, key))
    with transaction():
        if not fetch(_STORE, of=workspace.id, name=key, whose=owner, answered=answer.status, sealed=sealed):
            raise Conflict("Another request with this Idempotency-Key has taken over.", retry_after=1)


def _free(workspace: Workspace, key: str, owner: str) -> None:
    with transaction():
        change_rows(sa.delete(IdempotencyKey).where(*_mine(workspace, key), _ROW.owner == owner, _ROW.status.is_(None)))


def _mine(workspace: Workspace, key: str) -> tuple[Any, ...]:
    return _ROW.workspace_id == workspace.id, _ROW.key == key


def _bound_to(workspace: Workspace, key: str) -> str:
    return secret_rotation.associated_data(IdempotencyKey.answer, key=key, workspace_id=workspace.id)


def redact_stored_answers(workspace: Workspace, change: Callable[[bytes], bytes]) -> None:
    """Rewrite every stored answer of the workspace with `change`. Inside a transaction."""
    current = session()
    query = sa.select(_ROW.key, _ROW.answer).where(_ROW.workspace_id == workspace.id, _ROW.answer.is_not(None))
    for row in current.execute(query).all():
        bound_to = _bound_to(workspace, row.key)
        before = crypto.keyring().unseal(row.answer, bound_to)
        after = change(before)
        if after != before:
            sealed = sa.update(IdempotencyKey).where(*_mine(workspace, row.key))
            sealed = sealed.values(answer=crypto.keyring().seal(after, bound_to))
            change_rows(sealed)


def purge(limit: int = 1000) -> int:
    """Delete up to `limit` expired answers; return how many."""
    old = sa.select(_ROW.workspace_id, _ROW.key).where(_ROW.created_at <= clock.now() - KEPT).limit(limit)
    if session().execute(old.limit(1)).first() is None:
        return 0
    with transaction():
        gone = change_rows(
            sa.delete(IdempotencyKey).where(sa.tuple_(_ROW.workspace_id, _ROW.key).in_(old)).returning(_ROW.key)
        )
        return len(gone.all())
