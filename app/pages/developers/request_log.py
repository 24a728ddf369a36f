"""The request log as a page: API requests and their errors."""

import json
from typing import Any

from flask import Blueprint, Response, request, url_for

from app.core import paging, text
from app.core.errors import NotFound
from app.core.paging import Window
from app.domain.platform import request_log
from app.domain.workspace import saved_views
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework.base import render, signed_in
from app.pages.framework.tables import Column, Table

area = Blueprint("requests", __name__)


TABLE = Table(
    "requests",
    (
        Column("path", "Request", sort="path", fixed=True),
        Column("status", "Status", sort="status"),
        Column("code", "Code", "opt-m opt-s", sort="code"),
        Column("key", "Key", "opt-l opt-s"),
        Column("method", "Method", "opt-l", sort="method", usual=False),
        Column("ref", "Request id", "opt-l", usual=False),
        Column("took", "Took", "n", sort="took"),
        Column("at", "Time", "n", sort="at"),
    ),
)


@area.get("/developers/requests")
@signed_in
def index(workspace: Workspace, user: User) -> Response:
    more = "cursor" in request.args
    return render(
        "request_log/index.html",
        part="request_log/_rows.html" if more else "request_log/_log.html",
        **_log(workspace, user),
    )


def _log(workspace: Workspace, user: User) -> dict[str, Any]:
    """Return a page of the log and its filters."""
    names = request_log.keys_of(workspace)
    status = request.args.get("status", "")
    status = status if status in request_log.STATUSES else ""
    given = text.number(request.args.get("key", ""))
    key_id = given if given in names else None
    chosen = {name: value for name, value in (("status", status), ("key", str(key_id or ""))) if value}
    requests = request_log.page(workspace, status, key_id)
    table = TABLE.read(request.args, paging.sorts_of(requests, request_log.SORTS))
    window = Window.of(request.args, (workspace.id, request.path, status, key_id, table.sort, table.downward))
    found = paging.page_by(requests, request_log.SORTS, table.sort, table.downward, window)
    seen = table.context("/developers/requests", chosen)

    def address(**changes: Any) -> str:
        wanted = {name: value for name, value in (seen["query"] | changes).items() if value}
        return url_for("pages.requests.index", **wanted)

    return seen | {
        "rows": found.rows,
        "more": address(cursor=found.next_cursor) if found.next_cursor else "",
        "views": saved_views.of_member(workspace, user, TABLE.place),
        "address": address,
        "shown": _shown(workspace),
        "names": names,
        "filters": chosen,
        "key_id": key_id,
        "chips": [
            {"label": label, "href": address(status=key), "current": key == status}
            for key, label in request_log.STATUSES.items()
        ],
        "pretty": _pretty,
    }


def _shown(workspace: Workspace) -> Any | None:
    """Return the request that the address names, if it is the workspace's and still kept."""
    try:
        return request_log.get(workspace, text.number(request.args.get("show", "")))
    except NotFound:
        return None


def _pretty(text: str) -> str:
    """Return JSON with line breaks; other text unchanged, such as JSON that was cut."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text
