"""Members and invitations. Owners are made, changed and removed by owners alone, in the dashboard."""

from typing import Annotated, Any, Literal

from flask import current_app

from app import resources
from app.api.framework import authorization
from app.api.framework.bodies import AtMost, Body
from app.api.framework.endpoint import endpoint, one_of
from app.api.framework.schema_notes import among, entries, up_to
from app.domain.workspace import api_keys, team
from app.domain.workspace.workspaces import User, Workspace

MEMBER = "/members/<id:member_id>"
INVITATIONS = "/members/invitations"
INVITATION = INVITATIONS + "/<id:invitation_id>"
ROLE = Literal["operator", "reviewer", "integrator"]
KEYS = {"revoke": "revoke", "take_over": "take over", "keep": ""}
ADDRESS: Any = up_to(320, format="email")
SCOPE: Any = among(*api_keys.SCOPES)
SCOPES: Any = entries(0)


class NewInvitation(Body):
    """The person to invite, and their role."""

    email: Annotated[str, ADDRESS]
    """The email address to invite."""
    role: ROLE
    """The role the new member gets."""


class ChangedMember(Body):
    """The role and API keys of the member; fields you leave out stay the same."""

    role: ROLE | None = None
    """The new role."""
    keys: Literal["revoke", "take_over", "keep"] = "keep"
    """Whether the member's API keys are revoked, taken over by you (`take_over`), or kept."""
    key_scopes: Annotated[list[Annotated[str, SCOPE]], AtMost(100), SCOPES] | None = None
    """All scopes that the member's API keys may have in addition to those of the role; null for no change."""


@endpoint("GET", "/members", scope="members:read", returns=resources.Members)
def show(workspace: Workspace) -> Any:
    """List members and pending invitations."""
    return team.members(workspace), team.invitations(workspace)


@endpoint(
    "PATCH",
    MEMBER,
    scope="members:write",
    body=ChangedMember,
    returns=resources.Member,
    example={"role": "integrator", "keys": "keep"},
)
def change(workspace: Workspace, member_id: int, body: ChangedMember) -> Any:
    """Change a member's role and the permissions of their API keys.

    Returns 403 for an owner: API keys cannot change owners. Returns 409 for the last owner: make another member an
    owner first.
    """
    by = _owner(workspace, member_id)
    if body.role is not None:
        team.change_role(workspace, by, member_id, body.role, KEYS[body.keys])
    if body.key_scopes is not None:
        team.grant(workspace, by, member_id, body.key_scopes, field="keyScopes")
    return team.get(workspace, member_id)


@endpoint(
    "DELETE",
    MEMBER,
    scope="members:write",
    returns=None,
    filters={
        "keys": one_of(
            "revoke",
            "take_over",
            about="Whether to revoke or transfer the member's API keys; revoked by default.",
        )
    },
)
def remove(workspace: Workspace, member_id: int, keys: str = "revoke") -> None:
    """Remove a member; their API keys are revoked, unless `keys` transfers them to the calling key's creator.

    Everything else the member created is kept. Returns 403 for an owner: API keys cannot remove owners.
    """
    team.remove(workspace, _owner(workspace, member_id), member_id, KEYS[keys])


@endpoint(
    "POST",
    INVITATIONS,
    scope="members:write",
    body=NewInvitation,
    returns=resources.InvitationCreated,
    status=201,
    outside=True,
    example={"email": "bo@example.com", "role": "reviewer"},
)
def invite(workspace: Workspace, body: NewInvitation) -> Any:
    """Invite a person. The link is valid for three days, and emailed if the server sends email.

    The link is returned only once. Returns 400 if the person is already a member, and 409 if there are too many pending
    invitations; withdraw an invitation first.
    """
    return _sent(workspace, *team.invite(workspace, authorization.member(), body.email, body.role))


@endpoint(
    "POST",
    INVITATION + "/resend",
    scope="members:write",
    returns=resources.InvitationCreated,
    status=201,
    outside=True,
)
def resend(workspace: Workspace, invitation_id: int) -> Any:
    """Replace an invitation with a new link, valid for three days.

    The old link stops working. Returns 400 if the person has already joined. Returns 409 if too many invitations are
    open: withdraw some first.
    """
    return _sent(workspace, *team.resend(workspace, authorization.member(), invitation_id))


@endpoint("DELETE", INVITATION, scope="members:write", returns=None)
def withdraw(workspace: Workspace, invitation_id: int) -> None:
    """Withdraw an invitation, so that its link stops working.

    Returns 409 if the invitation has been accepted; remove the member instead.
    """
    team.withdraw(workspace, authorization.member(), invitation_id)


def _sent(workspace: Workspace, invitation: Any, token: str) -> tuple[Any, str, bool]:
    link = f"{current_app.config['BASE_URL'].rstrip('/')}/invite/{token}"
    return invitation, link, team.mail(workspace, invitation, link)


def _owner(workspace: Workspace, member_id: int) -> User:
    """Return who acts; refuse what is about an owner."""
    team.refuse_owner(workspace, member_id)
    return authorization.member()
