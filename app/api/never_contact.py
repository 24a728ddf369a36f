"""The never-contact list."""

from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body
from app.api.framework.endpoint import endpoint, one_of
from app.api.framework.schema_notes import up_to
from app.api.lists import QUERY
from app.domain.leads import never_contact
from app.domain.workspace.workspaces import Workspace

ENTRIES = "/never-contact"
ENTRY = ENTRIES + "/<id:entry_id>"
MOST = 1000


class NewEntries(Body):
    """Profile links, e-mail addresses, domains and names of companies; a prefix such as `company:` decides in doubt."""

    entries: Annotated[list[str], Field(min_length=1), AtMost(MOST)]
    reason: Annotated[str, up_to(never_contact.LONGEST)] = ""


@endpoint(
    "GET",
    ENTRIES,
    scope="lists:read",
    page_of=resources.NeverContact,
    errors="E0",
    filters={"query": QUERY, "kind": one_of(*never_contact.K)},
)
def page(workspace: Workspace, query: str = "", kind: str = "") -> sa.Select[Any]:
    """The entries of the never-contact list, newest first."""
    return never_contact.page(workspace, query, kind)


@endpoint(
    "POST",
    ENTRIES,
    scope="lists:write",
    body=NewEntries,
    returns=resources.AddEntriesResult,
    errors="E409",
    example={"entries": ["https://network.example/in/ada", "acme.com", "company:Wool Ltd"], "reason": "Client"},
)
def add(workspace: Workspace, body: NewEntries) -> never_contact.AddedEntries:
    """Whom the entries name is never contacted again; one entry, or up to 1,000 at once."""
    return never_contact.add(workspace, body.entries, body.reason)


@endpoint("GET", ENTRY, scope="lists:read", returns=resources.NeverContact, errors="E404")
def show(workspace: Workspace, entry_id: int) -> Any:
    """One entry."""
    return never_contact.get(workspace, entry_id)


@endpoint("DELETE", ENTRY, scope="lists:write", returns=None, status=204, errors="E404+409")
def remove(workspace: Workspace, entry_id: int) -> None:
    """Whom the entry named may be contacted again; who was erased stays barred."""
    never_contact.remove(workspace, entry_id)
