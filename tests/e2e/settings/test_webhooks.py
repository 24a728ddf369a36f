"""Endpoints and keys in a real browser: made, tried, watched and resent without a reload; without JavaScript too."""

import json
import re
from typing import Any

import sqlalchemy as sa
from playwright.sync_api import Page, expect
from standardwebhooks.webhooks import Webhook

from app.core.db import end_read, transaction
from app.domain.webhooks import dispatcher, endpoints
from app.models.webhooks import Delivery
from app.models.workspaces import Workspace
from tests.domain.webhooks.test_events import happening, record
from tests.e2e.browsing import overflow
from tests.support.receivers import Receiver, receiver

__all__ = ["receiver"]


def deliver() -> None:
    dispatcher.deliver_due()
    end_read()


def marked(page: Page) -> None:
    """From here on a reload would be noticed."""
    page.evaluate("window.notReloaded = true")


def not_reloaded(page: Page) -> bool:
    """Whether the page is still the one that was marked."""
    return bool(page.evaluate("window.notReloaded === true"))


def test_an_integrator_makes_a_key_and_verifies_a_delivery(ada: Page, acme: Workspace, receiver: Receiver) -> None:
    """The first call is noticed, an endpoint gets a test event in at most six presses, and the same event once more."""
    clicks = 2  # signing in, and the way to the developers' page

    def press(role: Any, name: str) -> None:
        nonlocal clicks
        ada.get_by_role(role, name=name, exact=True).first.click()
        clicks += 1

    ada.goto("/developers")
    ada.keyboard.press("c")
    dialog = ada.get_by_role("dialog")
    expect(dialog.get_by_label("Name")).to_be_focused()
    ada.keyboard.type("CRM sync")
    dialog.get_by_label("Custom").check()
    dialog.get_by_role("button", name="Create key").click()
    expect(dialog.get_by_text("Choose at least one scope, or all.")).to_be_visible()
    expect(dialog.get_by_label("Name")).to_have_value("CRM sync")
    dialog.get_by_label("lists:read").check()
    dialog.get_by_role("button", name="Create key").click()
    key = dialog.get_by_text(re.compile(r"^ovt_test_\w+$")).inner_text()
    expect(dialog.get_by_role("button", name="Copy").first).to_be_focused()
    dialog.get_by_role("button", name="Done").click()
    ada.goto("/developers")
    expect(ada.get_by_text("Waiting for your first call. This page updates automatically.")).to_be_visible()
    marked(ada)
    assert ada.request.get("/v1/me", headers={"Authorization": f"Bearer {key}"}).status == 200
    expect(ada.get_by_text("“CRM sync” was used")).to_be_visible()
    assert not_reloaded(ada)
    press("link", "Webhooks")
    press("link", "Add endpoint")
    ada.get_by_label("Name").fill("CRM")
    ada.get_by_role("textbox", name="Address").fill(receiver.url)
    press("button", "Add endpoint")
    expect(ada.get_by_role("button", name="Copy").first).to_be_focused()
    signed = Webhook(ada.get_by_text(re.compile("^whsec_")).inner_text())
    press("button", "Send test event")
    line = ada.locator("#log-rows summary").first
    expect(line).to_contain_text("Pending")
    marked(ada)
    deliver()
    expect(line).to_contain_text("Delivered 200")
    assert clicks <= 6
    line.click()
    expect(ada.get_by_text("webhook-signature: v1,")).to_be_visible()
    press("button", "Resend")
    expect(ada.get_by_text("The event is being sent again.")).to_be_visible()
    deliver()
    expect(line).to_contain_text("Delivered 200")
    assert not_reloaded(ada)
    first, again = receiver.requests
    sent = json.loads(first.body)
    assert signed.verify(first.body, first.headers) == signed.verify(again.body, again.headers) == sent
    assert first.headers["webhook-id"] == again.headers["webhook-id"]
    ada.goto("/developers/keys")
    expect(ada.get_by_role("row", name="CRM sync")).to_contain_text("lists:read")
    ada.get_by_role("button", name="Revoke CRM sync").click()
    ada.get_by_role("button", name="Revoke key").click()
    expect(ada.get_by_text("“CRM sync” revoked.")).to_be_visible()
    expect(ada.get_by_text("No API keys", exact=True)).to_be_visible()


def test_the_delivery_log_updates_while_something_is_pending(ada: Page, acme: Workspace, receiver: Receiver) -> None:
    """New lines come in on top, and an open line stays open; then nothing is asked any more. What failed is resent."""
    webhook, _ = endpoints.create(acme, name="CRM", url=receiver.url, event="message_sent")
    record(acme, happening())
    deliver()
    record(acme, happening())
    end_read()
    ada.goto(f"/developers/webhooks/{webhook.id}")
    ada.locator("#log-rows details").nth(1).locator("summary").click()
    record(acme, happening())
    end_read()
    expect(ada.locator("#log-rows summary")).to_have_count(3)
    expect(ada.locator("#log-rows details").nth(2)).to_have_attribute("open", "")
    deliver()
    expect(ada.locator("#log-rows").get_by_text("Delivered 200")).to_have_count(3)
    expect(ada.locator("#log-watch")).not_to_have_attribute("hx-get", re.compile(".*"))
    failed = sa.update(Delivery).values(state="failed", due_at=None, last_status=503, attempts=10, milliseconds=12_345)
    with transaction() as current:
        current.execute(failed)
    ada.set_viewport_size({"width": 320, "height": 640})
    ada.reload()
    marked(ada)
    again = ada.get_by_role("button", name="Resend failed (3)")
    expect(again).to_be_visible()
    ada.locator("#log-rows summary").first.click()
    expect(ada.get_by_text("No more retries.").first).to_be_visible()
    assert overflow(ada) == 0
    again.click()
    expect(ada.get_by_text("3 deliveries are being retried.")).to_be_visible()
    deliver()
    expect(ada.locator("#log-rows").get_by_text("Delivered 200")).to_have_count(3)
    expect(ada.get_by_role("button", name="Resend failed")).to_have_count(0)
    assert not_reloaded(ada)
