"""Starting from a sequence, and dragging and folding steps, in a real browser."""

import re

import sqlalchemy as sa
from playwright.sync_api import Page, expect

from app.core.db import end_read, session
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list


def test_a_campaign_begins_with_a_starter_and_its_steps_are_dragged_and_folded(ada: Page, acme: Workspace) -> None:
    a_list(acme, ["accepts-ada"])
    end_read()
    ada.goto("/campaigns/new")
    ada.get_by_label("Name", exact=True).fill("Begun")
    ada.get_by_label("List", exact=True).select_option(label="People (1 person)")
    ada.get_by_label("What do you help with?").fill("invoice processing")
    ada.get_by_text("Three emails").click()
    ada.locator("#starter-email-three").get_by_role("button", name="Use this sequence").click()
    expect(ada.get_by_role("heading", name="3 Email")).to_be_visible()
    expect(ada.get_by_text("Start from a sequence")).to_have_count(0)
    ada.set_viewport_size({"width": 1280, "height": 2600})  # so that nothing scrolls between press and drag
    last = ada.locator("li.step").nth(2)
    last.locator("[data-grip]").drag_to(ada.locator("li.step").nth(1).locator("h3"))
    expect(ada.locator("textarea").nth(1)).to_have_value(re.compile("this is my last email"))
    ada.get_by_role("checkbox", name="Fold step 1").press("Space")
    expect(ada.locator("textarea").nth(0)).to_be_hidden()
    expect(ada.locator("li.step").nth(0)).to_contain_text("Hi [First name], how do you handle invoice processing")
    ada.get_by_role("button", name="Move step 3 up", exact=True).press("Enter")
    expect(ada.locator("textarea").nth(1)).to_have_value(re.compile("to make it easier"))
    expect(ada.locator("textarea").nth(0)).to_be_hidden()
    ada.get_by_role("button", name="Save draft", exact=True).click()
    expect(ada.get_by_text("Draft saved.")).to_be_visible()
    campaign = session().scalars(sa.select(Campaign)).one()
    assert ["easier" in step["message"] for step in campaign.sequence] == [False, True, False]
