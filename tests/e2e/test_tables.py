"""The table of a list in a real browser: filtered, sorted, everyone picked, tagged and undone, in so many presses."""

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read, session
from app.domain.leads import leads, lists
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace
from tests.e2e.browsing import SIZES, loaded, overflow, problems

PEOPLE = 5000


@pytest.fixture
def many(acme: Workspace) -> LeadList:
    """A list of 5,000 people, every fifth without an address."""
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
    for start in range(0, PEOPLE, 1000):
        leads.add(acme, found.id, given[start : start + 1000])
    end_read()
    return found


def tagged(workspace: Workspace) -> int:
    """How many people have a tag."""
    session().expire_all()
    found = sum(bool(lead.tags) for lead in session().query(Lead).where(Lead.workspace_id == workspace.id))
    end_read()
    return found


@pytest.mark.usefixtures("working")
def test_five_thousand_people_are_tagged_and_untagged_in_seven_presses(
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
    expect(ada.locator("main")).to_contain_text("of 4,000 shown")
    press("link", "Company")
    expect(ada.locator("#people-rows .key").first).to_contain_text("Person0097")
    press("checkbox", "Pick all rows shown")
    press("checkbox", "All 4,000")
    expect(ada.get_by_text("4,000 selected")).to_be_visible()
    press("textbox", "Tag")
    ada.keyboard.type("VIP")
    press("button", "Add tag")
    expect(ada.get_by_role("status").filter(has_text="“VIP” added to 4,000 people.")).to_be_visible(timeout=60_000)
    assert tagged(acme) == 4000
    press("button", "Undo")
    expect(ada.get_by_role("status").filter(has_text="Undone.")).to_be_visible(timeout=60_000)
    assert tagged(acme) == 0
    assert presses == 7
    assert "sort=company" in ada.url
    assert "reach=email" in ada.url


def test_a_view_is_kept_with_its_columns_and_order(ada: Page, many: LeadList) -> None:
    """Columns are chosen, the view is named, and leads back there."""
    ada.goto(f"/lists/{many.id}?sort=-name")
    ada.get_by_role("button", name="Sort and columns").click()
    ada.locator("#columns").get_by_label("Location").uncheck()
    ada.locator("#columns").get_by_label("Title").check()
    ada.get_by_role("button", name="Apply").click()
    expect(ada.get_by_role("columnheader", name="Title")).to_be_visible()
    expect(ada.get_by_role("columnheader", name="Location")).to_have_count(0)
    expect(ada.locator("#people-rows .key").first).to_contain_text("Person4999")
    ada.get_by_role("button", name="Views").click()
    ada.get_by_label("Save this view").fill("By title")
    ada.locator("#views").get_by_role("button", name="Save").click()
    expect(ada.get_by_text("View “By title” saved.")).to_be_visible()
    ada.goto(f"/lists/{many.id}")
    ada.get_by_role("button", name="Views").click()
    ada.get_by_role("link", name="By title").click()
    expect(ada.get_by_role("columnheader", name="Title")).to_be_visible()
    expect(ada.locator("#people-rows .key").first).to_contain_text("Person4999")


def test_rows_come_as_one_scrolls_and_fit_everywhere(ada: Page, many: LeadList) -> None:
    """Without a press; on every screen nothing is wider than it, and nothing is out of reach."""
    ada.goto(f"/lists/{many.id}?sort=company")
    rows = ada.locator("#people-rows .key")
    expect(rows).to_have_count(25)
    rows.last.scroll_into_view_if_needed()
    expect(rows.nth(49)).to_be_attached()  # more may have come
    for size in SIZES.values():
        ada.set_viewport_size({"width": size["width"], "height": size["height"]})
        ada.goto(f"/lists/{many.id}?sort=company")
        loaded(ada, "Conference")
        assert overflow(ada) == 0
        assert problems(ada) == []
        ada.get_by_role("checkbox", name="Select Person0000").check()
        assert overflow(ada) == 0
        assert problems(ada) == []
