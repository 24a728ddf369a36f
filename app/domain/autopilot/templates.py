"""Templates: saved steps of a play."""

from collections.abc import Sequence

import sqlalchemy as sa

from app.core import text
from app.core.db import get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot import plays
from app.domain.autopilot.plays import View
from app.models.autopilot import Play, PlayTemplate
from app.models.workspaces import Workspace

MOST = 200


def save(workspace: Workspace, play_id: int, name: str) -> View:
    """Save the play's steps as a template of that name."""
    name = text.squeeze(name)
    if wrong := text.name_problem(name):
        raise InvalidRequest.of(("name", wrong))
    with transaction() as current:
        play = get_owned(Play, workspace, play_id)
        if not play.steps:
            raise Conflict("This play has no steps yet.", recovery="Wait until its sequence is written.")
        if len(every(workspace)) >= MOST:
            raise Conflict(f"You already have {MOST} templates.", recovery="Delete one you don't use.")
        current.add(
            PlayTemplate(
                workspace_id=workspace.id,
                name=name,
                channel=play.channel,
                steps=play.steps,
                created_at=workspace.now(),
            )
        )
        current.flush()
    return plays.get(workspace, play_id)


def page(workspace: Workspace) -> sa.Select[PlayTemplate]:
    """Select the templates of the workspace."""
    return sa.select(PlayTemplate).where(PlayTemplate.workspace_id == workspace.id)


def every(workspace: Workspace) -> Sequence[PlayTemplate]:
    """List templates, newest first."""
    return session().scalars(page(workspace).order_by(PlayTemplate.id.desc())).all()


def delete(workspace: Workspace, template_id: int) -> None:
    """Delete a template; plays made from it stay."""
    with transaction() as current:
        current.delete(get_owned(PlayTemplate, workspace, template_id, lock=True))


def apply(workspace: Workspace, play_id: int, template_id: int) -> View:
    """Replace a play's steps with a template's."""
    plays.get(workspace, play_id)
    found = session().scalars(page(workspace).where(PlayTemplate.id == template_id)).one_or_none()
    if found is None:
        raise InvalidRequest.of(("templateId", "Template not found in this workspace."))
    return plays.apply_steps(workspace, play_id, found.steps)
