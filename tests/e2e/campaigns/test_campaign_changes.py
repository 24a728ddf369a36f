"""Steps, hours, senders, lists and rules of a running campaign in a real browser: effect, change, undo."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read
from app.domain.campaigns import change_lists
from app.domain.senders import accounts
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list, everyone, forward, fresh, message
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


def test_hours_senders_lists_and_rules_change_and_come_back(ada: Page, acme: Workspace, campaign: Campaign) -> None:
    """What changes shows while one chooses: new hours, who goes on with another sender, who joins."""
    first, second = accounts.every(acme)[:2]
    effect, history = ada.locator("#effect"), ada.locator("#history")
    save = ada.get_by_role("button", name="Save changes")
    opened(ada, campaign)
    ada.get_by_label("Until").fill("16:30")
    ada.get_by_label("Until").blur()
    expect(effect).to_contain_text("Hours")
    save.click()
    expect(history).to_contain_text("16:30")
    end_read()
    assert fresh(campaign).end_time == "16:30"
    ada.get_by_role("button", name="Undo change 1").click()
    expect(history).to_contain_text("Undone by change 2.")
    end_read()
    assert fresh(campaign).end_time == "23:59"

    opened(ada, campaign)
    ada.locator(f"#sender-{first.id}").uncheck()
    ada.locator(f"#sender-{second.id}").check()
    expect(ada.locator("#heirs")).to_contain_text("Who takes over")
    ada.get_by_label(f"From {first.name}").select_option(label=second.name)
    expect(effect).to_contain_text(re.compile("continues? with|stays? with"))
    save.click()
    expect(history).to_contain_text(f"Joined: {second.name}")
    end_read()
    assert fresh(campaign).account_ids == [second.id]
    assert {one.account_id for one in everyone(campaign).values() if one.connection == "none"} <= {second.id}

    opened(ada, campaign)
    ada.get_by_label("Add a list").select_option(label="More people")
    expect(effect).to_contain_text("More people: 1 person")
    save.click()
    expect(history).to_contain_text("Added: More people")
    end_read()
    assert len(change_lists.list_ids(fresh(campaign))) == 2
    assert "accepts-eve" in everyone(campaign)

    ada.get_by_role("link", name="Who is left out").click()
    ada.locator("#f-exclude-contactedDays").fill("45")
    ada.get_by_role("button", name="Check the change").click()
    ada.get_by_role("button", name="Save this change").click()
    opened(ada, campaign)
    expect(history).to_contain_text("Rules for who is left out changed")


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
