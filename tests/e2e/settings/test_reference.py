"""The reference and the request log in a real browser: readable by everyone, on a phone too, and without scripts."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from app.core.db import end_read
from app.domain.platform import request_log
from app.domain.workspace import api_keys
from app.models.workspaces import Workspace
from tests.e2e.browsing import loaded, sign_in
from tests.support.clients import Api


@pytest.fixture
def ada(page: Page, app: Flask, acme: Workspace, complaints: list[str]) -> Iterator[Page]:
    """Ada is signed in, and programs of hers have asked for something."""
    script = Api(app.test_client(), api_keys.create(acme, "CRM sync", "all")[1])  # type: ignore[arg-type]
    api_keys.create(acme, "Another with a name that goes on and on, as names do", "all")
    script.get("lists")
    script.post("lists", {"nam": "Founders", "x" * 200: "y" * 300})
    script.get("lists/" + "9" * 300)
    request_log.finish()
    end_read()
    sign_in(page)
    yield page
    assert complaints == []


def test_a_call_is_found_and_copied(ada: Page) -> None:
    """From the contents to the call."""
    ada.clock.install()
    ada.goto("/developers")
    ada.get_by_role("link", name="Reference").click()
    loaded(ada, "API reference")
    calls = ada.get_by_role("navigation", name="Calls")
    calls.get_by_role("link", name="Webhooks", exact=True).click()
    calls.get_by_role("link", name="POST /webhooks", exact=True).click()
    expect(ada.locator("#webhooks\\.create")).to_be_in_viewport()
    expect(ada.locator("#webhooks\\.create")).to_contain_text("webhooks:write")
    ada.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))  # "Copied" is said for two seconds
    ada.locator("#webhooks\\.create").get_by_role("button", name="Copy").first.click()
    expect(ada.locator("#webhooks\\.create").get_by_role("button", name="Copied").first).to_be_visible()


def test_both_pages_work_without_scripts(ada: Page, browser: Browser, live_server: str) -> None:
    """Filters and folds are plain HTML."""
    context = browser.new_context(base_url=live_server, java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    page.goto("/developers/requests")
    page.get_by_role("link", name="Refused").click()
    page.get_by_role("combobox", name="Key", exact=True).select_option("CRM sync")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#calls-rows tr")).to_have_count(2)
    page.locator("#calls-rows .key a").last.click()
    expect(page.get_by_text("Unknown field. Remove it.").first).to_be_visible()
    page.goto("/developers/reference")
    page.get_by_role("navigation", name="Calls").get_by_role("link", name="Lists", exact=True).click()
    page.get_by_role("link", name="POST /v1/lists", exact=True).click()
    expect(page.locator("#lists\\.create")).to_be_in_viewport()
    context.close()
