"""Where alerts go: an e-mail address, or a chat whose address is sealed and shown masked."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa

from app import ports
from app.core import text
from app.core.crypto import keyring
from app.core.db import leave_database, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotSupported
from app.domain.autopilot import state
from app.models.autopilot import Setup
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from app.ports import ProviderError

TEST = "Test: alerts of Overture arrive here."
NO_MAIL = "No outgoing mail is set up on this installation."


@dataclass(frozen=True)
class Sent:
    """What became of an alert."""

    delivered: bool
    sentence: str


def put(workspace: Workspace, kind: str, target: str, replies: bool = False) -> Setup:
    """Alerts go there from now on; with `replies`, every reply is one."""
    target = target.strip()
    if kind == "sms":
        raise NotSupported("Alerts by sms are not supported.", recovery="Use email or chat.")
    if kind not in ("email", "chat"):
        raise InvalidRequest.of(("kind", "Use email or chat."))
    address = text.email(target)
    if kind == "email" and not address:
        raise InvalidRequest.of(("target", "Give an e-mail address such as ada@example.com."))
    if kind == "chat" and (objection := ports.courier().objection(target)):
        raise InvalidRequest.of(("target", objection))
    with transaction():
        setup = state.locked(workspace)
        shown = address if kind == "email" else masked(target)
        setup.alerts = {"kind": kind, "target": shown, "replies": replies}
        setup.alerts_sealed = keyring().seal(target.encode(), _bound_to(setup)) if kind == "chat" else None
        look_from_now(workspace, setup)
        return setup


def put_replies(workspace: Workspace, replies: bool) -> Setup:
    """Every reply is an alert, or none is; where alerts go stays as it is."""
    with transaction():
        setup = state.locked(workspace)
        if setup.alerts is None:
            raise Conflict("Nobody has said yet where alerts go.", recovery="Set the alerts first.")
        setup.alerts = {**setup.alerts, "replies": replies}
        return setup


def look_from_now(workspace: Workspace, setup: Setup) -> None:
    """What has happened until now is not told any more. Inside a transaction."""
    last = sa.select(sa.func.max(Event.sequence)).where(Event.workspace_id == workspace.id)
    setup.alerts_event = session().scalar(last) or 0
    setup.alerts_at = workspace.now()


def masked(url: str) -> str:
    """A chat's address so that nobody can write to it: scheme, host and the last four characters."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}/…{url[-4:]}"


def _bound_to(setup: Setup) -> str:
    return f"autopilot_setup|alerts_sealed|{setup.id}|{setup.workspace_id}"


def test(workspace: Workspace) -> Sent:
    """A test alert was sent, or the sentence says why not. Calls out, so never inside a transaction."""
    setup = state.get(workspace)
    if setup.alerts is None:
        raise Conflict("Nobody has said yet where alerts go.", recovery="Set the alerts first.")
    return send(workspace, setup, "Test alert", TEST)


def send(workspace: Workspace, setup: Setup, subject: str, words: str) -> Sent:
    """The alert was handed over where alerts go, or the sentence says why not. Calls out."""
    where = setup.alerts or {}
    sealed, bound = setup.alerts_sealed, _bound_to(setup)
    leave_database()
    if where.get("kind") == "email":
        return _by_mail(workspace, where["target"], subject, words)
    if not sealed:
        return Sent(False, "Alerts go nowhere yet.")
    url = keyring().unseal(sealed, bound).decode()
    try:
        answer = ports.courier().post(url, {"content-type": "application/json"}, body_for(url, words))
    except ProviderError as failure:
        return Sent(False, failure.sentence)
    if 200 <= answer.status < 300:
        return Sent(True, "The chat took it.")
    return Sent(False, f"The chat answered with {answer.status}. Check its webhook address.")


def _by_mail(workspace: Workspace, address: str, subject: str, words: str) -> Sent:
    if ports.alert_mail.connected:
        try:
            ports.alert_mail().send(address, f"Overture: {subject}", words)
        except ProviderError as failure:
            return Sent(False, failure.sentence)
        return Sent(True, f"An e-mail is on its way to {address}.")
    if workspace.sandbox:
        return Sent(False, f"This is a sandbox: nothing is really sent to {address}.")
    return Sent(False, NO_MAIL)


def body_for(url: str, words: str) -> bytes:
    """What the chat behind that address understands."""
    host = urlsplit(url).hostname or ""
    body: dict[str, Any] = {"text": words}
    if host in ("discord.com", "discordapp.com") or host.endswith((".discord.com", ".discordapp.com")):
        body = {"content": words[:2000], "allowed_mentions": {"parse": []}}
    elif host.endswith((".logic.azure.com", ".api.powerplatform.com")):
        block = {"type": "TextBlock", "text": words, "wrap": True}
        card = {
            "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
            "type": "AdaptiveCard",
            "version": "1.4",
            "body": [block],
        }
        attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
        body = {"type": "message", "attachments": [attachment]}
    elif host.startswith("hooks.slack"):
        body = {"text": words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")}
    return json.dumps(body, ensure_ascii=False).encode()
