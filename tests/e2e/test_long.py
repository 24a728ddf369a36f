"""What is long, in a real browser: titles and replies that unfold, lists that are loaded further and stay so."""

from playwright.sync_api import Browser, Page, expect

from app.domain.leads import leads, lists
from app.models.workspaces import Workspace
from tests.e2e.browsing import SIZES, focus_is_kept, overflow, sign_in

TITLE = "Everybody who leads operations in northern Europe and has asked about planning " * 2 + "twice"
PEOPLE = 85


def a_long_list(workspace: Workspace) -> int:
    """A list with a long name, of four pages."""
    found = lists.create_list(workspace, TITLE)
    given = [{"publicId": f"p{number}", "firstName": f"Person {number}"} for number in range(PEOPLE)]
    leads.add(workspace, found.id, given)
    return found.id


def test_loaded_rows_return_after_reload_and_back(ada: Page, acme: Workspace) -> None:
    """What was loaded is there again after Reload and Back, and where one was in it; a filter begins anew."""
    address = f"/lists/{a_long_list(acme)}"
    rows = ada.locator("#people-rows tr:not(.more-row)")
    ada.goto(address)
    for shown in (25, 50):
        rows.nth(shown - 1).scroll_into_view_if_needed()
        expect(rows.nth(shown + 24)).to_be_attached()  # as many more, by themselves
    link = ada.get_by_role("link", name="Person 70", exact=True)
    ada.get_by_label("Select Person 60").check()
    link.scroll_into_view_if_needed()
    ada.reload()
    expect(rows.nth(73)).to_be_attached()  # more may have come as one scrolled
    expect(link).to_be_in_viewport()
    expect(ada.get_by_label("Select Person 60")).to_be_checked()
    link.click()
    expect(ada).to_have_title("Person 70 – Overture")
    ada.go_back()
    expect(rows.nth(73)).to_be_attached()  # more may have come as one scrolled
    expect(link).to_be_in_viewport()
    ada.get_by_role("button", name="Remove from list").click()
    undo = ada.locator(".toast").get_by_role("button", name="Undo")
    expect(ada.get_by_text("1 person removed from the list.")).to_be_visible()
    expect(ada.get_by_label("Select Person 60")).to_have_count(0)
    expect(rows.nth(73)).to_be_attached()  # more may have come as one scrolled
    undo.click()
    expect(ada.get_by_text("1 person added back to the list.")).to_be_visible()
    expect(ada.get_by_label("Select Person 60")).to_be_visible()
    focus_is_kept(ada)
    ada.get_by_label("Search people").fill("person 8")
    expect(rows).to_have_count(13)
    ada.reload()
    expect(rows).to_have_count(13)


def test_a_long_title_unfolds_on_a_phone(browser: Browser, live_server: str, acme: Workspace) -> None:
    """By the keyboard, and without scripts."""
    address = f"/lists/{a_long_list(acme)}"
    context = browser.new_context(base_url=live_server, viewport=SIZES["phone"], java_script_enabled=False)  # type: ignore[arg-type]
    page = context.new_page()
    sign_in(page)
    page.goto(address)
    title, opener = page.locator("h1 .clamp"), page.locator(".what summary")

    def height() -> float:
        box = title.bounding_box()
        assert box
        return box["height"]

    folded = height()
    opener.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Show less")).to_be_visible()
    assert height() > 1.5 * folded
    assert overflow(page) == 0
    context.close()
