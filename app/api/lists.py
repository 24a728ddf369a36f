"""Lists and their leads."""

from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body
from app.api.framework.endpoint import CsvFile, endpoint, text_of
from app.api.framework.schema_notes import A_NAME, Json, among, described_as, up_to
from app.domain.leads import csv_export, leads, lists, profiles
from app.domain.people import sources
from app.domain.people.people import Merge
from app.domain.workspace.workspaces import Workspace

LIST = "/lists/<id:list_id>"


MERGE = Literal["", "fill", "overwrite", "replace", "keep"]
MERGE_MEANS = (
    "How people change who are known already: `fill` takes only what is missing, `overwrite` takes every given value"
    " but leaves those that were typed by hand, `replace` takes those too, `keep` changes nothing. Without it the"
    " workspace's way, else `{usual}`."
)
BASIS_MEANS = (
    "Why these people may be contacted: `consent`, `legitimate interest`, `contract`, `existing customer` or words of"
    " your own."
)
BASIS: Any = up_to(sources.LONGEST_BASIS, description=BASIS_MEANS)
QUERY = text_of(200, "All of these words in name, title, company or address.")


class NewList(Body):
    """The list's name and what it contains."""

    name: Annotated[str, A_NAME]
    type: Annotated[str, among(*lists.TYPES)] = "people"
    lawful_basis: Annotated[str, BASIS] = ""


class ListChange(Body):
    """The list's new name, and its lawful basis if that is given."""

    name: Annotated[str, A_NAME]
    lawful_basis: Annotated[str, BASIS] | None = None


# A profile that breaks these is no error, so they are said in words.
PROFILE: Json = {
    "type": "object",
    "properties": {
        **{
            name: {"description": f"A text of at most {most:,} characters."}
            for name, (_, most) in profiles.TEXTS.items()
        },
        "customFields": {"description": f"An object of at most {profiles.MOST_CUSTOM_FIELDS} custom fields."},
    },
}


class Profiles(Body):
    """People to add, each with `profileUrl` or `publicId` and optional fields.

    Each is checked separately: an invalid one is counted and does not affect the others, and an invalid field is left
    out. Both are told in `problems`.
    """

    profiles: Annotated[list[dict[str, Any]], AtMost(leads.MOST_PROFILES), described_as(items=PROFILE)]
    merge: Annotated[MERGE, Field(description=MERGE_MEANS.format(usual="overwrite"))] = ""
    identity: Annotated[
        Literal["profile", "email"],
        Field(description="With `email`, an email address alone is enough to name a person."),
    ] = "profile"


@endpoint("GET", "/lists", scope="lists:read", page_of=resources.ListResource, errors="E0")
def page(workspace: Workspace) -> sa.Select[Any]:
    """List the workspace's lists."""
    return lists.lists(workspace)


@endpoint(
    "POST",
    "/lists",
    scope="lists:write",
    body=NewList,
    returns=resources.ListResource,
    status=201,
    errors="E409",
)
def create(workspace: Workspace, body: NewList) -> Any:
    """Create an empty list."""
    return lists.create_list(workspace, body.name, body.type, body.lawful_basis)


@endpoint("GET", LIST, scope="lists:read", returns=resources.ListResource, errors="E404")
def show(workspace: Workspace, list_id: int) -> Any:
    """Get a list."""
    return lists.get_shown(workspace, list_id)


@endpoint("PATCH", LIST, scope="lists:write", body=ListChange, returns=resources.ListResource, errors="E404")
def rename(workspace: Workspace, list_id: int, body: ListChange) -> Any:
    """Change the name of a list, and its lawful basis."""
    return lists.change_list(workspace, list_id, body.name, body.lawful_basis)


@endpoint("DELETE", LIST, scope="lists:write", returns=None, status=204, errors="E404+409")
def delete(workspace: Workspace, list_id: int) -> None:
    """Delete a list; people in a campaign stay in it."""
    lists.delete_list(workspace, list_id)


@endpoint(
    "GET",
    LIST + "/leads",
    scope="lists:read",
    page_of=resources.Lead,
    errors="E404",
    filters={"query": QUERY},
    oldest_first=True,
)
def leads_page(workspace: Workspace, list_id: int, query: str = "") -> sa.Select[Any]:
    """List a list's leads in the order they were added, optionally those matching every word of `query`."""
    lists.get_list(workspace, list_id)
    return lists.query_list(workspace, list_id, query)


@endpoint(
    "POST",
    LIST + "/leads",
    scope="lists:write",
    body=Profiles,
    returns=resources.AddLeadsResult,
    errors="E404+409",
)
def add_leads(workspace: Workspace, list_id: int, body: Profiles) -> leads.AddResult:
    """Add people to a list, each once."""
    merge = Merge(body.merge) if body.merge else None
    return leads.add(workspace, list_id, body.profiles, merge=merge, by_email=body.identity == "email")


@endpoint("GET", LIST + "/leads.csv", scope="lists:read", returns=CsvFile, errors="E404")
def export(workspace: Workspace, list_id: int) -> CsvFile:
    """Export a list as CSV, ready to import again."""
    found = lists.get_list(workspace, list_id)
    return CsvFile(f"{found.name}.csv", csv_export.csv_chunks(csv_export.rows(workspace, list_id)))
