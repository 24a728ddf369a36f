"""Connected social accounts; connecting and limits are set in the application."""

from app import resources
from app.api.endpoint import Prepared, endpoint
from app.domain import lookups
from app.domain.workspaces import Workspace


@endpoint("GET", "/accounts", scope="accounts:read", page_of=resources.Account, errors="E0")
def page(workspace: Workspace) -> Prepared:
    """The social accounts of the workspace, newest first."""
    return Prepared(lookups.ACCOUNTS, {"workspace_id": workspace.id})
