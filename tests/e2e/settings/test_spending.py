"""What costs something, in a real browser: the price before, and the progress that ends without a reload."""

from playwright.sync_api import Page, expect

from app.domain.platform import jobs
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list


def test_prices_are_shown_before_anything_is_looked_up(ada: Page, acme: Workspace) -> None:
    """A signal, and the people of a list, whose progress ends without a reload."""
    page = ada
    page.goto("/signals")
    page.get_by_role("link", name="Headcount").first.click()
    page.get_by_label("Company website").fill("known-acme.com")
    page.get_by_role("button", name="Look up, 6 credits if found").click()
    expect(page.locator("#result")).to_contain_text("Growth in 6 months")
    expect(page.get_by_role("link", name="994 credits")).to_be_visible()
    found = a_list(acme, [{"publicId": "known-ada"}, {"publicId": "nothing-bob"}])
    page.goto(f"/lists/{found}")
    page.get_by_role("button", name="Find emails and phone numbers").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Up to 4 credits (2 people × 2).")
    dialog.get_by_role("button", name="Look up").click()
    expect(page.locator("#look-ups")).to_contain_text("2 to go")
    jobs.run_due()
    expect(page.get_by_text("known.ada@people.example")).to_be_visible()
    expect(page.get_by_text("not found", exact=True)).to_be_visible()
    expect(page.locator("#look-ups")).to_have_count(0)
