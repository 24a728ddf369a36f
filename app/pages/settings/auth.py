"""Sign-in: first setup, one or two steps, sign out."""

from typing import Any

from flask import Blueprint, Response, current_app, request, session
from flask_login import current_user, logout_user

from app.core import clock
from app.core.errors import AppError, Forbidden, InvalidRequest, NotFound, RateLimited
from app.domain.workspace import passwords, sessions, two_factor, workspaces
from app.domain.workspace.roles import landing
from app.domain.workspace.workspaces import User
from app.pages.framework.base import (
    begin_session,
    known_device,
    redirect_to,
    redirect_to_path,
    render,
    safe_path,
    show_toast,
)
from app.pages.framework.forms import Form, Secret, Text, Tick

area = Blueprint("auth", __name__)
HALFWAY = 10 * 60  # seconds between the password and the second step


class SetupForm(Form):
    name = Text(strip=True)
    email = Text(strip=True)
    password = Secret()
    timezone = Text(strip=True)
    sandbox = Tick()


class LoginForm(Form):
    """The login, and the page to return to."""

    email = Text(strip=True)
    password = Secret()
    next = Text()


class CodeForm(Form):
    """The code, and the page to return to."""

    code = Text()
    next = Text()


class ForgotForm(Form):
    email = Text(strip=True)


@area.get("/setup")
def setup() -> Response:
    """Show the first form of an empty installation; 404 afterwards."""
    _only_once()
    return render("auth/setup.html", form=SetupForm.of(sandbox=True))


@area.post("/setup")
def create() -> Response:
    """Create the workspace and sign its owner in."""
    _only_once()
    form = SetupForm.posted()
    try:
        workspaces.set_up(**form.data)
    except InvalidRequest as refusal:
        return render("auth/setup.html", status=422, form=form.take_errors(refusal))
    begin_session(workspaces.authenticate(form.email.data, form.password.data, _address()))
    show_toast("Your workspace is ready. Nothing is sent until you start a campaign.")
    return redirect_to("/")


@area.get("/login")
def login() -> Response:
    """Show the sign-in form, or the set-up on an empty installation; redirect a signed-in user."""
    if not workspaces.any_exist() and current_app.config["OVERTURE_SIGNUP"]:
        return redirect_to("pages.auth.setup")
    if current_user.is_authenticated:
        if workspaces.of_user(current_user.user):
            return redirect_to_path(safe_path(request.args.get("next"), _landing(current_user.user)))
        sessions.end_current(current_user.user, current_user.here.id)
        logout_user()
    return render("auth/login.html", form=LoginForm.of(next=request.args.get("next", "")), refusal=None)


@area.post("/login")
def sign_in() -> Response:
    """Sign in and return to the previous page, or ask for the second step."""
    form = LoginForm.posted()
    back = form.next.data
    try:
        user = workspaces.authenticate(form.email.data, form.password.data, _address(), known_device())
        if not workspaces.of_user(user):
            raise Forbidden("You are not a member of any workspace.", recovery="Ask an owner to invite you again.")
    except AppError as refusal:
        return _refused("auth/login.html", refusal, form=form)
    if two_factor.is_on(user):
        session.clear()
        session["halfway"] = [user.id, workspaces.password_mark(user), int(clock.now().timestamp())]
        return redirect_to("pages.auth.second_step", next=back or None)
    begin_session(user)
    return redirect_to_path(safe_path(back, _landing(user)))


@area.get("/login/code")
def second_step() -> Response:
    """Show the form for the code of the authenticator app."""
    if _halfway() is None:
        return redirect_to("pages.auth.login")
    return render("auth/code.html", form=CodeForm.of(next=request.args.get("next", "")), refusal=None)


@area.post("/login/code")
def prove() -> Response:
    """Check the code, sign in and return to the previous page."""
    user, form = _halfway(), CodeForm.posted()
    back = form.next.data
    if user is None:
        show_toast("The sign-in took too long. Sign in again.", "warn")
        return redirect_to("pages.auth.login", next=back or None)
    try:
        two_factor.check(user, form.code.data)
    except AppError as refusal:
        return _refused("auth/code.html", refusal, form=form)
    begin_session(user)
    return redirect_to_path(safe_path(back, _landing(user)))


@area.post("/logout")
def logout() -> Response:
    """Sign out, and clear the browser's data."""
    if current_user.is_authenticated:
        sessions.end_current(current_user.user, current_user.here.id)
    logout_user()
    session.clear()
    response = redirect_to("pages.auth.login")
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


@area.get("/login/forgot")
def forgot() -> Response:
    """Show the form for a forgotten password, or who can help if no email is set up."""
    form = ForgotForm.of(email=request.args.get("email", ""))
    return render("auth/forgot.html", form=form, by_mail=passwords.may_mail())


@area.post("/login/forgot")
def send_link() -> Response:
    """Send a reset link; the answer is the same for an unknown address."""
    form = ForgotForm.posted()
    shown: dict[str, Any] = {"form": form, "by_mail": passwords.may_mail()}
    if not passwords.may_mail():
        return redirect_to("pages.auth.forgot")
    try:
        passwords.forgot(form.email.data, _address())
    except InvalidRequest as refusal:
        form.take_errors(refusal)
        return render("auth/forgot.html", status=422, **shown)
    except RateLimited as refusal:
        return _refused("auth/forgot.html", refusal, **shown)
    return render("auth/forgot.html", sent=True, **shown)


def _refused(template: str, refusal: AppError, **context: Any) -> Response:
    response = render(template, status=429 if refusal.retry_after else 422, refusal=refusal, **context)
    if refusal.retry_after:
        response.headers["Retry-After"] = str(refusal.retry_after)
    return response


def _halfway() -> User | None:
    """Return the user who entered a password and still owes the second step."""
    user_id, mark, at = session.get("halfway") or (0, "", 0)
    if clock.now().timestamp() - at > HALFWAY:
        return None
    user = workspaces.find_user(user_id)
    return user if user and workspaces.password_mark(user) == mark else None


def _landing(user: User) -> str:
    places = workspaces.of_user(user)
    return landing(places[0][1]) if places else "/"


def _only_once() -> None:
    if workspaces.any_exist() or not current_app.config["OVERTURE_SIGNUP"]:
        raise NotFound("Overture is already set up.", recovery="Sign in instead.")


def _address() -> str:
    return request.remote_addr or ""
