"""Mailbox OAuth with Google or Microsoft: redirect and return, in one browser."""

from typing import Any

from flask import Blueprint, Response, current_app, request, session

from app.core.errors import AppError, Conflict, NotSupported, PlanLimitExceeded, Unavailable
from app.domain.senders import mailbox_oauth
from app.domain.senders.oauth_clients import TITLES
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework.base import may_change, redirect_to, render, show_toast
from app.pages.senders.accounts import ElsewhereForm

area = Blueprint("consents", __name__, url_prefix="/senders/consent")
KEPT = "consent"
TOLD = (Conflict, NotSupported, PlanLimitExceeded, Unavailable)
CONNECT, CLIENTS = "pages.senders.new", "pages.email_sign_in.index"


@area.post("")
def begin(workspace: Workspace, user: User) -> Response:
    """Send the browser to the provider."""
    form = ElsewhereForm.posted()
    return start(workspace, user, form.way.data, account_id=form.account.data or None)


def start(workspace: Workspace, user: User, way: str, **about: Any) -> Response:
    """Send the browser to the provider, and remember in its session that the sign-in began here."""
    try:
        begun = mailbox_oauth.begin(workspace, user.id, way, back_address(), **about)
    except TOLD as refusal:
        return _refused(refusal, about)
    session[KEPT] = begun.kept
    if about.get("test"):
        cancel = "/settings/email-sign-in"
    else:
        cancel = f"/senders/{about['account_id']}/login" if about.get("account_id") else "/senders/new"
    title = TITLES[way]
    return render("accounts/consent.html", address=begun.page, title=title, cancel=cancel)


@area.get("/back")
@may_change
def back(workspace: Workspace, user: User) -> Response:
    """Return from the provider's page: with a code, valid once, or with an error."""
    kept, given = session.pop(KEPT, ""), request.args
    about = mailbox_oauth.about(workspace, user.id, kept)
    if given.get("error"):
        show_toast("Nothing was connected: the sign-in was canceled or refused.", "warn")
        return redirect_to(CLIENTS if about.get("test") else CONNECT)
    code, state = given.get("code", ""), given.get("state", "")
    try:
        done = mailbox_oauth.finish(workspace, user.id, kept, state, code, back_address())
    except TOLD as refusal:
        return _refused(refusal, about)
    if done.account is None:
        show_toast(f"It works: you signed in as {done.address}.")
        return redirect_to(CLIENTS)
    show_toast(f"{done.address} is connected.")
    return redirect_to("pages.senders.show", account_id=done.account.id)


def _refused(refusal: AppError, about: dict[str, Any]) -> Response:
    show_toast(f"{refusal.message} {refusal.recovery}", "danger")
    return redirect_to(CLIENTS if about.get("test") else CONNECT)


def back_address() -> str:
    """Return the address to which the providers return a browser."""
    return f"{current_app.config['BASE_URL']}/senders/consent/back"
