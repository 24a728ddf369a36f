"""The way in and out: first set-up, sign in, sign out."""

from flask import Blueprint, Response, current_app, request, session
from flask_login import current_user, login_user, logout_user

from app.core.errors import AppError, InvalidRequest, NotFound
from app.domain import workspaces
from app.domain.workspaces import User
from app.pages.base import SignedIn, errors_of, redirect_to, redirect_to_path, render, safe_path, tell

area = Blueprint("auth", __name__)


@area.get("/setup")
def setup() -> Response:
    """The first visitor of an empty installation sees one short form; afterwards this page does not exist."""
    _only_once()
    return render("auth/setup.html", form={"sandbox": True}, errors={})


@area.post("/setup")
def create() -> Response:
    """The workspace exists and its owner is signed in."""
    _only_once()
    form = {name: request.form.get(name, "").strip() for name in ("name", "email", "timezone")}
    sandbox = "sandbox" in request.form
    try:
        workspaces.set_up(
            form["name"], form["email"], request.form.get("password", ""), sandbox=sandbox, timezone=form["timezone"]
        )
    except InvalidRequest as refusal:
        return render("auth/setup.html", status=422, form=form | {"sandbox": sandbox}, errors=errors_of(refusal))
    _enter(workspaces.authenticate(form["email"], request.form.get("password", ""), _address()))
    tell("Your workspace is ready. It contacts nobody until you start a campaign.")
    return redirect_to("/")


@area.get("/login")
def login() -> Response:
    """The sign-in form; an empty installation leads to the set-up, somebody signed in goes on."""
    if not workspaces.any_exist() and current_app.config["OVERTURE_SIGNUP"]:
        return redirect_to("pages.auth.setup")
    if current_user.is_authenticated:
        return redirect_to_path(safe_path(request.args.get("next")))
    return render("auth/login.html", email="", refusal=None, next=request.args.get("next", ""))


@area.post("/login")
def sign_in() -> Response:
    """The user is signed in, in a session of its own, and back where they came from."""
    email, back = request.form.get("email", "").strip(), request.form.get("next", "")
    try:
        user = workspaces.authenticate(email, request.form.get("password", ""), _address())
    except AppError as refusal:
        response = render(
            "auth/login.html", status=429 if refusal.retry_after else 422, email=email, refusal=refusal, next=back
        )
        if refusal.retry_after:
            response.headers["Retry-After"] = str(refusal.retry_after)
        return response
    _enter(user)
    return redirect_to_path(safe_path(back))


@area.post("/logout")
def logout() -> Response:
    """Nobody is signed in here, and the browser keeps nothing of what was shown."""
    logout_user()
    session.clear()
    response = redirect_to("pages.auth.login")
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


def _enter(user: User) -> None:
    """A new session, so that one planted before the sign-in is worth nothing."""
    session.clear()
    session.permanent = True
    login_user(SignedIn(user))


def _only_once() -> None:
    if workspaces.any_exist() or not current_app.config["OVERTURE_SIGNUP"]:
        raise NotFound("Overture is already set up here.", recovery="Sign in instead.")


def _address() -> str:
    return request.remote_addr or ""
