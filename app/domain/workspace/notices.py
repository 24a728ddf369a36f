"""What an update changed in a workspace, told to its owners on Home until one of them has read it."""

from typing import NamedTuple

from app.core.db import session, transaction
from app.models.workspaces import Workspace


class Notice(NamedTuple):
    """What changed, and where it is set."""

    title: str
    text: str
    href: str
    verb: str


NOTICES = {
    "company_stop": Notice(
        "New: colleagues are put on hold after a reply.",
        "When someone replies, everyone else at their company is on hold in all campaigns until you decide.",
        "/settings/contact-rules",
        "Contact rules",
    )
}


def of_workspace(workspace: Workspace) -> dict[str, Notice]:
    """Return the notices that no owner has read yet."""
    return {kind: NOTICES[kind] for kind in workspace.notices or () if kind in NOTICES}


def dismiss(workspace: Workspace, kind: str) -> None:
    """Note that an owner has read it."""
    with transaction():
        found = session().get_one(Workspace, workspace.id, with_for_update=True, populate_existing=True)
        found.notices = [one for one in found.notices or () if one != kind] or None
