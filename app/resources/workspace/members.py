"""Members and invitations as API resources."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import Field

from app.models.workspaces import Role
from app.resources.base import Json, Resource


class Member(Resource):
    """A member. `seenAt` is null before the first sign-in."""

    id: int
    name: str
    email: str
    role: Role
    key_scopes: list[str] = Field(description="Extra permissions for their keys, beyond the role.")
    two_factor: bool
    joined_at: datetime
    seen_at: datetime | None

    @classmethod
    def of(cls, member: Any) -> Json:
        return {
            "id": member.id,
            "name": member.name,
            "email": member.email,
            "role": member.role,
            "keyScopes": member.key_scopes,
            "twoFactor": member.two_factor,
            "joinedAt": member.joined,
            "seenAt": member.seen,
        }


class Invitation(Resource):
    """An open invitation; after `expiresAt` its link no longer works."""

    id: int
    email: str
    role: Role
    created_at: datetime
    expires_at: datetime


class InvitationCreated(Invitation):
    """An invitation with its link, which is shown only now; `mailed` says whether it was sent by email."""

    link: str
    mailed: bool

    @classmethod
    def of(cls, invitation: Any, link: str, mailed: bool) -> Json:  # type: ignore[override]
        return {**Invitation.of(invitation), "link": link, "mailed": mailed}


class Members(Resource):
    """All members, owners first, and open invitations, newest first."""

    members: list[Member]
    invitations: list[Invitation]

    @classmethod
    def of(cls, members: Sequence[Any], invitations: Sequence[Any]) -> Json:  # type: ignore[override]
        return {"members": Member.many(members), "invitations": Invitation.many(invitations)}
