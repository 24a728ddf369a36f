"""New workspaces, with a key for each."""

from typing import Annotated, Any

from flask import g

from app import resources
from app.api.framework import authorization
from app.api.framework.bodies import Body
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import A_NAME, ZONE
from app.domain.installation.go_live import live_workspace
from app.domain.workspace import api_keys
from app.domain.workspace.workspaces import Workspace


class NewWorkspace(Body):
    """The name and time zone of the new workspace."""

    name: Annotated[str, A_NAME]
    """The name of the workspace."""
    timezone: Annotated[str, ZONE] | None = None
    """The IANA name of the time zone; null to use this workspace's."""


@endpoint(
    "POST",
    "/workspaces",
    scope="workspaces:write",
    body=NewWorkspace,
    returns=resources.WorkspaceCreated,
    status=201,
    example={"name": "Tidemark live", "timezone": "Europe/Berlin"},
)
def create(workspace: Workspace, body: NewWorkspace) -> Any:
    """Create a live workspace with this workspace's members, and an API key for it with your key's scopes.

    Lists, campaigns and senders are not copied.
    """
    by = authorization.member()
    made = live_workspace.create(workspace, by, body.name, body.timezone or workspace.timezone)
    _, plain = api_keys.create(made, g.caller.name, sorted(g.caller.scopes), created_by=by)
    return made, plain
