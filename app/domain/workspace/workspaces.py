"""Workspaces and their users."""

import re
from collections.abc import Sequence

import sqlalchemy as sa

from app.core import clock, crypto, text
from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound, Unauthorized
from app.domain.billing import subscriptions
from app.domain.people import role_addresses, sources
from app.domain.people.people import Merge
from app.domain.platform import audit_log
from app.domain.senders import accounts
from app.domain.workspace import throttles
from app.domain.workspace.password_rules import password_problem
from app.models.workspaces import Membership, Role
from app.models.workspaces import User as User
from app.models.workspaces import Workspace as Workspace


def create(
    name: str, email: str, password: str, *, sandbox: bool = False, timezone: str = "UTC", seed: int = 1
) -> Workspace:
    """Create a workspace with an owner, a trial and credits; a sandbox also gets senders.

    The first user of the installation is its server admin.
    """
    address, name = text.email(email), text.squeeze(name)
    problems = []
    if wrong := text.name_problem(name):
        problems.append(("name", wrong))
    if not address:
        problems.append(("email", "Enter an email address such as ada@example.com."))
    if sentence := password_problem(password, (address, name)):
        problems.append(("password", sentence))
    if not clock.is_zone(timezone):
        problems.append(("timezone", "Enter an IANA time zone such as Europe/Berlin."))
    InvalidRequest.raise_for(problems)
    hashed = crypto.hash_password(password)
    with transaction() as current:
        at = clock.now()
        user = current.scalar(sa.select(User).where(User.email == address))
        if user and not crypto.check_password(user.password_hash, password):
            raise InvalidRequest.of(
                ("email", "This email is already in use. Enter the password for that account, or use another email.")
            )
        if user is None:
            first = current.scalar(sa.select(User.id).limit(1)) is None
            user = User(email=address, password_hash=hashed, server_admin=first, created_at=at)
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
        subscriptions.begin(workspace, workspace.created_at)
        if sandbox:
            accounts.connect_sandbox(workspace, user.name or _founder(address))
        return workspace


def _founder(address: str) -> str:
    """Return the name that an address tells, as jason.berke@… and jason@… do; '' for a desk's, such as sales@…"""
    local = address.partition("@")[0]
    told = re.fullmatch(r"([^\W\d_]{2,20})(?:[._-]([^\W\d_]{2,20}))?", local)
    return " ".join(filter(None, told.groups())).title() if told and not role_addresses.is_role(local) else ""


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


def any_exist() -> bool:
    """Return whether this installation has been set up."""
    return session().scalar(sa.select(Workspace.id).limit(1)) is not None


def every() -> Sequence[Workspace]:
    """Return all workspaces of the installation, in the order in which they were made."""
    return session().scalars(sa.select(Workspace).order_by(Workspace.id)).all()


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


def change(workspace: Workspace, name: str, timezone: str) -> Workspace:
    """Change the workspace's name and time zone."""
    name, problems = text.squeeze(name), []
    if wrong := text.name_problem(name):
        problems.append(("workspace", wrong))
    if not clock.is_zone(timezone):
        problems.append(("timezone", "Enter an IANA time zone such as Europe/Berlin."))
    InvalidRequest.raise_for(problems)
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
        raise InvalidRequest.of(("merge", "Choose how to update people."))
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


def names_around(user: User) -> list[str]:
    """Return names that a guess of the user's password would start from."""
    return [user.email, user.name, *(workspace.name for workspace, _ in of_user(user))]


def authenticate(email: str, password: str, address: str, device: str = "") -> User:
    """Return the user with that email and password; raise the same Unauthorized for every problem.

    Attempts are limited (RateLimited with the seconds to wait): per email and IP `address`, per address, and per email;
    on a device that the user has signed in on before, per device only, so that no one elsewhere can make them wait.
    """
    wanted = text.email(email)
    user = session().scalar(sa.select(User).where(User.email == wanted)) if wanted else None
    who = wanted or email[:254]
    if user is not None and is_known_device(user, device):
        shared, free = "", {f"sign-in:device:{device}": throttles.FREE_TRIES}
    else:
        shared = f"sign-in:ip:{address}"
        free = {
            f"sign-in:email:{who}|{address}": throttles.FREE_TRIES,
            f"sign-in:email:{who}": throttles.FREE_TRIES * 10,
            shared: throttles.FREE_TRIES * 10,
        }
    throttles.attempt(free)
    if crypto.check_password(user.password_hash if user else None, password) and user is not None:
        throttles.forgive(*(key for key in free if key != shared))
        if shared:
            throttles.take_back(shared)
        return user
    if user is not None:
        with transaction():
            audit_log.record_all(user, "session.refused")
    raise Unauthorized("Wrong email or password.", recovery="Check both and try again.")


def device_token(user: User) -> str:
    """Return what a browser keeps to show that the user has signed in on it."""
    return crypto.keyring().enclose("device", f"{user.id}:{crypto.random_base62(22)}".encode())


def is_known_device(user: User, token: str) -> bool:
    """Return whether the token was made for this user."""
    try:
        return crypto.keyring().disclose("device", token).startswith(f"{user.id}:".encode())
    except ValueError:
        return False


def is_password(user: User, password: str, where: str = "again") -> bool:
    """Return whether that is the user's password, asked again inside a session or there. Attempts are limited apart."""
    key = f"{where}:user:{user.id}"
    throttles.attempt({key: throttles.FREE_TRIES})
    if crypto.check_password(user.password_hash, password):
        throttles.forgive(key)
        return True
    with transaction():
        audit_log.record_all(user, "session.refused")
    return False


def password_mark(user: User) -> str:
    """Return a value that changes with the password, so that a half-finished sign-in ends with it."""
    return crypto.keyring().sign("password-mark", user.password_hash.encode()).hex()
