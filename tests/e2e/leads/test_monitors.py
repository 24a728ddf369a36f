"""A founder's monitor in a real browser: made, two people it found are accepted and one declined, and deleted."""

from playwright.sync_api import Page, expect

from app.core.db import end_read, session
from app.domain.leads import lists
from app.domain.operations import sandbox_clock
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.e2e.browsing import fits


def test_a_founder_watches_a_search_and_decides_who_joins(ada: Page, acme: Workspace) -> None:
    """From the empty page to two people in the list; the declined stays declined, and deleting asks first."""
    founders = a_list(acme, [], "Founders")
    end_read()
    page = ada
    page.goto("/monitors")
    expect(page.get_by_text("No monitors yet")).to_be_visible()
    page.get_by_role("link", name="New monitor").first.click()
    page.get_by_label("Search link").fill("https://www.linkedin.com/search/results/people/?keywords=founder")
    page.get_by_label("Job titles").fill("Founder\nHead of Sales")
    page.get_by_label("Locations").fill("Germany")
    page.get_by_label("List", exact=True).select_option("Founders")
    page.get_by_label("Maximum new people a day").fill("2")
    page.get_by_role("button", name="Create monitor").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("People search: founder")
    end_read()
    sandbox_clock.advance(acme, 25)
    end_read()
    page.reload()
    rows = page.locator("#people-rows tr")
    expect(rows).to_have_count(4)
    expect(rows.first).to_contain_text("Founder")
    names = rows.locator(".nm").all_inner_texts()
    rows.nth(0).locator("input").check()
    rows.nth(1).locator("input").check()
    page.get_by_role("group", name="Selected rows").get_by_role("button", name="Accept").click()
    expect(page.get_by_text("2 people accepted.")).to_be_visible()
    page.get_by_role("button", name=f"Decline {names[2]}").click()
    expect(page.get_by_text("1 person declined.")).to_be_visible()
    expect(rows).to_have_count(1)
    assert rows.locator(".nm").all_inner_texts() == names[3:]
    fits(page)
    page.get_by_role("navigation", name="People found").get_by_role("link", name="Declined").click()
    expect(rows.locator(".nm")).to_have_text([names[2]])
    page.get_by_role("navigation", name="People found").get_by_role("link", name="Added").click()
    rows.get_by_role("link", name=names[0]).click()
    expect(page.get_by_role("heading", name="Fit with your targeting")).to_be_visible()
    session().expire_all()
    assert lists.get_list(acme, founders).lead_count == 2
    page.goto("/monitors")
    page.get_by_role("link", name="People search: founder").first.click()
    page.get_by_role("link", name="Edit").click()
    page.get_by_role("button", name="Delete monitor").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Delete monitor").click()
    dialog.get_by_role("button", name="Delete monitor").click()
    expect(page.get_by_text("No monitors yet")).to_be_visible()
