"""The pages of webhooks: endpoints, their deliveries and what is sent again; with and without scripts."""

import html
import re
from typing import Any

import sqlalchemy as sa

from app.core import clock
from app.core.db import session, transaction
from app.domain.webhooks import delivery_log, dispatcher, endpoints
from app.models.webhooks import Delivery, Webhook
from app.models.workspaces import Workspace
from tests.domain.webhooks.test_events import happening, new_campaign, record
from tests.pages.conftest import Web, must_have
from tests.support.receivers import Receiver, receiver

__all__ = ["receiver"]
SECRET = re.compile(r"whsec_[0-9A-Za-z+/=]{44}")
HOOK = {"name": "CRM", "url": "https://example.com/hook", "events": "message_sent", "active": "1"}


def only_hook(workspace: Workspace) -> Webhook:
    (webhook,) = endpoints.every(workspace)
    return webhook


def secret_in(text: str) -> str:
    """The signing secret on a page."""
    found = SECRET.search(html.unescape(text))
    assert found
    return found[0]


def test_an_endpoint_is_added_and_its_secret_shown_once(web: Web, acme: Workspace) -> None:
    assert "No endpoints" in web.get("/developers/webhooks").text
    made = web.post("/developers/webhooks", HOOK)
    assert made.status_code == 201
    secret = secret_in(made.text)
    webhook = only_hook(acme)
    assert endpoints.unseal(webhook.secret, webhook.id, acme.id) == secret
    assert made.headers["Cache-Control"] == "no-store"
    assert "standardwebhooks" in made.text
    for path in ("/developers/webhooks", f"/developers/webhooks/{webhook.id}"):
        assert secret not in html.unescape(web.get(path).text)
    assert "https://example.com/hook" in web.get("/developers/webhooks").text


def test_the_python_snippet_accepts_what_is_delivered(web: Web, acme: Workspace, receiver: Receiver) -> None:
    import flask

    page = html.unescape(web.post("/developers/webhooks", HOOK | {"url": receiver.url}).text)
    snippet = page[page.index("# pip install standardwebhooks flask") :].partition("</code>")[0]
    record(acme, happening())
    dispatcher.deliver_due()
    (request,) = receiver.requests
    names: dict[str, Any] = {"__name__": "receiver"}
    exec(snippet.replace("YOUR_SECRET", secret_in(page)), names)
    app = names["app"]
    assert isinstance(app, flask.Flask)
    assert app.test_client().post("/hooks/overture", data=request.body, headers=request.headers).status_code == 204


def test_every_problem_of_the_form_is_shown(web: Web, acme: Workspace, rival: Workspace) -> None:
    theirs = new_campaign(rival)
    new_campaign(acme)
    form = {"name": "", "url": "ftp://x", "events": "nonsense", "campaigns": str(theirs)}
    refused = web.post("/developers/webhooks", form)
    assert refused.status_code == 422
    for field in ("f-name", "f-url", "g-events", "g-campaigns"):
        assert f'id="{field}-error"' in refused.text
    assert 'value="ftp://x"' in refused.text
    assert endpoints.every(acme) == []


def test_an_endpoint_is_edited(web: Web, acme: Workspace) -> None:
    campaign = new_campaign(acme)
    web.post("/developers/webhooks", HOOK | {"campaigns": str(campaign)})
    webhook = only_hook(acme)
    form = web.get(f"/developers/webhooks/{webhook.id}/edit").text
    assert 'value="https://example.com/hook"' in form
    assert re.search(rf'name="campaigns" value="{campaign}" checked', form)
    changed = {"name": "Archive", "url": "https://example.com/b", "events": "every_reply"}
    assert web.post(f"/developers/webhooks/{webhook.id}", changed).status_code == 303
    now = only_hook(acme)
    assert (now.name, now.url, now.event) == ("Archive", "https://example.com/b", "every_reply")
    assert (now.campaign_ids, now.active) == ([], False)
    assert web.post(f"/developers/webhooks/{webhook.id}", {**changed, "url": "x"}).status_code == 422


def test_an_endpoint_is_switched_rotated_and_deleted(web: Web, acme: Workspace) -> None:
    first = secret_in(web.post("/developers/webhooks", HOOK).text)
    here = f"/developers/webhooks/{only_hook(acme).id}"
    assert web.post(f"{here}/off").status_code == 303
    assert not only_hook(acme).active
    assert "Switch on" in web.get(here).text
    web.post(f"{here}/on")
    assert only_hook(acme).active
    rotated = web.post(f"{here}/rotate-secret")
    assert secret_in(rotated.text) != first
    assert "For 24 hours we sign with both the old and the new secret." in rotated.text
    assert "used until" in web.get(here).text
    assert web.post(f"{here}/delete").headers["Location"] == "/developers/webhooks"
    assert endpoints.every(acme) == []
    assert web.get(here).status_code == 404


def test_a_delivery_shows_what_was_sent_and_answered(
    web: Web, stranger: Web, acme: Workspace, receiver: Receiver
) -> None:
    receiver.answer = lambda request: (500, {}, b"<script>alert(1)</script>")
    web.post("/developers/webhooks", HOOK | {"url": receiver.url})
    record(acme, happening())
    dispatcher.deliver_due()
    delivery_id = session().scalar(sa.select(Delivery.id))
    here = f"/developers/webhooks/deliveries/{delivery_id}"
    page, piece = web.get(here), web.get(here, htmx=True)
    assert "<html" in page.text
    assert "<html" not in piece.text
    for text in ("responded with 500", "webhook-signature: v1,", "Łucja 🙂", "&lt;script&gt;alert(1)"):
        assert text in piece.text
    assert "<script>alert" not in page.text
    assert stranger.get(here).status_code == 404


def test_what_failed_is_sent_again(web: Web, acme: Workspace, receiver: Receiver) -> None:
    receiver.answer = lambda request: 410
    web.post("/developers/webhooks", HOOK | {"url": receiver.url})
    webhook = only_hook(acme)
    here = f"/developers/webhooks/{webhook.id}"
    record(acme, happening(), happening())
    dispatcher.deliver_due()
    must_have(web.get(here), "Resend failed (2)", "410 Gone")
    receiver.answer = lambda request: 200
    one = session().scalar(sa.select(sa.func.max(Delivery.id)))
    assert web.post(f"/developers/webhooks/deliveries/{one}/redeliver").status_code == 303
    again = web.post(f"/developers/webhooks/deliveries/{one}/redeliver", htmx=True)
    assert "This delivery is already being sent." in again.text
    assert "One delivery is being retried." in web.post(f"{here}/resend-failed", htmx=True).text
    dispatcher.deliver_due()
    assert delivery_log.counts(acme, webhook.id) == {}
    assert "All events were already delivered." in web.post(f"{here}/resend-failed", htmx=True).text


def test_events_are_replayed_since_a_moment(web: Web, acme: Workspace, receiver: Receiver) -> None:
    """In the workspace's time zone; nonsense is said to be none."""
    web.post("/developers/webhooks", HOOK | {"url": receiver.url})
    here = f"/developers/webhooks/{only_hook(acme).id}"
    record(acme, happening())
    dispatcher.deliver_due()
    web.post(f"{here}/replay", since="2026-03-02T09:00")
    assert "One event is being sent again." in web.get(here).text
    dispatcher.deliver_due()
    assert len(receiver.requests) == 2
    web.post(f"{here}/replay", since="2026-03-03T09:00")
    assert "No matching events since that time." in web.get(here).text
    web.post(f"{here}/replay", since="yesterday")
    assert "Enter a start date and time." in web.get(here).text


def test_the_log_is_filtered_and_paged_by_its_address(web: Web, acme: Workspace, receiver: Receiver) -> None:
    web.post("/developers/webhooks", HOOK | {"url": receiver.url})
    here = f"/developers/webhooks/{only_hook(acme).id}"
    record(acme, *[happening() for _ in range(30)])
    dispatcher.deliver_due()
    page = web.get(here).text
    assert page.count('class="delivery"') == 25
    more = html.unescape(re.findall(r'href="([^"]+cursor=[^"]+)"', page)[0])
    assert web.get(more, htmx=True).text.count('class="delivery"') == 5
    assert "<html" in web.get(more).text
    assert web.get(f"{here}?state=delivered").text.count('class="delivery"') == 25
    assert "No deliveries match this filter." in web.get(f"{here}?state=failed").text
    assert "No deliveries match this filter." in web.get(f"{here}?since=2099-01-01T00:00").text
    assert web.get(f"{here}?state=nonsense&since=nonsense").text.count('class="delivery"') == 25


def test_trouble_is_said_where_it_is_seen(web: Web, acme: Workspace) -> None:
    web.post("/developers/webhooks", HOOK)
    here = f"/developers/webhooks/{only_hook(acme).id}"
    off = {"active": False, "off_reason": "Nothing was delivered for 5 days.", "off_at": clock.now()}
    states: list[tuple[dict[str, Any], str, str]] = [
        (
            {"failing_since": clock.now(), "failures": 2},
            "On, failing",
            "switch the endpoint off after five days without success",
        ),
        ({"probe_at": clock.now(), "unanswered": 5}, "Not responding", "Events are waiting. We retry one per minute"),
        (off, "Switched off", "Fix the endpoint"),
    ]
    for columns, badge, notice in states:
        with transaction() as current:
            current.execute(sa.update(Webhook).values(**columns))
        assert badge in web.get("/developers/webhooks").text
        assert notice in web.get(here).text


def test_what_never_arrived_stands_on_the_page(web: Web, acme: Workspace, receiver: Receiver) -> None:
    receiver.answer = lambda request: 410
    web.post("/developers/webhooks", HOOK | {"url": receiver.url})
    here = f"/developers/webhooks/{only_hook(acme).id}"
    record(acme, happening())
    dispatcher.deliver_due()
    record(acme, happening())
    assert f'href="{here}?state=missed"' in web.get(here).text
    missed = web.get(f"{here}?state=missed").text
    assert missed.count('class="delivery"') == 2
    assert f"/v1/webhooks/{only_hook(acme).id}/gaps" in missed


def test_an_endpoint_takes_several_events_and_shows_them(web: Web, acme: Workspace) -> None:
    web.post("/developers/webhooks", {**HOOK, "events": ["message_sent", "email_bounced"]})
    webhook = only_hook(acme)
    assert webhook.events == ["message_sent", "email_bounced"]
    assert "and 1 more" in web.get("/developers/webhooks").text
    assert "message_sent, email_bounced" in web.get(f"/developers/webhooks/{webhook.id}").text
    form = web.get(f"/developers/webhooks/{webhook.id}/edit").text
    assert re.findall(r'name="events" value="(\w+)" checked', form) == ["message_sent", "email_bounced"]
    must_have(web.post("/developers/webhooks", {**HOOK, "events": []}), 422, 'id="g-events-error"')


def test_an_endpoint_from_before_can_be_given_the_newest_payload(web: Web, acme: Workspace) -> None:
    webhook, _ = endpoints.create(acme, name="Old", url="https://example.com/a", event="every_reply", payload_version=1)
    here = f"/developers/webhooks/{webhook.id}"
    assert "Version 1" in web.get(here).text
    form = {"name": "Old", "url": "https://example.com/a", "events": "every_reply", "active": "1"}
    assert 'name="payloadVersion"' in web.get(f"{here}/edit").text
    web.post(here, {**form, "payloadVersion": "1"})
    assert only_hook(acme).payload_version == 1
    web.post(here, {**form, "payloadVersion": "2"})
    assert only_hook(acme).payload_version == 2
