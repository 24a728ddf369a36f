"""An empty list, and who is on one."""

import pytest

from app.core.db import session
from app.domain.leads import lists
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace


@pytest.fixture
def founders(acme: Workspace) -> LeadList:
    """An empty list of ours."""
    return lists.create_list(acme, "Founders")


def people(workspace: Workspace, list_id: int) -> list[Lead]:
    """The leads of a list, in the order in which they came."""
    return list(session().scalars(lists.query_list(workspace, list_id).order_by(Lead.id)))
