"""What costs something, in a real browser: the price before, the count while typing, the progress that ends itself."""

from playwright.sync_api import Page, expect

from app.domain.platform import jobs
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.e2e.browsing import sign_in


def test_a_signal_shows_its_price_before_it_is_looked_up(page: Page, acme: Workspace) -> None:
    """A signal is looked up with its price on the button; what it found can be read at once."""
    sign_in(page)
    page.goto("/signals")
    page.get_by_role("link", name="Headcount").first.click()
    page.get_by_label("Company website").fill("known-acme.com")
    page.get_by_role("button", name="Look up, 6 credits if found").click()
    expect(page.locator("#result")).to_contain_text("Growth in 6 months")
    expect(page.get_by_role("link", name="994 credits")).to_be_visible()


def test_look_ups_of_a_list_end_by_themselves(page: Page, acme: Workspace) -> None:
    """The dialog says what it can cost; no one has to reload to see what was found."""
    found = a_list(acme, [{"publicId": "known-ada"}, {"publicId": "nothing-bob"}])
    sign_in(page)
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


def test_the_reason_is_counted_while_it_is_typed(page: Page, acme: Workspace) -> None:
    """And a cancellation can be taken back where it is shown."""
    sign_in(page)
    page.goto("/settings/billing/cancel")
    page.get_by_label("Tell us more").fill("Twelve chars")
    expect(page.get_by_text("12 of 20 characters")).to_be_visible()
    page.get_by_text("Too few results").click()
    page.get_by_label("Tell us more").fill("Confirm cancellation")
    page.get_by_role("button", name="Cancel subscription").click()
    page.get_by_role("button", name="Undo the cancellation").click()
    expect(page.get_by_text("Your subscription continues.")).to_be_visible()
