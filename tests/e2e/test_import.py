"""A CSV file becomes people in a real browser without scripts; people are found, picked and tagged."""

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
from tests.e2e.browsing import sign_in
from tests.people import people_csv


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
    ada.get_by_role("link", name="Load more").click()
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
