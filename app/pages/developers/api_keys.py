"""The developers' start page (first call in three steps) and API keys."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from flask import Blueprint, Response, current_app, g

from app.core import clock
from app.core.errors import AppError, Conflict, Forbidden, InvalidRequest, PlanLimitExceeded
from app.core.text import url_parts
from app.domain.webhooks import endpoints
from app.domain.webhooks.events import EVENTS
from app.domain.workspace import api_keys
from app.domain.workspace.workspaces import User, Workspace
from app.pages.developers import webhooks as webhook_pages
from app.pages.framework.base import error_text, htmx, may_change, redirect_to, render, show_toast
from app.pages.framework.forms import Form, Text, Texts, Tick

area = Blueprint("developers", __name__, url_prefix="/developers")
area.register_blueprint(webhook_pages.part)

PRESETS = {
    "read-only": ("Read-only", "Can read everything and change nothing."),
    "standard": ("Standard", "Everything except billing, settings, members, keys and secrets."),
    "full": ("Full", "Full access, including future features."),
    "chosen": ("Custom", "Only the permissions you choose."),
}
EXPIRIES = {"": "Never", "30": "In 30 days", "90": "In 90 days", "365": "In a year"}


class KeyForm(Form):
    """A new key: its name, its scopes and how long it works."""

    name = Text()
    preset = Text(default="standard")
    scopes = Texts()
    expires = Text()
    without_approval = Tick(name="withoutApproval")


@area.get("")
def index(workspace: Workspace) -> Response:
    """Show the first call in three steps, ticked as they are done."""
    return render("developers/index.html", part="developers/_steps.html", **_steps(workspace))


@area.get("/keys")
def key_list(workspace: Workspace, user: User) -> Response:
    return render("api_keys/index.html", part="api_keys/_rows.html", **_keys(workspace, user))


@area.get("/keys/new")
@may_change
def new_key(workspace: Workspace, user: User) -> Response:
    return _form(workspace, user, KeyForm.of())


@area.post("/keys")
def create_key(workspace: Workspace, user: User) -> Response:
    """Create a key and show it once."""
    form = KeyForm.posted(preset="")
    chosen = form.preset.data == "chosen"
    presets = _presets(api_keys.may_hold(workspace, user))
    scopes = form.scopes.data if chosen else presets.get(form.preset.data, ())
    days = form.expires.data if form.expires.data in EXPIRIES else ""
    expires_at = clock.now() + timedelta(days=int(days)) if days else None
    try:
        alone = form.without_approval.data
        key, plain = api_keys.create(
            workspace, form.name.data, scopes, expires_at=expires_at, created_by=user, without_approval=alone
        )
    except (InvalidRequest, PlanLimitExceeded) as refusal:
        return _form(workspace, user, form.take_errors(refusal), refusal)
    return _shown(workspace, user, key, plain, f"Key “{key.name}” is ready")


@area.post("/keys/<int:key_id>/roll")
def roll_key(workspace: Workspace, key_id: int, user: User) -> Response:
    """Replace a key and show the new one once; the old one works for another day."""
    try:
        key, plain = api_keys.roll(workspace, key_id, by=user)
    except (Conflict, Forbidden) as refusal:
        show_toast(error_text(refusal), "danger")
        return redirect_to("pages.developers.key_list")
    return _shown(workspace, user, key, plain, f"New key for “{key.name}”", rolled=True)


@area.post("/keys/<int:key_id>/take-over")
def take_over_key(workspace: Workspace, key_id: int, user: User) -> Response:
    """Let the key speak for this owner."""
    key = api_keys.take_over(workspace, user, key_id)
    show_toast(f"“{key.name}” is yours now and keeps all its permissions.")
    return redirect_to("pages.developers.key_list")


@area.post("/keys/<int:key_id>/revoke")
def revoke_key(workspace: Workspace, key_id: int) -> Response:
    key = api_keys.revoke(workspace, key_id)
    show_toast(f"“{key.name}” revoked. Calls with this key now fail.")
    return redirect_to("pages.developers.key_list")


def scope_words(scopes: list[str]) -> str:
    """Return the preset of these scopes, or their number."""
    if scopes == [api_keys.ALL]:
        return "Full"
    names = {tuple(sorted(scope_set)): name for name, scope_set in api_keys.PRESETS.items()}
    preset = names.get(tuple(sorted(scopes)))
    if preset:
        return PRESETS[preset][0]
    return scopes[0] if len(scopes) == 1 else f"{len(scopes)} scopes"


def _steps(workspace: Workspace) -> dict[str, Any]:
    found = api_keys.every(workspace)
    used = sorted((key.last_used_at, key.name) for key in found if key.last_used_at)
    return {
        "keys": found,
        "used": used[-1] if used else None,
        "hooks": len(endpoints.every(workspace)),
        "event_types": len(EVENTS),
        "base": current_app.config["BASE_URL"],
    }


def _keys(workspace: Workspace, user: User) -> dict[str, Any]:
    return {
        "lines": api_keys.held(workspace, api_keys.every(workspace)),
        "words": scope_words,
        "unused": api_keys.unused,
        "owner": g.role == "owner",
        "me": user.id,
    }


def _presets(may: frozenset[str]) -> dict[str, Sequence[str]]:
    """Return the scopes of each preset that keys may hold; all of the future only for who holds all."""
    every = may == frozenset(api_keys.SCOPES)
    return {
        name: scopes if every else [scope for scope in scopes if scope in may]
        for name, scopes in api_keys.PRESETS.items()
        if every or scopes != (api_keys.ALL,)
    }


def _form(workspace: Workspace, user: User, form: KeyForm, refusal: AppError | None = None) -> Response:
    groups: dict[str, list[tuple[str, api_keys.Scope]]] = {}
    may = api_keys.may_hold(workspace, user)
    for name, scope in api_keys.SCOPES.items():
        if name in may:
            groups.setdefault(scope.group, []).append((name, scope))
    offered = {*_presets(may), "chosen"}
    return render(
        "api_keys/new.html",
        part="api_keys/_dialog.html",
        status=422 if refusal else 200,
        form=form,
        refusal=refusal,
        presets={name: words for name, words in PRESETS.items() if name in offered},
        less=len(may) < len(api_keys.SCOPES),
        may_approve=api_keys.APPROVING in may,
        groups=groups,
        expiries=list(EXPIRIES.items()),
    )


def _shown(workspace: Workspace, user: User, key: Any, plain: str, title: str, rolled: bool = False) -> Response:
    """Show the key once: in the dialog with the list behind it, or on its own page."""
    answer = render(
        "api_keys/show.html",
        part="api_keys/_shown.html",
        status=200 if htmx() else 201,
        key=key,
        plain=plain,
        title=title,
        rolled=rolled,
        behind={"/developers/keys": "keys", "/developers": "start"}.get(url_parts(str(htmx().current_url or "")).path),
        **(_keys(workspace, user) | _steps(workspace)),
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer
