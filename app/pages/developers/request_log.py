"""The request log as a page: API requests and their errors."""

import json
from typing import Any

from flask import Blueprint, Response, request, url_for

from app.core import paging, text
from app.core.paging import Window
from app.domain.platform import request_log
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import render, signed_in

area = Blueprint("requests", __name__)


@area.get("/developers/requests")
@signed_in
def index(workspace: Workspace) -> Response:
    more = "cursor" in request.args
    return render(
        "request_log/index.html",
        part="request_log/_rows.html" if more else "request_log/_log.html",
        **_log(workspace),
    )


def _log(workspace: Workspace) -> dict[str, Any]:
    """Return a page of the log and its filters."""
    names = request_log.keys_of(workspace)
    status = request.args.get("status", "")
    status = status if status in request_log.STATUSES else ""
    given = text.number(request.args.get("key", ""))
    key_id = given if given in names else None
    window = Window.of(request.args, (workspace.id, request.path, status, key_id))
    found = paging.page(request_log.page(workspace, status, key_id), request_log.KEY, window)
    chosen = {name: value for name, value in (("status", status), ("key", key_id)) if value}

    def here(**changes: Any) -> str:
        wanted = {name: value for name, value in (chosen | changes).items() if value}
        return url_for("pages.requests.index", **wanted)

    return {
        "rows": found.rows,
        "more": here(cursor=found.next_cursor) if found.next_cursor else "",
        "names": names,
        "outcome": status,
        "key_id": key_id,
        "tabs": [(key, label, here(status=key)) for key, label in request_log.STATUSES.items()],
        "pretty": _pretty,
    }


def _pretty(text: str) -> str:
    """Return JSON with line breaks; other text unchanged, such as JSON that was cut."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text
