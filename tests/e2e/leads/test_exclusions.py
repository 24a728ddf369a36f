"""Who is left out, in a real browser: rules of a draft and of a running campaign."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read, transaction
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.domain.outreach import VIEW, a_campaign, a_list, person_id
from tests.e2e.browsing import fits, loaded
from tests.e2e.campaigns.editor import done, select, sheet


@pytest.fixture
def replied(acme: Workspace) -> None:
    """The rules of a new workspace hold, and Ada replied once."""
    found = person_id(acme, "ignores-ada")
    with transaction() as current:
        current.merge(acme).contact_rules = None
        current.get_one(Person, found).replied_at = acme.now() - timedelta(days=200)
    end_read()


def test_a_draft_and_a_running_campaign_say_who_is_left_out(ada: Page, acme: Workspace, replied: None) -> None:
    """While it is typed and on the page of the draft, by name; what runs asks before its rules change."""
    a_list(acme, ["ignores-ada", "ignores-bob"], "Customers")
    end_read()
    ada.goto("/campaigns/new")
    ada.get_by_label("Name", exact=True).fill("Spring")
    ada.get_by_label("List", exact=True).select_option(label="Customers (2 people)")
    sentence = ada.locator("#facts")
    expect(sentence).to_contain_text("1 of 2 left out")
    rules = sheet(ada, "Who is left out")
    expect(rules).to_contain_text(re.compile(r"Replied before\s*1"))
    rules.get_by_label("Has ever replied").uncheck()
    expect(sentence).to_contain_text("No one left out yet")
    rules.get_by_label("Has ever replied").check()
    expect(sentence).to_contain_text("1 of 2 left out")
    done(ada)
    select(ada, 2).get_by_label("Text").fill("Hello")
    ada.get_by_role("button", name="Save draft").click()
    loaded(ada, "Spring")
    left_out = ada.locator("#left-out")
    expect(left_out).to_contain_text("1 of 2 people")
    left_out.get_by_role("link", name="Replied before").click()
    loaded(ada, "Who is left out of Spring")
    ada.get_by_role("link", name="Ada").click()
    loaded(ada, "Ada")
    campaign = a_campaign(acme, ["ignores-cy"], [VIEW])
    end_read()
    ada.goto(f"/campaigns/{campaign.id}/exclusions")
    ada.get_by_label("Has ever replied").uncheck()
    ada.get_by_role("button", name="Check the change").click()
    asked = ada.get_by_role("alert").filter(has_text="Save this change?")
    expect(asked).to_contain_text("No longer left out: replied before.")
    expect(ada.get_by_label("Has ever replied")).not_to_be_checked()
    fits(ada)
    asked.get_by_role("button", name="Save this change").press("Enter")
    expect(ada.get_by_text("Saved. The change applies from the next send.")).to_be_visible()
