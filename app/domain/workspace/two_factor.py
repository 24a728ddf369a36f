"""Two-factor sign-in: codes of an authenticator app, each used once, and recovery codes."""

import hmac
from collections.abc import Sequence

import pyotp
import sqlalchemy as sa

from app.core import clock, crypto
from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest, Unauthorized
from app.domain.platform import audit_log, former_ids, secret_rotation
from app.domain.workspace import sessions, throttles, workspaces
from app.models.sessions import RecoveryCode, SecondFactor
from app.models.workspaces import User, Workspace

ISSUER = "Overture"
RECOVERY_CODES = 10
STEP = 30
WRONG = "This code is wrong or was already used."
WAIT = "Wait for the next code in your app, or use a recovery code."
_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"


def is_on(user: User) -> bool:
    """Return whether two-factor sign-in is on."""
    found = session().get(SecondFactor, user.id)
    return found is not None and found.confirmed_at is not None


def is_missing(user: User, workspace: Workspace) -> bool:
    """Return whether the workspace requires two-factor sign-in and the user has none."""
    return workspace.two_factor_required and not is_on(user)


def required_by(user: User) -> list[str]:
    """Return the names of the user's workspaces that require two-factor sign-in."""
    return [workspace.name for workspace, _ in workspaces.of_user(user) if workspace.two_factor_required]


def left(user: User) -> int:
    """Return the number of unused recovery codes."""
    query = sa.select(sa.func.count()).where(RecoveryCode.user_id == user.id, RecoveryCode.used_at.is_(None))
    return session().scalar(query) or 0


def prepare(user: User) -> str:
    """Return the secret for the app; the same until a first code confirms it."""
    with transaction() as current:
        found = current.get(SecondFactor, user.id, with_for_update=True)
        if found and found.confirmed_at:
            raise Conflict("Two-factor sign-in is already on.", recovery="Turn off two-factor sign-in first.")
        if found is None:
            secret = pyotp.random_base32()
            factor = SecondFactor(user_id=user.id, created_at=clock.now())
            secret_rotation.seal(factor, SecondFactor.secret, secret)
            current.add(factor)
            return secret
        return secret_rotation.unseal(found, SecondFactor.secret)


def address(user: User, secret: str) -> str:
    """Return the content of the QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=user.email, issuer_name=ISSUER)


def confirm(user: User, code: str) -> list[str]:
    """Turn two-factor sign-in on; return the recovery codes, which are shown only once."""
    with transaction() as current:
        found = current.get(SecondFactor, user.id, with_for_update=True)
        if found is None or found.confirmed_at:
            raise Conflict("There is no two-factor setup to confirm.", recovery="Start again.")
        if not _take(found, code):
            raise InvalidRequest.of(("code", "Wrong code. Check your phone's clock, then try the next code."))
        found.confirmed_at = clock.now()
        audit_log.record_all(user, "two_factor.on")
        return _new_codes(user)


def check(user: User, code: str) -> None:
    """Use up a code of the app or a recovery code; raise Unauthorized when it is wrong.

    Attempts are limited like those of passwords.
    """
    key = f"sign-in:code:{user.id}"
    throttles.attempt({key: throttles.FREE_TRIES})
    with transaction() as current:
        found = current.get(SecondFactor, user.id, with_for_update=True)
        if found is None or found.confirmed_at is None:
            return
        if _take(found, code):
            throttles.forgive(key)
            return
        if _recover(user, code):
            throttles.forgive(key)
            audit_log.record_all(user, "two_factor.recovered")
            return
    with transaction():
        audit_log.record_all(user, "two_factor.refused")
    raise Unauthorized(WRONG, recovery=WAIT)


def turn_off(user: User, password: str) -> None:
    """Turn two-factor sign-in off after a password check; Conflict where a workspace requires it."""
    if required := required_by(user):
        raise Conflict(f"{required[0]} requires two-factor sign-in.", recovery="Ask an owner, or leave the workspace.")
    if not workspaces.is_password(user, password):
        raise InvalidRequest.of(("password", "Wrong password."))
    with transaction():
        forget(user)
        audit_log.record_all(user, "two_factor.off")


def renew_codes(user: User) -> list[str]:
    """Replace the recovery codes and return the new ones."""
    with transaction():
        if not is_on(user):
            raise Conflict("Two-factor sign-in is off.", recovery="Turn on two-factor sign-in first.")
        audit_log.record_all(user, "two_factor.renewed")
        return _new_codes(user)


def forget(user: User) -> None:
    """Delete the user's second factor."""
    with transaction() as current:
        current.execute(sa.delete(SecondFactor).where(SecondFactor.user_id == user.id))
        current.execute(sa.delete(RecoveryCode).where(RecoveryCode.user_id == user.id))
        current.expire_all()


def forget_for(email: str) -> User:
    """Turn off the second factor of the user with that address and end their sessions."""
    user = workspaces.user_of(email)
    with transaction():
        forget(user)
        sessions.end_all(user)
        audit_log.record_for_user(user, "two_factor.reset")
    return user


def with_factor(user_ids: Sequence[int]) -> set[int]:
    """Return which of these users have two-factor sign-in."""
    query = sa.select(SecondFactor.user_id).where(
        SecondFactor.user_id.in_(user_ids), SecondFactor.confirmed_at.is_not(None)
    )
    return set(session().scalars(query))


def _take(found: SecondFactor, code: str) -> bool:
    """Return whether the app's code is right within one step; use up it and all earlier codes."""
    digits = "".join(code.split())
    app = pyotp.TOTP(secret_rotation.unseal(found, SecondFactor.secret))
    now = int(clock.now().timestamp()) // STEP
    for step in (now, now - 1, now + 1):
        if step > found.last_step and hmac.compare_digest(app.at(step * STEP).encode(), digits.encode()):
            found.last_step = step
            return True
    return False


def _recover(user: User, code: str) -> bool:
    wanted = [_digest(name, code) for name in former_ids.names_of("user_account", user.id)]
    query = sa.select(RecoveryCode).where(RecoveryCode.user_id == user.id, RecoveryCode.used_at.is_(None))
    for each in session().scalars(query.with_for_update()):
        if any(hmac.compare_digest(each.digest, one) for one in wanted):
            each.used_at = clock.now()
            return True
    return False


def _new_codes(user: User) -> list[str]:
    codes = [_random() for _ in range(RECOVERY_CODES)]
    session().execute(sa.delete(RecoveryCode).where(RecoveryCode.user_id == user.id))
    session().add_all([RecoveryCode(user_id=user.id, digest=_digest(user.id, code)) for code in codes])
    session().flush()
    return codes


def _random() -> str:
    drawn = crypto.random_letters(_LETTERS, 10)
    return f"{drawn[:5]}-{drawn[5:]}"


def _digest(user_id: int, code: str) -> bytes:
    plain = "".join(letter for letter in code.casefold() if letter.isalnum())
    return crypto.keyring().sign("recovery-code", f"{user_id}:{plain}".encode())
