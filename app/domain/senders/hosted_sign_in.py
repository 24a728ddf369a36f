"""Hosted sign-in: start it here, sign in on the provider's page, finish it here."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock, crypto
from app.core.db import end_read, get_owned, session, transaction
from app.core.errors import AppError, Conflict, InvalidRequest, NotFound, NotSupported, Unavailable
from app.domain.billing import plans
from app.domain.platform import locks, secret_rotation
from app.domain.senders import accounts, provider_credentials, webhook_registration
from app.models.accounts import Account, AccountStatus
from app.models.hosted_sign_ins import SignIn, SignInState
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import ProviderError, SignInPage

LASTS = timedelta(hours=1)
SLACK = timedelta(minutes=1)  # between the network's clock and ours
STATE_LETTERS = 40
EXPIRED = "The sign-in took over an hour. Start again."
DIFFERENT_ACCOUNT = "You signed in to a different account. Start again with the right account."


def begin(
    workspace: Workspace,
    provider: str,
    base_url: str,
    called_at: str = "",
    *,
    account_id: int | None = None,
    timezone: str = "",
) -> SignIn:
    """Start a hosted sign-in, with `account_id` for an account that reconnects; `page` has the address.

    Calls out. `called_at` is where the network can call us, if it can.
    """
    account = accounts.get(workspace, account_id) if account_id else None
    if account and account.provider != provider:
        raise NotSupported("This account doesn't sign in on the provider's page.")
    if account and account.status == AccountStatus.CONNECTED:
        raise Conflict("This account is already connected.")
    accounts.check_zone(timezone)  # before the sign-in: afterwards it is too late
    opened = provider_credentials.credentials(workspace, provider)
    if account is None:
        plans.check(workspace, "accounts")
    webhook_registration.ensure(workspace, provider, called_at)
    state, at = crypto.random_base62(STATE_LETTERS), clock.now()
    called = webhook_registration.address(workspace, provider, base_url)
    back = f"{base_url.rstrip('/')}/senders/sign-in/back?state={state}"
    ref = account.provider_ref if account else ""
    end_read()
    try:
        address = ports.hosted().page(opened, SignInPage(state, back, f"{called}/sign-in", at + LASTS, ref))
    except ProviderError as problem:
        raise Unavailable(
            problem.sentence, recovery="Check the service in Settings → Services, then try again."
        ) from None
    with transaction() as current:
        made = SignIn(
            workspace_id=workspace.id,
            provider=provider,
            state=state,
            again=account is not None,
            account_id=account.id if account else None,
            timezone=timezone,
            created_at=at,
            expires_at=at + LASTS,
        )
        current.add(made)
        current.flush()
        secret_rotation.seal(made, SignIn.sealed, address)
        return made


def get(workspace: Workspace, sign_in_id: int) -> SignIn:
    """Return the sign-in, or raise NotFound."""
    return get_owned(SignIn, workspace, sign_in_id)


def of_state(workspace: Workspace, state: str) -> SignIn:
    """Return the sign-in with this state, or raise NotFound."""
    query = sa.select(SignIn).where(SignIn.workspace_id == workspace.id, SignIn.state == state)
    found = session().scalars(query).one_or_none()
    if found is None:
        raise NotFound("Sign-in not found.", recovery="Start again on the Senders page.")
    return found


def page(sign_in: SignIn) -> str:
    """Return the address of the sign-in page; '' once the sign-in has ended."""
    return secret_rotation.opened(sign_in, SignIn.sealed) if sign_in.status == SignInState.OPEN else ""


def look(workspace: Workspace, sign_in_id: int) -> SignIn:
    """Refresh the sign-in from the network. Calls out."""
    found = get(workspace, sign_in_id)
    if found.status != SignInState.OPEN:
        return found
    if ref := _arrived(workspace, found):
        return finish(workspace, found.state, ref)
    if clock.now() >= found.expires_at:
        return _end(workspace, found.id, SignInState.FAILED, EXPIRED)
    return found


def _arrived(workspace: Workspace, sign_in: SignIn) -> str:
    """Return the provider's id of the new account; '' while there is none or the provider can't be asked."""
    try:
        opened = provider_credentials.credentials(workspace, sign_in.provider)
    except NotSupported:  # the service was disconnected meanwhile
        return ""
    if sign_in.again:
        return _reconnected_ref(workspace, sign_in)
    query = sa.select(Account.provider_ref).where(
        Account.workspace_id == workspace.id, Account.provider == sign_in.provider
    )
    known = set(session().scalars(query))
    end_read()
    try:
        found = ports.hosted().newcomers(opened, sign_in.created_at - SLACK)
    except ProviderError:
        return ""
    return next((ref for ref in found if ref not in known), "")


def _reconnected_ref(workspace: Workspace, sign_in: SignIn) -> str:
    account = session().get(Account, sign_in.account_id or 0)
    return account.provider_ref if account and _may_act(workspace, account) else ""


def _may_act(workspace: Workspace, account: Account) -> bool:
    try:
        return accounts.reconnect(workspace, account.id).status == AccountStatus.CONNECTED
    except (Conflict, Unavailable):
        return False


def finish(workspace: Workspace, state: str, ref: str) -> SignIn:
    """Connect the signed-in account if it can act already; else the sign-in stays open. Calls out."""
    found = of_state(workspace, state)
    if found.status != SignInState.OPEN:
        return found
    known = _known(workspace, found.provider, ref)
    if found.again and (known is None or known.id != found.account_id):
        return _end(workspace, found.id, SignInState.FAILED, DIFFERENT_ACCOUNT)
    try:
        if known is None:
            known = accounts.connect_hosted(workspace, provider=found.provider, ref=ref, timezone=found.timezone)
        elif not _may_act(workspace, known):
            return found
    except Unavailable:
        return found
    except InvalidRequest as problem:
        return _end(workspace, found.id, SignInState.FAILED, " ".join(field.message for field in problem.fields))
    except AppError as problem:
        return _end(workspace, found.id, SignInState.FAILED, f"{problem.message} {problem.recovery}")
    return _end(workspace, found.id, SignInState.DONE, account_id=known.id)


def _known(workspace: Workspace, provider: str, ref: str) -> Account | None:
    query = sa.select(Account).where(
        Account.workspace_id == workspace.id, Account.provider == provider, Account.provider_ref == ref
    )
    return session().scalars(query).one_or_none()


def fail(workspace: Workspace, state: str, sentence: str) -> SignIn:
    """Record that the sign-in failed at the network."""
    return _end(workspace, of_state(workspace, state).id, SignInState.FAILED, sentence)


def moves(sign_in: SignIn) -> set[str]:
    """Return the actions allowed on the sign-in now."""
    if sign_in.status == SignInState.OPEN:
        return {"cancel"}
    return {"again"} if sign_in.status in (SignInState.FAILED, SignInState.CANCELED) else set()


def cancel(workspace: Workspace, sign_in_id: int) -> SignIn:
    """Cancel the sign-in."""
    return _end(workspace, get(workspace, sign_in_id).id, SignInState.CANCELED)


def _end(workspace: Workspace, sign_in_id: int, status: str, error: str = "", **columns: Any) -> SignIn:
    with locks.changing(workspace.id):
        found = get_owned(SignIn, workspace, sign_in_id, lock=True)
        if found.status == SignInState.OPEN:
            found.status, found.error, found.sealed = status, error, None
            for name, value in columns.items():
                setattr(found, name, value)
        return found


def finish_named(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Finish the sign-in with the account the network named, once the account can act."""
    found = finish(workspace, payload["state"], payload["ref"])
    waits = found.status == SignInState.OPEN and clock.now() < found.expires_at
    return timedelta(seconds=10) if waits else None
