"""Hosted sign-in: start it, and wait until the account is connected."""

from flask import Blueprint, Response, current_app, request

from app import config
from app.core.errors import AppError, Conflict, NotSupported, PlanLimitExceeded, Unavailable
from app.domain.platform import services
from app.domain.senders import accounts, hosted_sign_in
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import may_change, redirect_to, render, show_toast
from app.pages.senders.accounts import HOSTED, ElsewhereForm, SenderForm, connecting
from app.pages.settings.services import form_of

area = Blueprint("sign_ins", __name__, url_prefix="/senders/sign-in")


@area.post("")
def begin(workspace: Workspace) -> Response:
    """Start a hosted sign-in for a new or a disconnected account, and open its page."""
    return _begin(workspace, ElsewhereForm.posted().account.data or None)


@area.post("/service")
def connect(workspace: Workspace) -> Response:
    """Connect the service through which LinkedIn accounts sign in, and start the first sign-in."""
    service = services.catalogue(HOSTED).service
    form = form_of(service).posted()
    try:
        services.connect(workspace, HOSTED, {one.name: form[f"value_{one.name}"].data for one in service.fields})
    except AppError as refusal:
        form.take_errors(refusal)
        about = None if form.errors else refusal
        return connecting(workspace, SenderForm.of(), service_form=form, service_refusal=about, status=422)
    return _begin(workspace, None)


def _begin(workspace: Workspace, chosen: int | None) -> Response:
    settings = current_app.config
    places = (settings["BASE_URL"], config.called_at(settings))
    try:
        made = hosted_sign_in.begin(workspace, HOSTED, *places, account_id=chosen)
    except (Conflict, NotSupported, PlanLimitExceeded, Unavailable) as refusal:
        show_toast(f"{refusal.message} {refusal.recovery}", "danger")
        if chosen:
            return redirect_to("pages.senders.show", account_id=chosen)
        return redirect_to("pages.senders.new")
    return redirect_to("pages.sign_ins.show", sign_in_id=made.id)


@area.get("/<int:sign_in_id>")
@may_change
def show(workspace: Workspace, sign_in_id: int) -> Response:
    """Show the progress; the page polls while the sign-in is open."""
    found = hosted_sign_in.look(workspace, sign_in_id)
    account = accounts.get(workspace, found.account_id) if found.account_id else None
    return render(
        "accounts/sign_in.html",
        part="accounts/_sign_in.html",
        sign_in=found,
        moves=hosted_sign_in.moves(found),
        account=account,
        there=hosted_sign_in.page(found),
    )


@area.get("/back")
@may_change
def back(workspace: Workspace) -> Response:
    """Return from the network's page: with an account, without one, or with an error."""
    given = request.args
    found = hosted_sign_in.of_state(workspace, given.get("state", ""))
    if given.get("error_title"):
        found = hosted_sign_in.fail(workspace, found.state, "The sign-in was canceled or refused.")
    elif ref := given.get("account_id", ""):
        found = hosted_sign_in.finish(workspace, found.state, ref)
    return redirect_to("pages.sign_ins.show", sign_in_id=found.id)


@area.post("/<int:sign_in_id>/cancel")
def cancel(workspace: Workspace, sign_in_id: int) -> Response:
    found = hosted_sign_in.cancel(workspace, sign_in_id)
    show_toast("Sign-in canceled. Nothing was connected.")
    if found.again and found.account_id:
        return redirect_to("pages.senders.show", account_id=found.account_id)
    return redirect_to("pages.senders.index")
