"""The shell in a real browser: the way in, keys, menus, dialogs, colours, phones, and everything without scripts."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sqlalchemy.orm import Session

from app.core import clock
from app.models.platform.rate_limits import Throttle
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.e2e.browsing import loaded, problems, sign_in, titled


@pytest.fixture(scope="module")
def worker_app(build_app: Callable[..., Flask]) -> Flask:
    """The application as developers run it, so that the components can be seen."""
    return build_app(OVERTURE_DEVELOPMENT=True)


def test_an_installation_is_set_up_in_the_browser(page: Page, app: Flask, complaints: list[str]) -> None:
    page.goto("/")
    expect(page).to_have_url("/setup")
    expect(page.get_by_label("Email")).to_be_focused()
    page.keyboard.type("ines@tidemark.example")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Show password").click()
    expect(page.get_by_label("Password", exact=True)).to_have_attribute("type", "text")
    page.get_by_role("button", name="Create workspace").click()
    loaded(page, "Home")
    expect(page.get_by_text("Tidemark").first).to_be_visible()
    expect(page.get_by_text("Your workspace is ready.")).to_be_visible()
    page.get_by_role("button", name="Close this message").click()
    expect(page.get_by_text("Your workspace is ready.")).to_be_hidden()
    assert complaints == []


def test_the_set_up_shuts_no_one_out(page: Page, app: Flask, complaints: list[str]) -> None:
    page.goto("/setup")
    assert problems(page) == []
    page.get_by_role("button", name="Create workspace").click()
    expect(page.get_by_label("Email")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Email")).to_be_focused()
    assert problems(page) == []
    assert complaints == []


def test_keys_go_where_they_say(ada: Page) -> None:
    ada.goto("/dev/components")
    ada.keyboard.press("?")
    expect(ada.get_by_role("dialog", name="Keyboard")).to_be_visible()
    ada.keyboard.press("Escape")
    expect(ada.get_by_role("dialog", name="Keyboard")).to_be_hidden()
    ada.keyboard.press("/")
    expect(ada.get_by_role("searchbox", name="Search name or company")).to_be_focused()
    ada.keyboard.press("g")
    ada.keyboard.press("h")
    expect(ada.get_by_role("searchbox")).to_have_value("gh")
    ada.keyboard.press("Escape")
    ada.keyboard.press("j")
    expect(ada.get_by_role("link", name="Aoife Gallagher")).to_be_focused()
    ada.keyboard.press("j")
    expect(ada.get_by_role("link", name="Maya Lindqvist")).to_be_focused()
    ada.keyboard.press("x")
    expect(ada.get_by_text("1 selected")).to_be_visible()
    ada.keyboard.type("gh")
    titled(ada, "Home")


def test_rows_are_picked_in_ranges(ada: Page) -> None:
    ada.goto("/dev/components")
    boxes = ada.locator(".pick input:not([data-all])")
    boxes.nth(0).click()
    boxes.nth(2).click(modifiers=["Shift"])
    expect(ada.get_by_text("3 selected")).to_be_visible()
    expect(ada.locator("[data-all]")).to_have_js_property("indeterminate", True)
    expect(ada.get_by_role("searchbox")).to_be_hidden()
    ada.get_by_role("button", name="Clear").click()
    expect(ada.get_by_role("searchbox")).to_be_visible()


def test_a_dialog_returns_to_where_it_was_opened(ada: Page) -> None:
    ada.goto("/dev/components")
    opener = ada.get_by_role("button", name="Open a dialog")
    opener.click()
    dialog = ada.get_by_role("dialog", name="Revoke “Zapier”?")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()


def test_a_button_that_is_off_says_why(ada: Page) -> None:
    ada.goto("/dev/components")
    ada.get_by_role("button", name="Off, with a reason").click(force=True)
    expect(ada.locator("#toasts")).to_contain_text("there is no invite before it")


def test_typing_is_counted_and_variables_are_put_in_place(ada: Page) -> None:
    ada.goto("/dev/components")
    field = ada.get_by_label("Message", exact=True)
    field.fill("Hi ")
    ada.get_by_role("button", name="first_name").click()
    expect(field).to_have_value("Hi {{first_name}}")
    expect(field).to_be_focused()
    expect(ada.get_by_text("17 of 300 characters")).to_be_visible()


def test_a_chart_can_be_read_with_arrow_keys(ada: Page) -> None:
    ada.goto("/dev/components")
    ada.locator("x-chart").focus()
    ada.keyboard.press("ArrowLeft")
    expect(ada.locator("#activity-readout")).to_have_text("Fri 20 Nov: Invites 40, Accepted 12, Replies 6")
    ada.keyboard.press("ArrowLeft")
    expect(ada.locator("#activity-readout")).to_contain_text("Thu 19 Nov")


def test_a_chosen_colour_stays(ada: Page) -> None:
    ada.goto("/dev/components")
    ada.get_by_role("button", name="Account menu").click()
    ada.get_by_role("button", name="Dark", exact=True).click()
    expect(ada.locator("html")).to_have_attribute("data-theme", "dark")
    expect(ada.locator("body")).to_have_css("color-scheme", "dark")
    expect(ada).to_have_url("/dev/components")


def test_the_wait_after_too_many_tries_counts_down(page: Page, acme: Workspace, db_session: Session) -> None:
    at = clock.now()
    key = "sign-in:email:ada@acme.example"
    db_session.add(Throttle(key=key, failures=9, at=at, until=at + timedelta(minutes=10)))
    db_session.commit()
    page.clock.install()
    page.goto("/login")
    page.get_by_label("Email").fill("ada@acme.example")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert").filter(has_text="Too many attempts.")).to_be_visible()
    page.wait_for_load_state()
    page.clock.fast_forward("11:00")
    expect(page.locator("x-countdown")).to_have_text("0 s")


def test_everything_works_without_scripts(browser: Browser, browser_context_args: Any, acme: Workspace) -> None:
    context: BrowserContext = browser.new_context(**{**browser_context_args, "java_script_enabled": False})
    page = context.new_page()
    sign_in(page)
    page.goto("/dev/components")
    expect(page.get_by_role("button", name="Show password")).to_be_hidden()
    expect(page.get_by_role("button", name="Copy").first).to_be_hidden()
    expect(page.locator(".bulk")).to_be_visible()
    page.get_by_role("button", name="Account menu").click()
    page.get_by_role("button", name="Light", exact=True).click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.get_by_role("button", name="Account menu").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url("/login")
    context.close()


def test_signing_out_leaves_nothing_of_the_page_in_the_browser(ada: Page) -> None:
    ada.goto("/")
    ada.evaluate("sessionStorage.setItem('draft', 'Dear Ada')")
    ada.get_by_role("button", name="Account menu").click()
    ada.get_by_role("button", name="Sign out").click()
    expect(ada).to_have_url("/login")
    assert ada.evaluate("sessionStorage.length") == 0
