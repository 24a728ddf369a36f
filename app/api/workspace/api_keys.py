"""API keys: a key makes, rotates and revokes others, and none that may do more than itself."""

from datetime import timedelta
from typing import Annotated, Any

from flask import g
from pydantic import Field

from app import resources
from app.api.framework import authorization
from app.api.framework.bodies import AtMost, Body, Moment
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import A_NAME, among, entries
from app.core.paging import Paged
from app.domain.workspace import api_keys
from app.domain.workspace.workspaces import Workspace

ONE = "/keys/<id:key_id>"
SCOPE: Any = among(api_keys.ALL, *api_keys.SCOPES)
SCOPES: Any = entries(1)
MOST_HOURS = api_keys.LONGEST_OVERLAP // timedelta(hours=1)


class NewKey(Body):
    """The name, scopes and expiry of the new key."""

    name: Annotated[str, A_NAME]
    """The name of the key."""
    scopes: Annotated[list[Annotated[str, SCOPE]], AtMost(100), SCOPES]
    """The scopes of the new key, all of which the calling key must have."""
    expires_at: Moment | None = None
    """When the key expires; null for never."""


class Rotation(Body):
    """When the old key stops working."""

    overlap_hours: Annotated[int, Field(ge=0, le=MOST_HOURS)] = 24
    """How many hours the old key keeps working; 0 to revoke the old key immediately."""


@endpoint("GET", "/keys", scope="keys:read", page_of=resources.ApiKey)
def page(workspace: Workspace) -> Paged:
    """List valid API keys, newest first, without the secret keys themselves."""
    return api_keys.Found(workspace)


@endpoint("GET", ONE, scope="keys:read", returns=resources.ApiKey)
def show(workspace: Workspace, key_id: int) -> Any:
    """Get an API key, even if it has been revoked."""
    return _held(workspace, api_keys.get(workspace, key_id))


@endpoint(
    "POST",
    "/keys",
    scope="keys:write",
    body=NewKey,
    returns=resources.ApiKeyCreated,
    status=201,
    example={"name": "CRM sync", "scopes": ["lists:write", "events:read"], "expiresAt": "2030-01-01T00:00:00Z"},
)
def create(workspace: Workspace, body: NewKey) -> Any:
    """Create an API key for the same member, with at most the calling key's scopes; the key is returned only once."""
    made, plain = api_keys.create(
        workspace,
        body.name,
        body.scopes,
        expires_at=body.expires_at,
        created_by=authorization.maker(),
        within=g.caller.scopes,
    )
    return _held(workspace, made), plain


@endpoint(
    "POST",
    ONE + "/rotate",
    scope="keys:write",
    body=Rotation,
    returns=resources.ApiKeyCreated,
    status=201,
    example={"overlapHours": 24},
)
def rotate(workspace: Workspace, key_id: int, body: Rotation) -> Any:
    """Rotate an API key; the new key has the same name, scopes, creator and expiry, and is returned only once.

    The old key keeps working for `overlapHours`, and is then revoked. Returns 409 if the key is no longer valid;
    create a new key instead.
    """
    overlap = timedelta(hours=body.overlap_hours)
    made, plain = api_keys.roll(workspace, key_id, overlap=overlap, within=g.caller.scopes)
    return _held(workspace, made), plain


@endpoint("POST", ONE + "/revoke", scope="keys:write", returns=resources.ApiKey)
def revoke(workspace: Workspace, key_id: int) -> Any:
    """Revoke an API key; requests with it fail immediately.

    A revoked key cannot be restored; create a new key instead. The key's request log is kept.
    """
    return _held(workspace, api_keys.revoke(workspace, key_id))


def _held(workspace: Workspace, key: Any) -> Any:
    return api_keys.held(workspace, [key])[0]
