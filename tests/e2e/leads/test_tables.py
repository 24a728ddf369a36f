"""The table of a list in a real browser: filtered, sorted, everyone picked, tagged and undone, in so many presses."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from app.core.db import end_read, session
from app.domain.campaigns import campaigns
from app.domain.enrichment import signals
from app.domain.leads import leads, lists
from app.domain.platform import request_log
from app.domain.platform.request_log import LoggedRequest
from app.domain.workspace import api_keys
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, forward, message
from tests.e2e.browsing import SIZES, loaded, overflow, problems, sign_in

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


@pytest.fixture
def busy(acme: Workspace) -> Workspace:
    """Thirty campaigns, lookups and requests, and replies."""
    found = a_campaign(
        acme, ["replies-positive-ada", "replies-negative-bob"], [INVITE, message("Hi {{first_name|there}}")]
    )
    forward(acme, days=4)
    list_id, (key, _) = found.list_id or 0, api_keys.create(acme, "CRM sync", "all")
    for number in range(30):
        name = f"Fair {number:02}"
        campaigns.create(acme, name=name, list_id=list_id, account_ids=found.account_ids, sequence=[INVITE])
        signals.look_up(acme, "news" if number % 2 else "headcount", domain=f"known-firm-{number:02}.example")
        at, status = acme.now(), 404 if number % 3 else 200
        path = f"/v1/lists/{number}/leads?limit=100&cursor=abc"
        answer = '{"error": {"code": "not_found"}}' if status == 404 else ""
        request_log.log(
            LoggedRequest(
                workspace_id=acme.id,
                key_id=key.id,
                ref=f"req_{number:020}",
                method="GET",
                path=path,
                status=status,
                refused=status == 404,
                code="not_found" if status == 404 else "",
                sent="",
                answered=answer,
                milliseconds=number * 7,
                created_at=at,
            )
        )
    request_log.finish()
    end_read()
    return acme


TABLES = {
    "/campaigns": ("Campaigns", "#campaigns-rows tr .key", "Name"),
    "/signals": ("Signals", "#lookups-rows tr .key", "Asked about"),
    "/developers/requests": ("Requests", "#calls-rows tr .key", "Request"),
}


@pytest.mark.parametrize("path", TABLES)
def test_other_tables_are_sorted_kept_and_come_as_one_scrolls(ada: Page, busy: Workspace, path: str) -> None:
    """On every screen; sorting and views are one press each."""
    title, keys, head = TABLES[path]
    for size in reversed(SIZES.values()):
        ada.set_viewport_size({"width": size["width"], "height": size["height"]})
        ada.goto(path)
        loaded(ada, title)
        assert overflow(ada) == 0
        assert problems(ada) == []
    rows = ada.locator(keys)
    expect(rows).to_have_count(25)
    rows.last.scroll_into_view_if_needed()
    expect(rows.nth(29)).to_be_attached()
    ada.get_by_role("columnheader", name=head, exact=True).get_by_role("link").click()
    expect(ada.get_by_role("columnheader", name=head, exact=True)).to_have_attribute("aria-sort", "ascending")
    shown = rows.all_inner_texts()
    assert shown == sorted(shown, key=str.lower)
    ada.get_by_role("button", name="Views").click()
    ada.get_by_label("Save this view").fill("In order")
    ada.locator("#views").get_by_role("button", name="Save").click()
    expect(ada.get_by_text("View “In order” saved.")).to_be_visible()
    ada.goto(path)
    ada.get_by_role("button", name="Views").click()
    assert problems(ada) == []
    ada.get_by_role("link", name="In order").click()
    expect(ada.get_by_role("columnheader", name=head, exact=True)).to_have_attribute("aria-sort", "ascending")


def test_tables_work_without_scripts(browser: Browser, busy: Workspace, live_server: str) -> None:
    """Search, filter, order, columns, views and the next rows are links and forms."""
    context = browser.new_context(base_url=live_server, java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    for path, (_, keys, head) in TABLES.items():
        page.goto(path)
        page.get_by_role("columnheader", name=head, exact=True).get_by_role("link").click()
        first = page.locator(keys).first.inner_text()
        page.get_by_role("link", name="Load more").click()
        expect(page.locator(keys)).not_to_have_count(25)
        expect(page.locator(keys).first).not_to_have_text(first)
        page.goto(path)
        page.get_by_role("button", name="Sort and columns").click()
        page.locator("#columns .tick").first.locator("input").uncheck()
        page.get_by_role("button", name="Apply").click()
        page.wait_for_url(re.compile("cols?="))  # what still loads moves what is opened over it
        page.get_by_role("button", name="Views").click()
        page.get_by_label("Save this view").fill("Narrow")
        page.locator("#views").get_by_role("button", name="Save").click()
        expect(page.get_by_text("View “Narrow” saved.")).to_be_visible()
    page.goto("/signals")
    page.get_by_role("searchbox", name="Search lookups").fill("firm-07")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator("#lookups-rows tr")).to_have_count(1)
    page.goto("/conversations")
    page.get_by_text("Filter", exact=True).click()
    page.get_by_label("Order").select_option("Oldest first")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_load_state()
    page.get_by_role("button", name="Views").click()
    page.get_by_label("Save this view").fill("Waiting longest")
    page.locator("#views").get_by_role("button", name="Save").click()
    expect(page.get_by_text("View “Waiting longest” saved.")).to_be_visible()
    context.close()
