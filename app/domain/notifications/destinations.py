"""Alert destinations: an email address or a chat, whose address is encrypted and shown masked."""

from dataclasses import dataclass
from urllib.parse import urlsplit

import sqlalchemy as sa

from app import ports
from app.core import text
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotSupported
from app.domain.autopilot import setup_state
from app.domain.platform import audit_log, secret_rotation
from app.domain.rules.schedules import quiet_hours
from app.domain.rules.schedules.quiet_hours import Timing
from app.models.autopilot import Setup
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from app.ports import LoggedOut, Notice, ProviderError, Refused, Throttled, Unreachable

KINDS = ("email", "chat")
TEST = Notice("test", "Test notification", ("Overture notifications will arrive here.",), "/autopilot/alerts")
NO_MAIL = "This server sends no email. Set OVERTURE_MAIL_URL, or choose a chat."
NO_SMS = "SMS notifications are not supported. Choose email or a chat."
LOST = "The chat's address was encrypted with an old SECRET_KEY. Enter the address again."
NOWHERE = "Choose where notifications go."


@dataclass(frozen=True)
class Sent:
    """The result of sending an alert; `broken` if the address can never work, `wait` for the time before a retry."""

    delivered: bool
    sentence: str
    broken: bool = False
    wait: int = 0


def set_destination(
    workspace: Workspace, kind: str, target: str, replies: bool = False, timing: Timing | None = None
) -> Setup:
    """Set where alerts go; with `replies`, alert about every reply. Without `timing`, keep the current times."""
    target = target.strip()
    if kind == "sms":
        raise NotSupported("SMS notifications are not supported.", recovery="Use email or chat.")
    if kind not in KINDS:
        raise InvalidRequest.of(("kind", "Use email or chat."))
    address, problems = text.email(target), timing.problems() if timing else []
    if kind == "email" and not address:
        problems.append(("target", "Enter an email address such as ada@example.com."))
    if kind == "chat" and (objection := ports.chats().objection(target)):
        problems.append(("target", objection))
    InvalidRequest.raise_for(problems)
    with transaction():
        setup = setup_state.locked(workspace)
        shown = address if kind == "email" else masked(target)
        setup.alerts = {"kind": kind, "target": shown, "replies": replies}
        setup.alerts_sealed = None
        if kind == "chat":
            secret_rotation.seal(setup, Setup.alerts_sealed, target)
        _time(setup, timing)
        if setup.alerts_broken_at is None:  # otherwise undelivered alerts are sent to the new place
            start_from_now(workspace, setup)
        _clear_problem(setup)
        if kind == "email" and not ports.alert_mail.connected and not workspace.sandbox:
            setup.alerts_problem = NO_MAIL
        audit_log.record(workspace, "notification.destination", shown)
        return setup


def change(workspace: Workspace, replies: bool, timing: Timing | None = None) -> Setup:
    """Set which replies are alerts, and at which times; the destination stays."""
    if timing and (problems := timing.problems()):
        raise InvalidRequest.of(*problems)
    with transaction():
        setup = setup_state.locked(workspace)
        if setup.alerts is None:
            raise Conflict(NOWHERE, recovery="Save the notification settings first.")
        setup.alerts = {**setup.alerts, "replies": replies}
        _time(setup, timing)
        return setup


def start_from_now(workspace: Workspace, setup: Setup) -> None:
    """Mark all events until now as reported. Inside a transaction."""
    last = sa.select(sa.func.max(Event.sequence)).where(Event.workspace_id == workspace.id)
    setup.alerts_event = session().scalar(last) or 0
    setup.alerts_at = workspace.now()


def masked(url: str) -> str:
    """Mask a chat's address: scheme, host and the last four characters."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}/…{url[-4:]}"


def chat(setup: Setup) -> ports.Room | None:
    """Return the kind of chat that gets the alerts, or None."""
    url = secret_rotation.opened(setup, Setup.alerts_sealed)
    return ports.chats().room(url) if url else None


def test(workspace: Workspace) -> Sent:
    """Send a test alert, or return why that failed. Calls out, so never inside a transaction."""
    return send(workspace, TEST)


def send(workspace: Workspace, notice: Notice) -> Sent:
    """Send an alert to its destination and record whether it was taken. Calls out."""
    setup = setup_state.get(workspace)
    if setup.alerts is None:
        raise Conflict(NOWHERE, recovery="Save the notification settings first.")
    kind, target, sealed = setup.alerts["kind"], setup.alerts["target"], setup.alerts_sealed
    url = secret_rotation.opened(setup, Setup.alerts_sealed)
    end_read()
    try:
        if kind == "email":
            sent = _by_mail(workspace, target, notice)
        elif url:
            ports.chats().post(url, notice)
            sent = Sent(True, f"{ports.chats().room(url).title} received the notification.")
        else:
            sent = Sent(False, LOST if kind == "chat" else NO_SMS, broken=True)
    except ProviderError as failure:
        gone = Refused if kind == "email" else LoggedOut
        wait = failure.retry_after if isinstance(failure, Throttled) else 0
        sent = Sent(False, failure.sentence, isinstance(failure, gone), wait)
    _note(workspace, sent, (target, sealed))
    return sent


def _by_mail(workspace: Workspace, address: str, notice: Notice) -> Sent:
    if ports.alert_mail.connected:
        words = "\n".join(notice.lines)
        ports.alert_mail().send(address, f"Overture: {notice.title}", words, notice.link)
        return Sent(True, f"Email sent to {address}.")
    if workspace.sandbox:
        return Sent(False, f"Sandbox: nothing was actually sent to {address}.")
    raise Unreachable(NO_MAIL)


def _note(workspace: Workspace, sent: Sent, tried: tuple[str, bytes | None]) -> None:
    """Record whether alerts arrive, unless the destination has changed meanwhile."""
    with transaction():
        setup = setup_state.locked(workspace)
        if setup.alerts is None or (setup.alerts["target"], setup.alerts_sealed) != tried:
            return
        if sent.delivered:
            _clear_problem(setup)
        elif sent.broken:
            give_up_sending(workspace, setup, sent.sentence)
        elif not workspace.sandbox or setup.alerts["kind"] != "email":
            setup.alerts_problem = sent.sentence


def give_up_sending(workspace: Workspace, setup: Setup, sentence: str) -> None:
    """Stop sending alerts to a broken destination; the unsent ones wait for a new one. Inside a transaction."""
    setup.alerts_problem = sentence
    setup.alerts_broken_at = setup.alerts_broken_at or workspace.now()


def _clear_problem(setup: Setup) -> None:
    setup.alerts_problem, setup.alerts_broken_at = "", None


def _time(setup: Setup, timing: Timing | None) -> None:
    if timing:
        setup.alerts_digest, setup.alerts_quiet = timing.digest, timing.quiet


@dataclass(frozen=True)
class View:
    """The alert settings, and whether alerts are delivered."""

    setup: Setup
    timing: Timing
    chat: ports.Room | None


def view(workspace: Workspace) -> View:
    """Return the alert settings."""
    setup = setup_state.get(workspace)
    return View(setup, quiet_hours.timing_of(setup), chat(setup))
