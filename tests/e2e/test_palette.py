"""The palette in a real browser: keys only, what it finds, where focus is afterwards, nothing before it is opened."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read
from app.domain.leads import leads, lists
from app.models.workspaces import Workspace
from tests.e2e.browsing import loaded, overflow, problems, titled


@pytest.fixture
def maya(acme: Workspace) -> None:
    """Maya Lindqvist of Tidemark is in a list."""
    found = lists.create_list(acme, "Founders")
    person = {"publicId": "maya", "firstName": "Maya", "lastName": "Lindqvist", "companyName": "Tidemark"}
    leads.add(acme, found.id, [person])
    end_read()


@pytest.mark.usefixtures("maya")
def test_a_person_a_page_and_an_action_are_found_by_keys(ada: Page) -> None:
    """Ctrl K, a few letters, Enter; what was opened comes first next time, and pages need no answer of the server."""
    asked: list[str] = []
    ada.on("request", lambda request: asked.append(request.url))
    ada.goto("/campaigns")
    assert not [url for url in asked if url.endswith(("palette.js", "/search"))]
    ada.keyboard.press("Control+k")
    expect(ada.get_by_role("combobox", name="Search or jump to a page")).to_be_focused()
    expect(ada.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    ada.keyboard.press("ArrowUp")
    expect(ada.get_by_role("option").last).to_have_attribute("aria-selected", "true")
    ada.keyboard.press("ArrowDown")
    expect(ada.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    ada.keyboard.type("lindq")
    expect(ada.get_by_role("option", name="Maya Lindqvist")).to_have_attribute("aria-selected", "true")
    expect(ada.get_by_role("option")).to_have_count(1)
    ada.keyboard.press("Enter")
    loaded(ada, "Maya Lindqvist")
    ada.keyboard.press("Control+k")
    expect(ada.get_by_role("group", name="Recent").get_by_role("option")).to_have_count(1)
    expect(ada.get_by_role("option").first).to_contain_text("Maya Lindqvist")
    ada.keyboard.type("sett")
    ada.keyboard.press("Enter")
    expect(ada).to_have_url(re.compile("/settings"))
    ada.wait_for_load_state()
    ada.keyboard.press("Control+k")
    ada.keyboard.type("dark")
    expect(ada.get_by_role("option")).to_have_count(1)
    ada.keyboard.press("Enter")
    expect(ada.locator("html")).to_have_attribute("data-theme", "dark")
    expect(ada).to_have_url(re.compile("/settings"))


@pytest.mark.usefixtures("maya")
def test_escape_returns_to_where_one_was_and_buttons_of_the_page_are_found(ada: Page) -> None:
    """Focus is on what had it before; nothing was changed."""
    ada.goto("/lists")
    loaded(ada, "Lists")
    opener = ada.get_by_role("button", name="New list").first
    opener.focus()
    ada.keyboard.press("Control+k")
    ada.keyboard.type("zzzz")
    expect(ada.get_by_text("No results. Search people by name, company or email address.")).to_be_visible()
    assert problems(ada) == []
    ada.keyboard.press("Escape")
    expect(opener).to_be_focused()
    ada.keyboard.press("Meta+k")
    expect(ada.get_by_role("combobox")).to_be_focused()
    here = ada.get_by_role("group", name="On this page")
    ada.get_by_role("combobox").fill("new list")
    expect(here.get_by_role("option")).to_have_count(1)
    here.get_by_role("option").click()
    expect(ada.get_by_role("dialog", name="New list")).to_be_visible()
    ada.keyboard.press("Escape")
    ada.keyboard.press("Control+k")
    expect(ada.get_by_role("combobox")).to_be_focused()
    ada.keyboard.press("Control+k")
    expect(ada.get_by_role("combobox")).to_be_hidden()
    ada.keyboard.type("gh")
    titled(ada, "Home")


def test_phones_have_it_under_more(phone: Page) -> None:
    phone.set_viewport_size({"width": 320, "height": 640})
    phone.goto("/lists")
    phone.get_by_role("button", name="More", exact=True).click()
    phone.locator("#more-menu").get_by_role("link", name="Search").click()
    expect(phone.get_by_role("combobox")).to_be_focused()
    assert overflow(phone) == 0
    assert problems(phone) == []
