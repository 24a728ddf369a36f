"""Server admins: users whom the first setup or the command line made admins, or those of OVERTURE_OPERATORS.

An address of the setting counts for the user who confirmed it; anyone may write any address into their own profile.
"""

from collections.abc import Collection

import sqlalchemy as sa

from app.core import clock
from app.core.db import session, transaction
from app.core.errors import Conflict, Forbidden
from app.domain.platform import audit_log
from app.models.workspaces import User

_named: frozenset[str] = frozenset()


def use(emails: Collection[str]) -> None:
    """Set the addresses of the setting, in small letters; without any, the database says who is an admin."""
    global _named
    _named = frozenset(emails)


def is_admin(user: User) -> bool:
    """Return whether the user sees and changes the whole installation."""
    if _named:
        return user.email in _named and user.email_confirmed_at is not None
    return user.server_admin


def require(user: User) -> None:
    """Raise Forbidden unless the user is an admin."""
    if is_admin(user):
        return
    recovery = "Ask a server admin, or run `overture user admin` on the server."
    if user.email in _named:
        recovery = f"Confirm your email in Settings → Profile, or run `overture user admin {user.email}`."
    raise Forbidden("Only server admins can do this.", recovery=recovery)


def appoint(user: User) -> User:
    """Make the user an admin, and take their address as confirmed, because the command line says so."""
    if _named and user.email not in _named:
        raise Conflict(f"OVERTURE_OPERATORS doesn't list {user.email}.", recovery="Add the address, then try again.")
    return _change(user, True, "member.server_admin")


def dismiss(user: User) -> User:
    """Take the right back, and the confirmation of the address, which may give it too."""
    return _change(user, False, "member.no_server_admin")


def _change(user: User, admin: bool, kind: str) -> User:
    with transaction() as current:
        found = current.get_one(User, user.id, with_for_update=True)
        found.server_admin = admin
        found.email_confirmed_at = clock.now() if admin else None
        audit_log.record_for_user(found, kind)
        return found


def unconfirmed() -> list[str]:
    """Return the addresses of the setting that no user has confirmed."""
    query = sa.select(User.email).where(User.email.in_(_named), User.email_confirmed_at.is_not(None))
    return sorted(_named - set(session().scalars(query)))


def is_missing() -> bool:
    """Return whether there are users but no admin among them."""
    users = sa.select(User.id).limit(1)
    admin = users.where(User.server_admin.is_(True))
    return not _named and session().scalar(users) is not None and session().scalar(admin) is None
