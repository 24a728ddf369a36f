"""Passwords: change one with the old password, or set one with a reset link."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock, crypto, text
from app.core.db import end_read, session, transaction
from app.core.errors import InvalidRequest, NotFound
from app.domain.platform import audit_log, jobs
from app.domain.workspace import server_admins, sessions, throttles, workspaces
from app.domain.workspace.password_rules import password_problem
from app.models.platform.jobs import Job
from app.models.sessions import LinkOrigin, PasswordReset
from app.models.workspaces import User, Workspace
from app.ports import ProviderError

LIFE = timedelta(hours=1)
FREE_ASKS, FREE_ASKS_OF_PLACE = 3, 30
SUBJECT = "Reset your Overture password"
WORDS = (
    "Use this link to set a new password. The link works once and expires after one hour. If "
    "you didn't ask for it, ignore this email."
)


def change(user: User, old: str, new: str, here: int | None = None) -> None:
    """Set the new password and end all of the user's sessions except `here`."""
    problems = []
    if not workspaces.is_password(user, old):
        problems.append(("old", "Wrong password."))
    if sentence := password_problem(new, workspaces.names_around(user)):
        problems.append(("new", sentence))
    InvalidRequest.raise_for(problems)
    hashed = crypto.hash_password(new)
    with transaction() as current:
        current.get_one(User, user.id, with_for_update=True).password_hash = hashed
        sessions.end_all(user, but=here)
        spend_links(user)
        audit_log.record_all(user, "password.changed")


def link(user: User, origin: LinkOrigin) -> str:
    """Return a password reset token valid for an hour; older links become invalid."""
    token, at = crypto.random_base62(43), clock.now()
    with transaction() as current:
        spend_links(user)
        made = PasswordReset(user_id=user.id, digest=_digest(token), origin=origin, created_at=at, expires_at=at + LIFE)
        current.add(made)
        current.flush()
    return token


def link_for(email: str) -> str:
    """Return a reset token for the user with that email address."""
    user = workspaces.user_of(email)
    with transaction():
        audit_log.record_for_user(user, "password.offered")
        return link(user, LinkOrigin.SHELL)


def may_mail() -> bool:
    """Return whether this installation can send reset links by email."""
    return ports.alert_mail.connected


def forgot(email: str, address: str) -> None:
    """Queue a reset link for the email address; the answer is the same for an unknown one.

    Requests are limited per email and per IP `address` (RateLimited with the seconds to wait).
    """
    wanted = text.email(email)
    if not wanted:
        raise InvalidRequest.of(("email", "Enter an email address such as ada@example.com."))
    with transaction():
        throttles.attempt({f"forgot:email:{wanted}": FREE_ASKS, f"forgot:ip:{address}": FREE_ASKS_OF_PLACE})
        user = session().scalar(sa.select(User).where(User.email == wanted))
        places = workspaces.of_user(user) if user else []
        if user and places:
            jobs.add(places[0][0], "password_mail", str(user.id), {"user_id": user.id})


def mail_link(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Create and mail a reset link; it is created only here, so that no stored job contains it."""
    if not may_mail():
        return
    with transaction() as current:
        user = current.get(User, payload["user_id"], with_for_update=True)
        if user is None:
            return
        audit_log.record_for_user(user, "password.forgotten")
        token, address = link(user, LinkOrigin.EMAIL), user.email
    _mail(address, token)


def mail(user: User, token: str) -> bool:
    """Mail a reset link; return whether a mail server took it. Only where email is set up."""
    if not may_mail():
        return False
    try:
        _mail(user.email, token)
    except ProviderError:
        return False
    return True


def _mail(address: str, token: str) -> None:
    end_read()
    ports.alert_mail().send(address, SUBJECT, WORDS, f"/reset/{token}")


def find(token: str) -> User | None:
    """Return the user of a valid link."""
    found = _find(token)
    return session().get(User, found.user_id) if found else None


def reset(token: str, new: str) -> User:
    """Set the new password; end the link and all of the user's sessions. A link sent by email confirms the address."""
    user = find(token)
    if user is None:
        raise NotFound("This link has expired or was already used.", recovery="Ask for a new link.")
    if sentence := password_problem(new, workspaces.names_around(user)):
        raise InvalidRequest.of(("password", sentence))
    hashed = crypto.hash_password(new)
    with transaction() as current:
        found = _find(token, lock=True)
        if found is None:
            raise NotFound("This link has expired or was already used.", recovery="Ask for a new link.")
        user = current.get_one(User, user.id, with_for_update=True)
        user.password_hash = hashed
        if found.origin == LinkOrigin.EMAIL and user.email_confirmed_at is None:
            user.email_confirmed_at = clock.now()
        sessions.end_all(user)
        spend_links(user)
        throttles.forgive(f"sign-in:email:{user.email}", beginning=f"sign-in:email:{user.email}|")
        audit_log.record_all(user, "password.reset")
        return user


def _find(token: str, lock: bool = False) -> PasswordReset | None:
    query = sa.select(PasswordReset).where(
        PasswordReset.digest == _digest(token), PasswordReset.used_at.is_(None), PasswordReset.expires_at > clock.now()
    )
    found = session().scalars(query.with_for_update() if lock else query).one_or_none()
    if found and found.origin == LinkOrigin.OWNER and server_admins.is_admin(session().get_one(User, found.user_id)):
        return None  # the user became a server admin after an owner made the link
    return found


def spend_links(user: User) -> None:
    """End all links for a new password of the user."""
    unused = sa.update(PasswordReset).where(PasswordReset.user_id == user.id, PasswordReset.used_at.is_(None))
    session().execute(unused.values(used_at=clock.now()))


def _digest(token: str) -> bytes:
    return crypto.keyring().sign("password-reset", token.encode())
