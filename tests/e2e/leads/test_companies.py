"""A list of companies in a browser: made, filled, and the people of its companies looked up."""

from playwright.sync_api import Page, expect

from app.domain.platform import jobs
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.e2e.browsing import overflow, problems, sign_in


def test_companies_are_pasted_and_their_people_looked_up(page: Page, acme: Workspace) -> None:
    """Known people go to a new list, others are searched, and the progress shows without a reload."""
    a_list(acme, [{"publicId": "ann", "firstName": "Ann", "email": "ann@wool.example"}], "Known")
    sign_in(page)
    page.goto("/lists/new")
    page.get_by_label("Name").fill("Firms")
    page.get_by_role("radio", name="Companies").check()
    page.get_by_role("button", name="Create list").click()
    page.get_by_label("Names or websites").fill("Wool Ltd, wool.example\niron.example\nCotton AG")
    page.get_by_role("button", name="Add companies").click()
    expect(page.get_by_text("3 added.")).to_be_visible()
    table = page.get_by_role("table", name="Companies of this list")
    expect(table.get_by_role("row")).to_have_count(4)
    table.get_by_role("checkbox", name="Wool Ltd").check()
    page.get_by_role("button", name="Find people").click()
    expect(page.get_by_text("Add the 1 person you know at this company")).to_be_visible()
    page.get_by_label("Words in the job title").fill("Founder")
    page.get_by_label("At most per company").fill("3")
    page.get_by_role("button", name="Find people").click()
    expect(page.get_by_text("1 known person added. 1 search started.")).to_be_visible()
    jobs.run_due()
    expect(page.locator("#searches")).to_contain_text("3 of 3")
    page.set_viewport_size({"width": 390, "height": 800})
    assert overflow(page) == 0
    page.get_by_role("link", name="Wool Ltd").last.click()
    expect(page.get_by_text("Ann", exact=False).first).to_be_visible()
    assert overflow(page) == 0
    assert problems(page) == []
