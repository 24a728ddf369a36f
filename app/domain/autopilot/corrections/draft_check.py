"""The check of drafts for old words: what a person edited is not written again, so a warning names them."""

import sqlalchemy as sa

from app.core.db import session
from app.domain.approvals import checks
from app.domain.approvals.checks import Check, Draft
from app.domain.autopilot.corrections import old_words
from app.domain.autopilot.corrections.old_words import OldWords
from app.models.autopilot import Play
from app.models.workspaces import Workspace

CODE = "corrected"
_KEPT = "old_words"


def connect() -> None:
    """Add the check to every draft of a play; called once by create_app."""
    if current not in checks.CHECKS:
        checks.check(current)


def forget() -> None:
    """Read the words anew: they were corrected."""
    session().info.pop(_KEPT, None)


def current(draft: Draft) -> Check | None:
    """Check that a play's draft says nothing that was corrected in the profile."""
    words = _words(draft.campaign_id) if draft.campaign_id else None
    found = words.found(f"{draft.subject}\n{draft.text}") if words else []
    return Check(CODE, False, f"It still says “{found[0]}”, which you corrected in your profile.") if found else None


def _words(campaign_id: int) -> OldWords | None:
    """Return the old words of the campaign's workspace, None of one that is no play; kept per session."""
    kept: dict[int, OldWords | None] = session().info.setdefault(_KEPT, {})
    if campaign_id not in kept:
        query = sa.select(Workspace).join(Play, Play.workspace_id == Workspace.id)
        workspace = session().scalars(query.where(Play.campaign_id == campaign_id).limit(1)).first()
        kept[campaign_id] = old_words.of_workspace(workspace) if workspace else None
    return kept[campaign_id]
