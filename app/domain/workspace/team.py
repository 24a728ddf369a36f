"""Team: members with roles, invitations, and what owners may do for members."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock, crypto, text
from app.core.db import end_read, get_owned, session, transaction
from app.core.errors import Conflict, Forbidden, InvalidRequest, NotFound
from app.domain.conversations import inbox
from app.domain.platform import audit_log
from app.domain.workspace import api_keys, passwords, roles, server_admins, sessions, two_factor, workspaces
from app.domain.workspace.password_rules import password_problem
from app.models.sessions import LinkOrigin
from app.models.workspaces import Invitation as Invitation
from app.models.workspaces import Membership, Role, User, Workspace
from app.ports import ProviderError

LIFE = timedelta(hours=72)
MOST_OPEN = 100
ONLY_OWNERS = "Only owners can manage members."
LAST_OWNER = "A workspace needs at least one owner."
MAKE_ANOTHER = "Make another member an owner first."


@dataclass(frozen=True)
class Member:
    """A member."""

    id: int
    user_id: int
    name: str
    email: str
    role: str
    key_scopes: list[str]  # scopes granted to the member's keys beyond the role's
    joined: datetime
    two_factor: bool
    seen: datetime | None

    @property
    def called(self) -> str:
        """Return the name, or the address if there is none."""
        return self.name or self.email


def members(workspace: Workspace) -> list[Member]:
    """Return the members, owners first."""
    query = (
        sa.select(Membership, User)
        .join(User, User.id == Membership.user_id)
        .where(Membership.workspace_id == workspace.id)
        .order_by(sa.case((Membership.role == Role.OWNER, 0), else_=1), Membership.id)
    )
    rows = session().execute(query).all()
    ids = [user.id for _, user in rows]
    protected, seen = two_factor.with_factor(ids), sessions.last_seen(ids)
    return [
        Member(
            one.id,
            user.id,
            user.name,
            user.email,
            one.role,
            list(one.key_scopes or ()),
            one.created_at,
            user.id in protected,
            seen.get(user.id),
        )
        for one, user in rows
    ]


def get(workspace: Workspace, member_id: int) -> Member:
    """Return the member, or raise NotFound."""
    get_owned(Membership, workspace, member_id)
    return next(one for one in members(workspace) if one.id == member_id)


def refuse_owner(workspace: Workspace, member_id: int) -> None:
    """Raise Forbidden when the member is an owner: a program, whose key can leak, decides nothing about owners."""
    if get_owned(Membership, workspace, member_id).role == Role.OWNER:
        raise Forbidden("API keys can't change owners.", recovery="Change owners in Settings → Team.")


def member(workspace: Workspace, email: str) -> User:
    """Return the member with that email address; InvalidRequest at `takenOnBy` when there is none."""
    query = sa.select(User).join(Membership, Membership.user_id == User.id)
    found = session().scalars(query.where(Membership.workspace_id == workspace.id, User.email == email.strip().lower()))
    if (user := found.one_or_none()) is None:
        raise InvalidRequest.of(("takenOnBy", "No member of this workspace has this email address."))
    return user


def owners(workspace: Workspace) -> list[str]:
    """Return the owners' names."""
    query = (
        sa.select(User)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.workspace_id == workspace.id, Membership.role == Role.OWNER)
        .order_by(Membership.id)
        .limit(5)
    )
    return [f"{one.name} ({one.email})" if one.name else one.email for one in session().scalars(query)]


def invitations(workspace: Workspace) -> Sequence[Invitation]:
    """Return open invitations, expired ones too, newest first."""
    query = sa.select(Invitation).where(Invitation.workspace_id == workspace.id, Invitation.accepted_at.is_(None))
    return session().scalars(query.order_by(Invitation.id.desc())).all()


def expired(invitation: Invitation) -> bool:
    """Return whether the invitation has expired."""
    return invitation.expires_at <= clock.now()


def invite(workspace: Workspace, by: User, email: str, role: str) -> tuple[Invitation, str]:
    """Invite an address with a role for three days; return the link's token, shown once."""
    require_owner(workspace, by)
    address, problems = text.email(email), []
    if not address:
        problems.append(("email", "Enter an email address such as ada@example.com."))
    if role not in list(Role):
        problems.append(("role", "Choose a role."))
    if address and _is_member(workspace, address):
        problems.append(("email", "This person is already a member."))
    InvalidRequest.raise_for(problems)
    with transaction() as current:
        if len(invitations(workspace)) >= MOST_OPEN:
            raise Conflict(f"You have {MOST_OPEN} open invitations.", recovery="Withdraw some first.")
        current.execute(
            sa.delete(Invitation).where(
                Invitation.workspace_id == workspace.id, Invitation.email == address, Invitation.accepted_at.is_(None)
            )
        )
        token, at = crypto.random_base62(43), clock.now()
        made = Invitation(
            workspace_id=workspace.id,
            email=address,
            role=role,
            digest=_digest(token),
            invited_by=by.id,
            created_at=at,
            expires_at=at + LIFE,
        )
        current.add(made)
        current.flush()
        audit_log.record(workspace, "member.invited", address, after={"role": role}, by=by)
        return made, token


def resend(workspace: Workspace, by: User, invitation_id: int) -> tuple[Invitation, str]:
    """Renew the invitation with a new link for three days; the old link becomes invalid."""
    found = get_owned(Invitation, workspace, invitation_id)
    return invite(workspace, by, found.email, found.role)


def mail(workspace: Workspace, invitation: Invitation, link: str) -> bool:
    """Mail the invitation; return whether a mail server took it. Only where email is set up."""
    end_read()
    if not ports.alert_mail.connected:
        return False
    words = f"You've been invited to {workspace.name} on Overture. The link works for 72 hours:\n\n{link}\n"
    try:
        ports.alert_mail().send(invitation.email, f"Join {workspace.name} on Overture", words)
    except ProviderError:
        return False
    return True


def withdraw(workspace: Workspace, by: User, invitation_id: int) -> Invitation:
    """Withdraw the invitation; its link becomes invalid."""
    require_owner(workspace, by)
    with transaction() as current:
        found = get_owned(Invitation, workspace, invitation_id, lock=True)
        if found.accepted_at is not None:
            raise Conflict("This invitation was already accepted.", recovery="Remove the member instead.")
        current.delete(found)
        audit_log.record(workspace, "member.withdrawn", found.email, by=by)
        return found


def find_invitation(token: str) -> tuple[Invitation, Workspace] | None:
    """Return the invitation of a link and its workspace; also an expired one, but no accepted one."""
    query = (
        sa.select(Invitation, Workspace)
        .join(Workspace, Workspace.id == Invitation.workspace_id)
        .where(Invitation.digest == _digest(token), Invitation.accepted_at.is_(None))
    )
    found = session().execute(query).first()
    return (found[0], found[1]) if found else None


def accept(token: str, password: str, name: str = "") -> User:
    """Accept an invitation: a new user sets the password, a known one proves theirs."""
    found = find_invitation(token)
    if found is None or expired(found[0]):
        raise NotFound("This invitation has expired or was already used.", recovery="Ask for a new invitation.")
    email, name = found[0].email, text.squeeze(name)[:200]
    user = session().scalar(sa.select(User).where(User.email == email))
    around = (email, name, found[1].name)
    if user is None or not workspaces.is_password(user, password, "invited"):
        # The same sentence for both, as whoever invites holds the link: it must not tell who has an account.
        if sentence := password_problem(password, around):
            raise InvalidRequest.of(("password", sentence))
        if user is not None:
            raise InvalidRequest.of(("password", "Wrong password for this email address."))
    hashed = crypto.hash_password(password) if user is None else ""
    with transaction() as current:
        query = sa.select(Invitation).where(Invitation.digest == _digest(token), Invitation.accepted_at.is_(None))
        invitation = current.scalars(query.with_for_update()).one_or_none()
        if invitation is None or expired(invitation):
            raise NotFound("This invitation has expired or was already used.", recovery="Ask for a new invitation.")
        at = clock.now()
        if user is None:
            user = User(email=email, name=name, password_hash=hashed, created_at=at)
            current.add(user)
            current.flush()
        invitation.accepted_at = at
        _join(invitation, user, at)
        return user


def _join(invitation: Invitation, user: User, at: datetime) -> None:
    present = sa.select(Membership).where(
        Membership.workspace_id == invitation.workspace_id, Membership.user_id == user.id
    )
    if session().scalar(present) is None:
        session().add(
            Membership(workspace_id=invitation.workspace_id, user_id=user.id, role=invitation.role, created_at=at)
        )
        session().flush()
    audit_log.record(invitation.workspace_id, "member.joined", user.email, after={"role": invitation.role}, by=user)


def change_role(workspace: Workspace, by: User, member_id: int, role: str, keys: str = "") -> User:
    """Change the member's role from their next request on.

    Their keys do what those of the new role may; with `keys` "revoke" or "take over" they end, or become `by`'s.
    """
    require_owner(workspace, by)
    if role not in list(Role):
        raise InvalidRequest.of(("role", "Choose a role."))
    with transaction():
        member = _locked(workspace, member_id)
        if member.role == Role.OWNER and role != Role.OWNER:
            _keep_an_owner(workspace, member)
        user, before = _user(member), member.role
        if before != role:
            member.role, member.key_scopes = role, []
            _decide_keys(workspace, by, user, keys)
            audit_log.record(workspace, "member.role", user.email, before={"role": before}, after={"role": role}, by=by)
        return user


def grant(workspace: Workspace, by: User, member_id: int, scopes: Sequence[str], field: str = "scopes") -> User:
    """Grant the member's keys these scopes beyond those of the role, and no others, from the next request on.

    InvalidRequest at `field` for those that cannot be granted.
    """
    require_owner(workspace, by)
    with transaction():
        member = _locked(workspace, member_id)
        possible = api_keys.grantable(member.role)
        if unknown := sorted(set(scopes) - set(possible)):
            shown = ", ".join(text.shorten(name, 60) for name in unknown[:10])
            raise InvalidRequest.of((field, f"This member can't be granted {shown}."))
        user, before = _user(member), list(member.key_scopes or ())
        after = [name for name in possible if name in scopes]
        member.key_scopes = after
        if before != after:
            was, now = {"scopes": ", ".join(before)}, {"scopes": ", ".join(after)}
            audit_log.record(workspace, "member.granted", user.email, before=was, after=now, by=by)
        return user


def require_two_factor(workspace: Workspace, by: User, on: bool) -> Workspace:
    """Require two-factor sign-in of every member from their next page on, or no longer.

    Conflict unless who requires it has it.
    """
    require_owner(workspace, by)
    if on and not two_factor.is_on(by):
        raise Conflict("You don't use two-factor sign-in yourself.", recovery="Set up two-factor sign-in first.")
    with transaction() as current:
        found = current.get_one(Workspace, workspace.id, with_for_update=True, populate_existing=True)
        if found.two_factor_required != on:
            found.two_factor_required = on
            audit_log.record(found, "two_factor.required" if on else "two_factor.optional", found.name, by=by)
        return found


def _decide_keys(workspace: Workspace, by: User, user: User, keys: str) -> None:
    if keys == "take over":
        for key in api_keys.of_member(workspace, user.id):
            api_keys.take_over(workspace, by, key.id)
    elif keys == "revoke":
        api_keys.revoke_all(workspace, user.id)


def remove(workspace: Workspace, by: User, member_id: int, keys: str = "revoke") -> User:
    """Remove a member. Owners remove anyone; every member may leave.

    Their keys are revoked, or become `by`'s with `keys` "take over".
    """
    with transaction() as current:
        member = _locked(workspace, member_id)
        user = _user(member)
        if user.id != by.id:
            require_owner(workspace, by)
        if member.role == Role.OWNER:
            _keep_an_owner(workspace, member)
        _decide_keys(workspace, by, user, keys if keys == "take over" and user.id != by.id else "revoke")
        audit_log.record(workspace, "member.removed", user.email, before={"role": member.role}, by=by)
        inbox.unassign_all(workspace.id, user.id)
        current.delete(member)
        return user


def password_link(workspace: Workspace, by: User, member_id: int) -> tuple[User, str]:
    """Return a password link's token for a member, shown once."""
    with transaction():
        user = _in_our_hands(workspace, by, member_id)
        audit_log.record(workspace, "password.offered", user.email, by=by)
        return user, passwords.link(user, LinkOrigin.OWNER)


def reset_two_factor(workspace: Workspace, by: User, member_id: int) -> User:
    """Reset a member's second factor after they lost their app, and end their sessions."""
    with transaction():
        user = _in_our_hands(workspace, by, member_id)
        two_factor.forget(user)
        sessions.end_all(user)
        audit_log.record(workspace, "two_factor.reset", user.email, by=by)
        return user


def _in_our_hands(workspace: Workspace, by: User, member_id: int) -> User:
    """Return the member if `by` owns all of their workspaces and they are no server admin: a reset opens no more."""
    require_owner(workspace, by)
    user = _user(_locked(workspace, member_id))
    if server_admins.is_admin(user):
        raise Conflict(
            f"{user.email} is a server admin, and owners can't reset a server admin's sign-in.",
            recovery="An admin can use “Forgot password”, or run `overture user reset-password` or `reset-two-factor`.",
        )
    ours = sa.select(Membership.workspace_id).where(Membership.user_id == by.id, Membership.role == Role.OWNER)
    elsewhere = sa.select(Membership.id).where(Membership.user_id == user.id, Membership.workspace_id.not_in(ours))
    if session().scalar(elsewhere.limit(1)) is not None:
        raise Conflict(
            f"{user.email} is also a member of a workspace you don't own.",
            recovery="Ask your server admin to run `overture user reset-password`.",
        )
    return user


def require_owner(workspace: Workspace, by: User, part: str = "members", sentence: str = ONLY_OWNERS) -> None:
    """Raise Forbidden with the sentence unless the user may change that part of the workspace."""
    query = sa.select(Membership.role)
    role = session().scalar(query.where(Membership.workspace_id == workspace.id, Membership.user_id == by.id))
    if role is None or not roles.may(role, part, change=True):
        raise Forbidden(sentence, recovery=f"Ask {' or '.join(owners(workspace))}.")


def _keep_an_owner(workspace: Workspace, member: Membership) -> None:
    others = sa.select(sa.func.count()).where(
        Membership.workspace_id == workspace.id, Membership.role == Role.OWNER, Membership.id != member.id
    )
    if not session().scalar(others):
        raise Conflict(LAST_OWNER, recovery=MAKE_ANOTHER)


def _locked(workspace: Workspace, member_id: int) -> Membership:
    """Return the membership; lock the workspace, so that two owners cannot leave at the same time."""
    session().execute(sa.select(Workspace.id).where(Workspace.id == workspace.id).with_for_update())
    return get_owned(Membership, workspace, member_id, lock=True)


def _user(member: Membership) -> User:
    return session().get_one(User, member.user_id)


def _is_member(workspace: Workspace, email: str) -> Any:
    query = (
        sa.select(Membership.id)
        .join(User, User.id == Membership.user_id)
        .where(Membership.workspace_id == workspace.id, User.email == email)
    )
    return session().scalar(query) is not None


def _digest(token: str) -> bytes:
    return crypto.keyring().sign("invitation", token.encode())
