"""The table of a list in a real browser: filtered, sorted, everyone picked, tagged and undone, in so many presses."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read, session
from app.domain.campaigns import campaigns
from app.domain.leads import leads, lists
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign
from tests.e2e.browsing import fits, focus_is_kept, loaded, titled

PEOPLE = 1500  # more than are changed within one answer


@pytest.fixture
def many(acme: Workspace) -> LeadList:
    """A list of many people, every fifth without an address."""
    found = lists.create_list(acme, "Conference")
    given = [
        {
            "publicId": f"p{n}",
            "firstName": f"Person{n:04}",
            "companyName": f"Firm {n % 97:02}",
            "email": f"p{n}@firm.example" if n % 5 else "",
        }
        for n in range(PEOPLE)
    ]
    for start in range(0, PEOPLE, 500):
        leads.add(acme, found.id, given[start : start + 500])
    end_read()
    return found


def tagged(workspace: Workspace) -> int:
    """How many people have a tag."""
    session().expire_all()
    found = sum(bool(lead.tags) for lead in session().query(Lead).where(Lead.workspace_id == workspace.id))
    end_read()
    return found


@pytest.mark.usefixtures("working")
def test_everyone_in_a_long_list_is_tagged_and_untagged_in_seven_presses(
    ada: Page, acme: Workspace, many: LeadList
) -> None:
    """Under ten presses, from the list to the tag and back: the filter says who is meant, not the rows of a page."""
    presses = 0

    def press(role: str, name: str) -> None:
        nonlocal presses
        ada.get_by_role(role, name=name).first.click()  # type: ignore[arg-type]
        presses += 1

    ada.goto(f"/lists/{many.id}")
    press("link", "With email")
    expect(ada.locator("main")).to_contain_text("of 1,200 shown")
    press("link", "Company")
    expect(ada.locator("#people-rows .key").first).to_contain_text("Person0097")
    press("checkbox", "Select all rows shown")
    press("checkbox", "All 1,200")
    expect(ada.get_by_text("1,200 selected")).to_be_visible()
    press("textbox", "Tag")
    ada.keyboard.type("VIP")
    press("button", "Add tag")
    expect(ada.get_by_role("status").filter(has_text="“VIP” added to 1,200 people.")).to_be_visible(timeout=60_000)
    assert tagged(acme) == 1200
    press("button", "Undo")
    expect(ada.get_by_role("status").filter(has_text="Undone.")).to_be_visible(timeout=60_000)
    assert tagged(acme) == 0
    assert presses == 7
    assert ("sort=company" in ada.url, "reach=email" in ada.url) == (True, True)


def test_loaded_rows_return_after_reload_and_back(ada: Page, acme: Workspace) -> None:
    """What was loaded is there again after Reload and Back, and where one was in it; a filter begins anew."""
    found = lists.create_list(acme, "Long")
    leads.add(acme, found.id, [{"publicId": f"p{number}", "firstName": f"Person {number}"} for number in range(85)])
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
    expect(link).to_be_in_viewport()
    ada.get_by_role("button", name="More", exact=True).click()
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


KEYS = "#campaigns-rows tr .key"


@pytest.fixture
def thirty(acme: Workspace) -> None:
    """Thirty drafts of campaigns."""
    found = a_campaign(acme, ["ignores-ada"], [INVITE], start=False, name="Fair 00")
    for number in range(1, 30):
        more = {"list_id": found.list_id or 0, "account_ids": found.account_ids, "sequence": [INVITE]}
        campaigns.create(acme, name=f"Fair {number:02}", **more)
    end_read()


@pytest.mark.usefixtures("thirty")
def test_a_table_is_sorted_kept_as_a_view_and_comes_as_one_scrolls(ada: Page) -> None:
    """Sorting and views are one press each; chosen columns are kept with them."""
    rows, column = ada.locator(KEYS), ada.get_by_role("columnheader", name="Name", exact=True)
    ada.goto("/campaigns")
    loaded(ada, "Campaigns")
    expect(rows).to_have_count(25)
    rows.last.scroll_into_view_if_needed()
    expect(rows.nth(29)).to_be_attached()
    column.get_by_role("link").click()
    expect(column).to_have_attribute("aria-sort", "ascending")
    shown = rows.all_inner_texts()
    assert shown == sorted(shown, key=str.lower)
    ada.get_by_role("button", name="Sort and columns").click()
    ada.locator("#columns .tick").first.locator("input").uncheck()
    ada.get_by_role("button", name="Apply").click()
    ada.wait_for_url(re.compile("cols?="))  # what still loads moves what is opened over it
    ada.get_by_role("button", name="Views").click()
    ada.get_by_label("Save this view").fill("In order")
    ada.locator("#views").get_by_role("button", name="Save").click()
    expect(ada.get_by_text("View “In order” saved.")).to_be_visible()
    ada.goto("/campaigns")
    ada.get_by_role("button", name="Views").click()
    ada.get_by_role("link", name="In order").click()
    expect(column).to_have_attribute("aria-sort", "ascending")
    expect(ada).to_have_url(re.compile("cols?="))
    fits(ada)
