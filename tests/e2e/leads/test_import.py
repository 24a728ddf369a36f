"""People come into a list in a real browser: by a form, or a file that is dropped or chosen; they are found, tagged."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from app.core.db import end_read
from app.domain.leads import leads, lists
from app.domain.platform import jobs
from app.models.leads import LeadList
from app.models.workspaces import Workspace
from tests.e2e.browsing import fits, loaded, problems

# As Apollo names its columns: Eve has no profile, Fay a bad address, Gus nothing to know him by.
EXPORT = """First Name,Last Name,Email,Person Linkedin Url,Lead score
Ada,Byron,ada@wool.example,https://network.example/in/ada,77
Eve,Only,eve@mail.example,,12
Fay,Bad,not-an-address,https://network.example/in/fay,5
Gus,Nothing,,,1
"""
DROPPED = """text => {
  const held = new DataTransfer();
  held.items.add(new File([text], 'fair.csv', { type: 'text/csv' }));
  return held;
}"""


@pytest.fixture
def founders(acme: Workspace) -> LeadList:
    """An empty list of ours."""
    found = lists.create_list(acme, "Founders")
    end_read()
    return found


def work() -> None:
    """Does the background jobs that are due, as the scheduler would."""
    end_read()
    jobs.run_due()
    end_read()


def test_people_are_added_searched_picked_and_tagged(ada: Page, acme: Workspace, founders: LeadList) -> None:
    """A dialog keeps what was typed while something is wrong; typing filters in place; picked rows are counted.

    What is typed while the page's scripts are still on their way is searched for once they have come.
    """
    ada.goto(f"/lists/{founders.id}")
    ada.keyboard.press("p")
    dialog = ada.get_by_role("dialog", name="Add a person")
    dialog.get_by_label("First name").fill("Grace")
    dialog.get_by_role("button", name="Add person").click()
    expect(dialog.get_by_text("Enter an email address or a profile link.")).to_be_visible()
    expect(dialog.get_by_label("Email")).to_be_focused()
    expect(dialog.get_by_label("First name")).to_have_value("Grace")
    assert problems(ada) == []
    ada.keyboard.type("grace@navy.example")
    ada.keyboard.press("Enter")
    expect(ada.get_by_text("Grace added.")).to_be_visible()
    expect(ada.get_by_role("row", name="Grace")).to_contain_text("grace@navy.example")
    leads.add(acme, founders.id, [{"publicId": f"p{number}", "firstName": f"Person {number}"} for number in range(30)])
    end_read()
    on_their_way: list[Route] = []
    ada.route("**/htmx-*.js", lambda route: on_their_way.append(route))
    ada.goto(f"/lists/{founders.id}", wait_until="commit")
    ada.get_by_label("Search people").press_sequentially("person 17")
    on_their_way.pop().continue_()
    expect(ada.get_by_role("row")).to_have_count(2)
    expect(ada).to_have_url(re.compile(r"\?q=person(\+|%20)17$"))
    ada.get_by_label("Select Person 17").check()
    expect(ada.get_by_text("1 selected")).to_be_visible()
    ada.get_by_label("Tag", exact=True).fill("VIP")
    ada.get_by_role("button", name="Add tag").click()
    expect(ada.get_by_text("“VIP” added to 1 person.")).to_be_visible()
    expect(ada.get_by_role("row", name="Person 17")).to_contain_text("VIP")


def test_a_dropped_file_is_read_and_says_what_was_left_out(ada: Page, founders: LeadList) -> None:
    """Known people stay as they are, each value left out is in a file to download."""
    ada.goto(f"/lists/{founders.id}/add")
    held = ada.evaluate_handle(DROPPED, EXPORT)
    ada.locator("main").dispatch_event("dragover", {"dataTransfer": held})
    expect(ada.locator("form.drop")).to_be_visible()
    ada.locator("main").dispatch_event("drop", {"dataTransfer": held})
    loaded(ada, "fair.csv: match columns")
    ada.get_by_label("Import Lead score as").select_option(label="Custom field “Lead score”")
    ada.get_by_label("Leave as is").check()
    ada.get_by_label("Lawful basis").fill("consent")
    ada.get_by_role("button", name="Import 4 rows").click()
    expect(ada.get_by_text("0 of 4")).to_be_visible()
    ada.get_by_role("button", name="Stop").focus()
    work()
    refused = ada.locator("#refused")
    expect(refused.get_by_role("row", name="Whole row")).to_contain_text("Add a profile link")
    expect(refused.locator(".table-wrap")).not_to_be_focused()
    expect(refused.get_by_role("row", name="not-an-address")).to_contain_text("Email")
    fits(ada)
    with ada.expect_download() as download:
        refused.get_by_role("link", name="Download all errors").click()
    lines = download.value.path().read_text("utf-8-sig").splitlines()
    assert len(lines) == 3
    assert all(word in lines[1] + lines[2] for word in ("Fay", "Gus", "not-an-address"))
    ada.get_by_role("link", name="Open list").click()
    expect(ada.get_by_role("row", name="Eve Only")).to_contain_text("eve@mail.example")
    ada.get_by_role("link", name="Ada Byron").click()
    loaded(ada, "Ada Byron")
    ada.locator("#sources > summary").press("Enter")
    expect(ada.locator("#sources").get_by_role("row", name="Lead score")).to_contain_text("Lawful basis: consent")
