"""The palette in a real browser: keys only, what it finds, where focus is afterwards, nothing before it is opened."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from app.core.db import end_read
from app.domain.leads import leads, lists
from app.models.workspaces import Workspace
from tests.e2e.browsing import loaded, overflow, problems, sign_in, titled


@pytest.fixture
def maya(acme: Workspace) -> None:
    """Maya Lindqvist of Tidemark is in a list."""
    found = lists.create_list(acme, "Founders")
    person = {"publicId": "maya", "firstName": "Maya", "lastName": "Lindqvist", "companyName": "Tidemark"}
    leads.add(acme, found.id, [person])
    end_read()


@pytest.mark.usefixtures("maya")
def test_the_palette_finds_a_person_and_ranks_them_first_next_time(ada: Page) -> None:
    """Ctrl K, a few letters, Enter: there she is; next time she comes first."""
    asked: list[str] = []
    ada.on("request", lambda request: asked.append(request.url))
    ada.goto("/campaigns")
    assert not [url for url in asked if url.endswith(("palette.js", "/search"))]
    ada.keyboard.press("Control+k")
    field = ada.get_by_role("combobox", name="Search or go to")
    expect(field).to_be_focused()
    expect(ada.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    ada.keyboard.type("lindq")
    expect(ada.get_by_role("option", name="Maya Lindqvist")).to_have_attribute("aria-selected", "true")
    expect(ada.get_by_role("option")).to_have_count(1)
    ada.keyboard.press("Enter")
    loaded(ada, "Maya Lindqvist")
    ada.keyboard.press("Control+k")
    expect(ada.get_by_role("group", name="Recent").get_by_role("option")).to_have_count(1)
    expect(ada.get_by_role("option").first).to_contain_text("Maya Lindqvist")


def test_enter_at_once_goes_where_the_letters_say(ada: Page) -> None:
    """No one waits for the server to jump to a page; arrows go round."""
    ada.goto("/")
    ada.keyboard.press("Control+k")
    expect(ada.get_by_role("combobox")).to_be_focused()
    ada.keyboard.press("ArrowUp")
    expect(ada.get_by_role("option").last).to_have_attribute("aria-selected", "true")
    ada.keyboard.press("ArrowDown")
    expect(ada.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    ada.keyboard.type("sett")
    ada.keyboard.press("Enter")
    expect(ada).to_have_url(re.compile("/settings"))


@pytest.mark.usefixtures("maya")
def test_escape_returns_to_where_one_was(ada: Page) -> None:
    """Focus is on what had it before; nothing was changed."""
    ada.goto("/lists")
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
    assert problems(ada) == []
    ada.keyboard.press("Control+k")
    expect(ada.get_by_role("combobox")).to_be_hidden()
    ada.keyboard.type("gh")
    titled(ada, "Home")


def test_a_action_is_done_from_anywhere(ada: Page) -> None:
    """The colours change, and the page is the same."""
    ada.goto("/lists")
    ada.get_by_role("link", name="Search or go to").first.click()
    ada.keyboard.type("dark")
    expect(ada.get_by_role("option")).to_have_count(1)
    ada.keyboard.press("Enter")
    expect(ada.locator("html")).to_have_attribute("data-theme", "dark")
    expect(ada).to_have_url("/lists")


def test_phones_have_it_under_more(ada: Page) -> None:
    ada.set_viewport_size({"width": 320, "height": 640})
    ada.goto("/lists")
    ada.get_by_role("button", name="More", exact=True).click()
    ada.locator("#more-menu").get_by_role("link", name="Search or go to").click()
    expect(ada.get_by_role("combobox")).to_be_focused()
    assert overflow(ada) == 0
    assert problems(ada) == []


@pytest.mark.usefixtures("maya")
def test_without_scripts_it_is_a_page(browser: Browser, browser_context_args: dict[str, object]) -> None:
    context = browser.new_context(**{**browser_context_args, "java_script_enabled": False})  # type: ignore[arg-type]
    page = context.new_page()
    sign_in(page)
    page.goto("/")
    page.get_by_role("link", name="Search or go to").first.click()
    page.get_by_role("searchbox").fill("tidem")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Maya Lindqvist").click()
    titled(page, "Maya Lindqvist")
    context.close()


@pytest.mark.usefixtures("maya")
def test_the_verbs_of_the_page_are_found(ada: Page) -> None:
    """What the buttons at the top of the page do is done from the palette too."""
    ada.goto("/lists")
    loaded(ada, "Lists")
    ada.keyboard.press("Control+k")
    here = ada.get_by_role("group", name="On this page")
    expect(here.get_by_role("option").first).to_be_visible()
    ada.keyboard.type("new list")
    expect(here.get_by_role("option")).to_have_count(1)
    here.get_by_role("option").click()
    expect(ada.get_by_role("dialog", name="New list")).to_be_visible()
