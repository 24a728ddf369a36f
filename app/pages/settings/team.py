"""Members, roles and invitations."""

from typing import Any

from flask import Blueprint, Response, current_app, g, request, url_for

from app.core.errors import AppError, Conflict, InvalidRequest
from app.domain.workspace import api_keys, passwords, roles, team
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework.base import error_text, redirect_to, render, show_toast
from app.pages.framework.forms import Form, Text

area = Blueprint("team", __name__, url_prefix="/settings/team")
ROLES = [(str(role), name, detail) for role, (name, detail) in roles.WORDS.items()]


class InviteForm(Form):
    email = Text(strip=True)
    role = Text(strip=True, default="reviewer")


class RoleForm(Form):
    """A member's role, and what becomes of their keys."""

    role = Text()
    keys = Text()


@area.get("")
def index(workspace: Workspace) -> Response:
    return _page(workspace)


def _page(workspace: Workspace, status: int = 200, **context: Any) -> Response:
    shown = {"form": InviteForm.of(), "link": None} | context
    response = render(
        "team/index.html",
        status=status,
        members=team.members(workspace),
        invitations=team.invitations(workspace),
        expired=team.expired,
        roles=ROLES,
        names={role: name for role, name, _ in ROLES},
        may=roles.may(g.role, "members", change=True),
        me=g.user.id,
        two_factor_required=workspace.two_factor_required,
        keys=_keys(workspace),
        grantable={role: [(name, api_keys.SCOPES[name]) for name in api_keys.grantable(role)] for role, _, _ in ROLES},
        **shown,
    )
    if shown["link"]:
        response.headers["Cache-Control"] = "no-store"
    return response


def _keys(workspace: Workspace) -> dict[int, list[api_keys.ApiKey]]:
    """Return the valid keys that speak for each member, by the user's id."""
    found: dict[int, list[api_keys.ApiKey]] = {}
    for key in api_keys.every(workspace):
        if key.created_by is not None:
            found.setdefault(key.created_by, []).append(key)
    return found


@area.post("")
def invite(workspace: Workspace, user: User) -> Response:
    """Invite a person; show the link once, and mail it if email is set up."""
    form = InviteForm.posted(role="")
    try:
        made, token = team.invite(workspace, user, **form.data)
    except InvalidRequest as refusal:
        return _page(workspace, 422, form=form.take_errors(refusal))
    except Conflict as refusal:
        return _page(workspace, 409, form=form.take_errors(InvalidRequest.of(("email", error_text(refusal)))))
    return _invited(workspace, made, token)


@area.post("/invitations/<int:invitation_id>/resend")
def resend(workspace: Workspace, user: User, invitation_id: int) -> Response:
    """Create a new link for the invitation."""
    try:
        made, token = team.resend(workspace, user, invitation_id)
    except (Conflict, InvalidRequest) as refusal:
        return _refused(refusal)
    return _invited(workspace, made, token)


def _invited(workspace: Workspace, made: team.Invitation, token: str) -> Response:
    link = current_app.config["BASE_URL"].rstrip("/") + url_for("pages.invitations.invitation", token=token)
    mailed = team.mail(workspace, made, link)
    return _page(workspace, 201, link={"kind": "invite", "email": made.email, "url": link, "mailed": mailed})


@area.post("/invitations/<int:invitation_id>/withdraw")
def withdraw(workspace: Workspace, user: User, invitation_id: int) -> Response:
    """Withdraw the invitation."""
    gone = team.withdraw(workspace, user, invitation_id)
    show_toast(f"Invitation for {gone.email} withdrawn.")
    return redirect_to(".index")


@area.post("/<int:member_id>/role")
def change(workspace: Workspace, user: User, member_id: int) -> Response:
    """Change the member's role, and what becomes of their keys."""
    form = RoleForm.posted(role="", keys="")
    try:
        changed = team.change_role(workspace, user, member_id, **form.data)
    except (Conflict, InvalidRequest) as refusal:
        return _refused(refusal)
    show_toast(f"{changed.name or changed.email} is now {roles.WORDS[form.role.data][0]}.")
    return redirect_to(".index")


@area.post("/<int:member_id>/grant")
def grant(workspace: Workspace, user: User, member_id: int) -> Response:
    """Let the member's keys hold more than those of the role."""
    try:
        granted = team.grant(workspace, user, member_id, request.form.getlist("scopes"))
    except InvalidRequest as refusal:
        return _refused(refusal)
    show_toast(f"Extra permissions saved for the keys of {granted.name or granted.email}.")
    return redirect_to(".index")


@area.post("/<int:member_id>/remove")
def remove(workspace: Workspace, user: User, member_id: int) -> Response:
    """Remove the member, and decide what becomes of their keys."""
    try:
        gone = team.remove(workspace, user, member_id, request.form.get("keys", "revoke"))
    except Conflict as refusal:
        return _refused(refusal)
    show_toast(f"{gone.name or gone.email} is no longer a member.")
    return redirect_to(".index")


@area.post("/leave")
def leave(workspace: Workspace, user: User) -> Response:
    """Leave the workspace."""
    mine = next(one.id for one in team.members(workspace) if one.user_id == user.id)
    try:
        team.remove(workspace, user, mine)
    except Conflict as refusal:
        show_toast(f"{refusal.message} {refusal.recovery}", "danger")
        return redirect_to("pages.profile.index")
    show_toast(f"You left {workspace.name}.")
    return redirect_to("pages.auth.login")


@area.post("/<int:member_id>/password")
def password(workspace: Workspace, user: User, member_id: int) -> Response:
    """Show a link to reset the member's password once."""
    try:
        member, token = team.password_link(workspace, user, member_id)
    except Conflict as refusal:
        return _refused(refusal)
    link = current_app.config["BASE_URL"].rstrip("/") + url_for("pages.invitations.reset", token=token)
    email, mailed = member.email, passwords.mail(member, token)
    return _page(workspace, 201, link={"kind": "password", "email": email, "url": link, "mailed": mailed})


@area.post("/<int:member_id>/two-factor")
def two_factor(workspace: Workspace, user: User, member_id: int) -> Response:
    """Turn the member's two-factor authentication off."""
    try:
        member = team.reset_two_factor(workspace, user, member_id)
    except Conflict as refusal:
        return _refused(refusal)
    show_toast(f"{member.name or member.email} now signs in without a code.")
    return redirect_to(".index")


@area.post("/two-factor")
def require_two_factor(workspace: Workspace, user: User) -> Response:
    """Require two-factor sign-in of all members, or no longer."""
    on = request.form.get("required") == "1"
    try:
        team.require_two_factor(workspace, user, on)
    except Conflict as refusal:
        return _refused(refusal, "pages.profile.factor")
    show_toast("Two-factor sign-in is required." if on else "Two-factor sign-in is optional.")
    return redirect_to(".index")


def _refused(refusal: AppError, leads_to: str = ".index") -> Response:
    sentence = " ".join(field.message for field in refusal.fields) or f"{refusal.message} {refusal.recovery}"
    show_toast(sentence, "danger")
    return redirect_to(leads_to)
