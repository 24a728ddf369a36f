"""Payload versions: a webhook gets what it was made for, whatever is added to events later."""

import json

import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.leads import tags
from app.domain.webhooks import delivery_log, dispatcher, endpoints, events, payload_versions
from app.models.leads import Lead
from app.models.webhooks import Webhook
from app.models.workspaces import Workspace
from tests.domain.outreach import a_campaign, only
from tests.support.receivers import Receiver

FIRST = {"id", "publicId", "profileUrl", "firstName", "lastName", "headline", "companyName"}


def pinned(workspace: Workspace, receiver: Receiver, version: int) -> Webhook:
    made, _ = endpoints.create(workspace, name="n", url=receiver.url, event="lead_tag_updated", payload_version=version)
    return made


def tagged(workspace: Workspace) -> None:
    tags.set_tags(workspace, only(a_campaign(workspace, ["quiet-ada"])).lead_id, ["vip"])


def test_a_webhook_gets_the_version_it_was_made_for(acme: Workspace, receiver: Receiver) -> None:
    """To the field and in its order, also in a test; the event itself, and newer webhooks, have more."""
    old = pinned(acme, receiver, 1)
    tagged(acme)
    dispatcher.deliver_due()
    endpoints.send_test(acme, old.id)
    dispatcher.deliver_due()
    body, test = (json.loads(request.body) for request in receiver.requests)
    assert list(body) == ["id", "sequence", "type", "createdAt", "timestamp", "workspaceId", "data"]
    assert set(body["data"]["lead"]) == set(test["data"]["lead"]) == FIRST
    assert body["data"]["tag"] == {"label": "vip", "sentiment": None, "former": ""}
    endpoints.delete(acme, old.id)
    made, _ = endpoints.create(acme, name="n", url=receiver.url, event="lead_tag_updated")
    (lead_id,) = session().scalars(sa.select(Lead.id))
    tags.set_tags(acme, lead_id, ["vip", "berlin"])
    dispatcher.deliver_due()
    body = json.loads(receiver.requests[-1].body)
    assert (made.payload_version, body["version"]) == (payload_versions.CURRENT, payload_versions.CURRENT)
    assert body["data"]["lead"]["email"] == "quiet-ada@example.com"
    assert body["data"]["lead"]["tags"] == ["vip", "berlin"]


def test_a_row_from_before_there_were_versions_has_the_first(acme: Workspace, receiver: Receiver) -> None:
    webhook = pinned(acme, receiver, 2)
    columns = [column for column in Webhook.__table__.c if column.name not in ("id", "payload_version")]
    with transaction() as current:
        values = {column.name: getattr(webhook, column.name) for column in columns}
        current.connection().execute(Webhook.__table__.insert(), values)
    assert [one.payload_version for one in session().scalars(endpoints.page(acme).order_by(Webhook.id))] == [2, 1]


def test_a_delivery_keeps_its_version_when_the_webhook_gets_another(acme: Workspace, receiver: Receiver) -> None:
    """What is sent again is the same; what comes later is new. The log shows what was sent."""
    webhook = pinned(acme, receiver, 1)
    tagged(acme)
    dispatcher.deliver_due()
    endpoints.update(acme, webhook.id, payload_version=2)
    (delivery,) = session().execute(delivery_log.page(acme, webhook.id)).all()
    delivery_log.redeliver(acme, delivery.id)
    dispatcher.deliver_due()
    first, again = (request.body for request in receiver.requests)
    assert first == again == delivery_log.get(acme, delivery.id).body.encode()
    endpoints.send_test(acme, webhook.id)
    dispatcher.deliver_due()
    assert json.loads(receiver.requests[2].body)["version"] == 2


def test_every_kind_has_a_first_version(acme: Workspace) -> None:
    """Without what the second added; all else stays, and so does an event from before there were versions."""
    for kind in events.EVENTS:
        body = events.body("evt_1", kind, acme.now(), acme.id, events.sample(kind), sequence=1)
        first = json.loads(payload_versions.in_version(body, 1))
        assert "version" not in first
        assert set(first["data"]) == set(json.loads(body)["data"])
        assert set(first["data"].get("lead", FIRST)) == FIRST
    old = json.dumps({"id": "evt_1", "data": {"lead": {"id": 1, "firstName": "Ada"}}})
    assert [payload_versions.in_version(old, version) for version in payload_versions.VERSIONS] == [old, old]
