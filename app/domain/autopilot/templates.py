"""Templates: steps of plays, and sequences of campaigns, saved to begin the next ones with."""

from collections.abc import Sequence

import sqlalchemy as sa

from app.core import text
from app.core.db import get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot import plays
from app.domain.autopilot.plays import View
from app.domain.platform import audit_log, locks
from app.domain.rules.sequences import step_keys
from app.models.autopilot import Play, PlayTemplate
from app.models.campaigns import Campaign, CampaignTemplate
from app.models.workspaces import Workspace

MOST = 200


def save(workspace: Workspace, play_id: int, name: str) -> View:
    """Save the play's steps as a template of that name."""
    name = _checked(name)
    with transaction() as current:
        play = get_owned(Play, workspace, play_id)
        if not play.steps:
            raise Conflict("This play has no steps yet.", recovery="Wait until the play's sequence is written.")
        _check_room(workspace)
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


def save_sequence(workspace: Workspace, campaign_id: int, name: str) -> CampaignTemplate:
    """Save the campaign's steps and branches as they are now as a template of that name."""
    name = _checked(name)
    with transaction() as current:
        campaign = get_owned(Campaign, workspace, campaign_id)
        _check_room(workspace)
        template = CampaignTemplate(
            workspace_id=workspace.id,
            name=name,
            sequence=step_keys.plain(campaign.sequence),
            branches=campaign.branches,
            created_at=workspace.now(),
        )
        current.add(template)
        current.flush()
        audit_log.record(workspace, "template.created", name)
        return template


def _checked(name: str) -> str:
    name = text.squeeze(name)
    if wrong := text.name_problem(name):
        raise InvalidRequest.of(("name", wrong))
    return name


def _check_room(workspace: Workspace) -> None:
    """Raise Conflict when the workspace can have no more templates. Inside the transaction that adds one."""
    locks.lock_workspaces([workspace.id])
    if len(every(workspace)) + len(sequences(workspace)) >= MOST:
        raise Conflict(f"You already have {MOST} templates.", recovery="Delete a template you don't use.")


def page(workspace: Workspace) -> sa.Select[PlayTemplate]:
    """Select the templates of plays."""
    return sa.select(PlayTemplate).where(PlayTemplate.workspace_id == workspace.id)


def every(workspace: Workspace) -> Sequence[PlayTemplate]:
    """List the templates of plays, newest first."""
    return session().scalars(page(workspace).order_by(PlayTemplate.id.desc())).all()


def sequence_page(workspace: Workspace) -> sa.Select[CampaignTemplate]:
    """Select the templates of campaigns."""
    return sa.select(CampaignTemplate).where(CampaignTemplate.workspace_id == workspace.id)


def sequences(workspace: Workspace) -> Sequence[CampaignTemplate]:
    """List the templates of campaigns, newest first."""
    return session().scalars(sequence_page(workspace).order_by(CampaignTemplate.id.desc())).all()


def delete(workspace: Workspace, template_id: int) -> None:
    """Delete a play's template; plays made from it stay."""
    with transaction() as current:
        current.delete(get_owned(PlayTemplate, workspace, template_id, lock=True))


def delete_sequence(workspace: Workspace, template_id: int) -> str:
    """Delete a campaign's template and return its name; campaigns made from it stay."""
    with transaction() as current:
        template = get_owned(CampaignTemplate, workspace, template_id, lock=True)
        current.delete(template)
        audit_log.record(workspace, "template.deleted", template.name)
        return template.name


def apply(workspace: Workspace, play_id: int, template_id: int) -> View:
    """Replace a play's steps with a template's."""
    plays.get(workspace, play_id)
    found = session().scalars(page(workspace).where(PlayTemplate.id == template_id)).one_or_none()
    if found is None:
        raise InvalidRequest.of(("templateId", "Template not found in this workspace."))
    return plays.apply_steps(workspace, play_id, found.steps)
