"""The do-not-contact list."""

from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body
from app.api.framework.endpoint import endpoint, one_of, text_of
from app.api.framework.schema_notes import up_to
from app.domain.exclusions import never_contact
from app.domain.workspace.workspaces import Workspace

ENTRIES = "/never-contact"
ENTRY = ENTRIES + "/<id:entry_id>"
MOST = 1000


class NewEntries(Body):
    """Profile links, email addresses, domains and company names; a prefix such as `company:` sets the kind."""

    entries: Annotated[list[str], Field(min_length=1), AtMost(MOST)]
    """The entries, one text each."""
    reason: Annotated[str, up_to(never_contact.LONGEST)] = ""
    """Why they must not be contacted; it is kept with each entry."""


@endpoint(
    "GET",
    ENTRIES,
    scope="lists:read",
    page_of=resources.NeverContact,
    errors="E0",
    filters={
        "query": text_of(200, "Words that must all appear in the entry."),
        "kind": one_of(*never_contact.K, about="Only entries of this kind."),
    },
)
def page(workspace: Workspace, query: str = "", kind: str = "") -> sa.Select[Any]:
    """List the do-not-contact entries, newest first."""
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
    """Add one entry, or up to 1,000 at once, to the do-not-contact list.

    Their campaigns stop for them. Entries that are there already are counted as `known`; a wrong one is named and
    does not affect the others.
    """
    return never_contact.add(workspace, body.entries, body.reason)


@endpoint("GET", ENTRY, scope="lists:read", returns=resources.NeverContact, errors="E404")
def show(workspace: Workspace, entry_id: int) -> Any:
    """Get an entry."""
    return never_contact.get(workspace, entry_id)


@endpoint("DELETE", ENTRY, scope="lists:write", returns=None, status=204, errors="E404+409")
def remove(workspace: Workspace, entry_id: int) -> None:
    """Remove an entry; erased people stay on the list.

    Campaigns that stopped for them do not start again. Returns 409 for an erased person, who stays on the list.
    """
    never_contact.remove(workspace, entry_id)
