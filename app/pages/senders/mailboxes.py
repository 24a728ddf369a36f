"""Mailbox-only pages: change the login, and check the domain's deliverability."""

from typing import Any

from flask import Blueprint, Response

from app.core.errors import AppError, InvalidRequest, NotFound, NotSupported, Unavailable
from app.domain.senders import accounts, domain_check, mailbox_logins, mailbox_oauth
from app.domain.senders.oauth_clients import TITLES
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import htmx, may_change, reauthenticate, redirect_to, render, show_toast
from app.pages.senders.accounts import LoginForm, SigningForm, page_of

area = Blueprint("mailboxes", __name__, url_prefix="/senders")


@area.get("/<int:account_id>/login")
@may_change
def login(workspace: Workspace, account_id: int) -> Response:
    """Show the form for a new password or token, filled in except for secrets."""
    account = _mailbox(workspace, account_id)
    return _form(workspace, account, LoginForm.of(**mailbox_logins.public_settings(account.id)))


@area.post("/<int:account_id>/login")
def renew(workspace: Workspace, account_id: int) -> Response:
    """Sign in to the mailbox again, or show the server's errors."""
    account = _mailbox(workspace, account_id)
    form = LoginForm.posted()
    try:
        accounts.renew_login(workspace, account_id, form.servers(account.address))
    except (InvalidRequest, NotSupported) as refusal:
        return _form(workspace, account, form.take_errors(refusal), refusal)
    show_toast(f"{account.name} is connected with the new login.")
    return redirect_to("pages.senders.show", account_id=account_id)


@area.post("/<int:account_id>/signature")
def sign(workspace: Workspace, account_id: int) -> Response:
    """Save the signature and the reply address; replies that go elsewhere need the password again."""
    account, form = accounts.get(workspace, account_id, "email"), SigningForm.posted()
    again = reauthenticate() if form.reply_to.data not in ("", account.reply_to) else None
    if again is not None:
        return again
    try:
        accounts.edit(workspace, account_id, signature=form.signature.data, reply_to=form.reply_to.data)
    except InvalidRequest as refusal:
        return page_of(workspace, account, signing=form.take_errors(refusal))
    show_toast("Signature and replies saved.")
    return redirect_to("pages.senders.show", account_id=account_id, _anchor="signature")


@area.get("/<int:account_id>/records")
def found_records(workspace: Workspace, account_id: int) -> Response:
    """Show how the domain stands, for the page that waits for the background check."""
    account = accounts.get(workspace, account_id)
    if account.provider != "smtp" or not htmx().partial:
        return redirect_to("pages.senders.show", account_id=account_id, _anchor="records")
    checking = domain_check.is_under_way(workspace, account)
    return render("accounts/_records.html", account=account, records=domain_check.latest(account), checking=checking)


@area.post("/<int:account_id>/records")
def records(workspace: Workspace, account_id: int) -> Response:
    """Check the DNS records of the mailbox's domain again."""
    account = _mailbox(workspace, account_id)
    try:
        found = domain_check.check_domain(workspace, account_id)
    except Unavailable as refusal:
        show_toast(f"{refusal.message} {refusal.recovery}", "danger")
    else:
        wrong = sum(one.verdict == domain_check.BAD for one in found)
        said = f"{wrong} of {len(found)} checks failed." if wrong else "All checks passed."
        show_toast(f"Checked the domain of {account.address}. {said}", "warn" if wrong else "ok")
    return redirect_to("pages.senders.show", account_id=account_id)


def _mailbox(workspace: Workspace, account_id: int) -> Any:
    account = accounts.get(workspace, account_id, "email")
    if account.provider != "smtp":
        raise NotFound("Sandbox mailboxes have no sign-in.")
    return account


def _form(workspace: Workspace, account: Any, form: LoginForm, refusal: AppError | None = None) -> Response:
    return render(
        "accounts/login.html",
        status=422 if refusal else 200,
        account=account,
        form=form,
        ways=mailbox_oauth.ways(workspace),
        titles=TITLES,
        refusal=refusal,
    )
