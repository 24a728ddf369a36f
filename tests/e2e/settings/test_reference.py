"""The API reference in a real browser."""

from datetime import UTC, datetime, timedelta

from playwright.sync_api import Page, expect

from tests.e2e.browsing import loaded


def test_a_call_is_found_and_copied(ada: Page) -> None:
    """From the contents to the call."""
    ada.clock.install()
    ada.goto("/developers")
    ada.get_by_role("link", name="Reference").click()
    loaded(ada, "API reference")
    calls = ada.get_by_role("navigation", name="Calls")
    calls.get_by_role("link", name="Webhooks and events", exact=True).click()
    calls.get_by_role("link", name="POST /webhooks", exact=True).click()
    expect(ada.locator("#webhooks\\.create")).to_be_in_viewport()
    expect(ada.locator("#webhooks\\.create")).to_contain_text("webhooks:write")
    ada.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))  # "Copied" is said for two seconds
    ada.locator("#webhooks\\.create").get_by_role("button", name="Copy").first.click()
    expect(ada.locator("#webhooks\\.create").get_by_role("button", name="Copied").first).to_be_visible()
