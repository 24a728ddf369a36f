"""Members and invitations as API resources."""

from datetime import datetime
from typing import Any

from app.models.workspaces import Role
from app.resources.base import Json, Resource, Values


class Member(Resource):
    """A member of the workspace."""

    id: int
    """The id of the member."""
    name: str
    """The name of the member."""
    email: str
    """The email address."""
    role: Role
    """The member's role, which decides what the member may do."""
    key_scopes: list[str]
    """Scopes that the member's API keys may have in addition to those of the role."""
    two_factor: bool
    """Whether the member uses two-factor sign-in."""
    joined_at: datetime
    """When the member joined."""
    seen_at: datetime | None
    """When the member was last active; null if the member has never been active."""

    @classmethod
    def of(cls, member: Any) -> Json:
        return cls.filled(member, joined_at=member.joined, seen_at=member.seen)


class Invitation(Resource):
    """A pending invitation."""

    id: int
    """The id of the invitation."""
    email: str
    """The email address of the invited person."""
    role: Role
    """The role the new member gets."""
    created_at: datetime
    """When the invitation was created."""
    expires_at: datetime
    """When the invitation's link expires."""


class InvitationCreated(Invitation):
    """An invitation with its link, which is returned only once."""

    link: str
    """The link that the invited person opens to join."""
    mailed: bool
    """Whether the invitation was sent by email."""

    @classmethod
    def of(cls, invitation: Any, link: str, mailed: bool) -> Json:  # type: ignore[override]
        return cls.filled(invitation, link=link, mailed=mailed)


class Members(Values):
    """All members and pending invitations."""

    members: list[Member]
    """All members, owners first."""
    invitations: list[Invitation]
    """Pending invitations, newest first."""
