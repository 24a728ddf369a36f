"""The request log as a page: API requests and their errors."""

import json
from typing import Any

from flask import Blueprint, Response, request

from app.core import text
from app.core.errors import NotFound
from app.domain.platform import request_log, retention
from app.domain.workspace import saved_views
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework.base import render
from app.pages.framework.tables import Column, Table, address, chips

area = Blueprint("requests", __name__)
URL = "/developers/requests"


TABLE = Table(
    "requests",
    (
        Column("path", "Request", sort="path", fixed=True),
        Column("status", "Status", sort="status"),
        Column("code", "Code", "opt-m opt-s", sort="code"),
        Column("key", "Key", "opt-l opt-s"),
        Column("method", "Method", "opt-l", sort="method", usual=False),
        Column("ref", "Request ID", "opt-l", usual=False),
        Column("took", "Took", "n", sort="took"),
        Column("at", "Time", "n", sort="at"),
    ),
)


@area.get("/developers/requests")
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
    rows, seen = TABLE.page(workspace, URL, requests, request_log.SORTS, chosen)
    return seen | {
        "rows": rows,
        "kept": retention.say(retention.days(workspace, "requests")),
        "views": saved_views.of_member(workspace, user, TABLE.place),
        "address": lambda **more: address(URL, seen["query"] | more),
        "shown": _shown(workspace),
        "names": names,
        "filters": chosen,
        "key_id": key_id,
        "chips": chips(URL, seen["query"], "status", request_log.STATUSES),
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
