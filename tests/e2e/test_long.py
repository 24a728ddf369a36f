"""A long list in a real browser: loaded further as one scrolls, and still there after Reload and Back."""

from playwright.sync_api import Page, expect

from app.domain.leads import leads, lists
from app.models.workspaces import Workspace
from tests.e2e.browsing import focus_is_kept, titled

PEOPLE = 85


def test_loaded_rows_return_after_reload_and_back(ada: Page, acme: Workspace) -> None:
    """What was loaded is there again after Reload and Back, and where one was in it; a filter begins anew."""
    found = lists.create_list(acme, "Long")
    leads.add(acme, found.id, [{"publicId": f"p{number}", "firstName": f"Person {number}"} for number in range(PEOPLE)])
    rows = ada.locator("#people-rows tr:not(.more-row)")
    ada.goto(f"/lists/{found.id}")
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
    titled(ada, "Person 70")
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
