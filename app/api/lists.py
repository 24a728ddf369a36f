"""Lists, the leads in them, their tags, and CSV imports."""

import io
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.bodies import Body, Text
from app.api.endpoint import Filter, Prepared, endpoint
from app.domain import imports, leads, lookups
from app.domain.workspaces import Workspace

LIST = "/lists/<id:list_id>"
IMPORT = LIST + "/imports/<id:import_id>"


def _search(given: str) -> str:
    if len(given) > 200 or "\0" in given:
        raise ValueError("At most 200 characters.")
    return given


Q = Filter(_search, {"type": "string", "maxLength": 200})


class NewList(Body):
    """What a list is called and what it holds."""

    name: Text
    type: str = "people"


class ListChange(Body):
    """A list's new name."""

    name: Text


class Profiles(Body):
    """People to add. Each is read for itself: one that does not fit is counted as invalid, and harms no other."""

    profiles: Annotated[list[dict[str, Any]], Field(max_length=leads.MOST_PROFILES)]


class Tags(Body):
    """All tags of a lead."""

    tags: list[str]


class NewImport(Body):
    """A CSV file as text. `mapping` names the field of some columns; the others are guessed."""

    content: str
    file_name: str = "people.csv"
    mapping: dict[str, str] = {}


@endpoint("GET", "/lists", scope="lists:read", page_of=resources.ListResource, errors="E0")
def page(workspace: Workspace) -> Prepared:
    """The lists of the workspace."""
    return Prepared(lookups.LISTS, {"workspace_id": workspace.id})


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
    """There is an empty list."""
    return leads.create_list(workspace, body.name, body.type)


@endpoint("GET", LIST, scope="lists:read", returns=resources.ListResource, errors="E404")
def show(workspace: Workspace, list_id: int) -> Any:
    """The list."""
    return lookups.get_list(workspace, list_id)


@endpoint("PATCH", LIST, scope="lists:write", body=ListChange, returns=resources.ListResource, errors="E404")
def rename(workspace: Workspace, list_id: int, body: ListChange) -> Any:
    """The list has the new name."""
    return leads.rename_list(workspace, list_id, body.name)


@endpoint("DELETE", LIST, scope="lists:write", returns=None, status=204, errors="E404+409")
def delete(workspace: Workspace, list_id: int) -> None:
    """The list is gone; people in a campaign stay in that campaign."""
    leads.delete_list(workspace, list_id)


@endpoint(
    "GET",
    LIST + "/leads",
    scope="lists:read",
    page_of=resources.Lead,
    errors="E404",
    filters={"q": Q},
    oldest_first=True,
)
def leads_page(workspace: Workspace, list_id: int, q: str = "") -> sa.Select[Any] | Prepared:
    """The leads of the list in the order they were added, all or those that match every word of `q`."""
    lookups.get_list(workspace, list_id)
    if not q:
        return Prepared(lookups.LEADS, {"workspace_id": workspace.id, "list_id": list_id})
    return leads.in_list(workspace, list_id, q)


@endpoint(
    "POST",
    LIST + "/leads",
    scope="lists:write",
    body=Profiles,
    returns=resources.AddLeadsResult,
    errors="E404+409",
)
def add_leads(workspace: Workspace, list_id: int, body: Profiles) -> leads.Added:
    """The people of the profiles are in the list, each once."""
    return leads.add(workspace, list_id, body.profiles)


@endpoint("PUT", "/leads/<id:lead_id>/tags", scope="lists:write", body=Tags, returns=resources.Lead, errors="E404")
def set_tags(workspace: Workspace, lead_id: int, body: Tags) -> Any:
    """The lead has exactly these tags."""
    return leads.set_tags(workspace, lead_id, body.tags)


@endpoint(
    "POST",
    LIST + "/imports",
    scope="lists:write",
    body=NewImport,
    returns=resources.LeadImport,
    status=202,
    errors="E404+409",
)
def start_import(workspace: Workspace, list_id: int, body: NewImport) -> Any:
    """The people of the file are on their way into the list."""
    found = imports.create(workspace, list_id, body.file_name, io.BytesIO(body.content.encode()))
    return imports.start(workspace, found.id, imports.by_names(found, body.mapping))


@endpoint(
    "GET",
    LIST + "/imports",
    scope="lists:read",
    page_of=resources.LeadImport,
    errors="E404",
)
def imports_page(workspace: Workspace, list_id: int) -> sa.Select[Any]:
    """The imports into the list."""
    leads.get_list(workspace, list_id)
    return imports.page(workspace, list_id)


@endpoint("GET", IMPORT, scope="lists:read", returns=resources.LeadImport, errors="E404")
def show_import(workspace: Workspace, list_id: int, import_id: int) -> Any:
    """How far the import is."""
    return imports.get(workspace, import_id, list_id)


@endpoint(
    "GET",
    IMPORT + "/refusals",
    scope="lists:read",
    page_of=resources.ImportRefusal,
    errors="E404",
    oldest_first=True,
)
def refusals_page(workspace: Workspace, list_id: int, import_id: int) -> sa.Select[Any]:
    """The rows the import did not take, each with its reason."""
    return imports.refused_rows(workspace, imports.get(workspace, import_id, list_id).id)
