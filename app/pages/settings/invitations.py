"""One-time links: join a workspace, or set a new password."""

from flask import Blueprint, Response

from app.core.errors import AppError, InvalidRequest, NotFound
from app.domain.workspace import passwords, team, two_factor
from app.domain.workspace.roles import WORDS, landing
from app.pages.framework.base import begin_session, redirect_to, redirect_to_path, render, show_toast
from app.pages.framework.forms import Form, Secret, Text

area = Blueprint("invitations", __name__)


class JoinForm(Form):
    password = Secret()
    name = Text()


class ResetForm(Form):
    password = Secret()


@area.get("/invite/<token>")
def invitation(token: str) -> Response:
    """Show an invited person's form; an expired link says who can send another."""
    return _invitation(token)


def _invitation(token: str, form: JoinForm | None = None, refusal: AppError | None = None) -> Response:
    found = team.find_invitation(token)
    if found is None:
        raise NotFound(
            "This invitation has expired or was already used.",
            recovery="A newer invitation may replace this one. Ask for a new invitation.",
        )
    invited, workspace = found
    old = team.expired(invited)
    return _unkept(
        render(
            "auth/invite.html",
            status=410 if old else 422 if refusal else 200,
            invited=invited,
            workspace=workspace,
            role=WORDS[invited.role],
            owners=team.owners(workspace) if old else [],
            old=old,
            form=form or JoinForm.of(),
            refusal=refusal if refusal and not refusal.fields else None,
        )
    )


@area.post("/invite/<token>")
def join(token: str) -> Response:
    """Create the member, sign them in and open their role's first page."""
    found, form = team.find_invitation(token), JoinForm.posted()
    try:
        user = team.accept(token, **form.data)
    except NotFound:
        return _invitation(token)
    except AppError as refusal:
        return _invitation(token, form.take_errors(refusal), refusal)
    assert found is not None
    invited, workspace = found
    show_toast(f"Welcome to {workspace.name}. Your role: {WORDS[invited.role][0]}.")
    if two_factor.is_on(user):
        return redirect_to("pages.auth.login")
    begin_session(user, workspace.id)
    return redirect_to_path(landing(invited.role))


@area.get("/reset/<token>")
def reset(token: str) -> Response:
    return _reset(token, ResetForm.of())


def _reset(token: str, form: ResetForm) -> Response:
    user = passwords.find(token)
    if user is None:
        raise NotFound(
            "This link has expired or was already used.",
            recovery="Links work once and expire after an hour. Ask a workspace owner for a new one.",
        )
    return _unkept(render("auth/reset.html", status=422 if form.errors else 200, email=user.email, form=form))


@area.post("/reset/<token>")
def set_password(token: str) -> Response:
    form = ResetForm.posted()
    try:
        passwords.reset(token, form.password.data)
    except InvalidRequest as refusal:
        return _reset(token, form.take_errors(refusal))
    show_toast("Your password is set. You can now sign in.")
    return redirect_to("pages.auth.login")


def _unkept(response: Response) -> Response:
    """Forbid caches to keep a page whose address is a secret."""
    response.headers["Cache-Control"] = "no-store"
    return response
