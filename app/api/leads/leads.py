"""Leads across all lists: search, edit, tag, history, export and erasure."""

from typing import Annotated, Any

import sqlalchemy as sa

from app import resources
from app.api.framework.bodies import AtMost, Body
from app.api.framework.endpoint import endpoint, id_of, text_of
from app.api.framework.schema_notes import up_to
from app.api.leads.lists import FILTERS, CustomFields, PersonFields
from app.core.paging import Paged
from app.domain.leads import edit, filters, leads, profiles, tags, timeline
from app.domain.leads.filters import Wanted
from app.domain.privacy import erasure
from app.domain.privacy import export as privacy_export
from app.domain.privacy.erasure import Extent
from app.domain.workspace.workspaces import Workspace

LEAD = "/leads/<id:lead_id>"
LIST_ID = id_of("a list", "Only leads in this list.")


class LeadChange(PersonFields):
    """The fields to change; fields you leave out stay the same. An empty string clears a field."""

    image_url: Annotated[str, up_to(edit.IMAGE[2])] = ""
    """The URL of a profile picture, which is not checked."""
    custom_fields: CustomFields = {}
    """Custom fields to set, by name; null deletes a custom field. Custom fields you leave out stay the same."""


class Tags(Body):
    """All tags of a lead."""

    tags: Annotated[list[Annotated[str, up_to(profiles.LONGEST_TAG, pattern="^[^;|]*$")]], AtMost(profiles.MOST_TAGS)]
    """All tags; tags you leave out are removed."""


@endpoint(
    "GET",
    "/leads",
    scope="lists:read",
    page_of=resources.Lead,
    filters={
        **FILTERS,
        "email": text_of(320, "Only leads with this email address."),
        "publicId": text_of(2000, "Only leads with this LinkedIn public id."),
        "listId": LIST_ID,
    },
)
def page(workspace: Workspace, **wanted: Any) -> sa.Select[Any]:
    """List the leads in all lists, newest first; a person in several lists has one lead in each."""
    return filters.page(workspace, Wanted(**wanted))


@endpoint("GET", LEAD, scope="lists:read", returns=resources.Lead)
def show(workspace: Workspace, lead_id: int) -> Any:
    """Get a lead."""
    return leads.get_visible(workspace, lead_id)


@endpoint(
    "PATCH",
    LEAD,
    scope="lists:write",
    body=LeadChange,
    returns=resources.Lead,
    example={"position": "Head of Support", "customFields": {"tier": "A"}},
)
def change(workspace: Workspace, lead_id: int, body: LeadChange) -> Any:
    """Edit a lead's fields.

    The change applies in all of the person's lists. Later imports do not overwrite values you set. Sent messages do not
    change; waiting drafts are rewritten with the new values. If the profile belongs to another person, you get an
    error; merge the two people instead.
    """
    return edit.change(workspace, lead_id, body.model_dump(by_alias=True, exclude_unset=True), "api")


@endpoint("DELETE", LEAD, scope="lists:write", returns=None)
def delete(workspace: Workspace, lead_id: int) -> None:
    """Delete a lead: remove the person from its list.

    The person, their conversations and the statistics are kept. To remove everything about a person, erase the person.
    Returns 409 until all campaigns have ended for this lead; stop the lead in the campaign first.
    """
    edit.delete(workspace, lead_id)


@endpoint("PUT", LEAD + "/tags", scope="lists:write", body=Tags, returns=resources.Lead, example={"tags": ["VIP"]})
def set_tags(workspace: Workspace, lead_id: int, body: Tags) -> Any:
    """Replace a lead's tags.

    An empty list removes all tags.
    """
    return tags.set_tags(workspace, lead_id, body.tags)


@endpoint("GET", LEAD + "/timeline", scope="lists:read", page_of=resources.TimelineEntry)
def story(workspace: Workspace, lead_id: int) -> Paged:
    """List a person's activities in all lists, campaigns and conversations, newest first."""
    return timeline.for_lead(workspace, lead_id)


@endpoint("GET", LEAD + "/export", scope="lists:read", returns=resources.SubjectExport)
def export(workspace: Workspace, lead_id: int) -> Any:
    """Export everything stored about a person as one JSON document, for access requests."""
    return privacy_export.collect(workspace, lead_id)


@endpoint("POST", LEAD + "/erase", scope="lists:write", returns=resources.ErasedResult)
def erase(workspace: Workspace, lead_id: int) -> Extent:
    """Erase a person everywhere and never contact them again; this cannot be undone.

    The person is removed from all lists. Campaign statistics do not change. Only a keyed hash of the person's public id
    and email address is kept, so that later imports do not add the person again.
    Their past events stay without names, addresses and texts; no event tells of it, so delete your own copies, too. A
    new entry with the kind `erased`, from `GET /v1/never-contact`, shows that someone was erased.
    """
    return erasure.erase(workspace, lead_id)
