"""Settings → Email sign-in: register this server once at Google and Microsoft, and test it."""

from dataclasses import dataclass

from flask import Blueprint, Response

from app import ports
from app.core.errors import AppError
from app.domain.senders import oauth_clients
from app.domain.senders.oauth_clients import TITLES
from app.domain.workspace import server_admins
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework.base import redirect_to, render, show_toast
from app.pages.framework.forms import Form, Secret, Text
from app.pages.senders import mailbox_oauth

area = Blueprint("email_sign_in", __name__, url_prefix="/settings/email-sign-in")
WAY = f"<any({', '.join(TITLES)}):way>"


class ClientForm(Form):
    """A client ID with its secret, as the provider shows them."""

    client_id = Text(name="clientId", strip=True)
    client_secret = Secret(name="clientSecret", strip=True)
    tenant = Text(strip=True)


@dataclass(frozen=True)
class Card:
    """One provider: whether its sign-in works, and the form to set it up. `fixed`: by the environment's settings."""

    way: str
    title: str
    on: bool
    fixed: bool
    client_id: str
    form: ClientForm
    refusal: AppError | None = None


@area.get("")
def index(workspace: Workspace, user: User) -> Response:
    server_admins.require(user)
    return _page()


def _page(sent: tuple[str, ClientForm, AppError] | None = None) -> Response:
    cards = [_card(way, sent if sent and sent[0] == way else None) for way in TITLES]
    return render(
        "settings/email_sign_in/index.html",
        status=422 if sent else 200,
        cards=cards,
        back=mailbox_oauth.back_address(),
    )


def _card(way: str, sent: tuple[str, ClientForm, AppError] | None) -> Card:
    fixed, kept = ports.mail_consent().fixed().get(way), oauth_clients.find(way)
    client_id = fixed.client_id if fixed else kept.client_id if kept else ""
    filled = ClientForm.of(client_id=kept.client_id, tenant=kept.tenant) if kept else ClientForm.of()
    form, refusal = (sent[1], None if sent[1].errors else sent[2]) if sent else (filled, None)
    on = way in ports.mail_consent().ways()
    return Card(way, TITLES[way], on, fixed is not None, client_id, form, refusal)


@area.post(f"/{WAY}")
def save(workspace: Workspace, user: User, way: str) -> Response:
    """Check the client at its provider and keep it."""
    server_admins.require(user)
    form = ClientForm.posted()
    try:
        oauth_clients.save(workspace, way, form.client_id.data, form.client_secret.data, form.tenant.data)
    except AppError as refusal:
        return _page((way, form.take_errors(refusal), refusal))
    show_toast(f"Sign-in with {TITLES[way]} is on. Test it before you use it.")
    return redirect_to(".index")


@area.post(f"/{WAY}/test")
def test(workspace: Workspace, user: User, way: str) -> Response:
    """Sign in at the provider as a mailbox's owner does, and come back here; nothing is connected."""
    server_admins.require(user)
    return mailbox_oauth.start(workspace, user, way, test=True)


@area.post(f"/{WAY}/remove")
def remove(workspace: Workspace, user: User, way: str) -> Response:
    """Delete the client and its secret."""
    server_admins.require(user)
    oauth_clients.remove(workspace, way)
    show_toast(f"Sign-in with {TITLES[way]} is off. The client ID and secret were deleted.", "info")
    return redirect_to(".index")
