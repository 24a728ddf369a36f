"""Steps of a running campaign in a real browser: effect, change, undo."""

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list, forward, fresh, message
from tests.e2e.browsing import loaded
from tests.e2e.campaigns.editor import done, select, sheet, tool

STEPS = [INVITE, message("First"), message("Second", days=2)]


@pytest.fixture
def campaign(acme: Workspace) -> Campaign:
    """A day into a campaign to twelve people."""
    found = a_campaign(acme, [f"accepts-p{number}" for number in range(12)], STEPS, name="Spring")
    forward(acme, days=1)
    a_list(acme, ["accepts-eve"], "More people")
    end_read()
    return found


def opened(page: Page, campaign: Campaign) -> None:
    """The page of changes, from the settings."""
    page.goto(f"/campaigns/{campaign.id}/settings")
    page.get_by_role("link", name="Change hours, senders and lists").click()
    loaded(page, f"Changes to {campaign.name}")


def messages(campaign: Campaign) -> list[str | None]:
    """The texts of its steps, as they are by now."""
    end_read()
    return [step.get("message") for step in fresh(campaign).sequence]


def test_steps_change_on_the_way_and_come_back(ada: Page, campaign: Campaign) -> None:
    """Whom it concerns shows while one types, and for a step that people had, they are chosen."""
    effect, save = ada.locator("#effect"), ada.get_by_role("button", name="Save changes")
    ada.goto(f"/campaigns/{campaign.id}")
    expect(ada.locator("#forecast")).to_contain_text("Finishes around")
    ada.locator(".tabs").get_by_role("link", name="Sequence").click()
    ada.get_by_role("link", name="Edit").click()
    loaded(ada, "Edit steps of Spring")
    expect(effect).to_contain_text("No changes yet.")
    select(ada, 3).get_by_label("Text").fill("Something else")
    expect(effect).to_contain_text("New text in step 3")
    expect(ada.locator(".panel.open textarea")).to_be_focused()
    sheet(ada, "Who gets the change").get_by_label("Everyone who hasn't finished").check()
    expect(effect).to_contain_text("Applies to Who gets the change: everyone who hasn't finished: 12 people.")
    done(ada)
    ada.get_by_role("button", name="Add a step after step 3").click()
    ada.locator("#add-3").get_by_role("button", name="Follow").click()
    expect(effect).to_contain_text("Step 4 added: Follow")
    save.click()
    expect(ada.get_by_text("Changes saved.")).to_be_visible()
    assert messages(campaign) == [None, "First", "Something else", None]

    ada.goto(f"/campaigns/{campaign.id}/sequence/edit")
    tool(ada, 2, "Remove step {}")
    expect(effect).to_contain_text("Step 2 removed")
    sheet(ada, "Who gets the change").get_by_label("People you choose").check()
    ada.locator("#chosen").get_by_role("checkbox").first.check()
    expect(effect).to_contain_text("people you choose")
    done(ada)
    save.click()
    expect(ada.get_by_text("Changes saved.")).to_be_visible()
    assert messages(campaign) == [None, "Something else", None]
    opened(ada, campaign)
    ada.get_by_role("button", name="Undo change 2").click()
    expect(ada.locator("#history")).to_contain_text("Undone by change 3.")
    assert messages(campaign) == [None, "First", "Something else", None]
