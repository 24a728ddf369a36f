"""Provider webhooks: verify calls of a network and apply them.

A call only says which account to read, except an acceptance, which names the person: applying it twice or late changes
nothing. So repeated calls and calls out of order are harmless.
"""

import logging
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import change_rows, end_read, session, transaction
from app.core.errors import NotFound, Unauthorized
from app.domain.engine.inbound import effects
from app.domain.platform import jobs, locks, secret_rotation
from app.domain.senders import accounts, provider_credentials
from app.models.accounts import Account, AccountStatus
from app.models.hosted_sign_ins import NetworkHook, SignIn, SignInState
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import LoggedOut, News, Refused

LOG = logging.getLogger(__name__)


def take(provider: str, token: str, headers: Mapping[str, str], body: bytes) -> int:
    """Apply a provider's webhook call, now or in a job; return the number of our accounts it is about.

    Raise NotFound for an unknown address and Unauthorized for a call without a valid signature.
    """
    hook, workspace = _found(provider, token)
    news = _proven(hook, workspace, headers, body)
    with locks.changing(workspace.id):
        change_rows(sa.update(NetworkHook).where(NetworkHook.id == hook.id).values(called_at=clock.now()))
        return sum(_apply(workspace, provider, one) for one in news)


def take_sign_in(provider: str, token: str, body: Mapping[str, Any]) -> None:
    """Finish a sign-in that started here. Its `state` authenticates the call; the account is read from the network."""
    _, workspace = _found(provider, token)
    state, ref = str(body.get("name") or ""), str(body.get("account_id") or "")
    with transaction():
        if not _lead_on(workspace, state, ref):
            raise Unauthorized("Sign-in not found.")


def _found(provider: str, token: str) -> tuple[NetworkHook, Workspace]:
    query = sa.select(NetworkHook).where(NetworkHook.token == token, NetworkHook.provider == provider)
    hook = session().scalars(query).one_or_none()
    workspace = session().get(Workspace, hook.workspace_id) if hook else None
    if hook is None or workspace is None:
        raise NotFound("Webhook address not found.")
    return hook, workspace


def _proven(hook: NetworkHook, workspace: Workspace, headers: Mapping[str, str], body: bytes) -> list[News]:
    """Return the news of a call, verified with one of our secrets: the subscription's or the one a member typed in."""
    refusal = "The webhook secret is wrong."
    for secret in _secrets(hook, workspace):
        try:
            return list(ports.hosted().read(headers, body, secret, clock.now()))
        except Refused as problem:
            refusal = problem.sentence
    raise Unauthorized(refusal)


def _secrets(hook: NetworkHook, workspace: Workspace) -> list[str]:
    found = []
    if hook.sealed:
        try:
            found.append(secret_rotation.unseal(hook, NetworkHook.sealed))
        except ValueError:
            LOG.error("The secret of a network's calls cannot be opened", extra={"fields": {"workspace": workspace.id}})
    if provider_credentials.connected(workspace, hook.provider):
        found.append(provider_credentials.credentials(workspace, hook.provider).values.get("webhook_secret", ""))
    return [secret for secret in found if secret]


def _apply(workspace: Workspace, provider: str, news: News) -> bool:
    """Apply one piece of news, inside a transaction."""
    if news.state:
        _lead_on(workspace, news.state, news.account_ref)
    query = sa.select(Account).where(
        Account.workspace_id == workspace.id, Account.provider == provider, Account.provider_ref == news.account_ref
    )
    account = session().scalars(query.with_for_update().execution_options(populate_existing=True)).one_or_none()
    if account is None:
        return False
    if news.accepted:
        effects.apply_inbound(account, [news.accepted], workspace.now())
    elif news.stands:
        jobs.add(workspace, "sender_stands", str(account.id), {"account": account.id})
    elif account.status == AccountStatus.CONNECTED:
        account.polled_at = None
    return True


def _lead_on(workspace: Workspace, state: str, ref: str) -> bool:
    """Continue the open sign-in of that state with the account; return False when there is none."""
    query = sa.select(SignIn.id).where(
        SignIn.workspace_id == workspace.id, SignIn.state == state, SignIn.status == SignInState.OPEN
    )
    known = bool(state and ref) and session().scalar(query) is not None
    if known:
        jobs.add(workspace, "sign_in", state, {"state": state, "ref": ref})
    return known


def refresh_sender(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Refresh an account from the network."""
    account = session().get(Account, payload["account"])
    if account is None or account.workspace_id != workspace.id:
        return
    at = workspace.now()
    reference = provider_credentials.to_account_ref(account, at)
    end_read()
    try:
        ports.sender(account.provider).status(reference)
    except LoggedOut as problem:
        accounts.logged_out(account, problem, at)
        return
    if account.status != AccountStatus.CONNECTED:
        accounts.reconnect(workspace, account.id)
