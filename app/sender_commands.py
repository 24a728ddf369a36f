"""`overture account` and `overture mailbox`: the senders of a workspace; each loads what it needs when it runs."""

import sys
from typing import Any

import click

from app import config
from app.commands import WORKSPACE, opened, print_json
from app.domain.senders.mailbox_auth import WAYS


@click.group()
def account() -> None:
    """LinkedIn accounts."""


@account.command("connect")
@WORKSPACE
@click.option("--provider", default="sandbox", show_default=True)
@click.option("--name", default="", help="Sandbox only: the name of the person who owns the account.")
@click.option("--headline", default="")
@click.option("--ref", default="", help="For the provider `unipile`: the id of an account signed in there.")
@click.option("--timezone", default="", help="An IANA name; defaults to the workspace's time zone.")
def connect_account(workspace_id: int, provider: str, name: str, headline: str, ref: str, timezone: str) -> None:
    """Connect a LinkedIn account, and print its id as JSON. `unipile` accounts are tested first."""
    from app.domain.senders import accounts, webhook_registration
    from app.domain.workspace import workspaces

    with opened() as app:
        chosen = workspaces.get(workspace_id)
        if ref:
            made = accounts.connect_hosted(chosen, provider=provider, ref=ref, timezone=timezone)
            webhook_registration.ensure(chosen, provider, config.called_at(app.config))
        else:
            made = accounts.connect(chosen, provider=provider, name=name, headline=headline, timezone=timezone)
        print_json({"accountId": made.id})


@click.group()
def mailbox() -> None:
    """Mailboxes."""


@mailbox.command("connect")
@WORKSPACE
@click.option("--provider", default="sandbox", show_default=True)
@click.option("--address", required=True)
@click.option("--name", default="", help="The name that recipients see.")
@click.option("--timezone", default="", help="An IANA name; defaults to the workspace's time zone.")
@click.option("--smtp-host", default="", help="Only for the provider `smtp`, like the options below.")
@click.option("--smtp-port", type=int, default=587, show_default=True)
@click.option("--imap-host", default="")
@click.option("--imap-port", type=int, default=993, show_default=True)
@click.option("--username", default="", help="The user name; defaults to the email address.")
@click.option("--password-file", type=click.File(), help="A file with the password on its first line; - reads stdin.")
@click.option("--sent-copies", default="", help="Who saves sent mail: the `server` itself, or Overture (`ours`).")
@click.option(
    "--auth", type=click.Choice(list(WAYS)), default="password", show_default=True, help="The sign-in method."
)
@click.option("--client-id", default="", help="The client id of your registered application.")
@click.option(
    "--client-secret-file", type=click.File(), help="A file with the client secret on the first line; - reads stdin."
)
@click.option("--refresh-token-file", type=click.File(), help="A file with the refresh token; - reads stdin.")
@click.option("--tenant", default="", help="For a Microsoft token: the id or domain of the tenant; defaults to any.")
@click.option("--again", "mailbox_id", type=int, help="The id of the mailbox to reconnect.")
def connect_mailbox(
    workspace_id: int, provider: str, address: str, name: str, timezone: str, mailbox_id: int | None, **given: Any
) -> None:
    """Connect a mailbox, and print its id as JSON. `smtp` logins are tested first."""
    from app.domain.senders import accounts
    from app.domain.senders.mailbox_logins import Servers
    from app.domain.workspace import workspaces

    servers = None
    if provider != "sandbox":
        for secret in ("password", "client_secret", "refresh_token"):
            file = given.pop(f"{secret}_file")
            given[secret] = file.readline().rstrip("\r\n") if file else ""
        given["username"] = given["username"] or address
        servers = Servers(copies=given.pop("sent_copies"), **given)
    with opened():
        chosen = workspaces.get(workspace_id)
        if mailbox_id is not None and servers is not None:
            made = accounts.renew_login(chosen, mailbox_id, servers)
        else:
            made = accounts.connect_mailbox(
                chosen, provider=provider, address=address, name=name, timezone=timezone, servers=servers
            )
        print_json({"mailboxId": made.id})


@mailbox.command("check")
@WORKSPACE
@click.option("--mailbox", "mailbox_id", type=int, required=True, help="The id of a real mailbox.")
def check_mailbox(workspace_id: int, mailbox_id: int) -> None:
    """Check the MX, SPF, DKIM and DMARC records of a mailbox's domain; the exit status is 1 if a check fails."""
    from app.domain.senders import domain_check
    from app.domain.workspace import workspaces

    with opened():
        found = domain_check.check_domain(workspaces.get(workspace_id), mailbox_id)
    for one in found:
        click.echo(f"{one.check}: {one.verdict}. {one.sentence} {one.advice}".rstrip())
    if any(one.verdict == domain_check.BAD for one in found):
        sys.exit(1)
