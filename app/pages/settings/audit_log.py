"""The audit log: who did what, when and from where."""

from typing import Any

from flask import Blueprint, Response, request

from app.domain.platform import audit_log
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import render
from app.pages.framework.tables import page_of
from app.pages.framework.words import days_text

area = Blueprint("audit", __name__, url_prefix="/settings/audit")


@area.get("")
def index(workspace: Workspace) -> Response:
    """Show the audit log, newest first; filtered by kind or person."""
    kind, who = request.args.get("kind", ""), request.args.get("who", "").strip()[:200]
    kind = kind if kind in audit_log.KINDS else ""
    page, more = page_of(audit_log.page(workspace, kind, who), kind=kind, who=who)
    return render(
        "settings/audit_log/index.html",
        part="settings/audit_log/_rows.html" if request.args.get("cursor") else "settings/audit_log/_table.html",
        page=page,
        more=more,
        kinds=audit_log.KINDS,
        words=audit_log.WORDS,
        changes=_changes,
        kind=kind,
        who=who,
    )


def _changes(entry: Any) -> list[str]:
    """Return in words what differs, from what was to what is."""
    said = []
    for name in dict.fromkeys((*entry.before, *entry.after)):
        values = [_said(name, one[name]) for one in (entry.before, entry.after) if name in one]
        if len({*values}) == len(values):
            said.append(f"{'ends in' if name == 'last4' else name.replace('_', ' ')}: {' → '.join(values)}")
    return said


def _said(name: str, value: Any) -> str:
    if isinstance(value, list):
        return (
            days_text(value) if name in ("days", "work_days") else "; ".join(_said("", one) for one in value) or "none"
        )
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_said(key, one)}" for key, one in value.items()) or "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value in (None, "") else str(value)
