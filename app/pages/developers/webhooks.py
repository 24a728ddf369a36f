"""Webhooks: list, form, the secret shown once, and the live delivery log."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, request, url_for

from app.core import clock, paging, text
from app.core.errors import AppError, Conflict, InvalidRequest, PlanLimitExceeded
from app.core.paging import Window
from app.domain.webhooks import delivery_log, endpoints, events, payload_versions
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import htmx, may_change, reauthenticate, redirect_to, render, show_toast
from app.pages.framework.forms import Form, Numbers, Text, Texts, Tick, Whole

part = Blueprint("webhooks", __name__, url_prefix="/webhooks")
MISSED = "missed"
TABS = {"": "All", "pending": "Pending", "delivered": "Delivered", "failed": "Failed", "canceled": "Cancelled"}
TABS[MISSED] = "Never received"
MOST_WATCHED, SOON = 50, timedelta(minutes=1)


@dataclass(frozen=True)
class Rate:
    """The success rate of the last 24 hours."""

    good: int
    all: int


class WebhookForm(Form):
    PATHS = {"campaignIds": "campaign_ids"}
    name = Text()
    url = Text()
    events = Texts()
    campaign_ids = Numbers(name="campaigns")
    payload_version = Whole(name="payloadVersion", empty=payload_versions.CURRENT)
    active = Tick()


@part.get("")
def index(workspace: Workspace) -> Response:
    return render(
        "webhooks/index.html",
        hooks=endpoints.every(workspace),
        rates={hook: Rate(*counts) for hook, counts in endpoints.rates(workspace).items()},
        campaigns=dict(endpoints.campaigns(workspace)),
    )


@part.get("/new")
@may_change
def new(workspace: Workspace) -> Response:
    return _form(workspace, WebhookForm.of(active=True, events=[request.args.get("event", "every_reply")]))


@part.post("")
def create(workspace: Workspace) -> Response:
    """Create the webhook and show its secret once."""
    form = WebhookForm.posted()
    try:
        webhook, secret = endpoints.create(workspace, **form.data)
    except (InvalidRequest, PlanLimitExceeded) as refusal:
        return _form(workspace, form, refusal)
    return _secret(webhook, secret, f"Endpoint “{webhook.name}” is ready")


@part.get("/<int:webhook_id>/edit")
@may_change
def edit(workspace: Workspace, webhook_id: int) -> Response:
    webhook = endpoints.get(workspace, webhook_id)
    form = WebhookForm.of(**{name: getattr(webhook, name) for name in WebhookForm.of().data})
    return _form(workspace, form, webhook=webhook)


@part.post("/<int:webhook_id>")
def update(workspace: Workspace, webhook_id: int) -> Response:
    form = WebhookForm.posted()
    if form.url.data.strip() != endpoints.get(workspace, webhook_id).url:  # what is sent would go elsewhere
        again = reauthenticate()
        if again is not None:
            return again
    try:
        endpoints.update(workspace, webhook_id, **form.data)
    except InvalidRequest as refusal:
        return _form(workspace, form, refusal, endpoints.get(workspace, webhook_id))
    show_toast("Endpoint saved.")
    return redirect_to("pages.developers.webhooks.show", webhook_id=webhook_id)


@part.post("/<int:webhook_id>/<any(on, off):state>")
def switch(workspace: Workspace, webhook_id: int, state: str) -> Response:
    """Turn the webhook on or off."""
    webhook = endpoints.update(workspace, webhook_id, active=state == "on")
    then = "New events are sent from now on." if webhook.active else "You can resend missed events later."
    show_toast(f"“{webhook.name}” is {state}. {then}")
    return redirect_to("pages.developers.webhooks.show", webhook_id=webhook_id)


@part.post("/<int:webhook_id>/rotate-secret")
def rotate(workspace: Workspace, webhook_id: int) -> Response:
    """Show a new secret once; the previous one signs as well for another day."""
    webhook, secret = endpoints.rotate_secret(workspace, webhook_id)
    return _secret(webhook, secret, f"New secret for “{webhook.name}”", rotated=True)


@part.post("/<int:webhook_id>/delete")
def delete(workspace: Workspace, webhook_id: int) -> Response:
    name = endpoints.get(workspace, webhook_id).name
    endpoints.delete(workspace, webhook_id)
    show_toast(f"“{name}” deleted. No more events will be sent to this endpoint.")
    return redirect_to("pages.developers.webhooks.index")


@part.get("/<int:webhook_id>")
def show(workspace: Workspace, webhook_id: int) -> Response:
    webhook = endpoints.get(workspace, webhook_id)
    more = "cursor" in request.args
    names = dict(endpoints.campaigns(workspace)) if webhook.campaign_ids else {}
    return render(
        "webhooks/show.html",
        part="webhooks/_more.html" if more else "webhooks/_log.html",
        names=[names.get(campaign_id, f"Campaign {campaign_id}") for campaign_id in webhook.campaign_ids],
        newest_payload=payload_versions.CURRENT,
        **_log(workspace, webhook),
    )


@part.post("/<int:webhook_id>/test")
def send_test(workspace: Workspace, webhook_id: int) -> Response:
    endpoints.send_test(workspace, webhook_id)
    return _moved(workspace, webhook_id, "Test event sent.")


@part.post("/<int:webhook_id>/resend-failed")
def resend_failed(workspace: Workspace, webhook_id: int) -> Response:
    count = delivery_log.resend_failed(workspace, webhook_id)
    said = {0: "All events were already delivered.", 1: "One delivery is being retried."}
    return _moved(workspace, webhook_id, said.get(count, f"{count:,} deliveries are being retried."))


@part.post("/<int:webhook_id>/replay")
def replay(workspace: Workspace, webhook_id: int) -> Response:
    """Resend all events since a time."""
    since = _local_moment(request.form.get("since", ""), workspace.timezone)
    if since is None:
        show_toast("Enter a start date and time.", "danger")
        return redirect_to("pages.developers.webhooks.show", webhook_id=webhook_id)
    count = delivery_log.replay(workspace, webhook_id, since)
    said = {0: "No matching events since that time.", 1: "One event is being sent again."}
    show_toast(said.get(count, f"{count:,} events are being sent again."), "ok" if count else "info")
    return redirect_to("pages.developers.webhooks.show", webhook_id=webhook_id)


@part.get("/deliveries/<int:delivery_id>")
def delivery(workspace: Workspace, delivery_id: int) -> Response:
    """Show what was sent and received at each attempt."""
    found = delivery_log.get(workspace, delivery_id)
    return render(
        "webhooks/delivery.html",
        part="webhooks/_inside.html",
        delivery=found,
        moves=delivery_log.moves(found),
        webhook=endpoints.get(workspace, found.webhook_id),
        attempts=delivery_log.attempts(workspace, delivery_id),
        now=clock.now(),
    )


@part.post("/deliveries/<int:delivery_id>/redeliver")
def redeliver(workspace: Workspace, delivery_id: int) -> Response:
    try:
        found = delivery_log.redeliver(workspace, delivery_id)
        said = "The event is being sent again."
    except Conflict as refusal:
        found, said = delivery_log.get(workspace, delivery_id), refusal.message
    return _moved(workspace, found.webhook_id, said)


@part.get("/<int:webhook_id>/live")
def live(workspace: Workspace, webhook_id: int) -> Response:
    """Show the changed pending lines and the new ones; the page polls while any is pending."""
    newest, state = text.number(request.args.get("after", "")), request.args.get("state", "")
    watched = [text.number(one) for one in request.args.get("watch", "").split(",")[:MOST_WATCHED]]
    if not htmx():
        return redirect_to("pages.developers.webhooks.show", webhook_id=webhook_id)
    rows = delivery_log.get_many(workspace, webhook_id, watched, after=newest)
    return render(
        "webhooks/_live.html",
        webhook=endpoints.get(workspace, webhook_id),
        changed=[row for row in rows if row.id in watched],
        added=[row for row in rows if row.id not in watched and not state],
        state=state,
        counts=delivery_log.counts(workspace, webhook_id),
        rate=_rate(workspace, webhook_id),
        watch=_watched(rows),
        now=clock.now(),
        newest=max([newest, *(row.id for row in rows)]),
    )


def _moved(workspace: Workspace, webhook_id: int, said: str) -> Response:
    """Show the log after a resend; only the log for htmx."""
    if htmx():
        webhook = endpoints.get(workspace, webhook_id)
        return render("webhooks/_log.html", said=said, **_log(workspace, webhook))
    show_toast(said)
    return redirect_to("pages.developers.webhooks.show", webhook_id=webhook_id)


def _rate(workspace: Workspace, webhook_id: int) -> Rate:
    return Rate(*endpoints.rates(workspace).get(webhook_id, (0, 0)))


def _log(workspace: Workspace, webhook: Any) -> dict[str, Any]:
    """Return a filtered page of the log, and the lines to poll."""
    state = request.args.get("state", "")
    state = state if state in TABS else ""
    since_text = request.args.get("since", "")
    since = _local_moment(since_text, workspace.timezone)
    window = Window.of(request.args, (workspace.id, "webhook log", webhook.id, state, since))
    missed = state == MISSED
    listed = delivery_log.page(workspace, webhook.id, None if missed else state or None, since, missed=missed)
    page = paging.page(listed, delivery_log.KEY, window)
    here = partial(url_for, "pages.developers.webhooks.show", webhook_id=webhook.id)
    kept: dict[str, Any] = {"since": since_text} if since else {}
    return {
        "webhook": webhook,
        "rows": page.rows,
        "counts": delivery_log.counts(workspace, webhook.id),
        "rate": _rate(workspace, webhook.id),
        "tabs": [(key, label, here(state=key or None, **kept)) for key, label in TABS.items()],
        "state": state,
        "since": since_text if since else "",
        "more": here(state=state or None, **kept, cursor=page.next_cursor) if page.next_cursor else "",
        "watch": _watched(page.rows),
        "now": clock.now(),
        "newest": max((row.id for row in page.rows), default=0),
    }


def _watched(rows: Sequence[Any]) -> list[int]:
    """Return the deliveries that may soon change."""
    soon = clock.now() + SOON
    return [row.id for row in rows if row.state == "pending" and row.due_at and row.due_at <= soon][:MOST_WATCHED]


def _form(workspace: Workspace, form: WebhookForm, refusal: AppError | None = None, webhook: Any = None) -> Response:
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, kind in events.EVENTS.items():
        groups.setdefault(kind.group, []).append((name, kind.when))
    return render(
        "webhooks/form.html",
        status=422 if refusal else 200,
        form=form.take_errors(refusal) if refusal else form,
        refusal=refusal,
        webhook=webhook,
        groups=groups,
        versions=_versions() if webhook and webhook.payload_version < payload_versions.CURRENT else (),
        campaigns=endpoints.campaigns(workspace),
    )


def _versions() -> list[tuple[int, str]]:
    return [
        (one, f"Version {one}, the newest" if one == payload_versions.CURRENT else f"Version {one}")
        for one in payload_versions.VERSIONS
    ]


def _secret(webhook: Any, secret: str, title: str, rotated: bool = False) -> Response:
    """Show the secret once, and how to verify signatures with it."""
    answer = render("webhooks/secret.html", status=201, webhook=webhook, secret=secret, title=title, rotated=rotated)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _local_moment(written: str, zone: str) -> datetime | None:
    """Return the chosen time, in the workspace's time zone."""
    try:
        return datetime.fromisoformat(written).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
