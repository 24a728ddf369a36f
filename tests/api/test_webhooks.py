"""Webhooks over `/v1`: as the specification has them, and what was added."""

from typing import Any

import pytest
from standardwebhooks import Webhook as Verifier

from app.domain.webhooks import dispatcher
from app.domain.workspace import api_keys
from app.models.workspaces import Workspace
from tests.domain.webhooks.test_events import happening, record
from tests.support.clients import Api, Client, paths
from tests.support.receivers import Receiver

pytestmark = pytest.mark.postgres

FIELDS = {"id", "name", "url", "event", "events", "campaignIds", "active", "payloadVersion", "createdAt"}
NEW = {"name": "CRM", "url": "https://example.com/hook", "event": "message_reply"}


def test_an_endpoint_is_created_gets_signed_events_and_is_deleted(
    api: Api, acme: Workspace, receiver: Receiver
) -> None:
    created = api.post("webhooks", NEW | {"url": receiver.url})
    assert created.status_code == 201
    assert set(created.json) == FIELDS | {"secret"}
    assert {name: created.json[name] for name in ("name", "event", "campaignIds", "active")} == {
        "name": "CRM",
        "event": "message_reply",
        "campaignIds": [],
        "active": True,
    }
    record(acme, happening("message_reply"))
    dispatcher.deliver_due()
    (request,) = receiver.requests
    assert Verifier(created.json["secret"]).verify(request.body, request.headers)["type"] == "message_reply"
    listed = api.get("webhooks")
    assert listed.json == {"data": [{key: created.json[key] for key in FIELDS}], "nextCursor": ""}
    deleted = api.delete(f"webhooks/{created.json['id']}")
    assert (deleted.status_code, deleted.data) == (204, b"")
    assert api.get("webhooks").json["data"] == []
    assert api.delete(f"webhooks/{created.json['id']}").status_code == 404


def test_an_address_inside_is_refused_in_production(make_app: Any, acme: Workspace) -> None:
    """Literal and obviously private hosts at once; an unknown name is no mistake."""
    key = api_keys.create(acme, "script", "all")[1]
    app = make_app(OVERTURE_ALLOW_PRIVATE_NETWORK=False)
    with app.app_context():
        client = app.test_client()
        assert isinstance(client, Client)
        outside = Api(client, key)
        for url in (
            "http://example.com/",
            "https://127.0.0.1/",
            "https://localhost/x",
            "https://[::1]/",
            "https://2130706433",
        ):
            assert paths(outside.post("webhooks", NEW | {"url": url})) == ["url"]
        assert outside.post("webhooks", NEW | {"url": "https://no-such-host.invalid/"}).status_code == 201


def test_a_change_keeps_what_is_left_out_and_hides_the_secret(api: Api) -> None:
    webhook_id = api.post("webhooks", NEW).json["id"]
    changed = api.patch(f"webhooks/{webhook_id}", {"active": False, "name": "Archive"})
    assert changed.status_code == 200
    assert set(changed.json) == FIELDS
    assert (changed.json["name"], changed.json["active"], changed.json["url"]) == ("Archive", False, NEW["url"])
    assert api.get(f"webhooks/{webhook_id}").json == changed.json
    assert paths(api.patch(f"webhooks/{webhook_id}", {"url": "nowhere"})) == ["url"]


def test_a_test_event_appears_in_the_log(api: Api, acme: Workspace, receiver: Receiver) -> None:
    webhook_id = api.post("webhooks", NEW | {"url": receiver.url}).json["id"]
    queued = api.post(f"webhooks/{webhook_id}/test")
    assert queued.status_code == 201
    assert (queued.json["state"], queued.json["test"], queued.json["event"]) == ("pending", True, "message_reply")
    dispatcher.deliver_due()
    (delivery,) = api.get(f"webhooks/{webhook_id}/deliveries").json["data"]
    assert (delivery["state"], delivery["status"], delivery["attempts"]) == ("delivered", 200, 1)
    assert api.get(f"webhooks/{webhook_id}/deliveries", state="failed").json["data"] == []
    assert paths(api.get(f"webhooks/{webhook_id}/deliveries", state="lost")) == ["state"]
    again = api.post(f"deliveries/{delivery['id']}/redeliver")
    assert (again.status_code, again.json["state"]) == (200, "pending")
    assert api.post(f"deliveries/{delivery['id']}/redeliver").status_code == 409
    dispatcher.deliver_due()
    assert [request.headers["webhook-id"] for request in receiver.requests] == [queued.json["eventId"]] * 2
    shown = api.get(f"deliveries/{delivery['id']}").json
    assert {name: shown[name] for name in ("id", "eventId")} == {name: delivery[name] for name in ("id", "eventId")}
    assert shown["body"].encode() == receiver.requests[0].body
    assert [(tried["status"], tried["error"]) for tried in shown["tries"]] == [(200, "")] * 2
    assert f"webhook-id: {delivery['eventId']}" in shown["tries"][0]["requestHeaders"]
    record(acme, happening("message_reply"))
    replayed = api.post(f"webhooks/{webhook_id}/replay", {"since": "2020-01-01T00:00:00Z"})
    assert (replayed.status_code, replayed.json) == (202, {"deliveries": 0})  # on its way anyway
    assert paths(api.post(f"webhooks/{webhook_id}/replay", {"since": "yesterday"})) == ["since"]


def test_a_webhook_of_several_events_shows_the_first(api: Api, acme: Workspace, receiver: Receiver) -> None:
    """And gets all of them; what it shows can be sent again as it is."""
    kinds = ["message_reply", "invite_sent"]
    body = {"name": "CRM", "url": receiver.url, "events": kinds}
    made = api.post("webhooks", body).json
    assert (made["event"], made["events"], made["payloadVersion"]) == ("message_reply", kinds, 2)
    sent = {name: made[name] for name in ("name", "url", "event", "events", "campaignIds", "active", "payloadVersion")}
    assert api.patch(f"webhooks/{made['id']}", sent).json["events"] == kinds
    record(acme, *map(happening, ("invite_sent", "every_reply", "message_reply")))
    dispatcher.deliver_due()
    log = api.get(f"webhooks/{made['id']}/deliveries").json["data"]
    assert sorted(one["event"] for one in log) == sorted(kinds)
    assert api.post(f"webhooks/{made['id']}/test?event=invite_sent").json["event"] == "invite_sent"
    assert paths(api.post(f"webhooks/{made['id']}/test?event=every_reply")) == ["event"]
    assert api.patch(f"webhooks/{made['id']}", {"event": "every_reply"}).json["events"] == ["every_reply"]
