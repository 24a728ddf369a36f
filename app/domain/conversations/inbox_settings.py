"""Settings of the inbox: how long a reply can be taken back, and the links at which meetings are booked."""

import re
from typing import Any

import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import InvalidRequest
from app.core.text import url_parts
from app.domain.platform import audit_log
from app.models.workspaces import Membership, User, Workspace

LONGEST_UNDO = 120  # seconds
LONGEST_LINK = 500
NO_LINK = "No meeting link. Add a link in Settings → Inbox, or in the text."
_UNFIT = re.compile(r"[\s<>{}|\\\"]")


def meeting_link(workspace_id: int, user_id: int | None) -> str:
    """Return the member's own meeting link, else the workspace's; '' without one."""
    own = sa.select(Membership.meeting_link).where(
        Membership.workspace_id == workspace_id, Membership.user_id == (user_id or 0)
    )
    of_all = sa.select(Workspace.meeting_link).where(Workspace.id == workspace_id)
    return session().scalar(own) or session().scalar(of_all) or ""


def own_link(workspace: Workspace, user: User) -> str:
    """Return the member's own meeting link; '' without one."""
    return session().scalar(_own(workspace, user).with_only_columns(Membership.meeting_link)) or ""


def change_own_link(workspace: Workspace, user: User, link: str) -> None:
    """Change the member's own meeting link; '' takes the workspace's."""
    link = check_link(link, "ownLink")
    with transaction():
        session().scalars(_own(workspace, user).with_for_update()).one().meeting_link = link


def change(workspace: Workspace, undo_seconds: int | None, link: str) -> Workspace:
    """Change how many seconds a reply can be taken back, and the meeting link of members without their own."""
    problems = []
    if undo_seconds is None or not 0 <= undo_seconds <= LONGEST_UNDO:
        problems.append(("undoSeconds", f"Enter a number of seconds from 0 to {LONGEST_UNDO}."))
    try:
        link = check_link(link, "meetingLink")
    except InvalidRequest as refusal:
        problems += [(field.path, field.message) for field in refusal.fields]
    if problems or undo_seconds is None:
        raise InvalidRequest.of(*problems)
    with transaction() as current:
        found = current.get_one(Workspace, workspace.id, with_for_update=True)
        before = {"undo seconds": found.undo_seconds, "meeting link": found.meeting_link}
        found.undo_seconds, found.meeting_link = undo_seconds, link
        after = {"undo seconds": undo_seconds, "meeting link": link}
        audit_log.record(found, "workspace.inbox", before=before, after=after)
        return found


def _own(workspace: Workspace, user: User) -> sa.Select[Any]:
    return sa.select(Membership).where(Membership.workspace_id == workspace.id, Membership.user_id == user.id)


def check_link(written: str, field: str) -> str:
    """Return the link, with https:// where it names no protocol; raise InvalidRequest when it is none."""
    link = written.strip()
    if link and "://" not in link:
        link = f"https://{link}"
    if not link:
        return ""
    parts = url_parts(link)
    fit = parts.scheme in ("http", "https") and "." in (parts.hostname or "") and not _UNFIT.search(link)
    if not fit or len(link) > LONGEST_LINK:
        raise InvalidRequest.of((field, "Enter a link such as https://cal.example/ada."))
    return link
