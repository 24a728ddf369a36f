"""The doctor's checks of services, the AI model and senders, live or from their last known state."""

from collections.abc import Callable, Iterator, Sequence

import sqlalchemy as sa

from app import ports
from app.core.db import end_read, session
from app.core.errors import Conflict
from app.domain.autopilot import source_sync
from app.domain.billing import stripe_checkout
from app.domain.platform import services
from app.domain.senders import domain_check, provider_credentials
from app.models.accounts import STUCK, Account, AccountStatus, Channel
from app.models.autopilot import Setup
from app.models.workspaces import Workspace

Problem = tuple[str, str]


def _live() -> Sequence[Workspace]:
    """Return the workspaces that call real services."""
    query = sa.select(Workspace).where(Workspace.sandbox.is_(False)).order_by(Workspace.id)
    return session().scalars(query).all()


def _services(ask: bool) -> Iterator[Problem]:
    for workspace in _live():
        for name in [login.service for login in services.connected(workspace)]:
            if ask:
                services.fetch_status(workspace, name)
            session().expire_all()
            state = services.state(workspace, name)
            if state.login and not state.login.well:
                yield (
                    f"{state.service.title} fails in workspace {workspace.id}: {state.login.failure}",
                    "Test the service, or replace its key, in Settings → Services.",
                )


def _model(ask: bool) -> Iterator[Problem]:
    model = ports.models().current() if ask else None
    if model is None:
        return
    try:
        model.check()
    except ports.ProviderError as failure:
        yield failure.sentence, "Check Settings → Writer, or OVERTURE_MODEL_URL, _NAME and _KEY."


def check_model() -> str:
    """Test the language model and describe its answer. Calls out; ProviderError says why it fails."""
    model = ports.models().current()
    if model is None:
        raise Conflict("No AI model is set.", recovery="Set up a model in Settings → Writer.")
    end_read()
    return model.check()


def _senders(ask: bool) -> Iterator[Problem]:
    for workspace in _live():
        ours = sa.select(Account).where(Account.workspace_id == workspace.id, Account.active.is_(True))
        for account in session().scalars(ours.order_by(Account.id)).all():
            kind = "The mailbox" if account.channel == Channel.EMAIL else "The account"
            if sentence := _trouble(workspace, account, ask):
                where = f"{kind} {account.address or account.name} of workspace {workspace.id}"
                yield f"{where} isn't working: {sentence}", "Reconnect this sender on the Senders page."


def _trouble(workspace: Workspace, account: Account, ask: bool) -> str:
    """Return why the sender cannot act; '' when it can."""
    if account.status in STUCK:
        return account.status_reason or "This sender is signed out."
    if not ask or account.status != AccountStatus.CONNECTED:
        return ""
    known = provider_credentials.to_account_ref(account, workspace.now())
    end_read()
    try:
        ports.sender(account.provider).status(known)
    except ports.ProviderError as failure:
        return failure.sentence
    return ""


def _mail(ask: bool) -> Iterator[Problem]:
    if not ask or not ports.alert_mail.connected:
        return
    end_read()
    try:
        ports.alert_mail().check()
    except ports.ProviderError as failure:
        yield failure.sentence, "Check OVERTURE_MAIL_URL. Notifications, invitations and password links need email."


def _alerts(ask: bool) -> Iterator[Problem]:
    query = sa.select(Setup.workspace_id, Setup.alerts_problem).where(Setup.alerts_problem != "")
    for workspace_id, problem in session().execute(query.order_by(Setup.workspace_id)).all():
        yield (
            f"Notifications of workspace {workspace_id} are not delivered: {problem}",
            "Send a test notification in Settings → Notifications.",
        )


def _sources(ask: bool) -> Iterator[Problem]:
    for workspace in _live():
        for kind in source_sync.STAGES:
            if sentence := source_sync.trouble(workspace, kind, ask):
                where = f"The {kind} source of workspace {workspace.id}"
                yield f"{where} can't be read: {sentence}", "Replace the source's key in Settings → Sources."


def _shop(ask: bool) -> Iterator[Problem]:
    if ask and (sentence := stripe_checkout.trouble()):
        yield f"Plans can't be sold: {sentence}", "Check OVERTURE_STRIPE_KEY and its permissions."


CALLS: dict[str, tuple[str, Callable[[bool], Iterator[Problem]]]] = {
    "services": ("Every connected service works.", _services),
    "model": ("The AI model works, or none is set up.", _model),
    "mail": ("The mail server works, or none is set up.", _mail),
    "alerts": ("Notifications are delivered.", _alerts),
    "sources": ("Every source can be read.", _sources),
    "shop": ("Plans can be sold, or none are for sale.", _shop),
    "senders": ("Every sender of a live workspace is signed in.", _senders),
    "domains": ("Mailbox domains are set up for delivery.", domain_check.problems),
}
