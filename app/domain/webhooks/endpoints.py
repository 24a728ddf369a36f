"""Webhook endpoints: create, change, switch and delete them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock, crypto, text
from app.core.db import change_rows, get_owned, is_sqlite, session, transaction
from app.core.errors import Field, InvalidRequest, PlanLimitExceeded
from app.domain.platform import audit_log, secret_rotation
from app.domain.webhooks import events, payload_versions
from app.models.campaigns import Campaign
from app.models.webhooks import Delivery, DeliveryState, Webhook, WebhookHour
from app.models.workspaces import Workspace

MOST_WEBHOOKS = 50
MOST_CAMPAIGNS = 1000
OVERLAP = timedelta(hours=24)
NO_SUCH_CAMPAIGN = "Campaign not found in this workspace."


def create(
    workspace: Workspace,
    *,
    name: str,
    url: str,
    event: str | None = None,
    events: Sequence[str] | None = None,
    campaign_ids: Sequence[int] = (),
    active: bool = True,
    payload_version: int = payload_versions.CURRENT,
) -> tuple[Webhook, str]:
    """Create a webhook for one event or several; return it with its signing secret, which is shown only here."""
    given = {"name": name, "url": url, "event": event, "events": events, "campaign_ids": campaign_ids}
    columns = _checked(workspace, {**given, "payload_version": payload_version})
    with transaction() as current:
        _refuse_too_many(workspace)
        webhook = Webhook(workspace_id=workspace.id, active=active, secret=b"", created_at=clock.now(), **columns)
        current.add(webhook)
        current.flush()
        secret = crypto.webhook_secret()
        webhook.secret = seal(webhook, secret)
        audit_log.record(workspace, "webhook.created", webhook.name, after=_for_audit_log(webhook))
        return webhook, secret


def _for_audit_log(webhook: Webhook) -> dict[str, Any]:
    """Return what the audit log says of a webhook: its address, its events, and whether it is on."""
    return {"url": webhook.url, "events": ", ".join(webhook.events), "active": webhook.active}


def get(workspace: Workspace, webhook_id: int) -> Webhook:
    """Return the webhook, or raise NotFound."""
    return get_owned(Webhook, workspace, webhook_id)


def page(workspace: Workspace) -> sa.Select[Webhook]:
    """Select the webhooks of the workspace."""
    return sa.select(Webhook).where(Webhook.workspace_id == workspace.id)


def every(workspace: Workspace) -> Sequence[Webhook]:
    """Return all webhooks of the workspace, newest first; there are at most fifty."""
    return session().scalars(page(workspace).order_by(Webhook.id.desc())).all()


def campaigns(workspace: Workspace, most: int = 200) -> list[tuple[int, str]]:
    """Return the ids and names of the newest campaigns that a webhook could be limited to."""
    query = sa.select(Campaign.id, Campaign.name).where(Campaign.workspace_id == workspace.id)
    return [(row.id, row.name) for row in session().execute(query.order_by(Campaign.id.desc()).limit(most))]


def update(workspace: Workspace, webhook_id: int, **changes: Any) -> Webhook:
    """Update name, url, event or events, campaign_ids, active or payload_version; fields that are not given stay.

    Switching off cancels pending deliveries. Switching on, or a new address, resets the failure record.
    """
    columns = _checked(workspace, changes)
    with transaction():
        webhook = get_owned(Webhook, workspace, webhook_id, lock=True)
        moved, before = columns.get("url", webhook.url) != webhook.url, _for_audit_log(webhook)
        switched = "active" in columns and columns["active"] != webhook.active
        for column, value in columns.items():
            setattr(webhook, column, value)
        if switched and not webhook.active:
            cancel_pending(webhook)
        if switched or moved:
            start_afresh(webhook)
        if (after := _for_audit_log(webhook)) != before:
            audit_log.record(workspace, "webhook.changed", webhook.name, before=before, after=after)
        return webhook


def problems(webhook: Webhook) -> list[Field]:
    """Return what `update` would refuse of a webhook as it is stored; its campaigns may be deleted since."""
    workspace = session().get_one(Workspace, webhook.workspace_id)
    given = {"name": webhook.name, "url": webhook.url, "events": webhook.events}
    try:
        _checked(workspace, {**given, "payload_version": webhook.payload_version})
    except InvalidRequest as refusal:
        return list(refusal.fields)
    return []


def delete(workspace: Workspace, webhook_id: int) -> None:
    """Delete the webhook and its pending deliveries."""
    with transaction() as current:
        webhook = get_owned(Webhook, workspace, webhook_id, lock=True)
        audit_log.record(workspace, "webhook.deleted", webhook.name, before=_for_audit_log(webhook))
        current.delete(webhook)


def rotate_secret(workspace: Workspace, webhook_id: int) -> tuple[Webhook, str]:
    """Rotate the signing secret; the old one signs too for 24 hours, so that no delivery is refused."""
    with transaction():
        webhook = get_owned(Webhook, workspace, webhook_id, lock=True)
        secret = crypto.webhook_secret()
        webhook.former_secret, webhook.former_until = webhook.secret, clock.now() + OVERLAP
        webhook.secret = seal(webhook, secret)
        audit_log.record(workspace, "webhook.rotated", webhook.name)
        return webhook, secret


def send_test(workspace: Workspace, webhook_id: int, kind: str | None = None) -> Delivery:
    """Queue a sample of one of the webhook's events, else of the first: marked as a test, numberless, tried once."""
    with transaction() as current:
        webhook = get_owned(Webhook, workspace, webhook_id)
        kind = kind or webhook.event
        if kind not in webhook.events:
            raise InvalidRequest.of(("event", f"Use one of this webhook's events: {', '.join(webhook.events)}."))
        at, ref = clock.now(), events.new_ref("evt_test_")
        body = events.body(ref, kind, at, workspace.id, events.sample(kind), test=True)
        delivery = Delivery(
            workspace_id=workspace.id,
            webhook_id=webhook.id,
            payload_version=webhook.payload_version,
            test_kind=kind,
            test_ref=ref,
            test_body=body,
            created_at=at,
            due_at=at,
        )
        current.add(delivery)
        current.flush()
        return delivery


def rates(workspace: Workspace, at: datetime | None = None) -> dict[int, tuple[int, int]]:
    """Return (succeeded, tried) of the last 24 hours for each webhook with attempts."""
    since = (at or clock.now()) - timedelta(hours=24)
    query = (
        sa.select(WebhookHour.webhook_id, sa.func.sum(WebhookHour.delivered), sa.func.sum(WebhookHour.failed))
        .where(WebhookHour.workspace_id == workspace.id, WebhookHour.hour >= since)
        .group_by(WebhookHour.webhook_id)
    )
    return {webhook_id: (int(good), int(good + bad)) for webhook_id, good, bad in session().execute(query)}


def seal(webhook: Webhook, secret: str) -> bytes:
    """Encrypt the secret, bound to this row."""
    return crypto.keyring().seal(secret.encode(), _bound_to(webhook.id, webhook.workspace_id))


def unseal(sealed: bytes, webhook_id: int, workspace_id: int) -> str:
    """Decrypt a stored secret."""
    return crypto.keyring().unseal(sealed, _bound_to(webhook_id, workspace_id)).decode()


def cancel_pending(webhook: Webhook) -> None:
    """Cancel the webhook's pending deliveries; of one in flight, the log says whether it still arrived."""
    change_rows(
        sa.update(Delivery)
        .where(Delivery.webhook_id == webhook.id, Delivery.state == DeliveryState.PENDING)
        .values(state=DeliveryState.CANCELED, due_at=None, done_at=clock.now())
    )


def start_afresh(webhook: Webhook) -> None:
    """Reset the failure record and make waiting deliveries due now."""
    webhook.failing_since, webhook.failures, webhook.unanswered = None, 0, 0
    webhook.off_reason, webhook.off_at = "", None
    release(webhook)


def release(webhook: Webhook) -> None:
    """Make deliveries due that waited for the endpoint to recover."""
    if webhook.probe_at is None:
        return
    webhook.probe_at = None
    change_rows(
        sa.update(Delivery)
        .where(Delivery.webhook_id == webhook.id, Delivery.state == DeliveryState.PENDING, Delivery.due_at.is_(None))
        .values(due_at=clock.now())
    )


def _bound_to(webhook_id: int, workspace_id: int) -> str:
    return secret_rotation.associated_data(Webhook.secret, id=webhook_id, workspace_id=workspace_id)


def _refuse_too_many(workspace: Workspace) -> None:
    if not is_sqlite():  # two requests at once must not both be the fiftieth
        session().execute(sa.select(Workspace.id).where(Workspace.id == workspace.id).with_for_update(key_share=True))
    count = session().scalar(sa.select(sa.func.count()).where(Webhook.workspace_id == workspace.id)) or 0
    if count >= MOST_WEBHOOKS:
        raise PlanLimitExceeded(f"Your workspace has {count} of {MOST_WEBHOOKS} webhooks.")


def _checked(workspace: Workspace, given: dict[str, Any]) -> dict[str, Any]:
    """Return the columns to set; raise InvalidRequest with every problem."""
    columns, problems = dict(given), []
    if "name" in given:
        columns["name"] = text.squeeze(given["name"])
        if wrong := text.name_problem(columns["name"]):
            problems.append(Field("name", wrong))
    if "url" in given:
        columns["url"] = given["url"].strip()
        if sentence := ports.webhook_client().objection(columns["url"]):
            problems.append(Field("url", sentence))
    if "event" in given or "events" in given:
        kinds, wrong_kinds = _kinds(columns.pop("event", None), columns.pop("events", None))
        columns |= {"event": next(iter(kinds), ""), "more_events": kinds[1:] or None}
        problems += wrong_kinds
    if given.get("payload_version", payload_versions.CURRENT) not in payload_versions.VERSIONS:
        problems.append(Field("payloadVersion", f"Use one of {', '.join(map(str, payload_versions.VERSIONS))}."))
    if "campaign_ids" in given:
        columns["campaign_ids"] = list(dict.fromkeys(given["campaign_ids"]))
        problems += _foreign_campaigns(workspace, list(given["campaign_ids"]))
    if problems:
        raise InvalidRequest("The request is not valid.", fields=problems)
    return columns


def _kinds(event: str | None, several: Sequence[str] | None) -> tuple[list[str], list[Field]]:
    """Return the kinds of events that a webhook is to get, `event` first, and what is wrong with them."""
    one_of = f"Use one of {', '.join(events.EVENTS)}."
    if several is None:
        wanted = one_of if event else f"Send `event`, or several as `events`. {one_of}"
        return [event or ""], [] if event in events.EVENTS else [Field("event", wanted)]
    kinds = list(dict.fromkeys([*([event] if event else []), *several]))
    unknown = [Field(f"events[{at}]", one_of) for at, kind in enumerate(several) if kind not in events.EVENTS]
    if event and event not in events.EVENTS:
        unknown.append(Field("event", one_of))
    if not several:
        unknown.append(Field("events", "Choose at least one event."))
    return kinds, unknown


def _foreign_campaigns(workspace: Workspace, campaign_ids: list[int]) -> list[Field]:
    if len(campaign_ids) > MOST_CAMPAIGNS:
        return [Field("campaignIds", f"Choose at most {MOST_CAMPAIGNS:,} campaigns, or leave this empty for all.")]
    wanted = [campaign_id for campaign_id in campaign_ids if 0 < campaign_id < 2**63]
    query = sa.select(Campaign.id).where(Campaign.workspace_id == workspace.id, Campaign.id.in_(wanted))
    ours = set(session().scalars(query)) if wanted else set()
    return [
        Field(f"campaignIds[{index}]", NO_SUCH_CAMPAIGN)
        for index, campaign_id in enumerate(campaign_ids)
        if campaign_id not in ours
    ]
