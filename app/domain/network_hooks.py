"""Calls of a network about its accounts: where they go, what proves them, and what they change.

A call only says where to look, except that somebody accepted, which is told with the person: applying that twice, or
late, changes nothing. So calls that are repeated or come out of order are harmless.
"""

import logging
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock, crypto
from app.core.crypto import keyring
from app.core.db import leave_database, session, transaction
from app.core.errors import NotFound, Unauthorized
from app.domain import accounts, answers, hold, inbox, jobs, network_logins, sealing, services
from app.models.accounts import Account, AccountStatus
from app.models.jobs import Job
from app.models.networks import NetworkHook, SignIn, SignInState
from app.models.workspaces import Workspace
from app.ports import LoggedOut, News, ProviderError, Refused

LOG = logging.getLogger("app.domain.network_hooks")
TOKEN_LETTERS = 40
PATH = "/hooks/{provider}/{token}"


def address(workspace: Workspace, provider: str, base_url: str) -> str:
    """Where the network calls us about this workspace; made at the first need."""
    return base_url.rstrip("/") + PATH.format(provider=provider, token=_hook(workspace, provider).token)


def ensure(workspace: Workspace, provider: str, base_url: str) -> None:
    """The network calls us, if it can and does not yet. Without that everything is only slower. Calls out.

    `base_url` is '' where nobody outside can reach us.
    """
    if not base_url:
        return
    opened, where = network_logins.credentials(workspace, provider), address(workspace, provider, base_url)
    hook, mark = _hook(workspace, provider), network_logins.mark(workspace, provider, base_url)
    if hook.belongs_to == mark:
        return
    former = list(hook.refs)
    leave_database()
    try:
        if former:
            ports.hosted().unsubscribe(opened, former)
        made = ports.hosted().subscribe(opened, where, opened.values.get("webhook_secret", ""))
    except ProviderError as problem:
        LOG.warning("A network will not call us", extra={"fields": {"provider": provider, "why": problem.sentence}})
        return
    with transaction() as current:
        fresh = current.get_one(NetworkHook, hook.id, populate_existing=True, with_for_update=True)
        fresh.sealed = keyring().seal(made.secret.encode(), _bound_to(fresh))
        fresh.refs, fresh.belongs_to, fresh.made_at = list(made.refs), mark, clock.now()


@services.before_leaving
def release(workspace: Workspace, provider: str) -> None:
    """The network does not call us any more about this workspace, as far as it can still be told so. Calls out."""
    hook = session().scalars(_of(workspace, provider)).one_or_none()
    if hook is None or not hook.refs or not network_logins.connected(workspace, provider):
        return
    opened, refs = network_logins.credentials(workspace, provider), list(hook.refs)
    leave_database()
    try:
        ports.hosted().unsubscribe(opened, refs)
    except ProviderError as problem:  # its calls are not proven by a secret of ours from now on
        LOG.warning(
            "A network will go on calling us", extra={"fields": {"provider": provider, "why": problem.sentence}}
        )
    with transaction() as current:
        fresh = current.get_one(NetworkHook, hook.id, populate_existing=True, with_for_update=True)
        fresh.sealed, fresh.refs, fresh.belongs_to, fresh.made_at = None, [], "", None


def _of(workspace: Workspace, provider: str) -> sa.Select[NetworkHook]:
    return sa.select(NetworkHook).where(NetworkHook.workspace_id == workspace.id, NetworkHook.provider == provider)


def _hook(workspace: Workspace, provider: str) -> NetworkHook:
    query = _of(workspace, provider)
    found = session().scalars(query).one_or_none()
    if found is None:
        with transaction() as current:
            hold.workspaces([workspace.id])
            found = session().scalars(query.with_for_update()).one_or_none()
            if found is None:
                token = crypto.random_base62(TOKEN_LETTERS)
                found = NetworkHook(workspace_id=workspace.id, provider=provider, token=token, refs=[])
                current.add(found)
                current.flush()
    return found


def _bound_to(hook: NetworkHook) -> str:
    return sealing.bound_to(NetworkHook.sealed, id=hook.id, workspace_id=hook.workspace_id)


def take(provider: str, token: str, headers: Mapping[str, str], body: bytes) -> int:
    """What the call says has had its effect, or will soon; how many accounts of ours it was about.

    NotFound for an address that is nobody's, Unauthorized for a call that is not proven.
    """
    hook, workspace = _found(provider, token)
    news = _proven(hook, workspace, headers, body)
    with transaction() as current:
        hold.workspaces([workspace.id])
        current.execute(
            sa.update(NetworkHook).where(NetworkHook.id == hook.id).values(called_at=clock.now()),
            execution_options={"synchronize_session": False},
        )
        return sum(_apply(workspace, provider, one) for one in news)


def take_sign_in(provider: str, token: str, body: Mapping[str, Any]) -> None:
    """A sign-in that began here has led to an account. Its state proves the call; the account is looked at anyway."""
    _, workspace = _found(provider, token)
    state, ref = str(body.get("name") or ""), str(body.get("account_id") or "")
    with transaction():
        if not _lead_on(workspace, state, ref):
            raise Unauthorized("There is no such sign-in.")


def _found(provider: str, token: str) -> tuple[NetworkHook, Workspace]:
    query = sa.select(NetworkHook).where(NetworkHook.token == token, NetworkHook.provider == provider)
    hook = session().scalars(query).one_or_none()
    workspace = session().get(Workspace, hook.workspace_id) if hook else None
    if hook is None or workspace is None:
        raise NotFound("Nobody is called here.")
    return hook, workspace


def _proven(hook: NetworkHook, workspace: Workspace, headers: Mapping[str, str], body: bytes) -> list[News]:
    """What the call says, when one of our secrets proves it: that of the subscription, or the one typed in."""
    refusal = "This call does not carry the right secret."
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
            found.append(keyring().unseal(hook.sealed, _bound_to(hook)).decode())
        except ValueError:
            LOG.error("The secret of a network's calls cannot be opened", extra={"fields": {"workspace": workspace.id}})
    if network_logins.connected(workspace, hook.provider):
        found.append(network_logins.credentials(workspace, hook.provider).values.get("webhook_secret", ""))
    return [secret for secret in found if secret]


def _apply(workspace: Workspace, provider: str, news: News) -> bool:
    """Inside a transaction."""
    if news.state:
        _lead_on(workspace, news.state, news.account_ref)
    query = sa.select(Account).where(
        Account.workspace_id == workspace.id, Account.provider == provider, Account.provider_ref == news.account_ref
    )
    account = session().scalars(query.with_for_update().execution_options(populate_existing=True)).one_or_none()
    if account is None:
        return False
    if news.accepted:
        answers.apply(account, [news.accepted], workspace.now())
    elif news.stands:
        jobs.add(workspace, "sender_stands", str(account.id), {"account": account.id})
    elif account.status == AccountStatus.CONNECTED:
        account.polled_at = None
    return True


def _lead_on(workspace: Workspace, state: str, ref: str) -> bool:
    """The sign-in of that state goes on with the account; False when there is none that is open."""
    query = sa.select(SignIn.id).where(
        SignIn.workspace_id == workspace.id, SignIn.state == state, SignIn.status == SignInState.OPEN
    )
    known = bool(state and ref) and session().scalar(query) is not None
    if known:
        jobs.add(workspace, "sign_in", state, {"state": state, "ref": ref})
    return known


@jobs.handler("sender_stands")
def _look(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Our account is as it stands at the network."""
    account = session().get(Account, payload["account"])
    if account is None or account.workspace_id != workspace.id:
        return
    at = workspace.now()
    reference = inbox.reference(account, at)
    leave_database()
    try:
        ports.sender(account.provider).status(reference)
    except LoggedOut as problem:
        inbox.logged_out(account, problem, at)
        return
    if account.status != AccountStatus.CONNECTED:
        accounts.reconnect(workspace, account.id)
