"""A signed delivery request: signed at the time of sending, over the same bytes."""

import logging
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from standardwebhooks import Webhook as Signer

from app import ports
from app.core import clock
from app.core.db import fetch_by_id
from app.domain.webhooks import endpoints, payload_versions
from app.domain.webhooks.retries import Outcome
from app.models.webhooks import Delivery, DeliveryState, Event, Webhook

log = logging.getLogger("app.deliveries")
Lane = tuple[int, str]  # a webhook and its host: a new host is a new start


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A webhook as it was loaded; `mark` changes whenever anything about the webhook changes."""

    webhook_id: int
    lane: Lane
    url: str
    signers: tuple[Signer, ...]
    mark: tuple[Any, ...]


@dataclass(slots=True)
class SignedDelivery:
    """One delivery, claimed `until`."""

    delivery_id: int
    target: Endpoint
    ref: str
    body: str
    until: datetime


def load_endpoints(webhook_ids: Iterable[int], known: Mapping[int, Endpoint]) -> dict[int, Endpoint]:
    """Load the webhooks that still exist; reuse unchanged ones of `known` with their decrypted secrets."""
    found, at = {}, clock.now()
    for row in fetch_by_id(_TARGETS, webhook_ids).values():
        overlap = row.former_secret if row.former_until and row.former_until > at else None
        mark = (row.url, row.active, row.secret, overlap)
        target = known.get(row.id)
        found[row.id] = target if target and target.mark == mark else _target(row, mark)
    return found


def load_claimed(ids: list[int]) -> list[Any]:
    """Load the content of those deliveries that still wait, in the order of the ids."""
    rows = fetch_by_id(_CLAIMED, ids)
    return [rows[delivery_id] for delivery_id in ids if delivery_id in rows]


def build(row: Any, target: Endpoint, until: datetime) -> SignedDelivery:
    """Build the signed request of a claimed row."""
    body = payload_versions.in_version(row.body or row.test_body, row.payload_version)
    return SignedDelivery(row.id, target, row.ref or row.test_ref, body, until)


def signed_headers(signers: Iterable[Signer], ref: str, at: datetime, body: str) -> dict[str, str]:
    """Return the Standard Webhooks headers, with one signature for each valid secret."""
    at = at.astimezone(UTC)  # the library signs the clock face of any other zone as if it were UTC
    return {
        "webhook-id": ref,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signer.sign(ref, at, body) for signer in signers),
    }


def send(parcel: SignedDelivery) -> Outcome:
    """Call the endpoint once and return the outcome."""
    at, target = clock.now(), parcel.target
    headers = {"content-type": "application/json"}
    headers |= signed_headers(target.signers, parcel.ref, at, parcel.body)
    written = "\n".join(f"{name}: {value}" for name, value in headers.items())
    begun = time.monotonic()
    try:
        answer = ports.webhook_client().post(target.url, headers, parcel.body.encode())
    except Exception as problem:
        sentence = problem.sentence if isinstance(problem, ports.ProviderError) else "The request could not be sent."
        if not isinstance(problem, ports.ProviderError):
            log.exception("A delivery could not be tried", extra={"fields": {"delivery": parcel.delivery_id}})
        took = int((time.monotonic() - begun) * 1000)
        return Outcome(parcel.delivery_id, target.webhook_id, at, written, took, error=sentence)
    return Outcome(
        parcel.delivery_id,
        target.webhook_id,
        at,
        written,
        answer.milliseconds,
        status=answer.status,
        response=answer.head,
        retry_after=answer.retry_after,
    )


_TARGETS = sa.select(
    Webhook.id,
    Webhook.workspace_id,
    Webhook.url,
    Webhook.active,
    Webhook.secret,
    Webhook.former_secret,
    Webhook.former_until,
).where(Webhook.id.in_(sa.bindparam("ids", expanding=True)))
_CLAIMED = (
    sa.select(
        Delivery.id,
        Delivery.webhook_id,
        Delivery.payload_version,
        Delivery.test_ref,
        Delivery.test_body,
        Event.ref,
        Event.body,
    )
    .outerjoin(Event, Event.id == Delivery.event_id)
    .where(Delivery.id.in_(sa.bindparam("ids", expanding=True)), Delivery.state == DeliveryState.PENDING)
)


def _target(row: Any, mark: tuple[Any, ...]) -> Endpoint:
    secrets = [endpoints.unseal(sealed, row.id, row.workspace_id) for sealed in mark[2:] if sealed]
    signers = tuple(Signer(secret) for secret in secrets)
    return Endpoint(row.id, (row.id, urlsplit(row.url).netloc), row.url, signers, mark)
