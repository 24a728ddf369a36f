"""Workspaces and their users."""

from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from app.core import clock, crypto, text
from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound, RateLimited, Unauthorized
from app.domain.billing import subscriptions
from app.domain.people import sources
from app.domain.people.people import Merge
from app.domain.platform import audit_log
from app.domain.senders import accounts
from app.models.platform.rate_limits import Throttle
from app.models.workspaces import Membership, Role
from app.models.workspaces import User as User
from app.models.workspaces import Workspace as Workspace

MIN_PASSWORD = 12
# Five tries are free; then the wait doubles from one second to a quarter of an hour. No user is locked out for good.
FREE_TRIES, LONGEST_WAIT = 5, 900
COMMON_PASSWORDS = Path(__file__).with_name("common_passwords.txt")


def create(
    name: str, email: str, password: str, *, sandbox: bool = False, timezone: str = "UTC", seed: int = 1
) -> Workspace:
    """Create a workspace with an owner, a trial and credits; a sandbox also gets senders."""
    address, name = text.email(email), text.squeeze(name)
    problems = []
    if wrong := text.name_problem(name):
        problems.append(("name", wrong))
    if not address:
        problems.append(("email", "Enter an email address such as ada@example.com."))
    if sentence := password_problem(password, address):
        problems.append(("password", sentence))
    if not clock.is_zone(timezone):
        problems.append(("timezone", "Enter an IANA time zone such as Europe/Berlin."))
    if problems:
        raise InvalidRequest.of(*problems)
    hashed = crypto.hash_password(password)
    with transaction() as current:
        at = clock.now()
        user = current.scalar(sa.select(User).where(User.email == address))
        if user and not crypto.check_password(user.password_hash, password):
            raise InvalidRequest.of(
                ("email", "This email is already in use. Enter its password, or use another email.")
            )
        if user is None:
            user = User(email=address, password_hash=hashed, created_at=at)
        workspace = Workspace(
            name=name,
            sandbox=sandbox,
            sandbox_seed=seed,
            timezone=timezone,
            created_at=at,
        )
        current.add_all([user, workspace])
        current.flush()
        current.add(Membership(workspace_id=workspace.id, user_id=user.id, role=Role.OWNER, created_at=at))
        subscriptions.begin(workspace)
        if sandbox:
            accounts.connect_sandbox(workspace)
        return workspace


def set_up(name: str, email: str, password: str, *, sandbox: bool, timezone: str = "") -> Workspace:
    """Create the first workspace of an empty installation, with defaults for name and time zone."""
    with transaction():
        if any_exist():
            raise Conflict("Overture is already set up.", recovery="Sign in instead.")
        domain = email.rpartition("@")[2].partition(".")[0]
        zone = timezone if timezone and clock.is_zone(timezone) else "UTC"
        return create(
            name.strip() or domain.capitalize() or "Workspace", email, password, sandbox=sandbox, timezone=zone
        )


def password_problem(password: str, email: str = "") -> str:
    """Return what is wrong with a new password, as a sentence; '' when it is fine."""
    if len(password) < MIN_PASSWORD:
        return f"Use at least {MIN_PASSWORD} characters."
    if len(password) > 1000:
        return "Use at most 1,000 characters."
    folded = password.casefold()
    if folded in _common_passwords() or folded in (email, "overture" * 2) or len(set(folded)) < 4:
        return "This password is easy to guess. Use another, such as four unrelated words."
    return ""


def _common_passwords() -> frozenset[str]:
    global _common
    if _common is None:
        _common = frozenset(COMMON_PASSWORDS.read_text().split())
    return _common


_common: frozenset[str] | None = None


def any_exist() -> bool:
    """Return whether this installation has been set up."""
    return session().scalar(sa.select(Workspace.id).limit(1)) is not None


def get(workspace_id: int) -> Workspace:
    """Return the workspace, or raise NotFound."""
    found = session().get(Workspace, workspace_id)
    if found is None:
        raise NotFound("Workspace not found.")
    return found


def find_user(user_id: int) -> User | None:
    """Return the user, or None after a deletion."""
    return session().get(User, user_id)


def user_of(email: str) -> User:
    """Return the user with that address, or raise NotFound."""
    user = session().scalar(sa.select(User).where(User.email == text.email(email)))
    if user is None:
        raise NotFound("No user has this email address.", recovery="Check the spelling.")
    return user


def change_user(user: User, name: str, email: str) -> User:
    """Change the user's name and address."""
    name, address, problems = text.squeeze(name), text.email(email), []
    if len(name) > 200 or "\0" in name:
        problems.append(("name", "Enter a name of at most 200 characters."))
    if not address:
        problems.append(("email", "Enter an email address such as ada@example.com."))
    elif session().scalar(sa.select(User.id).where(User.email == address, User.id != user.id)) is not None:
        problems.append(("email", "Another user has this email address."))
    if problems:
        raise InvalidRequest.of(*problems)
    with transaction() as current:
        found = current.get_one(User, user.id, with_for_update=True)
        before, after = {"name": found.name, "email": found.email}, {"name": name, "email": address}
        found.name, found.email = name, address
        if before != after:
            audit_log.record_all(found, "member.changed", address, before=before, after=after)
        return found


def change(workspace: Workspace, name: str, timezone: str) -> Workspace:
    """Change the workspace's name and time zone."""
    name, problems = text.squeeze(name), []
    if wrong := text.name_problem(name):
        problems.append(("workspace", wrong))
    if not clock.is_zone(timezone):
        problems.append(("timezone", "Enter an IANA time zone such as Europe/Berlin."))
    if problems:
        raise InvalidRequest.of(*problems)
    with transaction() as current:
        found = current.get_one(Workspace, workspace.id, with_for_update=True)
        before = {"name": found.name, "timezone": found.timezone}
        found.name, found.timezone = name, timezone
        if before != {"name": name, "timezone": timezone}:
            audit_log.record(
                found, "workspace.changed", name, before=before, after={"name": name, "timezone": timezone}
            )
        return found


def change_people_defaults(workspace: Workspace, merge: str, lawful_basis: str) -> Workspace:
    """Change how known people change ('': as files and calls usually do), and the lawful basis to contact people."""
    if merge and merge not in set(Merge):
        raise InvalidRequest.of(("merge", "Choose how people change."))
    basis = sources.lawful_basis(lawful_basis)
    with transaction() as current:
        found = current.get_one(Workspace, workspace.id, with_for_update=True)
        before, after = (
            {"merge": found.merge, "lawfulBasis": found.lawful_basis},
            {"merge": merge, "lawfulBasis": basis},
        )
        found.merge, found.lawful_basis = merge, basis
        if before != after:
            audit_log.record(found, "workspace.changed", found.name, before=before, after=after)
        return found


def of_user(user: User) -> list[tuple[Workspace, str]]:
    """Return the user's workspaces with their role in each, oldest first."""
    query = (
        sa.select(Workspace, Membership.role)
        .join(Membership, Membership.workspace_id == Workspace.id)
        .where(Membership.user_id == user.id)
        .order_by(Membership.id)
    )
    return [(workspace, role) for workspace, role in session().execute(query)]


def authenticate(email: str, password: str, address: str) -> User:
    """Return the user with that email and password; raise the same Unauthorized for every problem.

    Attempts are limited per email and per IP `address` (RateLimited with the seconds to wait).
    """
    wanted = text.email(email)
    keys = [f"sign-in:email:{wanted or email[:254]}", f"sign-in:ip:{address}"]
    check_throttle(keys)
    user = session().scalar(sa.select(User).where(User.email == wanted)) if wanted else None
    correct = crypto.check_password(user.password_hash if user else None, password)
    if user is not None and correct:
        clear_failures(keys[0])
        return user
    with transaction():
        for key, free in zip(keys, (FREE_TRIES, FREE_TRIES * 10), strict=True):
            register_failure(key, free)
        if user is not None:
            audit_log.record_all(user, "session.refused")
    raise Unauthorized("Wrong email or password.", recovery="Check both and try again.")


def is_password(user: User, password: str) -> bool:
    """Return whether that is the user's password. Attempts are limited like sign-ins."""
    key = f"sign-in:email:{user.email}"
    check_throttle([key])
    if crypto.check_password(user.password_hash, password):
        clear_failures(key)
        return True
    with transaction():
        register_failure(key, FREE_TRIES)
        audit_log.record_all(user, "session.refused")
    return False


def check_throttle(keys: list[str]) -> None:
    """Raise RateLimited while one of these keys has failed too often."""
    at = clock.now()
    waits = [row.until for row in session().scalars(sa.select(Throttle).where(Throttle.key.in_(keys))) if row.until]
    seconds = max((int((until - at).total_seconds()) + 1 for until in waits if until > at), default=0)
    if seconds:
        raise RateLimited(f"Too many attempts. Try again in {seconds} seconds.", retry_after=seconds)


def clear_failures(key: str) -> None:
    """Clear the failed attempts of this key."""
    with transaction() as current:
        current.execute(sa.delete(Throttle).where(Throttle.key == key))


def register_failure(key: str, free: int) -> None:
    """Count a failed attempt; after `free` of them the wait doubles each time."""
    with transaction() as current:
        at = clock.now()
        row = current.get(Throttle, key, with_for_update=True) or Throttle(key=key, failures=0, at=at)
        if at - row.at > timedelta(hours=24):
            row.failures = 0
        row.failures, row.at = row.failures + 1, at
        if row.failures >= free:
            row.until = at + timedelta(seconds=min(2 ** (row.failures - free), LONGEST_WAIT))
        current.add(row)
