"""The request log of `/v1`: buffered in memory, written in batches, without secrets, kept for a while.

Noting costs a request a few microseconds and can neither delay nor fail it. What waits in memory when a process dies
is lost: this is a log, not a ledger.
"""

import json
import re
import threading
import time
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypedDict, cast

import sqlalchemy as sa

from app.core.db import defer_fsync, execute_many, get_owned, in_list, session, transaction
from app.core.logs import redact
from app.core.paging import Sorts
from app.domain.platform import retention
from app.models.platform.requests import ApiRequest
from app.models.workspaces import ApiKey, Workspace

CHUNK, BATCH = 1000, 500
MOST_WAITING = 2000  # in memory; above that the oldest lines are dropped
LONGEST, LONGEST_PATH = 4000, 500
PATIENCE = 5.0  # seconds after which a process without an engine writes by itself
STATUSES = {"": "All", "ok": "Succeeded", "refused": "Refused"}
_SHORT = 45
HIDDEN = "…"
_SECRET_NAMES = re.compile(r"key|secret|token|password|authorization|target|content", re.IGNORECASE)
_SECRET_QUERY = ("key", "secret", "token", "password")  # in the name of a parameter
_TABLE = cast(sa.Table, ApiRequest.__table__)
_ADDED = sa.insert(_TABLE)


class LoggedRequest(TypedDict):
    """One request, as it is written."""

    workspace_id: int
    key_id: int
    ref: str
    method: str
    path: str
    status: int
    refused: bool
    code: str
    sent: str
    answered: str
    milliseconds: int
    created_at: datetime


_waiting: deque[LoggedRequest] = deque(maxlen=MOST_WAITING)
_writing = threading.Lock()
_written = time.monotonic()


def log(line: LoggedRequest) -> None:
    """Queue the line to be written soon."""
    _waiting.append(line)


def needs_flush() -> bool:
    """Return whether lines wait that this process has written for a while."""
    return bool(_waiting) and (time.monotonic() - _written > PATIENCE or len(_waiting) >= MOST_WAITING // 2)


def flush() -> int:
    """Write the queued lines, one transaction per batch; return how many. One thread writes at a time."""
    global _written
    if not _writing.acquire(blocking=False):
        return 0
    try:
        _written = time.monotonic()
        batch = [_waiting.popleft() for _ in range(min(len(_waiting), BATCH))]
        if batch:
            _write(batch)
        return len(batch)
    finally:
        _writing.release()


def finish() -> None:
    """Write all queued lines before the process ends."""
    while flush():
        pass


def reset() -> None:
    """Drop all queued lines."""
    _waiting.clear()


def _write(batch: Sequence[LoggedRequest]) -> None:
    with defer_fsync(), transaction() as current:
        ids = {line["workspace_id"] for line in batch}
        there = set(current.scalars(sa.select(Workspace.id).where(in_list(Workspace.id, ids))))
        execute_many(_ADDED, [line for line in batch if line["workspace_id"] in there])


def page(workspace: Workspace, status: str = "", key_id: int | None = None) -> sa.Select[Any]:
    """Select the workspace's requests: all, the answered or the refused, of any key or of one."""
    query = sa.select(ApiRequest).where(ApiRequest.workspace_id == workspace.id)
    if status in ("ok", "refused"):
        query = query.where(ApiRequest.refused.is_(status == "refused"))
    return query if key_id is None else query.where(ApiRequest.key_id == key_id)


SORTS: Sorts = {  # what requests are sorted by
    "path": (ApiRequest.path, sa.false()),
    "method": (ApiRequest.method, sa.false()),
    "status": (ApiRequest.status, sa.false()),
    "code": (ApiRequest.code, ApiRequest.code == ""),
    "took": (ApiRequest.milliseconds, sa.false()),
    "at": (ApiRequest.created_at, sa.false()),
}


def get(workspace: Workspace, request_id: int) -> ApiRequest:
    """Return the request, or raise NotFound."""
    return get_owned(ApiRequest, workspace, request_id)


def keys_of(workspace: Workspace) -> dict[int, str]:
    """Return the names of the keys that requests were made with, including revoked keys."""
    query = sa.select(ApiKey.id, ApiKey.name).where(ApiKey.workspace_id == workspace.id).order_by(ApiKey.id)
    return {row.id: row.name for row in session().execute(query)}


def purge() -> int:
    """Delete requests that their workspace keeps no longer, a bounded number at a time; return how many."""
    return sum(_purge(whose, before) for whose, before in retention.groups("requests", _TABLE.c.workspace_id))


def _purge(whose: sa.ColumnElement[bool], before: datetime) -> int:
    old = sa.select(_TABLE.c.id).where(_TABLE.c.created_at < before, whose).limit(CHUNK)
    if session().execute(old.limit(1)).first() is None:
        return 0
    with transaction() as current:
        gone = sa.delete(_TABLE).where(_TABLE.c.id.in_(old)).returning(_TABLE.c.id)
        return len(current.execute(gone).all())


def _without_secret(parameter: str) -> str:
    name, equals, _ = parameter.partition("=")
    is_secret = equals and any(word in name.lower() for word in _SECRET_QUERY)
    return f"{name}={HIDDEN}" if is_secret else parameter


def shown_path(path: str, query: str) -> str:
    """Return the path for the log: without secrets in the query, and shortened."""
    if not query and len(path) <= _SHORT:  # the usual case; no secret of ours is that short
        return path.replace("\0", "")
    whole = f"{path}?{'&'.join(map(_without_secret, query.split('&')))}" if query else path
    return redact(whole)[:LONGEST_PATH].replace("\0", "")


def shown_body(raw: bytes) -> str:
    """Return a JSON body for the log: without secret fields, and cut; other bodies only as a size."""
    if not raw:
        return ""
    try:
        text = json.dumps(_without_secrets(json.loads(raw[: 16 * LONGEST])), ensure_ascii=False)
    except (ValueError, RecursionError):
        return f"{len(raw)} bytes, not kept: too many, or not JSON"
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= LONGEST else text[:LONGEST] + HIDDEN


def _without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: HIDDEN if _SECRET_NAMES.search(name) and isinstance(inner, str) else _without_secrets(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_without_secrets(inner) for inner in value]
    return redact(value) if isinstance(value, str) else value
