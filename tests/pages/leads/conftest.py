"""A list with three people, and what is uploaded to one."""

import io
from typing import Any

import pytest

from app.core.db import session
from app.domain.leads import leads, lists
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace
from tests.pages.conftest import Web


@pytest.fixture
def founders(acme: Workspace) -> LeadList:
    """A list of ours with three people."""
    found = lists.create_list(acme, "Founders")
    given = [
        {"publicId": "ada", "firstName": "Ada", "companyName": "Engine Ltd", "email": "ada@engine.example"},
        {"publicId": "bob", "firstName": "Bob", "customFields": {"tier": "A", "deep": {"a": 1}}},
        {"publicId": "eve", "firstName": "<script>alert(1)</script>", "profileUrl": "javascript:alert(1)//in/eve"},
    ]
    leads.add(acme, found.id, given)
    return found


def people(workspace: Workspace, into: LeadList) -> list[Lead]:
    """The leads of a list, as they are now."""
    session().expire_all()
    return list(session().scalars(lists.query_list(workspace, into.id).order_by(Lead.id)))


def uploaded(web: Web, into: LeadList, content: str, name: str = "people.csv") -> Any:
    """The answer to an upload."""
    return web.post(f"/lists/{into.id}/imports", {"file": (io.BytesIO(content.encode()), name)})
