"""Members and invitations as API resources."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from app.models.workspaces import Role
from app.resources.base import Json, Resource


class Member(Resource):
    """A member. `seenAt` is null before the first sign-in."""

    id: int
    """The id of the member."""
    name: str
    """The name of the member."""
    email: str
    """The email address."""
    role: Role
    """What the member may do."""
    key_scopes: list[str]
    """Extra permissions for their keys, beyond the role."""
    two_factor: bool
    """Whether the member signs in with a second factor."""
    joined_at: datetime
    """When the member joined."""
    seen_at: datetime | None
    """When the member was last active; null if never."""

    @classmethod
    def of(cls, member: Any) -> Json:
        return cls.filled(member, joined_at=member.joined, seen_at=member.seen)


class Invitation(Resource):
    """An open invitation; after `expiresAt` its link no longer works."""

    id: int
    """The id of the invitation."""
    email: str
    """The email address it was made for."""
    role: Role
    """The role the new member gets."""
    created_at: datetime
    """When the invitation was created."""
    expires_at: datetime
    """When its link expires."""


class InvitationCreated(Invitation):
    """An invitation with its link, which is shown only now; `mailed` says whether it was sent by email."""

    link: str
    """The address to open to join."""
    mailed: bool
    """Whether the invitation was sent by email."""

    @classmethod
    def of(cls, invitation: Any, link: str, mailed: bool) -> Json:  # type: ignore[override]
        return {**Invitation.of(invitation), "link": link, "mailed": mailed}


class Members(Resource):
    """All members, owners first, and open invitations, newest first."""

    members: list[Member]
    """Owners first."""
    invitations: list[Invitation]
    """Open invitations, newest first."""

    @classmethod
    def of(cls, members: Sequence[Any], invitations: Sequence[Any]) -> Json:  # type: ignore[override]
        return {"members": Member.many(members), "invitations": Invitation.many(invitations)}
