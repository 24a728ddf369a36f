"""The never-contact list."""

from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.bodies import Body
from app.api.endpoint import endpoint, one_of
from app.api.lists import Q
from app.domain import suppression
from app.domain.workspaces import Workspace


class NewEntries(Body):
    """Profile links, e-mail addresses, domains and names of companies; a prefix such as `company:` decides in doubt."""

    entries: Annotated[list[str], Field(min_length=1, max_length=suppression.MOST_ENTRIES)]
    reason: str = ""


@endpoint(
    "GET",
    "/never-contact",
    scope="lists:read",
    page_of=resources.NeverContact,
    errors="E0",
    filters={"q": Q, "kind": one_of(*suppression.K)},
)
def page(workspace: Workspace, q: str = "", kind: str = "") -> sa.Select[Any]:
    """The entries of the never-contact list."""
    return suppression.page(workspace, q, kind)


@endpoint(
    "POST",
    "/never-contact",
    scope="lists:write",
    body=NewEntries,
    returns=resources.AddEntriesResult,
    errors="E409",
)
def add(workspace: Workspace, body: NewEntries) -> suppression.AddedEntries:
    """Whom the entries name is never contacted again."""
    return suppression.add(workspace, body.entries, body.reason)


@endpoint("DELETE", "/never-contact/<id:entry_id>", scope="lists:write", returns=None, status=204, errors="E404")
def remove(workspace: Workspace, entry_id: int) -> None:
    """Whom the entry named may be contacted again."""
    suppression.remove(workspace, entry_id)
