"""One layout: messages cover no button of a flow, settings have a rail, and Home is worked through by keys."""

from typing import Any

from playwright.sync_api import Page, expect

from app.core.db import end_read
from app.domain.approvals import approvals
from app.domain.autopilot import plays
from app.domain.conversations import inbox
from app.domain.conversations.threads import ThreadFilter
from app.models.workspaces import Workspace
from tests.e2e.browsing import sign_in

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
# A message as the pages show it, and the buttons that stay in place under it.
COVERED = """() => {
  const copy = document.querySelector('#toast-model').content.firstElementChild.cloneNode(true);
  copy.querySelector('span').textContent = 'Saved. This message is as long as many of them are.';
  document.querySelector('#toasts').append(copy);
  const toast = copy.getBoundingClientRect();
  const beside = one => one.left >= toast.right || one.right <= toast.left;
  const under = one => !beside(one) && one.top < toast.bottom && one.bottom > toast.top;
  return [...document.querySelectorAll('.dock .btn, .decide .btn, .tabbar > *, .reply .btn')]
    .filter(one => one.checkVisibility() && under(one.getBoundingClientRect())).map(one => one.textContent.trim());
}"""
FLOWS = ("/documents/icp", "/campaigns/new", "/plays/{play}", "/approvals", "/autopilot/customers", "/autopilot/reach")


def test_a_message_never_stands_over_a_button_of_a_flow(page: Page, full: Workspace) -> None:
    """On a desk and on a phone, wherever buttons stay at the foot of the page."""
    sign_in(page, "demo@overture.example")
    found: dict[str, Any] = {}
    play = plays.every(full)[0].id
    end_read()
    for size in (DESK, PHONE):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        for address in FLOWS:
            page.goto(address.format(play=play))
            if covered := page.evaluate(COVERED):
                found[f"{address} at {size['width']}"] = covered
    assert found == {}


def test_settings_have_a_rail_that_says_where_one_is(page: Page, full: Workspace) -> None:
    """Beside every page of the settings; on a phone the overview leads there."""
    sign_in(page, "demo@overture.example")
    page.set_viewport_size(DESK)  # type: ignore[arg-type]
    page.goto("/settings/contact-rules")
    rail = page.get_by_role("navigation", name="Settings")
    expect(rail.locator("[aria-current]")).to_have_text("Contact rules")
    rail.get_by_role("link", name="Appearance").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Appearance")
    expect(rail.locator("[aria-current]")).to_have_text("Appearance")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    expect(rail).to_be_hidden()
    page.get_by_role("navigation", name="Breadcrumb").get_by_role("link", name="Settings").click()
    expect(page.get_by_role("link", name="Contact rules")).to_be_visible()


def counted(workspace: Workspace) -> tuple[int, int]:
    """Open conversations and waiting drafts, as they are by now."""
    end_read()
    found = inbox.counts(workspace, ThreadFilter(state="open")).states["open"], approvals.count(workspace)
    end_read()
    return found


def test_home_is_worked_through_by_keys(page: Page, full: Workspace) -> None:
    """E is done, H is tomorrow, R writes, A approves, S skips; each comes back to Home with the next one first."""
    sign_in(page, "demo@overture.example")
    page.goto("/")
    first = page.locator(".due-one.first").first
    expect(first).to_be_visible()
    talks, drafts = counted(full)
    names = []
    for key in ("e", "h"):
        names.append(first.get_by_role("heading").inner_text())
        page.keyboard.press(key)
        expect(page.locator(".toast")).to_be_visible()
        page.locator(".toast [data-close]").click()
        expect(page).to_have_url("/")
    assert counted(full)[0] == talks - 2
    assert first.get_by_role("heading").inner_text() not in names
    page.keyboard.press("r")
    page.keyboard.type("Hello, echo as ever")
    expect(first.locator("textarea")).to_have_value("Hello, echo as ever")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".toast")).to_contain_text("Sends in 10 s")
    for number, key in enumerate(("a", "s"), 1):
        page.goto("/")
        page.keyboard.press(key)
        expect(page.locator(".toast")).to_be_visible()
        assert counted(full)[1] == drafts - number


def test_what_comes_after_home_is_counted_then(page: Page, full: Workspace) -> None:
    """Plan, senders and numbers take the place of their skeletons."""
    sign_in(page, "demo@overture.example")
    page.goto("/")
    expect(page.locator(".strip > li")).to_have_count(14)
    expect(page.get_by_role("heading", name="Deliverability")).to_be_visible()
    expect(page.locator(".heat.week tbody tr")).to_have_count(7)
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
