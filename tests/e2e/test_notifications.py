"""What waits and what happened, in a real browser: the title, the list, and notifications of the browser itself."""

import re

from playwright.sync_api import Page, expect

from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import takes_in, the_account
from tests.e2e.browsing import fits, problems, sign_in

HEARD = """
window.told = [];
window.Notification = class {
  static permission = 'default';
  static async requestPermission() { window.asked = true; return this.permission = 'granted'; }
  constructor(title, options) { told.push([title, options.body]); }
};
"""


def hears(workspace: Workspace, name: str) -> None:
    """Someone writes."""
    takes_in(workspace, the_account(workspace), Received(name, "message", f"Hello from {name}", workspace.now(), name))


def test_what_waits_is_in_the_title_and_what_happened_one_press_away(ada: Page, acme: Workspace) -> None:
    """On every page, also when nothing has happened; and anew when it changes without a page being loaded."""
    ada.goto("/lists")
    expect(ada).to_have_title("Lists – Overture")
    ada.get_by_role("link", name="Notifications").first.click()
    expect(ada.get_by_text("Nothing has happened yet")).to_be_visible()
    hears(acme, "bob")
    hears(acme, "zoe")
    ada.goto("/notifications")
    expect(ada).to_have_title("(2) Notifications – Overture")
    fits(ada)
    ada.get_by_role("link", name="zoe replied").click()
    expect(ada.get_by_text("Hello from zoe").last).to_be_visible()
    expect(ada).to_have_title(re.compile(r"^\(1\) zoe"))


def test_the_navigation_asks_what_waits_after_the_last_change(ada: Page) -> None:
    ada.clock.install()
    ada.goto("/lists")
    for _ in range(3):  # also after one that came right behind another
        with ada.expect_request("**/notifications/waiting"):
            ada.evaluate("document.dispatchEvent(new CustomEvent('htmx:after:swap', { detail: {} }))")
            ada.clock.fast_forward(2000)


def test_a_browser_tells_only_after_a_press(page: Page, acme: Workspace) -> None:
    """Never by itself; then each thing once, until it is switched off."""
    page.clock.install()
    page.add_init_script(HEARD)
    sign_in(page)
    page.goto("/lists")
    page.clock.fast_forward(61_000)
    assert page.evaluate("[window.asked, told]") == [None, []]
    page.goto("/settings/notifications")
    expect(page.get_by_role("button", name="Turn off")).to_be_hidden()
    page.get_by_role("button", name="Turn on in this browser").click()
    expect(page.get_by_role("button", name="Turn off")).to_be_visible()
    expect(page.get_by_role("button", name="Turn off")).to_be_focused()
    assert problems(page) == []
    hears(acme, "bob")
    with page.expect_response("**/notifications?since=*") as told:  # what waits is asked for apart, and may come first
        page.clock.fast_forward(61_000)
    told.value.finished()
    expect(page).to_have_title("(1) Notifications – Overture")
    assert page.evaluate("told") == [["bob replied", "Hello from bob"]]
    page.clock.fast_forward(61_000)
    page.get_by_role("button", name="Turn off").click()
    expect(page.get_by_role("button", name="Turn on in this browser")).to_be_visible()
    hears(acme, "eve")
    page.clock.fast_forward(61_000)
    assert page.evaluate("told.length") == 1
