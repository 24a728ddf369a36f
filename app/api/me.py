"""Who asks: the quickest way for a script to see that its key works."""

from flask import g

from app import resources
from app.api.framework.endpoint import endpoint
from app.domain.workspace.workspaces import Workspace


@endpoint("GET", "/me", scope=None, returns=resources.Me, errors="E0")
def show(workspace: Workspace) -> tuple[Workspace, int, list[str]]:
    """The workspace and the scopes of the key."""
    return workspace, g.caller.key_id, sorted(g.caller.scopes)
