"""Held companies in a real browser: from the conversation to the decision, undone and decided again."""

from playwright.sync_api import Page, expect

from app.core.db import end_read
from app.models.workspaces import Workspace
from tests.e2e.browsing import SIZES, focus_is_kept, loaded, overflow, problems
from tests.pages.campaigns.test_company_holds import held


def test_a_company_is_decided_about_from_the_conversation(ada: Page, acme: Workspace) -> None:
    """Handed over and undone, then stopped, which asks first."""
    held(acme)
    end_read()
    ada.goto("/conversations")
    ada.get_by_role("link", name="Ann").click()
    about = ada.get_by_role("complementary", name="About Ann")
    expect(about).to_contain_text("2 colleagues at Wool Ltd are held.")
    about.get_by_role("link", name="Decide").click()
    loaded(ada, "Held companies")
    rows = ada.locator("#holds-rows").get_by_role("row")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("Wool Ltd")
    assert (problems(ada), overflow(ada)) == ([], 0)
    rows.get_by_role("button", name="Hand over").press("Enter")
    expect(ada.get_by_text("Wool Ltd: 2 people handed over.")).to_be_visible()
    expect(ada.get_by_role("heading", name="Nothing to decide")).to_be_visible()
    ada.get_by_role("link", name="Decided").click()
    expect(rows.first).to_contain_text("Handed over")
    rows.get_by_role("button", name="Undo").click()
    expect(ada.get_by_text("Wool Ltd is held again.")).to_be_visible()
    ada.goto("/company-holds")
    rows.get_by_role("button", name="Stop").click()
    ada.locator("#confirm").get_by_role("button", name="Cancel").click()
    focus_is_kept(ada)
    rows.get_by_role("button", name="Stop").click()
    ada.locator("#confirm [value=yes]").click()
    expect(ada.get_by_text("Wool Ltd: 2 people stopped.")).to_be_visible()


def test_people_who_are_held_say_so_and_lead_to_the_decision(ada: Page, acme: Workspace) -> None:
    """In the campaign, on their page there and on their own, on a phone."""
    campaign = held(acme)
    end_read()
    ada.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]
    ada.goto(f"/campaigns/{campaign.id}/people?why=company_held")
    row = ada.get_by_role("row", name="Bea")
    expect(row.get_by_role("link", name="Decide")).to_be_visible()
    row.get_by_role("link", name="Bea").click()
    expect(ada.locator("#why").get_by_role("link", name="Decide")).to_be_visible()
    ada.get_by_role("link", name="Open person").click()
    loaded(ada, "Bea")
    expect(ada.locator("#held")).to_contain_text("Another person of their company replied.")
    assert (problems(ada), overflow(ada)) == ([], 0)
    ada.locator("#held").get_by_role("link", name="Decide").click()
    loaded(ada, "Held companies")
    assert (problems(ada), overflow(ada)) == ([], 0)
