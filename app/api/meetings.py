"""Booked meetings: told by a service or marked by hand."""

from typing import Annotated, Any

import sqlalchemy as sa

from app import resources
from app.api.framework.bodies import Body
from app.api.framework.endpoint import endpoint, one_of
from app.api.framework.schema_notes import AN_ID
from app.domain.tasks.meetings import meetings
from app.domain.workspace.workspaces import Workspace

ONE = "/meetings/<id:meeting_id>"


class Assigned(Body):
    """The id of the person the meeting is with."""

    person_id: Annotated[int, AN_ID]
    """The id of the person the meeting is with."""


@endpoint(
    "GET",
    "/meetings",
    scope="conversations:read",
    page_of=resources.Meeting,
    filters={
        "state": one_of(*meetings.STATES, about="Only meetings in this state."),
        "unmatched": one_of("true", "false", about="`true` for meetings that are not matched to a person yet."),
    },
)
def page(workspace: Workspace, state: str = "", unmatched: str = "") -> sa.Select[Any]:
    """List meetings, newest first, optionally only those not matched to a person."""
    return meetings.page(workspace, state, unmatched=unmatched == "true")


@endpoint("GET", ONE, scope="conversations:read", returns=resources.Meeting)
def get(workspace: Workspace, meeting_id: int) -> Any:
    """Get a meeting."""
    return meetings.get(workspace, meeting_id)


@endpoint("POST", ONE + "/assign", scope="conversations:write", body=Assigned, returns=resources.Meeting)
def assign(workspace: Workspace, meeting_id: int, body: Assigned) -> Any:
    """Assign a meeting to a person; the person's campaigns end, as after a reply.

    Returns 409 if the meeting already has a person, or has been moved or canceled.
    """
    return meetings.assign(workspace, meeting_id, body.person_id)


@endpoint("POST", ONE + "/dismiss", scope="conversations:write", returns=resources.Meeting)
def dismiss(workspace: Workspace, meeting_id: int) -> Any:
    """Dismiss a meeting with someone who is not in your lists.

    A dismissed meeting is kept, but no longer listed as unmatched. Returns 409 if the meeting already has a person.
    """
    return meetings.dismiss(workspace, meeting_id)
