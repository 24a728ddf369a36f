"""Endpoints and keys in a real browser: made, tried, watched and resent without a reload; without scripts too."""

import re
from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from app.core.db import end_read, transaction
from app.domain.webhooks import dispatcher, endpoints
from app.domain.workspace import api_keys
from app.models.webhooks import Delivery
from app.models.workspaces import Workspace
from tests.domain.webhooks.test_events import happening, record
from tests.e2e.browsing import overflow, sign_in
from tests.support.receivers import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """An endpoint on this machine."""
    receiver = Receiver()
    yield receiver
    receiver.stop()


def deliver() -> None:
    """What the scheduler does."""
    dispatcher.deliver_due()
    end_read()


def marked(page: Page) -> None:
    """From here on a reload would be noticed."""
    page.evaluate("window.notReloaded = true")


def not_reloaded(page: Page) -> bool:
    """Whether the page is still the one that was marked."""
    return bool(page.evaluate("window.notReloaded === true"))


def test_the_delivery_log_updates_while_something_is_pending(ada: Page, acme: Workspace, receiver: Receiver) -> None:
    """While something is pending new lines come in on top, an open line stays open; then nothing is asked any more."""
    webhook, _ = endpoints.create(acme, name="CRM", url=receiver.url, event="message_sent")
    record(acme, happening())
    deliver()
    ada.goto(f"/developers/webhooks/{webhook.id}")
    marked(ada)
    first = ada.locator("#log-rows details").first
    first.locator("summary").click()
    expect(first.get_by_text("Request body")).to_be_visible()
    endpoints.send_test(acme, webhook.id)
    end_read()
    ada.reload()
    ada.locator("#log-rows details").nth(1).locator("summary").click()
    record(acme, happening())
    end_read()
    expect(ada.locator("#log-rows summary")).to_have_count(3)
    expect(ada.locator("#log-rows details").nth(2)).to_have_attribute("open", "")
    deliver()
    expect(ada.locator("#log-rows").get_by_text("Delivered 200")).to_have_count(3)
    expect(ada.locator("#log-watch")).not_to_have_attribute("hx-get", re.compile(".*"))


def test_what_failed_is_resent_at_once(ada: Page, acme: Workspace, receiver: Receiver) -> None:
    """The button says how many, and goes when nothing failed."""
    receiver.answer = lambda request: 410
    webhook, _ = endpoints.create(acme, name="CRM", url=receiver.url, event="message_sent")
    record(acme, happening(), happening())
    deliver()
    endpoints.update(acme, webhook.id, active=True)
    end_read()
    receiver.answer = lambda request: 200
    ada.goto(f"/developers/webhooks/{webhook.id}")
    marked(ada)
    ada.get_by_role("button", name="Resend failed (2)").click()
    expect(ada.get_by_text("2 deliveries are being retried.")).to_be_visible()
    deliver()
    expect(ada.locator("#log-rows").get_by_text("Delivered 200")).to_have_count(2)
    expect(ada.get_by_role("button", name="Resend failed")).to_have_count(0)
    assert not_reloaded(ada)


def test_a_key_is_made_in_a_dialog(ada: Page, acme: Workspace) -> None:
    """By keyboard; a refusal keeps what was typed; the list behind has it, and the question names its last use."""
    ada.goto("/developers/keys")
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
    expect(dialog.get_by_text(re.compile(r"^ovt_test_\w+$"))).to_be_visible()
    expect(dialog.get_by_role("button", name="Copy").first).to_be_focused()
    dialog.get_by_role("button", name="Done").click()
    expect(ada.get_by_role("row", name="CRM sync")).to_contain_text("lists:read")
    ada.get_by_role("button", name="Revoke CRM sync").click()
    expect(ada.get_by_text("It has never been used.")).to_be_visible()
    ada.get_by_role("button", name="Revoke key").click()
    expect(ada.get_by_text("“CRM sync” revoked.")).to_be_visible()
    expect(ada.get_by_text("No API keys", exact=True)).to_be_visible()


def test_the_first_call_is_noticed(ada: Page, acme: Workspace, app: Flask) -> None:
    """The third step is ticked while one looks at it."""
    _, plain = api_keys.create(acme, "CRM", "all")
    end_read()
    ada.goto("/developers")
    expect(ada.get_by_text("Waiting for your first call. This page updates automatically.")).to_be_visible()
    marked(ada)
    answer = ada.request.get("/v1/me", headers={"Authorization": f"Bearer {plain}"})
    assert answer.status == 200
    expect(ada.get_by_text("“CRM” was used")).to_be_visible(timeout=8000)
    assert not_reloaded(ada)


def fill(acme: Workspace, receiver: Receiver) -> int:
    """Keys and endpoints in every state; the id of one that has a log."""
    for name in ("CRM", "A name that goes on and on, because nobody said how long the name of a key should be"):
        api_keys.create(acme, name, "all")
    receiver.answer = lambda request: 500
    webhook, _ = endpoints.create(
        acme, name="Data warehouse " * 8, url=receiver.url + "/long" * 60, event="lead_finished_without_reply"
    )
    endpoints.create(acme, name="Off", url=receiver.url, event="message_sent", active=False)
    record(acme, happening("lead_finished_without_reply"), happening("lead_finished_without_reply"))
    dispatcher.deliver_due()
    end_read()
    return webhook.id


def test_everything_works_without_scripts(
    browser: Browser, live_server: str, acme: Workspace, receiver: Receiver
) -> None:
    """A key, an endpoint, a test event, its delivery, again."""
    context = browser.new_context(base_url=live_server, java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    page.goto("/developers/keys")
    page.get_by_role("link", name="Create key").first.click()
    page.get_by_label("Name").fill("CRM")
    page.get_by_role("button", name="Create key").click()
    expect(page.get_by_text(re.compile(r"^ovt_test_\w+$"))).to_be_visible()
    webhook, _ = endpoints.create(acme, name="CRM", url=receiver.url, event="message_sent")
    end_read()
    page.goto(f"/developers/webhooks/{webhook.id}")
    page.get_by_role("button", name="Send test event").first.click()
    expect(page.get_by_text("Test event sent.")).to_be_visible()
    deliver()
    page.reload()
    page.locator("#log-rows summary").first.click()
    page.get_by_role("link", name="Request and response").click()
    expect(page.get_by_text("webhook-signature: v1,")).to_be_visible()
    page.get_by_role("button", name="Resend").click()
    expect(page.get_by_text("The event is being sent again.")).to_be_visible()
    deliver()
    assert len(receiver.requests) >= 2
    context.close()


def test_what_failed_fits_a_small_phone(ada: Page, acme: Workspace) -> None:
    """The line, what is inside it, and the button that resends."""
    hook = endpoints.create(acme, name="CRM", url="https://crm.acme.example/hooks", event="every_reply")[0]
    record(acme, happening("every_reply"))
    failed = sa.update(Delivery).values(state="failed", due_at=None, last_status=503, attempts=10, milliseconds=12_345)
    with transaction() as current:
        current.execute(failed)
    ada.set_viewport_size({"width": 320, "height": 640})
    ada.goto(f"/developers/webhooks/{hook.id}")
    expect(ada.get_by_role("button", name="Resend failed (1)")).to_be_visible()
    assert overflow(ada) == 0
    ada.locator("#log-rows summary").first.click()
    expect(ada.get_by_text("No more automatic retries.")).to_be_visible()
    assert overflow(ada) == 0
