"""Senders: connect accounts and mailboxes, sign in again, and look at what could not be read."""

from typing import Annotated, Any, Literal

import sqlalchemy as sa
from flask import current_app
from pydantic import Field

from app import config, resources
from app.api.framework.bodies import Body, Id
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import A_NAME, ZONE, up_to
from app.core.errors import InvalidRequest
from app.core.text import LONGEST_NAME
from app.domain.campaigns.validation import NO_SUCH_ACCOUNT
from app.domain.senders import (
    accounts,
    deliverability,
    domain_check,
    hosted_sign_in,
    mailbox_logins,
    standing,
    unreadable,
)
from app.domain.senders.mailbox_logins import Servers
from app.domain.workspace import workspaces
from app.domain.workspace.workspaces import Workspace

NETWORK = "unipile"
SIGN_INS = "/sign-ins"
SIGN_IN = SIGN_INS + "/<id:sign_in_id>"
MAILBOX = "/mailboxes/<id:mailbox_id>"
CHECKS = MAILBOX + "/domain-checks"
SENDER = "/senders/<id:sender_id>"
HOST: Any = up_to(253)
PORT: Any = Field(ge=1, le=65_535)
SECRET: Any = up_to(mailbox_logins.LONGEST_SECRET)
ADDRESS: Any = up_to(320, format="email")


class NewAccount(Body):
    """A simulated LinkedIn account."""

    name: Annotated[str, A_NAME]
    """The name on the profile."""
    timezone: Annotated[str, ZONE] | None = None
    """The IANA name of the time zone; null to use the workspace's."""


class NewSignIn(Body):
    """The account that signs in again or, for a new account, its time zone."""

    account_id: Id | None = None
    """The id of the account that signs in again; null for a new account."""
    timezone: Annotated[str, ZONE] | None = None
    """The IANA name of a new account's time zone; null to use the workspace's."""


class Login(Body):
    """How Overture signs in to the mailbox.

    Leave out the servers of common providers. With `password`, use an app password if possible. With `google` or
    `microsoft`, send the client and refresh token of your registered application.
    """

    smtp_host: Annotated[str, HOST] = ""
    """The SMTP server, which sends email; empty for common providers."""
    smtp_port: Annotated[int, PORT] = 587
    """The port of the SMTP server."""
    imap_host: Annotated[str, HOST] = ""
    """The IMAP server, which receives email; empty for common providers."""
    imap_port: Annotated[int, PORT] = 993
    """The port of the IMAP server."""
    username: Annotated[str, SECRET, Field(description="The user name; by default, the email address.")] = ""
    auth: Literal["password", "google", "microsoft"] = "password"
    """How to sign in."""
    password: Annotated[str, SECRET] = ""
    """The password, preferably an app password; only for `password`."""
    client_id: Annotated[str, SECRET] = ""
    """The id of your registered application; only for `google` and `microsoft`."""
    client_secret: Annotated[str, SECRET] = ""
    """The secret of your registered application; only for `google` and `microsoft`."""
    refresh_token: Annotated[str, up_to(mailbox_logins.LONGEST_TOKEN)] = ""
    """The refresh token of your registered application for this mailbox; only for `google` and `microsoft`."""
    tenant: Annotated[str, up_to(100)] = ""
    """The id of the organization's tenant; only for `microsoft`. Leave it empty to allow any organization."""

    def servers(self, address: str) -> Servers:
        """Return the servers, as the verb takes them."""
        given = {name: getattr(self, name) for name in Login.model_fields}
        return Servers(**given | {"username": self.username or address})


class NewMailbox(Login):
    """The email address and login of a mailbox; mailboxes in a sandbox need no login."""

    address: Annotated[str, ADDRESS]
    """The email address."""
    name: Annotated[str, up_to(LONGEST_NAME)] = ""
    """The sender name that recipients see; empty to use the part of the address before the @."""
    timezone: Annotated[str, ZONE] | None = None
    """The IANA name of the time zone; null to use the workspace's."""


@endpoint(
    "POST",
    "/accounts",
    scope="accounts:connect",
    body=NewAccount,
    returns=resources.Account,
    status=201,
    example={"name": "Lena Fischer", "timezone": "Europe/Berlin"},
)
def connect_account(workspace: Workspace, body: NewAccount) -> Any:
    """Connect a simulated LinkedIn account in a sandbox, which can only contact simulated people.

    To connect a real account, use `POST /v1/sign-ins`. Returns 400 in a live workspace, and 403 if the plan's limit of
    senders is reached.
    """
    return accounts.connect(
        workspace, provider="sandbox" if workspace.sandbox else NETWORK, name=body.name, timezone=body.timezone or ""
    )


@endpoint(
    "POST",
    SIGN_INS,
    scope="accounts:connect",
    body=NewSignIn,
    returns=resources.HostedSignInBegun,
    status=201,
    outside=True,
    costly=True,
    example={"timezone": "Europe/Berlin"},
)
def begin_sign_in(workspace: Workspace, body: NewSignIn) -> Any:
    """Start a hosted sign-in for a new LinkedIn account, or for an account that was signed out.

    Open `page` in a browser within an hour, then poll the sign-in until its `status` is `done`.

    The account's owner signs in on the provider's page; Overture never sees the password. Returns 409 if the account is
    already connected, and 403 if the plan's limit of senders is reached.
    """
    if body.account_id is not None and accounts.find(workspace, body.account_id) is None:
        raise InvalidRequest.of(("accountId", NO_SUCH_ACCOUNT))
    settings = current_app.config
    places = (settings["BASE_URL"], config.called_at(settings))
    zone = body.timezone or ""
    begun = hosted_sign_in.begin(workspace, NETWORK, *places, account_id=body.account_id, timezone=zone)
    return begun, hosted_sign_in.page(begun)


@endpoint("GET", SIGN_IN, scope="accounts:read", returns=resources.HostedSignIn, outside=True, costly=True)
def show_sign_in(workspace: Workspace, sign_in_id: int) -> Any:
    """Get a hosted sign-in; each call checks whether the sign-in has been completed."""
    return hosted_sign_in.look(workspaces.get(workspace.id), sign_in_id)


@endpoint("POST", SIGN_IN + "/cancel", scope="accounts:connect", returns=resources.HostedSignIn)
def cancel_sign_in(workspace: Workspace, sign_in_id: int) -> Any:
    """Cancel a hosted sign-in; this has no effect on a sign-in that has ended.

    The sign-in page stops working.
    """
    return hosted_sign_in.cancel(workspace, sign_in_id)


@endpoint(
    "POST",
    "/mailboxes",
    scope="accounts:connect",
    body=NewMailbox,
    returns=resources.Mailbox,
    status=201,
    outside=True,
    costly=True,
    example={"address": "ada@example.com", "name": "Ada Lovelace", "password": "abcd efgh ijkl mnop"},
)
def connect_mailbox(workspace: Workspace, body: NewMailbox) -> Any:
    """Connect a mailbox. The login is tested with both mail servers, stored encrypted and never returned.

    If the login does not work, the error contains the mail server's response and nothing is stored. Returns 400 if the
    mailbox is already connected, and 403 if the plan's limit of senders is reached.
    """
    return accounts.connect_mailbox(
        workspace,
        provider="sandbox" if workspace.sandbox else "smtp",
        address=body.address,
        name=body.name,
        timezone=body.timezone or "",
        servers=None if workspace.sandbox else body.servers(body.address),
    )


@endpoint(
    "PUT",
    MAILBOX + "/login",
    scope="accounts:connect",
    body=Login,
    returns=resources.Mailbox,
    outside=True,
    costly=True,
    example={"password": "abcd efgh ijkl mnop"},
)
def replace_login(workspace: Workspace, mailbox_id: int, body: Login) -> Any:
    """Replace a mailbox's login, after testing it with both mail servers; a signed-out mailbox is connected again.

    Returns 400 and changes nothing if a server refuses the login, and in a sandbox, where mailboxes have none. People
    who were waiting because the mailbox was signed out continue automatically.
    """
    mailbox = accounts.get(workspace, mailbox_id, "email")
    return accounts.renew_login(workspace, mailbox_id, body.servers(mailbox.address))


@endpoint("GET", CHECKS, scope="accounts:read", returns=resources.DomainChecks)
def show_domain_checks(workspace: Workspace, mailbox_id: int) -> Any:
    """Get the results of the last check of a mailbox's domain."""
    return domain_check.latest(accounts.get(workspace, mailbox_id, "email"))


@endpoint("POST", CHECKS, scope="accounts:write", returns=resources.DomainChecks, outside=True, costly=True)
def check_domain(workspace: Workspace, mailbox_id: int) -> Any:
    """Check a mailbox's domain: MX, SPF, DKIM and DMARC, and whether the domain or server is on block lists.

    The check takes a few seconds and changes nothing in your DNS.
    """
    accounts.get(workspace, mailbox_id, "email")
    domain_check.check_domain(workspace, mailbox_id)
    return show_domain_checks(workspace, mailbox_id)


@endpoint(
    "POST",
    SENDER + "/reconnect",
    scope="accounts:connect",
    returns=resources.AccountUsage,
    outside=True,
    costly=True,
)
def reconnect(workspace: Workspace, sender_id: int) -> Any:
    """Reconnect a LinkedIn account or mailbox after its owner passed LinkedIn's or the mail provider's security check.

    Returns 409 if the check is still open; a sender that is connected stays as it is. People who were waiting because
    the sender was disconnected continue automatically.
    """
    account = accounts.reconnect(workspace, sender_id)
    return account, standing.standings(workspace, account), deliverability.recent_of(account)


@endpoint("POST", SENDER + "/read", scope="accounts:write", returns=None)
def read_inbox(workspace: Workspace, sender_id: int) -> None:
    """Read the inbox of a LinkedIn account or mailbox now.

    New messages appear in your conversations within a minute. Returns 409 if the sender is not connected.
    """
    unreadable.read_soon(workspace, sender_id)


@endpoint("GET", SENDER + "/unreadable", scope="accounts:read", page_of=resources.UnreadableMessage)
def unreadable_page(workspace: Workspace, sender_id: int) -> sa.Select[Any]:
    """List messages that Overture could not read, newest first; see them in the mailbox or on LinkedIn.

    Unreadable messages do not count as replies. Nothing is deleted from the mailbox or LinkedIn.
    """
    return unreadable.page(workspace, accounts.get(workspace, sender_id).id)


@endpoint("POST", SENDER + "/unreadable/dismiss", scope="accounts:write", returns=None)
def dismiss_unreadable(workspace: Workspace, sender_id: int) -> None:
    """Dismiss an unreadable message, so that it is no longer listed.

    The message stays in the mailbox or on LinkedIn.
    """
    unreadable.put_away(workspace, sender_id)
