"""The caller: the quickest way to test an API key."""

from flask import g

from app import resources
from app.api.framework.endpoint import endpoint
from app.domain.workspace.workspaces import Workspace


@endpoint("GET", "/me", scope=None, returns=resources.Me, errors="E0")
def show(workspace: Workspace) -> tuple[Workspace, int, list[str]]:
    """Get the key's workspace and scopes."""
    return workspace, g.caller.key_id, sorted(g.caller.scopes)
