"""The shell in a real browser: the way in, keys, menus, dialogs, colours, undo, and everything without JavaScript."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from app.core import clock
from app.core.db import end_read, session
from app.domain.approvals import approvals
from app.models.platform.requests import Throttle
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.domain.outreach import a_list, email
from tests.domain.reviewing import drafts, held
from tests.e2e.browsing import focus_is_kept, loaded, problems, sign_in, titled

UNDO_SECONDS = """() => {
  const [last] = [...document.querySelectorAll('.toast:has([data-key=z])')].slice(-1);
  return Math.min(...last.getAnimations().filter(one => one.animationName === 'leave')
    .map(one => one.effect.getComputedTiming().delay)) / 1000;
}"""


@pytest.fixture(scope="module")
def worker_app(build_app: Callable[..., Flask]) -> Flask:
    """The application as developers run it, so that the components can be seen."""
    return build_app(OVERTURE_DEVELOPMENT=True)


def test_an_installation_is_set_up_in_the_browser(page: Page, app: Flask, complaints: list[str]) -> None:
    """Sent without an address first, which the form says without shutting anyone out."""
    page.goto("/")
    expect(page).to_have_url("/setup")
    expect(page.get_by_label("Email")).to_be_focused()
    assert problems(page) == []
    page.get_by_role("button", name="Create workspace").click()
    expect(page.get_by_label("Email")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Email")).to_be_focused()
    assert problems(page) == []
    page.keyboard.type("ines@tidemark.example")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Show password").click()
    expect(page.get_by_label("Password", exact=True)).to_have_attribute("type", "text")
    page.get_by_role("button", name="Create workspace").click()
    loaded(page, "Home")
    expect(page.get_by_text("Tidemark").first).to_be_visible()
    page.get_by_role("button", name="Close this message").click()
    expect(page.get_by_text("Your workspace is ready.")).to_be_hidden()
    assert complaints == []


def test_components_are_used_by_keys_and_keep_the_focus(ada: Page) -> None:
    """Shortcuts, a table whose rows are picked, a dialog, a text with variables, and a chart."""
    ada.goto("/dev/components")
    ada.keyboard.press("?")
    expect(ada.get_by_role("dialog", name="Keyboard")).to_be_visible()
    ada.keyboard.press("Escape")
    expect(ada.get_by_role("dialog", name="Keyboard")).to_be_hidden()
    ada.keyboard.press("/")
    expect(ada.get_by_role("searchbox", name="Search name or company")).to_be_focused()
    ada.keyboard.type("gh")  # a text, not the way home
    expect(ada.get_by_role("searchbox")).to_have_value("gh")
    ada.keyboard.press("Escape")
    for name in ("Aoife Gallagher", "Maya Lindqvist"):
        ada.keyboard.press("j")
        expect(ada.get_by_role("link", name=name)).to_be_focused()
    ada.keyboard.press("x")
    expect(ada.get_by_text("1 selected")).to_be_visible()
    ada.get_by_role("button", name="Clear").click()
    boxes = ada.locator(".pick input:not([data-all])")
    boxes.nth(0).click()
    boxes.nth(2).click(modifiers=["Shift"])
    expect(ada.get_by_text("3 selected")).to_be_visible()
    expect(ada.locator("[data-all]")).to_have_js_property("indeterminate", True)
    expect(ada.get_by_role("searchbox")).to_be_hidden()
    ada.get_by_role("button", name="Clear").click()
    expect(ada.get_by_role("searchbox")).to_be_visible()
    opener = ada.get_by_role("button", name="Open a dialog")
    opener.click()
    dialog = ada.get_by_role("dialog", name="Revoke “Zapier”?")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    ada.get_by_role("button", name="Off, with a reason").click(force=True)
    expect(ada.locator("#toasts")).to_contain_text("there is no invite before it")
    field = ada.get_by_label("Message", exact=True)
    field.fill("Hi ")
    ada.get_by_role("button", name="First name").click()
    expect(field).to_have_value("Hi {{First name}}")
    expect(field).to_be_focused()
    expect(ada.get_by_text("17 of 300 characters")).to_be_visible()
    ada.locator("x-chart").focus()
    ada.keyboard.press("ArrowLeft")
    expect(ada.locator("#activity-readout")).to_have_text("Fri 20 Nov: Connection requests 40, Accepted 12, Replies 6")
    ada.keyboard.press("ArrowLeft")
    expect(ada.locator("#activity-readout")).to_contain_text("Thu 19 Nov")
    ada.keyboard.type("gh")
    titled(ada, "Home")


def test_what_was_done_can_be_undone_for_ten_seconds(ada: Page, acme: Workspace) -> None:
    """By the message that tells of it; then everything is as it was, and the focus is somewhere."""
    held(acme, ["quiet-ada"], [email("Hi {{first_name}}, a question.")])
    (draft,) = drafts(acme, "pending")
    list_id = a_list(acme, ["bob"], "Tagged")
    end_read()
    seconds: list[float] = []

    def undone() -> None:
        undo = ada.locator(".toast").get_by_role("button", name="Undo").last
        expect(undo).to_be_visible()
        seconds.append(ada.evaluate(UNDO_SECONDS))
        undo.click()
        expect(undo).to_be_hidden()

    ada.goto("/approvals")
    for action in ("Approve", "Skip"):
        ada.locator(".decide").get_by_role("button", name=action).click()
        undone()
        expect(ada.locator(f"#heading-{draft.id}")).to_be_focused()
    ada.goto(f"/lists/{list_id}")
    ada.get_by_label("Select Bob").check()
    ada.get_by_label("Tag", exact=True).fill("VIP")
    ada.get_by_role("button", name="Add tag").click()
    undone()
    expect(ada.get_by_text("“VIP” removed from 1 person.")).to_be_visible()
    expect(ada.get_by_role("row", name="Bob")).not_to_contain_text("VIP")
    focus_is_kept(ada)
    assert min(seconds) >= 10
    assert approvals.UNDO.total_seconds() >= 10


def test_the_wait_after_too_many_tries_counts_down(page: Page, acme: Workspace) -> None:
    at = clock.now()
    key = "sign-in:email:ada@acme.example"
    session().add(Throttle(key=key, failures=9, at=at, until=at + timedelta(minutes=10)))
    session().commit()
    page.clock.install()
    page.goto("/login")
    page.get_by_label("Email").fill("ada@acme.example")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert").filter(has_text="Too many attempts.")).to_be_visible()
    page.wait_for_load_state()
    page.clock.fast_forward("11:00")
    expect(page.locator("x-countdown")).to_have_text("0 s")


def test_a_chosen_colour_stays_and_signing_out_leaves_nothing_in_the_browser(ada: Page) -> None:
    ada.goto("/dev/components")
    ada.get_by_role("button", name="Account menu").click()
    ada.get_by_role("button", name="Dark", exact=True).click()
    expect(ada.locator("html")).to_have_attribute("data-theme", "dark")
    expect(ada.locator("body")).to_have_css("color-scheme", "dark")
    expect(ada).to_have_url("/dev/components")
    ada.evaluate("sessionStorage.setItem('draft', 'Dear Ada')")
    ada.get_by_role("button", name="Account menu").click()
    ada.get_by_role("button", name="Sign out").click()
    expect(ada).to_have_url("/login")
    assert ada.evaluate("sessionStorage.length") == 0


def test_the_shell_works_without_javascript(unscripted: Page, acme: Workspace) -> None:
    """Menus open, colours are chosen, and what needs JavaScript is not shown."""
    sign_in(unscripted)
    unscripted.goto("/dev/components")
    expect(unscripted.get_by_role("button", name="Show password")).to_be_hidden()
    expect(unscripted.get_by_role("button", name="Copy").first).to_be_hidden()
    expect(unscripted.locator(".bulk")).to_be_visible()
    unscripted.get_by_role("button", name="Account menu").click()
    unscripted.get_by_role("button", name="Light", exact=True).click()
    expect(unscripted.locator("html")).to_have_attribute("data-theme", "light")
    unscripted.get_by_role("button", name="Account menu").click()
    unscripted.get_by_role("button", name="Sign out").click()
    expect(unscripted).to_have_url("/login")
