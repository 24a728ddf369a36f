"""Live workspaces: an owner creates one from an existing workspace, whose members are added with their roles."""

from typing import Any

import sqlalchemy as sa

from app.core import clock, text
from app.core.db import session
from app.core.errors import InvalidRequest
from app.domain.billing import subscriptions
from app.domain.platform import audit_log, locks
from app.domain.workspace import team
from app.models.workspaces import GoLive as GoLive
from app.models.workspaces import Membership, User, Workspace

FIRST_PEOPLE = 10  # people of a campaign whose messages wait for approval by default


def create(beside: Workspace, by: User, name: str, timezone: str) -> Workspace:
    """Create a live workspace with the members of the workspace `beside`, each with their role."""
    require_owner(beside, by)
    name, problems = text.squeeze(name), []
    if wrong := text.name_problem(name):
        problems.append(("name", wrong))
    if not clock.is_zone(timezone):
        problems.append(("timezone", "Enter an IANA time zone such as Europe/Berlin."))
    InvalidRequest.raise_for(problems)
    with locks.changing(beside.id) as current:
        current.execute(sa.select(User.id).where(User.id == by.id).with_for_update())
        if name in current.scalars(sa.select(Workspace.name).where(Workspace.id.in_(_places(by)))).all():
            raise InvalidRequest.of(("name", "You already have a workspace with this name. Choose another name."))
        at = clock.now()
        made = Workspace(name=name, sandbox=False, timezone=timezone, approve_first=FIRST_PEOPLE, created_at=at)
        made.two_factor_required = beside.two_factor_required
        current.add(made)
        current.flush()
        known = sa.select(Membership).where(Membership.workspace_id == beside.id).order_by(Membership.id)
        for one in current.scalars(known).all():
            current.add(Membership(workspace_id=made.id, user_id=one.user_id, role=one.role, created_at=at))
        sandbox_id = beside.id if beside.sandbox else None
        current.add(GoLive(workspace_id=made.id, sandbox_id=sandbox_id, skipped=[], parts=[], copied={}, created_at=at))
        subscriptions.begin(made, at)
        current.flush()
        audit_log.record(made, "workspace.created", made.name, by=by)
        return made


def require_owner(workspace: Workspace, by: User) -> None:
    """Raise Forbidden unless the user owns the workspace."""
    team.require_owner(workspace, by, "workspace", "Only owners can do this.")


def find(workspace: Workspace) -> GoLive | None:
    """Return the live workspace's go-live progress, or None if it was not created by `create`."""
    return session().scalars(sa.select(GoLive).where(GoLive.workspace_id == workspace.id)).one_or_none()


def beside(sandbox: Workspace) -> tuple[Workspace, GoLive] | None:
    """Return the newest live workspace that was created from this sandbox."""
    query = sa.select(Workspace, GoLive).join(GoLive, GoLive.workspace_id == Workspace.id)
    found = session().execute(query.where(GoLive.sandbox_id == sandbox.id).order_by(GoLive.id.desc()).limit(1)).first()
    return (found[0], found[1]) if found else None


def is_under_way(workspace: Workspace) -> bool:
    """Return whether going live is still unfinished, for a sandbox or for the live workspace created from it."""
    if not workspace.sandbox:
        found = find(workspace)
        return found is not None and found.finished_at is None
    live = beside(workspace)
    return live is None or live[1].finished_at is None


def _places(user: User) -> sa.Select[Any]:
    return sa.select(Membership.workspace_id).where(Membership.user_id == user.id)
