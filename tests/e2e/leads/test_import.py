"""People come into a list in a real browser: by a form, or a file that is dropped or chosen; they are found, tagged."""

import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from app.core.db import end_read
from app.domain.leads import leads, lists
from app.domain.platform import jobs
from app.models.leads import LeadList
from app.models.workspaces import Workspace
from tests.e2e.browsing import loaded, overflow, problems, sign_in
from tests.support.people import people_csv

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
    return lists.create_list(acme, "Founders")


@pytest.fixture
def people_file(tmp_path: Path) -> Path:
    """500 people, seven of them broken."""
    file = tmp_path / "people.csv"
    file.write_bytes(people_csv().encode())
    return file


@pytest.fixture
def work(app: Flask) -> Callable[[], None]:
    """Does the background jobs that are due, as the scheduler would, beside the browser."""

    def run() -> None:
        with app.app_context():
            jobs.run_due()

    def beside() -> None:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()

    return beside


@pytest.fixture
def ada(page: Page, acme: Workspace) -> Page:
    """Ada is signed in."""
    end_read()
    sign_in(page)
    return page


def upload(page: Page, founders_id: int, file: Path) -> None:
    """The file is uploaded; the page asks what its columns mean."""
    page.goto(f"/lists/{founders_id}/add")
    page.get_by_label("CSV file", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Match columns")


def test_an_import_works_without_scripts(
    browser: Browser,
    live_server: str,
    acme: Workspace,
    founders: LeadList,
    people_file: Path,
    work: Callable[[], None],
) -> None:
    """Without scripts, where only the reload is by hand."""
    list_id = founders.id
    end_read()
    context = browser.new_context(base_url=live_server, java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    upload(page, list_id, people_file)
    page.get_by_role("button", name="Import 500 rows").click()
    expect(page.get_by_text("0 of 500")).to_be_visible()
    work()
    page.reload()
    expect(page.get_by_role("heading", name="Errors")).to_be_visible()
    page.goto(f"/lists/{list_id}")
    page.get_by_label("Select Maya Gallagher").check()
    page.get_by_label("Tag", exact=True).fill("VIP")
    page.get_by_role("button", name="Add tag").click()
    expect(page.get_by_role("row", name="Maya Gallagher")).to_contain_text("VIP")
    context.close()


def test_people_are_searched_picked_and_tagged(ada: Page, acme: Workspace, founders: LeadList) -> None:
    """Typing filters in place; picked rows are counted; the tag is there."""
    leads.add(acme, founders.id, [{"publicId": f"p{number}", "firstName": f"Person {number}"} for number in range(30)])
    list_id = founders.id
    end_read()
    ada.goto(f"/lists/{list_id}")
    ada.get_by_role("row").last.scroll_into_view_if_needed()
    expect(ada.get_by_role("row")).to_have_count(31)
    ada.keyboard.press("/")
    ada.keyboard.type("person 17")
    expect(ada.get_by_role("row")).to_have_count(2)
    expect(ada).to_have_url(re.compile(r"\?q=person(\+|%20)17$"))
    ada.get_by_label("Select Person 17").check()
    expect(ada.get_by_text("1 selected")).to_be_visible()
    ada.get_by_label("Tag", exact=True).fill("VIP")
    ada.get_by_role("button", name="Add tag").click()
    expect(ada.get_by_text("“VIP” added to 1 person.")).to_be_visible()
    expect(ada.get_by_role("row", name="Person 17")).to_contain_text("VIP")


def test_a_person_is_added_in_a_dialog(ada: Page, founders: LeadList) -> None:
    """It stays open while something is wrong, and keeps what was typed."""
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


def test_a_dropped_file_is_read_as_the_last_one_was(ada: Page, founders: LeadList, work: Callable[[], None]) -> None:
    """Columns are remembered, known people stay as they are, each value left out is in a file to download."""

    def drop() -> None:
        ada.goto(f"/lists/{founders.id}/add")
        held = ada.evaluate_handle(DROPPED, EXPORT)
        ada.locator("main").dispatch_event("dragover", {"dataTransfer": held})
        expect(ada.locator("form.drop")).to_be_visible()
        ada.locator("main").dispatch_event("drop", {"dataTransfer": held})
        loaded(ada, "Columns of fair.csv")

    score = ada.get_by_label("Import Lead score as")
    drop()
    score.select_option(label="Custom field “Lead score”")
    ada.get_by_label("Leave as is").check()
    ada.get_by_label("Lawful basis").fill("consent")
    assert (problems(ada), overflow(ada)) == ([], 0)
    ada.get_by_role("button", name="Import 4 rows").click()
    expect(ada.get_by_text("0 of 4")).to_be_visible()
    ada.get_by_role("button", name="Stop").focus()
    work()
    refused = ada.locator("#refused")
    expect(refused.get_by_role("row", name="Whole row")).to_contain_text("are missing.")
    expect(refused.locator(".table-wrap")).not_to_be_focused()
    expect(refused.get_by_role("row", name="not-an-address")).to_contain_text("Email")
    assert (problems(ada), overflow(ada)) == ([], 0)
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
    drop()
    expect(score).to_have_value("custom:Lead score")
