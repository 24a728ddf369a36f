"""Searches of the network read into a list: start one, its progress, stop it."""

from typing import Annotated, Any

import sqlalchemy as sa

from app import resources
from app.api.framework.bodies import Body, Id
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import described_as, within
from app.api.lists import LIST
from app.domain.leads import lists, search_import
from app.domain.rules import search_address
from app.domain.rules.limits import SEARCH_MOST
from app.domain.workspace.workspaces import Workspace

IMPORT = "/search-imports/<id:search_import_id>"
ADDRESS: Any = described_as(maxLength=search_address.LONGEST, pattern=r"\S", format="search-address")


class NewSearchImport(Body):
    """The address of a search on the network, the social account to read it through, and how many people at most.

    Read are people searches, a company's People tab, and searches, saved searches and lead lists of Sales Navigator
    and Recruiter, if the account has that product.
    """

    address: Annotated[str, ADDRESS]
    account_id: Id
    most: Annotated[int, within(1, max(SEARCH_MOST.values()))] = search_import.USUAL


@endpoint(
    "POST",
    LIST + "/search-imports",
    scope="lists:write",
    body=NewSearchImport,
    returns=resources.SearchImport,
    status=202,
    errors="E404+409",
    example={
        "address": "https://www.linkedin.com/search/results/people/?keywords=founder",
        "accountId": 1,
        "most": 250,
    },
)
def start(workspace: Workspace, list_id: int, body: NewSearchImport) -> Any:
    """Read a search of the network into a list, in the background.

    The account reads a page at a time, slowly and within a daily limit, so that a long search takes days.
    """
    return search_import.start(workspace, list_id, body.account_id, body.address, body.most)


@endpoint("GET", LIST + "/search-imports", scope="lists:read", page_of=resources.SearchImport, errors="E404")
def page(workspace: Workspace, list_id: int) -> sa.Select[Any]:
    """List searches read into a list, newest first."""
    lists.get_list(workspace, list_id)
    return search_import.page(workspace, list_id)


@endpoint("GET", IMPORT, scope="lists:read", returns=resources.SearchImport, errors="E404")
def show(workspace: Workspace, search_import_id: int) -> Any:
    """Get the progress of reading a search: `read` of at most `most` people, what it waits for, and the results."""
    return search_import.get(workspace, search_import_id)


@endpoint("POST", IMPORT + "/cancel", scope="lists:write", returns=resources.SearchImport, errors="E404+409")
def cancel(workspace: Workspace, search_import_id: int) -> Any:
    """Stop reading a search; people already added stay in the list."""
    return search_import.cancel(workspace, search_import_id)
