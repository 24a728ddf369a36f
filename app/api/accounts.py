"""Connected social accounts; connecting and limits are set in the application."""

from typing import Any

import sqlalchemy as sa

from app import resources
from app.api.endpoint import endpoint
from app.domain import accounts
from app.domain.workspaces import Workspace


@endpoint("GET", "/accounts", scope="accounts:read", page_of=resources.Account, errors="E0")
def page(workspace: Workspace) -> sa.Select[Any]:
    """The social accounts of the workspace."""
    return accounts.page(workspace)
