"""The user's profile: name, password, two-factor sign-in and sessions."""

import io
from typing import Any

import segno
from flask import Blueprint, Response, session
from flask_login import current_user, logout_user
from markupsafe import Markup

from app.core.errors import AppError, Conflict, InvalidRequest
from app.domain.workspace import passwords, sessions, two_factor, user_emails
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework.base import begin_session, reauthenticate, redirect_to, render, show_toast, try_verb
from app.pages.framework.forms import Form, Secret, Text

area = Blueprint("profile", __name__, url_prefix="/settings")
BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)


class ProfileForm(Form):
    name = Text(strip=True)
    email = Text(strip=True)


class PasswordForm(Form):
    old = Secret()
    new = Secret()


class CodeForm(Form):
    code = Text()


class TurnOffForm(Form):
    password = Secret()


@area.get("/profile")
def index(workspace: Workspace, user: User) -> Response:
    return page(workspace, user)


def page(workspace: Workspace, user: User, status: int = 200, **context: Any) -> Response:
    """Render the page; `context` has the form that was sent, with its errors."""
    shown = {
        "form": ProfileForm.of(name=user.name, email=user.email),
        "change": PasswordForm.of(),
    } | context
    return render(
        "settings/profile/index.html",
        status=status,
        user=user,
        here=current_user.here.id,
        signed_in=sessions.every(user),
        device=device,
        sends_mail=passwords.may_mail(),
        **shown,
    )


@area.post("/profile")
def save(workspace: Workspace, user: User) -> Response:
    """Save name and email; a new email needs the password."""
    form = ProfileForm.posted()
    if form.email.data.casefold() != user.email:
        again = reauthenticate()
        if again is not None:
            return again
    try:
        found = user_emails.change(user, **form.data)
    except InvalidRequest as refusal:
        return page(workspace, user, 422, form=form.take_errors(refusal))
    asked = form.email.data.strip().casefold() != found.email
    show_toast(f"Open the link we're sending to {form.email.data.strip()}." if asked else "Saved.")
    return redirect_to(".index")


@area.post("/profile/email")
def send_link(workspace: Workspace, user: User) -> Response:
    """Send a link that confirms the user's address."""
    try_verb(lambda: user_emails.ask(user), f"We're sending a link to {user.email}.")
    return redirect_to(".index")


@area.get("/profile/email/<token>")
def confirm(workspace: Workspace, user: User, token: str) -> Response:
    """Confirm the address, because the link that was sent to it was opened."""
    user_emails.confirm(user, token)
    show_toast("Email address confirmed.")
    return redirect_to(".index")


@area.post("/profile/password")
def change_password(workspace: Workspace, user: User) -> Response:
    """Change the password and end all other sessions."""
    form = PasswordForm.posted()
    try:
        passwords.change(user, **form.data, here=current_user.here.id)
    except InvalidRequest as refusal:
        return page(workspace, user, 422, change=form.take_errors(refusal))
    show_toast("Password changed. Your other sessions are signed out.")
    return redirect_to(".index")


@area.post("/profile/sessions/<int:session_id>/end")
def end(workspace: Workspace, user: User, session_id: int) -> Response:
    """Sign another browser out."""
    sessions.end(user, session_id)
    show_toast("Session ended.")
    return redirect_to(".index")


@area.post("/profile/sign-out-everywhere")
def sign_out_everywhere(workspace: Workspace, user: User) -> Response:
    """Sign every browser out, this one too."""
    sessions.sign_out_everywhere(user)
    logout_user()
    session.clear()
    show_toast("You are signed out on all devices.")
    response = redirect_to("pages.auth.login")
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


@area.get("/two-factor")
def factor(workspace: Workspace, user: User) -> Response:
    """Show the setup of an authenticator app, or how to turn it off."""
    return _factor(user)


def _factor(user: User, form: Form | None = None, refusal: AppError | None = None) -> Response:
    on = two_factor.is_on(user)
    fitting = TurnOffForm if on else CodeForm  # another tab may have turned it on or off meanwhile
    secret = "" if on else two_factor.prepare(user)
    response = render(
        "settings/profile/two_factor.html",
        status=422 if refusal else 200,
        on=on,
        required=two_factor.required_by(user),
        left=two_factor.left(user),
        secret=" ".join(secret[start : start + 4] for start in range(0, len(secret), 4)),
        picture=_picture(two_factor.address(user, secret)) if secret else "",
        form=form.take_errors(refusal) if isinstance(form, fitting) and refusal else fitting.of(),
        refusal=refusal if refusal and not refusal.fields else None,
    )
    response.headers["Cache-Control"] = "no-store"
    return response


@area.post("/two-factor")
def turn_on(workspace: Workspace, user: User) -> Response:
    """Turn two-factor authentication on, show the recovery codes once, and start a new session."""
    again = reauthenticate()
    if again is not None:
        return again
    form = CodeForm.posted()
    try:
        codes = two_factor.confirm(user, form.code.data)
    except InvalidRequest as refusal:
        return _factor(user, form, refusal)
    except Conflict:
        return redirect_to(".factor")
    begin_session(user, workspace.id)
    return _codes(codes, "Two-factor sign-in is on")


@area.post("/two-factor/codes")
def renew_codes(workspace: Workspace, user: User) -> Response:
    """Show ten new recovery codes once."""
    again = reauthenticate()
    if again is not None:
        return again
    try:
        return _codes(two_factor.renew_codes(user), "New recovery codes")
    except Conflict:
        return redirect_to(".factor")


@area.post("/two-factor/off")
def turn_off(workspace: Workspace, user: User) -> Response:
    """Turn two-factor authentication off."""
    form = TurnOffForm.posted()
    try:
        two_factor.turn_off(user, form.password.data)
    except AppError as refusal:
        return _factor(user, form, refusal)
    show_toast("Two-factor sign-in is off.")
    return redirect_to(".index")


def _codes(codes: list[str], title: str) -> Response:
    response = render("settings/profile/codes.html", status=201, codes=codes, title=title)
    response.headers["Cache-Control"] = "no-store"
    return response


def _picture(address: str) -> Markup:
    """Return the QR code as one path, which takes its colours from its class."""
    drawn = io.BytesIO()
    segno.make(address, error="m").save(
        drawn,
        kind="svg",
        xmldecl=False,
        svgns=False,
        border=4,
        omitsize=True,
        svgclass="qr",
        lineclass="ink",
        light=None,
    )
    return Markup(drawn.getvalue().decode())  # segno draws it from an address that it encodes  # nosec B704


def device(agent: str) -> str:
    """Return browser and system such as Firefox on Linux."""
    browser = next((name for mark, name in BROWSERS if mark in agent), "")
    system = next((name for mark, name in SYSTEMS if mark in agent), "")
    return f"{browser or 'A browser'} on {system}" if system else browser or "Another program"
