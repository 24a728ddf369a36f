"""Mailbox OAuth with Google or Microsoft: redirect and return, in one browser."""

from flask import Blueprint, Response, current_app, request, session

from app.core.errors import AppError, InvalidRequest
from app.domain.senders import mailbox_oauth
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework.base import redirect_to, render, show_toast, signed_in
from app.pages.senders.accounts import ElsewhereForm, zone_refused

area = Blueprint("consents", __name__, url_prefix="/senders/consent")
KEPT = "consent"
TOLD = ("conflict", "not_supported", "plan_limit_exceeded", "unavailable")


@area.post("")
@signed_in(roles=("operator",))
def begin(workspace: Workspace, user: User) -> Response:
    """Send the browser to the provider, and remember in its session that the sign-in began here."""
    form = ElsewhereForm.posted()
    way, chosen = form.way.data, form.account.data or None
    try:
        begun = mailbox_oauth.begin(workspace, user.id, way, _back(), account_id=chosen, timezone=form.timezone.data)
    except InvalidRequest as refusal:
        return zone_refused(workspace, "email", refusal)
    except AppError as refusal:
        return _refused(refusal)
    session[KEPT] = begun.kept
    title = mailbox_oauth.ways(workspace)[way]
    return render("accounts/consent.html", address=begun.page, title=title, account_id=chosen)


@area.get("/back")
@signed_in(roles=("operator",))
def back(workspace: Workspace, user: User) -> Response:
    """Return from the provider's page: with a code, valid once, or with an error."""
    kept, given = session.pop(KEPT, ""), request.args
    if given.get("error"):
        show_toast("Nothing was connected: the sign-in was canceled or refused.", "warn")
        return redirect_to("pages.senders.new")
    try:
        made = mailbox_oauth.finish(workspace, user.id, kept, given.get("state", ""), given.get("code", ""), _back())
    except AppError as refusal:
        return _refused(refusal)
    show_toast(f"{made.address} is connected.")
    return redirect_to("pages.senders.show", account_id=made.id)


def _refused(refusal: AppError) -> Response:
    if refusal.code not in TOLD:
        raise refusal
    show_toast(f"{refusal.message} {refusal.recovery}", "danger")
    return redirect_to("pages.senders.new")


def _back() -> str:
    return f"{current_app.config['BASE_URL']}/senders/consent/back"
