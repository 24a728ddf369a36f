"""The CRM of the workspace: its settings, the lists that are followed, and the activities it is told."""

from typing import Annotated, Any, Literal

import sqlalchemy as sa

from app import ports, resources
from app.api.framework.bodies import AtMost, Body
from app.api.framework.endpoint import endpoint, one_of
from app.api.framework.schema_notes import entries, up_to, words
from app.domain.enrichment.crm import activities, connection, lists, settings
from app.domain.workspace.workspaces import Workspace

ONE = "/crm/<crm>"
CRMS = {"crm": ports.CRMS}
STAGE: Any = words(settings.LONGEST_STAGE)
STAGES: Any = entries(0, settings.MOST_STAGES)
Stages = Annotated[list[Annotated[str, STAGE]], AtMost(settings.MOST_STAGES), STAGES]
FIELD: Any = up_to(50)


class FieldRule(Body):
    """How to sync one field. If you leave out `incoming` or `outgoing`, it stays the same."""

    field: Annotated[str, FIELD]
    """The name of the field."""
    incoming: Literal["crm", "fill", "off"] | None = None
    """From the CRM: `crm` replaces values not edited by hand, `fill` only fills empty values, `off` does nothing."""
    outgoing: Literal["ours", "fill", "off"] | None = None
    """To the CRM: `ours` replaces values not edited in the CRM, `fill` only fills empty values, `off` does nothing."""


class CrmChange(Body):
    """The settings to change. Settings you leave out stay the same."""

    fields: Annotated[list[FieldRule], AtMost(50), entries(0, 50)] | None = None
    """The rules to change. For each field, use `crm` or `ours`, not both."""
    create: Literal["no", "reply", "all"] | None = None
    """Who becomes a CRM contact: no one (`no`), people who reply (`reply`) or everyone contacted (`all`)."""
    activities: bool | None = None
    """Whether messages, replies and meetings are recorded in the CRM."""
    customer_stages: Stages | None = None
    """The CRM's stages that mean a contact is a customer; [] for none, null to change nothing."""
    stop_statuses: Stages | None = None
    """The CRM's lead statuses that mean a contact must not be contacted; [] for none, null to change nothing."""

    def given(self) -> dict[str, Any]:
        """Return what the verb takes."""
        rules = {
            one.field: {way: rule for way in ("incoming", "outgoing") if (rule := getattr(one, way)) is not None}
            for one in self.fields or ()
        }
        plain = ("create", "activities", "customer_stages", "stop_statuses")
        return {"fields": rules, **{name: getattr(self, name) for name in plain}}


class Follow(Body):
    """The CRM list to sync into Overture."""

    id: Annotated[str, up_to(lists.LONGEST_ID)]
    """The id of the list in the CRM."""


@endpoint("GET", ONE, words=CRMS, scope="sources:read", returns=resources.Crm)
def show(workspace: Workspace, crm: str) -> Any:
    """Get the connected CRM, with its settings, counts and sync state."""
    connection.require(workspace, crm)
    return connection.status(workspace)


@endpoint(
    "PATCH",
    ONE,
    words=CRMS,
    scope="sources:write",
    body=CrmChange,
    returns=resources.Crm,
    example={"fields": [{"field": "phone", "incoming": "fill", "outgoing": "ours"}], "create": "reply"},
)
def change(workspace: Workspace, crm: str, body: CrmChange) -> Any:
    """Change how fields are synced, what is sent to the CRM, and which stages mean that a contact is a customer.

    Changes apply from the next sync; past activities are not sent.
    """
    connection.require(workspace, crm)
    return connection.change(workspace, body.given())


@endpoint("POST", ONE + "/sync", words=CRMS, scope="sources:write", returns=resources.Crm, status=202)
def sync(workspace: Workspace, crm: str) -> Any:
    """Sync with the CRM now, in the background, within the CRM's rate limits.

    To see the result, poll `incoming` and `outgoing` of `GET /v1/crm/{crm}`.
    """
    connection.require(workspace, crm)
    return connection.read_now(workspace)


@endpoint(
    "GET",
    ONE + "/lists",
    words=CRMS,
    scope="sources:read",
    returns=resources.CrmLists,
    outside=True,
    costly=True,
)
def show_lists(workspace: Workspace, crm: str) -> Any:
    """List the CRM's contact lists."""
    connection.require(workspace, crm)
    return connection.offered_lists(workspace)


@endpoint(
    "POST",
    ONE + "/lists",
    words=CRMS,
    scope="sources:write",
    body=Follow,
    returns=resources.CrmFollowedList,
    status=201,
    outside=True,
    costly=True,
    example={"id": "31"},
)
def follow(workspace: Workspace, crm: str, body: Follow) -> Any:
    """Sync a CRM list, from now on, into a new list with the same name.

    A list that is synced already is returned as it is. People who are removed from the CRM list are also removed from
    the list in Overture; their campaigns continue.
    Returns 409 if you have reached the limit of synced lists; stop syncing another list first.
    """
    connection.require(workspace, crm)
    return lists.follow(workspace, body.id)


@endpoint("DELETE", ONE + "/lists/<id:crm_list_id>", words=CRMS, scope="sources:write", returns=None)
def unfollow(workspace: Workspace, crm: str, crm_list_id: int) -> None:
    """Stop syncing a CRM list; people who were synced stay in your list.

    Nothing changes in the CRM.
    """
    connection.require(workspace, crm)
    lists.unfollow(workspace, crm_list_id)


@endpoint(
    "GET",
    ONE + "/activities",
    words=CRMS,
    scope="sources:read",
    page_of=resources.CrmActivity,
    filters={"state": one_of(*resources.ACTIVITY_STATES, about="Only activities in this state.")},
)
def activities_page(workspace: Workspace, crm: str, state: str = "") -> sa.Select[Any]:
    """List activities that were or will be recorded in the CRM, newest first."""
    connection.require(workspace, crm)
    return activities.page(workspace, state)


@endpoint(
    "POST",
    ONE + "/activities/retry",
    words=CRMS,
    scope="sources:write",
    returns=resources.CrmRetried,
    status=202,
)
def retry(workspace: Workspace, crm: str) -> Any:
    """Retry the activities that the CRM rejected.

    Returns 409 if no activity failed.
    """
    connection.require(workspace, crm)
    return activities.retry(workspace)
