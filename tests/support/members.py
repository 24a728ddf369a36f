"""Who belongs to a workspace."""

import sqlalchemy as sa

from app.core.db import session
from app.models.workspaces import Membership, User, Workspace


def owner(workspace: Workspace) -> User:
    query = sa.select(User).join(Membership).where(Membership.workspace_id == workspace.id)
    found = session().scalars(query.order_by(Membership.id)).first()
    assert found
    return found
