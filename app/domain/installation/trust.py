"""The trust page's content: promises, what no one can promise, and the sub-processors that get data."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import sqlalchemy as sa

from app import ports
from app.core import error_reports
from app.core.db import session
from app.domain.autopilot import setup_state, sources
from app.domain.platform import model_choice, services
from app.models.accounts import Account, Channel, MailboxLogin
from app.models.webhooks import Webhook
from app.models.workspaces import Workspace
from app.ports import SERVES

PROMISES = (
    (
        "Nothing is sent twice",
        "We log each action first and look up lost outcomes. You decide what to do about any that remain unknown.",
    ),
    (
        "A reply stops the sequence",
        "Before each send, we read every inbox the person could have replied to. If one fails, the send waits.",
    ),
    (
        "Do not contact means everywhere",
        "The list is checked before each send, in every campaign. People can unsubscribe with one click.",
    ),
    ("Senders stay within their limits", "Campaigns respect daily limits and working hours."),
    ("Workspaces are separate", "No one in another workspace can see your data."),
    (
        "Secrets stay secret",
        "Keys and passwords are stored encrypted, never logged, and never shown again.",
    ),
    ("Your data is yours", "Lists, people and the whole workspace can be exported. A person can be erased everywhere."),
    ("Changes are logged", "The audit log is tamper-evident: overture doctor finds changed or missing entries."),
    ("Events reach you", "Webhooks are signed and retried for days. You can read every event again at /v1/events."),
)
LIMITS = (
    (
        "Lost connections to mail servers",
        "If the connection breaks during a send, we can't know if the email was sent. We tell you and don't resend.",
    ),
    ("Inbox placement", "Receiving servers may delay or drop an email, or file it as spam."),
    (
        "Stopping a message already being sent",
        "A message being sent when someone replies or unsubscribes may still arrive.",
    ),
    (
        "Webhooks exactly once, in order",
        "Events may arrive twice or out of order. Ignore repeated ids and sort by number.",
    ),
    ("An old backup", "A backup doesn't include later messages. A restored server sends nothing until you allow it."),
    (
        "LinkedIn",
        "LinkedIn may limit or close an account, even with careful use. Overture is not affiliated with LinkedIn.",
    ),
    ("Copies elsewhere", "Data already sent to sub-processors or webhooks must be deleted there."),
)
WRITES = "Writes and sorts messages. Gets your messages, replies, and facts about people and companies."


@dataclass(frozen=True)
class SubProcessor:
    """A service that gets data of the workspace: what for, and which data."""

    name: str
    purpose: str
    data: str
    own: bool = False  # it runs on the server admin's own machines


_GETS = {
    "social": "Profiles, connection requests, messages.",
    "people": "Your search criteria.",
    "email": "Names, companies, profiles.",
    "verify": "Email addresses.",
    "phone": "Names, companies, profiles.",
    "signals": "Company names and people's names.",
    "crm": "People's names, addresses and messages.",
    "meetings": "What people enter when they book.",
}


def sub_processors(workspace: Workspace) -> list[SubProcessor]:
    """Return the services that get data of the workspace, by what is connected now."""
    return [*_of_workspace(workspace), *_of_server(workspace)]


def _of_workspace(workspace: Workspace) -> Iterator[SubProcessor]:
    for host in _mail_hosts(workspace):
        yield SubProcessor(host, "Your senders' email", "Emails to and from people.")
    for login in services.connected(workspace):
        service = services.catalogue(login.service).service
        serves = [one for one in SERVES if one in service.serves]
        yield SubProcessor(
            service.title,
            ", ".join(SERVES[one] for one in serves),
            " ".join(dict.fromkeys(_GETS[one] for one in serves if one in _GETS)),
        )
    if not workspace.sandbox:
        found = sources.get(workspace)
        if found.analytics:
            yield SubProcessor("PostHog", "Visitors to your website", "Nothing. We only read data there.")
        if found.payments:
            yield SubProcessor("Stripe", "Your customers", "Nothing. We only read data there.")
    if host := _alert_host(workspace):
        yield SubProcessor(host, "Notifications", "People's names and replies.")
    for host in _webhook_hosts(workspace):
        yield SubProcessor(host, "Your webhooks", "Events about people.")


def _of_server(workspace: Workspace) -> Iterator[SubProcessor]:
    if not workspace.sandbox:
        yield SubProcessor("Job boards, SEC EDGAR, GDELT", "Public signals", "Company names and websites.")
    if model := _model():
        yield model
    if ports.alert_mail.connected:
        yield SubProcessor("This server's mail server", "Notifications, invitations, passwords", "Emails to members.")
    if ports.checkout.connected:
        yield SubProcessor("Stripe", "Payment for your plan", "Your billing email and plan.")
    if error_reports.host():
        yield SubProcessor(error_reports.host(), "Error reports", "Errors, without names, addresses or messages.")


def _mail_hosts(workspace: Workspace) -> list[str]:
    """Return the hosts of connected mailboxes."""
    query = sa.select(MailboxLogin.settings).join(Account, Account.id == MailboxLogin.account_id)
    ours = (MailboxLogin.workspace_id == workspace.id, Account.channel == Channel.EMAIL, Account.provider != "sandbox")
    hosts: set[str] = set()
    for settings in session().scalars(query.where(*ours)):
        hosts |= {str(settings.get(name, "")) for name in ("smtp_host", "imap_host")}
    return sorted(hosts - {""})


def _alert_host(workspace: Workspace) -> str:
    """Return the host of the chat that gets alerts; '' without one."""
    alerts = setup_state.get(workspace).alerts or {}
    return (urlsplit(str(alerts.get("target", ""))).hostname or "") if alerts.get("kind") == "chat" else ""


def _webhook_hosts(workspace: Workspace) -> list[str]:
    query = sa.select(Webhook.url).where(Webhook.workspace_id == workspace.id, Webhook.active.is_(True))
    return sorted({host for url in session().scalars(query) if (host := urlsplit(url).hostname)})


def _model() -> SubProcessor | None:
    """Return the connected AI model as a sub-processor; None if the built-in writer is used."""
    if chosen := ports.models().fixed() or model_choice.active():
        own = ports.models().is_own(chosen.url)
        name = chosen.name if own else f"{urlsplit(chosen.url).hostname} ({chosen.name})"
        return SubProcessor(name, "AI model", WRITES, own=own)
    return None
