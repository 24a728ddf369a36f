"""Changing steps on the way, adding people and forecasts in a real browser; on phones, and without scripts."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from app.core.db import end_read
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, VIEW, a_campaign, a_list, forward, fresh, message
from tests.e2e.browsing import loaded, sign_in

LONG = "A name that goes on and on because somebody wrote down everything they knew about these people 🦊 " * 2
STEPS = [VIEW, INVITE, message("Hi {{first_name|there}}", days=1), message("More", days=3)]


@pytest.fixture
def refusals() -> tuple[str, ...]:
    """What these tests bring about on purpose."""
    return ("404", "409", "422")


def a_running_one(workspace: Workspace) -> Campaign:
    """Some days into a campaign, with long names."""
    campaign = a_campaign(
        workspace,
        ["accepts-ada", "never-bob", {"publicId": "x", "firstName": LONG[:100], "companyName": LONG[:100]}],
        STEPS,
        name=LONG[:100],
    )
    forward(workspace, days=3)
    a_list(workspace, ["new-eve"], LONG[:100])
    end_read()
    return campaign


def test_the_effect_of_a_revision_shows_while_typing(ada: Page, acme: Workspace) -> None:
    """Whom it concerns shows while someone types; then it holds."""
    campaign = a_running_one(acme)
    ada.goto(f"/campaigns/{campaign.id}")
    expect(ada.locator("#forecast")).to_contain_text("Would finish around")
    ada.locator(".tabs").get_by_role("link", name="Sequence").click()
    ada.get_by_role("link", name="Edit").click()
    loaded(ada, f"Edit steps of {campaign.name}")
    expect(ada.locator("#effect")).to_contain_text("No changes yet.")
    ada.locator("textarea").nth(2).fill("Something else")
    expect(ada.locator("#effect")).to_contain_text("New text in step 4")
    expect(ada.locator("textarea").nth(2)).to_be_focused()
    ada.get_by_label("Everyone not finished").check()
    expect(ada.locator("#effect")).to_contain_text("Get the change")
    ada.get_by_role("button", name="Add a step after step 4").click()
    ada.locator("#add-4").get_by_role("button", name="Follow").click()
    expect(ada.locator("#effect")).to_contain_text("Added at 5: Follow")
    ada.get_by_role("button", name="Save changes").click()
    expect(ada.get_by_text("Changes saved.")).to_be_visible()
    end_read()
    assert [step["type"] for step in fresh(campaign).sequence][3:] == ["message", "follow"]


def test_everything_works_without_scripts(browser: Browser, browser_context_args: Any, acme: Workspace) -> None:
    """The form says whom it concerns when it is asked, people join, and one is left out after a question."""
    campaign = a_running_one(acme)
    context = browser.new_context(**{**browser_context_args, "java_script_enabled": False})
    page = context.new_page()
    sign_in(page)
    page.goto(f"/campaigns/{campaign.id}")
    page.get_by_role("link", name="See when it finishes").click()
    expect(page.locator("#forecast")).to_contain_text("Would finish around")
    page.goto(f"/campaigns/{campaign.id}/sequence/edit")
    page.locator("textarea").nth(2).fill("Something else")
    page.get_by_role("button", name="See who is affected").click()
    expect(page.locator("#effect")).to_contain_text("New text in step 4")
    page.get_by_role("button", name="Save changes").click()
    expect(page.locator("body")).to_contain_text("Changes saved.")
    page.goto(f"/campaigns/{campaign.id}/people")
    page.get_by_role("link", name="Add people").click()
    page.get_by_label("List").select_option(index=1)
    page.get_by_role("button", name="Add to campaign").click()
    expect(page).to_have_url(re.compile("/people$"))
    context.close()
