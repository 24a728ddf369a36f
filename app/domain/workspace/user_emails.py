"""The email address a user signs in with: changed, and confirmed by a link that reaches its mailbox alone."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock, crypto, text
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.platform import audit_log, former_ids, jobs
from app.domain.workspace import passwords, throttles, workspaces
from app.models.platform.jobs import Job
from app.models.workspaces import User, Workspace

LINK, NOTICE = "email_link", "email_changed"  # kinds of jobs
LIFE = timedelta(hours=24)
FREE_LINKS = 3
_PURPOSE = "email-confirmation"


def change(user: User, name: str, email: str) -> User:
    """Change the user's name and address; where email can be sent, a new address counts once its link was opened.

    So that nobody learns which addresses have an account here: the answer is the same for every address, and one that
    is taken gets a letter instead of a link. A server without email has to say so; there, tries are slowed down.
    """
    name, address, problems = text.squeeze(name), text.email(email), []
    if len(name) > 200 or "\0" in name:
        problems.append(("name", "Enter a name of at most 200 characters."))
    if not address:
        problems.append(("email", "Enter an email address such as ada@example.com."))
    InvalidRequest.raise_for(problems)
    asks = address != user.email and passwords.may_mail()
    if address != user.email and not asks:
        throttles.attempt({f"address:user:{user.id}": FREE_LINKS})
        if _is_taken(address, user):
            raise InvalidRequest.of(("email", "You can't use this email address here. Use another one."))
    with transaction() as current:
        found = current.get_one(User, user.id, with_for_update=True)
        if asks:
            ask(found, address)
        _store(found, name, found.email if asks else address)
        return found


def _is_taken(address: str, user: User) -> bool:
    return session().scalar(sa.select(User.id).where(User.email == address, User.id != user.id)) is not None


def _store(found: User, name: str, address: str) -> None:
    """Store name and address, record the change, and tell the old address of a new one. Inside a transaction."""
    before, after = {"name": found.name, "email": found.email}, {"name": name, "email": address}
    found.name, found.email = name, address
    if before != after:
        audit_log.record_all(found, "member.changed", address, before=before, after=after)
    if before["email"] != address:
        found.email_confirmed_at = None
        passwords.spend_links(found)  # reset links went to the old address
        if passwords.may_mail():
            about = {"user_id": found.id, "former": before["email"]}
            jobs.add(_place(found), NOTICE, f"{found.id}:{before['email']}", about)


def ask(user: User, address: str = "") -> None:
    """Queue a link with which the user confirms their address, or takes this one; RateLimited with the wait."""
    if not passwords.may_mail():
        raise Conflict("This server sends no email.", recovery="Ask your server admin to set OVERTURE_MAIL_URL.")
    with transaction():
        throttles.attempt({f"confirm:user:{user.id}": FREE_LINKS})
        about = {"user_id": user.id, "email": address or user.email}
        jobs.add(_place(user), LINK, f"{user.id}:{about['email']}", about)


def _place(user: User) -> Workspace:
    """Return a workspace of the user, because a job needs one."""
    return workspaces.of_user(user)[0][0]


def link(user: User, address: str = "") -> str:
    """Return a token with which the user confirms their address, or takes this one, within a day.

    Only the mailbox of that address may get it.
    """
    until = int((clock.now() + LIFE).timestamp())
    told = f"{user.id}:{until}:{address or user.email}\n{user.email}"
    return crypto.keyring().enclose(_PURPOSE, told.encode())


def mail_link(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Mail the link; it is made only here, so that no one else ever sees it."""
    user = session().get(User, payload["user_id"])
    if user is None or not passwords.may_mail():
        return
    address = payload.get("email") or user.email
    if address == user.email and user.email_confirmed_at:
        return
    taken, token = _is_taken(address, user), link(user, address)
    end_read()
    if taken:
        words = "Someone entered your address for their own Overture account. You have an account already, so nothing"
        ports.alert_mail().send(address, "You already have an Overture account", f"{words} was changed.")
        return
    ports.alert_mail().send(
        address,
        "Confirm your Overture email address",
        "To use this address, open this link in the browser where you are signed in to Overture. The link expires after"
        " 24 hours. If you have no Overture account, ignore this email.",
        f"/settings/profile/email/{token}",
    )


def mail_notice(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Tell the old address that it was changed."""
    user = session().get(User, payload["user_id"])
    if user is None or not passwords.may_mail():
        return
    words = (
        f"Your account now uses {user.email}. If you didn't change this, ask a workspace owner or your server admin to"
        " lock your account."
    )
    end_read()
    ports.alert_mail().send(payload["former"], "Your Overture email address was changed", words)


def confirm(user: User, token: str) -> User:
    """Take the address of the link as the user's, because they opened what was sent to it."""
    try:
        number, until, told = crypto.keyring().disclose(_PURPOSE, token).decode().split(":", 2)
        user_id = former_ids.row_id("user_account", int(number))
    except ValueError:
        user_id, until, told = 0, "0", ""
    address, _, before = told.partition("\n")
    with transaction() as current:
        found = current.get_one(User, user.id, with_for_update=True)
        fits = (user_id, before or address) == (found.id, found.email) and not _is_taken(address, found)
        if not fits or int(until) <= clock.now().timestamp():
            raise NotFound(
                "This link has expired, or it is for another user or address.",
                recovery="Sign in as the user who got the link, or send a new link in Settings → Profile.",
            )
        _store(found, found.name, address)
        if found.email_confirmed_at is None:
            found.email_confirmed_at = clock.now()
            audit_log.record_all(found, "member.confirmed", found.email)
        return found
