"""Hours, senders, lists, exclusions and steps of a running campaign in a real browser: effect, change, undo."""

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
    loaded(page, f"Changes of {campaign.name}")


def test_hours_change_and_come_back(ada: Page, acme: Workspace, campaign: Campaign) -> None:
    """What changes shows while one chooses."""
    opened(ada, campaign)
    ada.get_by_label("Until").fill("16:30")
    ada.get_by_label("Until").blur()
    expect(ada.locator("#effect")).to_contain_text("Hours")
    ada.get_by_role("button", name="Save changes").click()
    expect(ada.locator("#history")).to_contain_text("16:30")
    end_read()
    assert fresh(campaign).end_time == "16:30"
    ada.get_by_role("button", name="Undo change 1").click()
    expect(ada.locator("#history")).to_contain_text("Undone by change 2.")
    end_read()
    assert fresh(campaign).end_time == "23:59"


def test_a_sender_is_replaced(ada: Page, acme: Workspace, campaign: Campaign) -> None:
    """The preview says who stays and who goes on with another sender; then it is so."""
    first, second = accounts.every(acme)[:2]
    opened(ada, campaign)
    ada.locator(f"#sender-{first.id}").uncheck()
    ada.locator(f"#sender-{second.id}").check()
    expect(ada.locator("#heirs")).to_contain_text("Who takes over")
    ada.get_by_label(f"From {first.name}").select_option(label=second.name)
    expect(ada.locator("#effect")).to_contain_text(re.compile("go(es)? on with"))
    ada.get_by_role("button", name="Save changes").click()
    expect(ada.locator("#history")).to_contain_text(f"Joined: {second.name}")
    end_read()
    assert fresh(campaign).account_ids == [second.id]
    waiting = [one for one in everyone(campaign).values() if one.connection == "none"]
    assert {one.account_id for one in waiting} <= {second.id}


def test_a_list_is_added(ada: Page, acme: Workspace, campaign: Campaign) -> None:
    opened(ada, campaign)
    ada.get_by_label("Add a list").select_option(label="More people")
    expect(ada.locator("#effect")).to_contain_text("More people: 1 person")
    ada.get_by_role("button", name="Save changes").click()
    expect(ada.locator("#history")).to_contain_text("Added: More people")
    end_read()
    assert len(change_lists.list_ids(fresh(campaign))) == 2
    assert "accepts-eve" in everyone(campaign)


def test_rules_are_changed_and_the_change_is_in_the_history(ada: Page, acme: Workspace, campaign: Campaign) -> None:
    opened(ada, campaign)
    ada.get_by_role("link", name="Who is left out").click()
    ada.locator("#f-exclude-contactedDays").fill("45")
    ada.get_by_role("button", name="Check the change").click()
    ada.get_by_role("button", name="Save this change").click()
    opened(ada, campaign)
    expect(ada.locator("#history")).to_contain_text("Who is left out changed")


def test_a_step_that_people_had_is_removed_for_chosen_people_and_put_back(
    ada: Page, acme: Workspace, campaign: Campaign
) -> None:
    """The form asks for whom; the undo knows who had what."""
    ada.goto(f"/campaigns/{campaign.id}/sequence/edit")
    ada.get_by_role("button", name="Remove step 2").click()
    expect(ada.locator("#effect")).to_contain_text("Removed")
    ada.get_by_label("People you choose").check()
    ada.locator("#chosen").get_by_role("checkbox").first.check()
    expect(ada.locator("#effect")).to_contain_text("Get the change")
    ada.get_by_role("button", name="Save changes").click()
    expect(ada.get_by_text("Changes saved.")).to_be_visible()
    end_read()
    assert [step.get("message") for step in fresh(campaign).sequence] == [None, "Second"]
    opened(ada, campaign)
    expect(ada.locator("#history")).to_contain_text("Removed")
    ada.get_by_role("button", name="Undo change 1").click()
    expect(ada.locator("#history")).to_contain_text("Undone by change 2.")
    end_read()
    assert [step.get("message") for step in fresh(campaign).sequence] == [None, "First", "Second"]
